"""On which branch a commit counts as known: the default branch where it has got there, else this one.

The default branch is what origin/HEAD names (gitrepository-layout(5); `git clone` sets it), else
`main`, else `master`. A commit has got there when the remote's or the local branch of that name
reaches it.
"""

from __future__ import annotations

from typing import NamedTuple

from gitkb.git.command import ask_git, run_git

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
    places = (_LOCAL, _ORIGIN)
    form = "--format=%(HEAD)%(refname)%00%(symref)"
    answer = run_git(["for-each-ref", form, *places], root, own_environment=own_environment)
    lines = answer.decode("utf-8", "replace").split("\n")[:-1]
    refs = dict(line[1:].split("\0") for line in lines)
    checked_out = [line[1:].partition("\0")[0] for line in lines if line.startswith("*")]
    current = checked_out[0].removeprefix(_LOCAL) if checked_out else head[:8]
    named = refs.get(f"{_ORIGIN}HEAD", "").removeprefix(_ORIGIN)
    for name in filter(None, (named, *_USUAL)):
        tips = [place + name for place in places if place + name in refs]
        if tips:
            break
    else:
        return Mainline("", current, frozenset())
    if name == current:
        return Mainline(name, current, frozenset())
    apart = run_git(["rev-list", head, "--not", *tips, "--"], root, own_environment=own_environment)
    return Mainline(name, current, frozenset(apart.decode("ascii").split()))


def read_unborn_branch(root: str, own_environment: bool = False) -> str:
    """Name the branch that the first commit will be on."""
    answer = ask_git(
        ["symbolic-ref", "--quiet", "--short", "HEAD"], root, own_environment=own_environment
    )
    return answer.stdout.decode("utf-8", "replace").removesuffix("\n")
