"""The paths that git could not merge: their stages in the staging area, and how to go on after.

1. Stages are read from the staging area alone; a path that was staged since has them still, as git
   remembers them for `git checkout -m` (`ls-files --resolve-undo`).
2. What is staged is the paths that are named, and no other.
"""

from __future__ import annotations

import os
from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitkb.git.repository import Repository

BASE, OURS, THEIRS = "1", "2", "3"
_FILE_MODES = ("100644", "100755")


class Unmerged(NamedTuple):
    """The stages of one path: blobs by stage."""

    path: str
    blobs: dict[str, str]
    are_files: bool
    """Whether each stage is a file, rather than a link or a submodule."""


def unmerged_paths(repository: Repository) -> dict[str, Unmerged]:
    """Give all paths in conflict, relative to the top of the worktree."""
    return _read(repository.run("ls-files", "--unmerged", "-z"))


def remembered_paths(repository: Repository) -> dict[str, Unmerged]:
    """Give the paths that were in conflict and have been staged since, with the stages they had."""
    return _read(repository.run("ls-files", "--resolve-undo", "-z"))


def stage_paths(repository: Repository, paths: Iterable[str]) -> None:
    """Stage paths as they stand in the work tree; one that is not there is taken out.

    `git add` would refuse what an ignore file or a sparse checkout leaves out.
    """
    feed = b"".join(os.fsencode(path) + b"\0" for path in paths)
    if feed:
        repository.run("update-index", "--add", "--remove", "-z", "--stdin", write=True, feed=feed)


def next_command(repository: Repository) -> str:
    """Give what ends the operation under way; empty where git remembers none, as after a stash."""
    operation = repository.operation()
    if operation == "merge":
        return "git commit"
    if operation == "rebase":
        # `git am` shares its folder with the rebase that applies patches.
        applying = os.path.join(repository.git_dir, "rebase-apply", "applying")
        return "git am --continue" if os.path.exists(applying) else "git rebase --continue"
    return f"git {operation} --continue" if operation in ("cherry-pick", "revert") else ""


def _read(answer: bytes) -> dict[str, Unmerged]:
    found: dict[str, Unmerged] = {}
    for line in answer.split(b"\0")[:-1]:
        head, _, name = line.partition(b"\t")
        mode, blob, stage = head.decode("ascii").split(" ")
        path = os.fsdecode(name)
        before = found.get(path, Unmerged(path, {}, True))
        are_files = before.are_files and mode in _FILE_MODES
        found[path] = Unmerged(path, {**before.blobs, stage: blob}, are_files)
    return found
