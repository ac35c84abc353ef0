"""Write whole files anew: for verbs that put lines in order rather than change an entry.

1. Everything happens under the store's lock, on files read after it was taken.
2. A line which moves is at its new place before it leaves the old one: a kill in between leaves a copy,
   not a loss, and a journal lets the next command of any kind finish the change.
3. What cannot be read stops the rewrite before anything is written, and so does a file that changed
   after it was read.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import NamedTuple

from gitkb.core.identity import ARCHIVE
from gitkb.core.jsonl import split_lines
from gitkb.errors import StateError
from gitkb.store.config import read_shards
from gitkb.store.durable import remove_leftovers, replace_file, replace_files
from gitkb.store.git_lock import refuse_changed, wait_for_git
from gitkb.store.journal import Journal
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
        raise StateError(problem.located, problem.hint)
    return Files(data, read_shards(store))


@contextmanager
def rewriting(store: Store) -> Iterator[Files]:
    """Hold the store's lock, with its files as they are now; `write_steps` inside changes them."""
    with locked(store):
        remove_leftovers(store.root)
        yield read_files(store)


def write_steps(
    store: Store, old: Mapping[str, bytes], steps: Iterable[Mapping[str, bytes]]
) -> None:
    """Write files step by step; one that has its content already is not written.

    Where an order can be found in which no line is ever without a place, each file is written once, all
    together as one change. Where two files exchange lines, the steps are taken one after the other.

    Raises:
        StateError: when the disk is full or a file cannot be written; what was written stays. When a
            file is a link that leads out of the store, or is no longer what `old` says, nothing is
            written.
    """
    steps = list(steps)
    final = {name: data for step in steps for name, data in step.items()}
    final = {name: data for name, data in final.items() if old.get(name) != data}
    paths = {name: store.path_to_write(name) for step in steps for name in step}
    wait_for_git(store)
    touched = {name for step in steps for name, data in step.items() if old.get(name) != data}
    refuse_changed(store, old, sorted(touched))
    order = safe_order(old, final)
    if order is None:
        _write_one_by_one(old, steps, paths)
    elif order:
        files = [(name, old.get(name, b""), final[name]) for name in order]
        journal = Journal(store, files) if len(files) > 1 else None
        replace_files([(paths[name], final[name]) for name in order], journal)
    if touched:
        refresh_views(store)  # of several lines of one key another may stand now


def _write_one_by_one(
    old: Mapping[str, bytes], steps: Iterable[Mapping[str, bytes]], paths: Mapping[str, str]
) -> None:
    now = dict(old)
    for step in steps:
        for name, data in sorted(step.items()):
            if now.get(name) != data:
                replace_file(paths[name], data)
                now[name] = data


def safe_order(old: Mapping[str, bytes], new: Mapping[str, bytes]) -> list[str] | None:
    """Order files so that each gets its lines before the file that they come from loses them.

    None where two files exchange lines. The archive comes first where nothing speaks against it.
    """
    gains: dict[bytes, set[str]] = {}
    lines = {name: set(split_lines(data)) for name, data in new.items()}
    before = {name: set(split_lines(old.get(name, b""))) for name in new}
    for name in new:
        for line in lines[name] - before[name]:
            gains.setdefault(line, set()).add(name)
    waits = {
        name: {
            other
            for line in before[name] - lines[name]
            for other in gains.get(line, ())
            if other != name
        }
        for name in new
    }
    left = sorted(new, key=lambda name: (not name.startswith(ARCHIVE), name))
    order: list[str] = []
    while left:
        ready = next((name for name in left if not waits[name].intersection(left)), None)
        if ready is None:
            return None
        left.remove(ready)
        order.append(ready)
    return order
