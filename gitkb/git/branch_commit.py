"""A commit put at the tip of a branch, whether or not somebody has that branch checked out.

Invariants:

1. A branch moves from the commit that the caller saw, or not at all.
2. Where a worktree has the branch checked out, git itself moves the branch, the staging area and the files
   together, as for a pull that fast-forwards; what a person has changed there stops it before anything
   moves. So none of the three ever says something else than the other two.
3. The new commit descends from the tip: nothing that the branch held is lost.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from gitkb.errors import GitError, StateError
from gitkb.git.command import failed
from gitkb.git.repository import Repository, find_repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_HEADS = "refs/heads/"


class Worktree(NamedTuple):
    """A worktree of a repository: its top, and the full name of its branch (empty when detached)."""

    path: str
    branch: str


def branch_named(repository: Repository, name: str) -> str | None:
    """The full name of the branch that a person means by a name, `HEAD` included; None where it is the
    name of something else (a commit, a tag, the branch of a remote)."""
    answer = repository.ask("rev-parse", "--verify", "--quiet", "--symbolic-full-name", name)
    found = os.fsdecode(answer.stdout).strip()
    return found if answer.code == 0 and found.startswith(_HEADS) else None


def write_commit(repository: Repository, tree: str, parents: Sequence[str], message: str) -> str:
    """Make a commit that no branch has yet; its id. It is signed where the configuration says so.

    GitError when git does not know who commits.
    """
    words = ["-c", "i18n.commitEncoding=UTF-8", "commit-tree", tree]
    words += [word for parent in parents for word in ("-p", parent)]
    signs = repository.ask("config", "--type=bool", "--get", "commit.gpgSign")
    if signs.stdout.strip() == b"true":
        words.append("-S")
    answer = repository.ask(*words, write=True, feed=message.encode("utf-8"))
    if answer.code != 0:
        error = failed(words, answer.code, answer.stderr, repository.cwd)
        who = "tell git who commits: git config user.name NAME; git config user.email ADDRESS"
        raise GitError(error.message, error.hint or who)
    return answer.stdout.decode("ascii").strip()


def refuse_busy_branch(repository: Repository, branch: str) -> None:
    """Raise StateError where moving a branch would get in somebody's way."""
    found = worktrees(repository)
    holders = [worktree for worktree in found if worktree.branch == branch]
    short = branch.removeprefix(_HEADS)
    if len(holders) > 1:
        raise StateError(
            f"cannot move '{short}': {len(holders)} worktrees have it checked out",
            "let one of them switch to another branch",
        )
    for worktree in found:
        if worktree.branch in ("", branch) and os.path.isdir(worktree.path):
            _refuse_operation(worktree, branch)


def move_branch(repository: Repository, branch: str, old: str, new: str, reason: str) -> None:
    """Move a branch on from a commit to one that descends from it.

    StateError: it has moved meanwhile, or what stands in its worktree is in the way.
    """
    holder = next((one for one in worktrees(repository) if one.branch == branch), None)
    short = branch.removeprefix(_HEADS)
    if holder is None:
        answer = repository.ask("update-ref", "-m", reason, branch, new, old, write=True)
        if answer.code != 0:
            raise StateError(
                f"'{short}' was not moved: {_words(answer.stderr)}",
                "if it has moved meanwhile, run the command again",
            )
        return
    place = _at(repository, holder)
    # A branch may have options for all its merges, such as --squash (branch.NAME.mergeOptions).
    words = ("merge", "--ff-only", "--no-squash", "--commit", "--quiet", new)
    answer = place.ask(*words, write=True)
    if answer.code != 0 or place.head() != new:
        raise StateError(
            f"'{short}' was not moved, for git will not change the worktree at '{holder.path}': "
            + _words(answer.stderr),
            f"commit, stash or move what is in the way, then run the command again "
            f"(or, in that worktree, git merge --ff-only {new})",
        )


def worktrees(repository: Repository) -> list[Worktree]:
    """The worktrees of a repository, its main one first; a bare repository is none itself."""
    found = []
    listing = os.fsdecode(repository.run("worktree", "list", "--porcelain"))
    for block in listing.split("\n\n"):
        facts = dict(line.partition(" ")[::2] for line in block.splitlines())
        if "worktree" in facts and "bare" not in facts:
            found.append(Worktree(facts["worktree"], facts.get("branch", "")))
    return found


def _at(repository: Repository, worktree: Worktree) -> Repository:
    if repository.worktree and os.path.realpath(worktree.path) == os.path.realpath(
        repository.worktree
    ):
        return repository
    found = find_repository(worktree.path) if os.path.isdir(worktree.path) else None
    if found is None:
        raise StateError(
            f"the worktree '{worktree.path}' is gone", "git worktree prune, then run it again"
        )
    return found


def _refuse_operation(worktree: Worktree, branch: str) -> None:
    place = find_repository(worktree.path)
    operation = None if place is None else place.operation()
    if place is None or operation is None:
        return
    # During a rebase or bisect the worktree is detached, and git moves the branch itself at the end.
    if not worktree.branch and _began_on(place) != branch:
        return
    short = branch.removeprefix(_HEADS)
    raise StateError(
        f"cannot move '{short}': a {operation} of it is under way in '{worktree.path}'",
        f"finish it there, or: git {operation} {'reset' if operation == 'bisect' else '--abort'}",
    )


def _began_on(place: Repository) -> str:
    for name in ("rebase-merge/head-name", "rebase-apply/head-name", "BISECT_START"):
        try:
            with open(place.path(name), encoding="utf-8", errors="surrogateescape") as file:
                found = file.read().strip()
        except OSError:
            continue
        return found if found.startswith("refs/") else _HEADS + found
    return ""


def _words(stderr: bytes) -> str:
    lines = stderr.decode("utf-8", "replace").splitlines()
    said = [line.strip().removeprefix("error: ").removeprefix("fatal: ") for line in lines]
    return "; ".join(line for line in said[:6] if line) or "git gave no reason"
