"""Who wrote each record, and who wrote it first: by key, so that neither sorting nor formatting nor
moving a line between files nor merging hides an author. Names come from git, never from an entry.
"""

from __future__ import annotations

from typing import NamedTuple

from gitkb.git import history
from gitkb.operations.history.provenance import (
    Author,
    author_of,
    has_own_environment,
    key_of_alias,
    trace_head,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitkb.store.layout import Store


class Provenance(NamedTuple):
    """Where the record of one key comes from."""

    key: str
    last: Author | None
    """Who wrote the version at HEAD (or took it away); None where HEAD has never had the key."""
    first: Author | None
    """Who wrote the key's first version; None where no commit has."""
    uncommitted: bool
    """The work tree's record is not HEAD's: `last` wrote what stands at HEAD."""
    present: bool
    """The work tree has an entry or a tombstone of the key; else it was archived or taken out."""


def blame(store: Store, keys: Iterable[str] | None = None) -> list[Provenance]:
    """Give the provenance of every entry and tombstone, sorted by key, or of the keys or aliases
    given, in their order.

    Raises:
        GitError: outside a repository, or where git refuses it.
        NotFoundError: for a given key that neither the work tree nor history knows.
    """
    head, commits, origins = trace_head(store)
    own = has_own_environment(store)
    if head.id is None:
        work = _count_lines(store)
    else:
        work = history.read_work_changes(store.root, own)
    lines = {key: count for key, (_, _, count) in origins.items()}
    for key, more in work.items():
        lines[key] = lines.get(key, 0) + more
    if keys is None:
        wanted = sorted(key for key, count in lines.items() if count > 0)
    else:
        wanted = [key if key in lines else key_of_alias(store, key) for key in keys]
    named = {id_ for key in wanted if key in origins for id_ in origins[key][:2] if id_}
    authors = author_of(store, head, [commits[id_] for id_ in named])
    nothing = ("", "", 0)
    found = []
    for key in wanted:
        last, first, _ = origins.get(key, nothing)
        found.append(
            Provenance(key, authors.get(last), authors.get(first), key in work, lines[key] > 0)
        )
    return found


def _count_lines(store: Store) -> dict[str, int]:
    # Before the first commit; git status has nothing to compare with then.
    from gitkb.store.reader import read_store

    snapshot = read_store(store)
    lines = dict.fromkeys(snapshot.current, 1)
    for at in snapshot.duplicates:
        lines[at.record.key] += 1
    return lines
