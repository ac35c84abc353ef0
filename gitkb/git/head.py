"""The commit at HEAD and where history is cut, read without starting git: for what every search asks.

1. Files are read as gitrepository-layout(5) has them: HEAD, a loose reference, packed-refs, shallow.
2. Whatever is stored in another way (reftable, a link, a reference to a reference) is left to git: None.
"""

from __future__ import annotations

import os
import re
from typing import NamedTuple

_is_id = re.compile("[0-9a-f]{40}|[0-9a-f]{64}").fullmatch


class Head(NamedTuple):
    """Where history begins for us."""

    id: str | None
    """The commit, None before the first one."""
    boundary: frozenset[str]
    """Where a shallow clone is cut; empty in a whole one."""


def read_head_files(git_dir: str) -> Head | None:
    """Read HEAD of the worktree whose git directory this is; None where that takes git."""
    try:
        common = git_dir
        named = _read(os.path.join(git_dir, "commondir"))
        if named is not None:
            common = os.path.join(git_dir, named)
        head = _read(os.path.join(git_dir, "HEAD"))
        if head is None or os.path.isdir(os.path.join(common, "reftable")):
            return None
        if head.startswith("ref: "):
            name = head[5:]
            if not name.startswith("refs/heads/"):
                return None
            head = _read(os.path.join(common, *name.split("/"))) or _packed(common, name)
        if head is None or not _is_id(head):
            return None
        boundary = _read(os.path.join(common, "shallow")) or ""
    except (OSError, UnicodeDecodeError):
        return None
    return Head(head, frozenset(boundary.split()))


def _packed(common: str, name: str) -> str | None:
    text = _read(os.path.join(common, "packed-refs")) or ""
    ending = f" {name}"
    return next((line[: -len(ending)] for line in text.split("\n") if line.endswith(ending)), None)


def _read(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read().rstrip("\n")
    except FileNotFoundError:
        return None
