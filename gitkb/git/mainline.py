"""On which branch a commit counts as known: the default branch where it has got there, else this one.

The default branch is what origin/HEAD names (gitrepository-layout(5); `git clone` sets it), else
`main`, else `master`. A commit has got there when the remote's or the local branch of that name
reaches it.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from gitkb.git.command import ask_git, run_git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_ORIGIN = "refs/remotes/origin/"
_LOCAL = "refs/heads/"
_USUAL = ("main", "master")


class Mainline(NamedTuple):
    """The default branch as seen from HEAD."""

    name: str
    """Its short name; empty where there is none."""
    current: str
    """The branch that is checked out, or the short id of a detached HEAD."""
    apart: frozenset[str]
    """HEAD's commits that have not got to the default branch."""

    def branch_of(self, commit: str) -> str:
        """Name the branch that one of HEAD's commits counts to."""
        return self.name if self.name and commit not in self.apart else self.current


def read_mainline(root: str, head: str, own_environment: bool = False) -> Mainline:
    """Read the branches of the repository that a folder lies in, and where HEAD is apart.

    Raises:
        GitError: outside a repository, or where git refuses it.
    """
    current = current_branch(root, head, own_environment)
    name, refs = _default_branch(root, own_environment)
    if not name or _LOCAL + current in refs:
        return Mainline(name, current, frozenset())
    listed = run_git(
        ["rev-list", head, "--not", *refs, "--"], root, own_environment=own_environment
    )
    return Mainline(name, current, frozenset(listed.decode("ascii").split()))


def current_branch(root: str, head: str, own: bool = False) -> str:
    """Name the branch that is checked out, or give the short id of a detached HEAD."""
    answer = ask_git(["symbolic-ref", "--quiet", "--short", "HEAD"], root, own_environment=own)
    return os.fsdecode(answer.stdout).removesuffix("\n") if answer.code == 0 else head[:8]


def _default_branch(root: str, own: bool) -> tuple[str, Sequence[str]]:
    """The short name of the default branch, and the references that bear it."""
    usual = [place + name for name in _USUAL for place in (_ORIGIN, _LOCAL)]
    asked = ["for-each-ref", "--format=%(refname)%00%(symref)", f"{_ORIGIN}HEAD", *usual]
    answer = os.fsdecode(run_git(asked, root, own_environment=own))
    found = dict(line.split("\0") for line in answer.splitlines())
    named = found.get(f"{_ORIGIN}HEAD", "").removeprefix(_ORIGIN)
    if named and named not in _USUAL:
        asked = ["for-each-ref", "--format=%(refname)", _ORIGIN + named, _LOCAL + named]
        refs = os.fsdecode(run_git(asked, root, own_environment=own)).splitlines()
        # A pattern of for-each-ref also means what lies below it.
        refs = [ref for ref in refs if ref in (_ORIGIN + named, _LOCAL + named)]
        return (named, refs) if refs else ("", ())
    for name in filter(None, (named, *_USUAL)):
        refs = [place + name for place in (_ORIGIN, _LOCAL) if place + name in found]
        if refs:
            return name, refs
    return "", ()
