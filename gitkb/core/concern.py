"""Which entries concern the work at hand, by its files, tags and technologies.

1. A file and a folder concern each other both ways, by whole names: what is said about `src`
   concerns `src/a.py`, and who works on `src` is concerned by what is said about `src/a.py`. Globs
   on either side mean what they mean everywhere (`core.glob`).
2. A tag or technology concerns by equality, whatever its case.
3. What the task's own words name counts as given: a tag or technology as a run of its words, a
   file by its path or its name.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from gitkb.core.glob import compile_glob, normal_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from gitkb.core.entry import Entry

NOT_AT_ALL, FAR, CLOSE = range(3)

_AROUND_WORDS = "\"'`.,;:!?…()[]{}<>«»„“”‘’"


class Scope(NamedTuple):
    """What the work is about. Make it with `make_scope`."""

    paths: tuple[str, ...]
    tests: tuple[Callable[[str], bool], ...]
    """For each path, whether it means another one."""
    names: frozenset[str]
    """Names of files that the task mentions without a folder."""
    labels: frozenset[str]
    """Tags and technologies, in lower case."""
    words: str
    """The words of the task, each between spaces."""
    split: Callable[[str], Sequence[str]]


def make_scope(
    files: Iterable[str],
    labels: Iterable[str],
    task: str,
    split: Callable[[str], Sequence[str]],
) -> Scope:
    """Gather what was given and what the task names; `split` cuts a text into its words."""
    split = cache(split)  # many entries have the same tags
    paths = [normal_path(path) for path in files]
    names = []
    for chunk in task.split():
        chunk = chunk.strip(_AROUND_WORDS)
        if "/" in chunk and "://" not in chunk:
            paths.append(normal_path(chunk))
        elif "." in chunk:
            names.append(chunk)
    paths = [path for path in dict.fromkeys(paths) if path]
    return Scope(
        tuple(paths),
        tuple(compile_glob(path) for path in paths),
        frozenset(names),
        frozenset(label.lower() for label in labels),
        f" {' '.join(split(task))} ",
        split,
    )


def is_unbounded(entry: Entry) -> bool:
    """Say whether an entry names nothing that it is about, and so holds everywhere."""
    return not (entry.files or entry.tags or entry.stack)


def concern_of(entry: Entry, scope: Scope) -> int:
    """Say how an entry concerns the work by something that it names.

    `CLOSE`: by a file, or by a tag or technology that was given; `FAR`: by a word of the task.
    """
    labels = [*entry.tags, *entry.stack]
    if any(label.lower() in scope.labels for label in labels) or is_about(entry, scope):
        return CLOSE
    for label in labels:
        words = " ".join(scope.split(label))
        if words and f" {words} " in scope.words:
            return FAR
    return NOT_AT_ALL


def is_about(entry: Entry, scope: Scope) -> bool:
    """Say whether an entry concerns the work by its files."""
    return any(_means(file, scope) for file in entry.files)


def _means(file: str, scope: Scope) -> bool:
    if any(test(file) for test in scope.tests) or file.rpartition("/")[2] in scope.names:
        return True
    if not scope.paths:
        return False
    means = compile_glob(file)
    return any(means(path) for path in scope.paths)
