"""`gitkb uninstall`: take gitkb out of this clone's git again, to the byte. The store stays."""

from __future__ import annotations

import contextlib
import os

from gitkb.git.install import uninstall_clone, uninstall_global
from gitkb.git.repository import Repository, open_repository
from gitkb.operations.clone.notice import TOLD
from gitkb.operations.install import InstallResult

_DERIVED = (
    "index.sqlite",
    "provenance.sqlite",
    "lock",
    *TOLD.values(),
    "stale",
    "usage",
    "hook.log",
)


def uninstall(worktree: str, *, global_: bool = False) -> InstallResult:
    """Remove driver, attributes and hooks, and in each worktree the files that can be rebuilt.

    Items say what was there. GitError outside a repository.
    """
    if global_:
        return InstallResult(tuple(uninstall_global(worktree)))
    repository = open_repository(worktree)
    items = tuple(uninstall_clone(repository))
    for folder in _derived_folders(repository):
        _remove_derived(folder)
    return InstallResult(items)


def _derived_folders(repository: Repository) -> list[str]:
    folders = [os.path.join(repository.common_dir, "gitkb")]
    worktrees = os.path.join(repository.common_dir, "worktrees")
    if os.path.isdir(worktrees):
        folders += [os.path.join(worktrees, name, "gitkb") for name in os.listdir(worktrees)]
    return folders


def _remove_derived(folder: str) -> None:
    # Only what gitkb can make again: whatever else lies here, a person may want.
    with contextlib.suppress(OSError):
        for name in os.listdir(folder):
            if name.startswith(_DERIVED):
                os.unlink(os.path.join(folder, name))
        os.rmdir(folder)
