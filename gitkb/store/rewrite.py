"""Write whole files anew: for verbs that put lines in order rather than change an entry.

1. Everything happens under the store's lock, on files read after it was taken.
2. The steps are written one after the other, so that a line which moves is at its new place before
   it leaves the old one: a kill in between leaves a copy, not a loss.
3. What cannot be read stops the rewrite before anything is written, and so does a file that changed
   after it was read.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import NamedTuple

from gitkb.core.identity import ARCHIVE, KNOWLEDGE
from gitkb.errors import StateError
from gitkb.store.config import read_shards
from gitkb.store.durable import remove_leftovers, replace_file
from gitkb.store.git_lock import refuse_changed, wait_for_git
from gitkb.store.lock import locked
from gitkb.store.reader import iter_files
from gitkb.store.view import refresh_views

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from gitkb.core.problem import Problem
    from gitkb.store.layout import Store


class Files(NamedTuple):
    """All data files of a store by name, and the number of files it is spread over."""

    data: dict[str, bytes]
    shards: int


def read_files(store: Store) -> Files:
    """Read every data file.

    Raises:
        StateError: when one cannot be read.
        DataError: when config.toml is broken.
    """
    problems: list[Problem] = []
    data = dict(iter_files(store, problems))
    for problem in problems:
        raise StateError(f"{problem.message}: '{problem.file}'", problem.hint)
    return Files(data, read_shards(store))


@contextmanager
def rewriting(store: Store) -> Iterator[Files]:
    """Hold the store's lock, with its files as they are now; `write_steps` inside changes them."""
    with locked(store):
        for folder in (KNOWLEDGE, ARCHIVE):
            remove_leftovers(os.path.join(store.root, folder))
        yield read_files(store)


def write_steps(
    store: Store, old: Mapping[str, bytes], steps: Iterable[Mapping[str, bytes]]
) -> None:
    """Write files step by step; one that has its content already is not written.

    Raises:
        StateError: when the disk is full or a file cannot be written; what was written stays. When a
            file is a link that leads out of the store, or is no longer what `old` says, nothing is
            written.
    """
    now = dict(old)
    steps = list(steps)
    paths = {name: store.path_to_write(name) for step in steps for name in step}
    wait_for_git(store)
    touched = {name for step in steps for name, data in step.items() if old.get(name) != data}
    refuse_changed(store, old, sorted(touched))
    for step in steps:
        for name, data in sorted(step.items()):
            if now.get(name) != data:
                replace_file(paths[name], data)
                now[name] = data
    if touched:
        refresh_views(store)  # of several lines of one key another may stand now
