"""Repositories that a repository brings along as plain files.

A folder with `HEAD`, `objects` and `refs` is a bare repository to git, wherever it lies, and git does what
its `config` says: it starts the programs of core.fsmonitor, of filters and of others. Git carries such a
folder like any other, so a branch could make one of `.gitkb`, in which most of our questions are asked.
(`safe.bareRepository=explicit` of git 2.38 is the same rule; it is off unless somebody turns it on.)
"""

from __future__ import annotations

import os

from gitkb.errors import GitError


def refuse_planted(cwd: str) -> None:
    """Refuse to start git in a folder which git would take for a repository that came with another.

    GitError: `cwd`, or a folder between it and the worktree's top, has the form of a bare repository.
    """
    folder = os.path.abspath(cwd)
    planted = ""
    while not os.path.lexists(os.path.join(folder, ".git")):
        if not planted and _is_bare(folder):
            planted = folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return  # nothing around it: a bare repository that somebody made
        folder = parent
    if planted and ".git" not in os.path.relpath(planted, folder).split(os.sep):
        raise GitError(
            f"'{planted}' has the form of a git repository and lies in another one: git would do what its "
            "'config' says",
            "see who put it there: git log -- HEAD objects refs config; git rm those",
        )


def _is_bare(folder: str) -> bool:
    return os.path.lexists(os.path.join(folder, "HEAD")) and all(
        os.path.isdir(os.path.join(folder, name)) for name in ("objects", "refs")
    )
