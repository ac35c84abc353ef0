"""Who the user is, as git knows them."""

from __future__ import annotations

from gitkb.errors import GitError
from gitkb.git.command import ask_git


def user_name(worktree: str | None) -> str:
    """Give the name that git would write into a commit, or an empty text."""
    if worktree is None:
        return ""
    try:
        answer = ask_git(["var", "GIT_AUTHOR_IDENT"], worktree)
    except GitError:  # there is no git: what is written goes without a name
        return ""
    if answer.code:
        return ""
    return answer.stdout.decode("utf-8", "replace").partition(" <")[0].strip()
