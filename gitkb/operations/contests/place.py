"""What `resolve` is about: entries by their names, or data files by their paths; and where they are."""

from __future__ import annotations

import os
from typing import NamedTuple

from gitkb.errors import UsageError
from gitkb.git.repository import find_repository
from gitkb.operations.history.provenance import has_own_environment
from gitkb.store.discover import store_at
from gitkb.store.layout import split_data_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gitkb.git.repository import Repository
    from gitkb.store.layout import Store


class Named(NamedTuple):
    """The names of entries among words, and the paths of files."""

    entries: list[str]
    files: list[str]


def sort_names(words: Sequence[str]) -> Named:
    """Tell entries and files apart: no name of an entry holds a slash or stands for a data file."""
    files = [word for word in words if _is_path(word)]
    if files and len(files) < len(words):
        raise UsageError(
            "entries and files are settled apart",
            "gitkb resolve FILE first, then gitkb resolve KEY",
        )
    return Named([] if files else list(words), files)


def find_places(paths: Iterable[str]) -> list[tuple[Store, list[str]]]:
    """Give the stores that data files lie in, with the names of the files there.

    Raises:
        UsageError: when a path is no data file of a store.
    """
    names: dict[str, list[str]] = {}
    for path in paths:
        root, name = split_data_path(path, "settled")
        names.setdefault(root, []).append(name)
    return [(store_at(root), found) for root, found in sorted(names.items())]


def repository_of(store: Store) -> Repository | None:
    """Give the repository that a store lies in, if there is one.

    Raises:
        GitError: when git refuses it, or is not there.
    """
    if store.worktree is None:
        return None
    return find_repository(store.worktree, own_environment=has_own_environment(store))


def _is_path(word: str) -> bool:
    return "/" in word or os.sep in word or (word.endswith(".jsonl") and os.path.lexists(word))
