"""Where a call works: the store and the branch, found anew for each call.

1. `--dir` comes first, then `GITKB_DIR`, then the nearest store above the project's folder.
2. The project's folder is `CLAUDE_PROJECT_DIR` where a client sets it, else the working folder; the
   server goes there once, at its start, so that relative paths mean the same to every operation.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from gitkb.errors import GitError
from gitkb.git.repository import open_repository
from gitkb.mcp.fence import visible
from gitkb.operations.tiers.chain import find_readable
from gitkb.store.discover import find_store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.store.layout import Store

PROJECT_VARIABLE = "CLAUDE_PROJECT_DIR"


class Place(NamedTuple):
    """The store of one call, and the branch that it is on."""

    store: Store
    branch: str | None
    """None outside a repository, and where no branch is checked out."""

    @property
    def name(self) -> str:
        return visible(self.store.root)

    @property
    def branch_words(self) -> str:
        if self.branch is not None:
            return f"branch {visible(self.branch)}"
        return "no branch checked out" if self.store.worktree else "no git repository"


def enter_project(directory: str | None) -> str | None:
    """Go to the project's folder; give `--dir` as it has to be named from there."""
    directory = os.path.abspath(directory) if directory else None
    project = os.environ.get(PROJECT_VARIABLE)
    if project and os.path.isdir(project):
        os.chdir(project)
    return directory


def find_place(directory: str | None, *, reads: bool = False) -> Place:
    """Find the store as it is now; who only reads begins with a farther tier where there is no project.

    Raises:
        NotFoundError: when there is none.
    """
    store = find_readable(directory) if reads else find_store(directory)
    return Place(store, _branch(store))


def _branch(store: Store) -> str | None:
    if store.worktree is None:
        return None
    try:
        return open_repository(store.worktree).branch()
    except GitError:  # no git program, or a repository that it refuses: the store can be read
        return None
