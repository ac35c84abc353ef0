"""`gitkb uninstall`: take gitkb out of this clone's git again, to the byte. The store stays."""

from __future__ import annotations

from gitkb.git.install import uninstall_clone, uninstall_global
from gitkb.git.repository import open_repository
from gitkb.operations.install import InstallResult


def uninstall(worktree: str, *, global_: bool = False) -> InstallResult:
    """Remove driver, attributes and hooks; items say what was there. GitError outside a repository."""
    if global_:
        return InstallResult(tuple(uninstall_global(worktree)))
    return InstallResult(tuple(uninstall_clone(open_repository(worktree))))
