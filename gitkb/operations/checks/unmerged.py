"""Data files that git could not merge, and what is about to be lost of them.

A merge driver whose program is missing leaves our side in the file, without a marker: the file by itself
is in order, and the next `git add` drops what the others wrote.

1. Nothing is written or staged.
2. A file that was staged since is named only while git has that operation under way, and only where the
   merge by key gives anything else than the side that was staged.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from gitkb.core.conflicts.marker_merge import Stages, merge_stages
from gitkb.core.identity import ARCHIVE, KNOWLEDGE
from gitkb.core.jsonl import split_lines
from gitkb.core.merge.rules import ARCHIVE as ARCHIVE_RULES
from gitkb.core.merge.rules import KNOWLEDGE as KNOWLEDGE_RULES
from gitkb.core.problem import Problem
from gitkb.git.objects import read_blobs, staged_files
from gitkb.git.unmerged import BASE, OURS, THEIRS, remembered_paths, unmerged_paths
from gitkb.operations.checks.names import is_data

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitkb.git.repository import Repository
    from gitkb.git.unmerged import Unmerged


class OneSided(NamedTuple):
    """A file that holds one side of a conflict alone: its path in the worktree, its name in the store."""

    path: str
    name: str
    is_staged: bool
    """Whether it was staged, so that git takes it for settled."""


def find_one_sided(repository: Repository, prefix: str) -> Iterator[OneSided]:
    """Find the files of the store at `prefix` that hold one side alone of what git could not merge."""
    for path, one in sorted(unmerged_paths(repository).items()):
        name = _name_of(prefix, path)
        is_both = {OURS, THEIRS} <= one.blobs.keys()  # who removed the file lost no line
        if name and is_both and _is_ours(repository, path, one):
            yield OneSided(path, name, is_staged=False)
    if repository.operation() is None:
        return
    remembered = remembered_paths(repository)
    staged = staged_files(repository, prefix) if remembered else {}
    for path, one in sorted(remembered.items()):
        name = _name_of(prefix, path)
        sides = {one.blobs.get(OURS), one.blobs.get(THEIRS)}
        if not name or len(sides) < 2 or staged.get(path) not in sides:
            continue
        if one.are_files and _is_whole(repository, path, name, staged, one):
            continue
        yield OneSided(path, name, is_staged=True)


def check_one_sided(repository: Repository, prefix: str) -> Iterator[Problem]:
    """Say of each such file what `git add` would do to it, or has done."""
    for _, name, is_staged in find_one_sided(repository, prefix):
        if is_staged:
            message = "was staged with one side alone; the other side is in no file"
            hint = "gitkb resolve FILE merges both, unless that is meant"
            yield Problem("one-side", message, hint, name, severity="warning")
        else:
            message = "in conflict, and it holds our side alone: git add would drop the other"
            yield Problem("one-side", message, "gitkb resolve FILE", name)


def _name_of(prefix: str, path: str) -> str:
    """Give the name of a data file in the store at `prefix`, which is empty where that is the worktree."""
    start = f"{prefix}/" if prefix else ""
    name = path.removeprefix(start)
    return name if path.startswith(start) and is_data(name) else ""


def _is_ours(repository: Repository, path: str, one: Unmerged) -> bool:
    top = repository.worktree or repository.cwd
    if not os.path.isfile(os.path.join(top, path)):
        return False
    # As git would add it: with the filters and line ends of its path.
    answer = repository.ask("hash-object", "--", path)
    return answer.code == 0 and answer.stdout.decode("ascii").strip() == one.blobs[OURS]


def _is_whole(
    repository: Repository, path: str, name: str, staged: dict[str, str], one: Unmerged
) -> bool:
    """Say whether what is staged is what the merge by key makes of the three sides."""
    is_archive = name.startswith(ARCHIVE)
    beside = path.removesuffix(name) + ARCHIVE + name.removeprefix(KNOWLEDGE)
    archive = "" if is_archive else staged.get(beside, "")
    sides = one.blobs.values()
    blobs = read_blobs(repository, [*sides, staged[path], archive])
    if any(blob not in blobs for blob in sides):
        return False  # a clone without that object: nobody can tell
    stages = Stages(*(blobs.get(one.blobs.get(stage, "")) for stage in (BASE, OURS, THEIRS)))
    archived = frozenset(split_lines(blobs.get(archive, b"")))
    rules = ARCHIVE_RULES if is_archive else KNOWLEDGE_RULES
    return merge_stages(stages, None, rules, archived).text == blobs[staged[path]]
