"""`conflicts`: what merges could not decide, value by value, with who wrote each."""

from __future__ import annotations

from typing import NamedTuple

from gitkb.errors import GitError
from gitkb.operations.contests.author import find_authors
from gitkb.operations.contests.contested import read_contested

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitkb.core.conflicts.contest import Contest
    from gitkb.operations.contests.author import Place
    from gitkb.operations.contests.contested import Contested
    from gitkb.operations.history.provenance import Author
    from gitkb.store.layout import Store


class Conflicts(NamedTuple):
    """All that is contested, who wrote each value, and the files that git left in conflict."""

    entries: list[Contested]
    authors: dict[Place, Author]
    files: list[str]

    def author(self, entry: Contested, contest: Contest, number: int) -> Author | None:
        """Give who wrote a value, where git knows."""
        return self.authors.get((entry.key, contest.field, number))


def conflicts(store: Store, names: Sequence[str] = ()) -> Conflicts:
    """Give what is contested in a store, or of the keys and aliases named.

    Raises:
        NotFoundError: when a name means nothing here.
    """
    keys = [_key_of(store, name) for name in names]
    entries = read_contested(store, keys if names else None)
    return Conflicts(entries, find_authors(store, entries), [] if names else _files(store))


def _key_of(store: Store, name: str) -> str:
    from gitkb.operations.writing.absent import find_archived, not_found
    from gitkb.store.reader import read_named, read_store

    snapshot = read_named(store, name)
    at = snapshot.find(name) or find_archived(snapshot, name)
    if at is None:
        raise not_found(name, read_store(store))
    return at.record.key


def _files(store: Store) -> list[str]:
    from gitkb.operations.contests.file import files_in_conflict

    try:
        return files_in_conflict(store)
    except GitError:  # what the files say is told whatever git says of the repository
        return []
