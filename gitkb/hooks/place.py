"""Where a hook finds the stores of a worktree, and what belongs to it there."""

from __future__ import annotations

import os


def stores() -> list[str]:
    """The stores of this worktree, from its top, where git starts us."""
    return [".gitkb"] if os.path.isdir(".gitkb") else _other_stores()


def _other_stores() -> list[str]:
    """Stores that lie deeper in the worktree, as `gitkb install` noted them for its clone."""
    if not os.path.lexists(".git") and "GIT_DIR" not in os.environ:
        return []
    from gitkb.git.command import ask_git

    said = ask_git(["config", "--null", "--get-all", "gitkb.store"], ".", own_environment=True)
    stores = os.fsdecode(said.stdout).split("\0")
    return [store for store in dict.fromkeys(stores) if store and os.path.isdir(store)]


def derived_folder() -> str | None:
    """`<git dir of this worktree>/gitkb`, None where there is no repository."""
    git_dir = os.environ.get("GIT_DIR")  # git names it in linked worktrees and submodules
    if git_dir is None:
        if os.path.isdir(".git"):
            git_dir = ".git"
        else:
            from gitkb.git.repository import find_repository

            repository = find_repository(os.getcwd(), own_environment=True)
            if repository is None:
                return None
            git_dir = repository.git_dir
    return os.path.join(os.path.abspath(git_dir), "gitkb")
