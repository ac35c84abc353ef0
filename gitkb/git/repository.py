"""What there is to know of a repository, asked of git and never worked out from strings.

Invariants:

1. No path inside a git folder is built by joining names: `--git-path`, `--git-common-dir` and
   `--show-toplevel` answer (a `.git` may be a file, a bare repository has worktrees, hooks may live elsewhere).
2. A worktree is linked exactly when its git folder is not the common one.
3. The facts are those of the moment of asking; a `Repository` caches only its four folders.
"""

from __future__ import annotations

import os
from typing import Literal, NamedTuple

from gitkb.errors import GitError
from gitkb.git.command import Answer, ask_git, failed, run_git

MINIMUM_VERSION = (2, 31, 0)
"""`git rev-parse --path-format=absolute` came with 2.31 (March 2021)."""

HOOKS_IN_CONFIGURATION = (2, 54, 0)
"""From here `hook.NAME.command` runs beside whatever stands in the hooks folder."""

Operation = Literal["rebase", "merge", "cherry-pick", "revert", "bisect"]

# In this order: during a rebase CHERRY_PICK_HEAD exists as well.
_MARKS: tuple[tuple[str, Operation], ...] = (
    ("rebase-merge", "rebase"),
    ("rebase-apply", "rebase"),
    ("MERGE_HEAD", "merge"),
    ("CHERRY_PICK_HEAD", "cherry-pick"),
    ("REVERT_HEAD", "revert"),
    ("BISECT_LOG", "bisect"),
)


_ABSOLUTE = ("rev-parse", "--path-format=absolute")
_QUESTIONS = ("--is-inside-work-tree", "--git-dir", "--git-common-dir")


class Version(NamedTuple):
    """git's version as numbers, and as git spells it."""

    numbers: tuple[int, int, int]
    text: str


def git_version(cwd: str = os.curdir) -> Version:
    """`git version 2.39.5 (Apple Git-154)` -> (2, 39, 5). GitError when there is no git."""
    text = run_git(["version"], cwd).decode("utf-8", "replace").strip()
    word = text.removeprefix("git version ").split(" ")[0]
    numbers = [int(part) if part.isdigit() else 0 for part in word.split(".")[:3]]
    numbers += [0] * (3 - len(numbers))
    return Version((numbers[0], numbers[1], numbers[2]), text.removeprefix("git version "))


class Repository:
    """One worktree (or bare repository) as git sees it from a folder."""

    __slots__ = ("common_dir", "cwd", "git_dir", "own_environment", "worktree")

    def __init__(
        self, cwd: str, worktree: str | None, git_dir: str, common_dir: str, own_environment: bool
    ) -> None:
        self.cwd = cwd
        self.worktree = worktree
        self.git_dir = git_dir
        self.common_dir = common_dir
        self.own_environment = own_environment

    def __repr__(self) -> str:
        return f"Repository({self.worktree or self.git_dir!r})"

    @property
    def is_bare(self) -> bool:
        """There is no worktree here (a linked worktree of a bare repository is not bare)."""
        return self.worktree is None

    @property
    def is_linked(self) -> bool:
        """A worktree made by `git worktree add`; a submodule is not one."""
        return self.git_dir != self.common_dir

    def ask(self, *args: str, write: bool = False, feed: bytes | None = None) -> Answer:
        """Run git here and return its answer, whatever the exit status."""
        return ask_git(
            args, self.cwd, input=feed, own_environment=self.own_environment, write=write
        )

    def run(self, *args: str, write: bool = False, feed: bytes | None = None) -> bytes:
        """Run git here and return its stdout. GitError when git fails."""
        return run_git(
            args, self.cwd, input=feed, own_environment=self.own_environment, write=write
        )

    def path(self, name: str) -> str:
        """Where git keeps NAME for this worktree, absolute (`index`, `hooks`, `info/attributes`, …)."""
        return _line(self.run("rev-parse", "--path-format=absolute", "--git-path", name))

    def hooks_dir(self) -> str:
        """The folder in which git looks for hooks, core.hooksPath included; it may not exist."""
        return self.path("hooks")

    def own_hooks_dir(self) -> str:
        """The hooks folder of the repository itself, whether git looks there or not.

        git has no question for it once core.hooksPath is set; that it is `hooks` in the common folder
        is documented in gitrepository-layout(5).
        """
        if self.setting("core.hooksPath") is None:
            return self.hooks_dir()
        return os.path.join(self.common_dir, "hooks")

    def head(self) -> str | None:
        """The commit at HEAD, None before the first one."""
        answer = self.ask("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
        return _line(answer.stdout) if answer.code == 0 else None

    def branch(self) -> str | None:
        """The short name of the branch at HEAD, None when detached."""
        answer = self.ask("symbolic-ref", "--quiet", "--short", "HEAD")
        return _line(answer.stdout) if answer.code == 0 else None

    def is_shallow(self) -> bool:
        """History is cut: authors found at its end are `at or before`."""
        return self.run("rev-parse", "--is-shallow-repository").strip() == b"true"

    def superproject(self) -> str | None:
        """The worktree of the project that holds this one as a submodule."""
        found = _line(self.run("rev-parse", "--show-superproject-working-tree"))
        return found or None

    def operation(self) -> Operation | None:
        """The operation in progress in this worktree: what a person has to finish or abort first."""
        for name, operation in _MARKS:
            if os.path.exists(os.path.join(self.git_dir, name)):
                return operation
        return None

    def refs(self, prefix: str = "refs/heads") -> dict[str, str]:
        """Full names and object ids of the references under ``prefix``."""
        lines = self.run("for-each-ref", "--format=%(objectname) %(refname)", prefix)
        pairs = (line.split(" ", 1) for line in _decode(lines).splitlines())
        return {name: commit for commit, name in pairs}

    def setting(self, name: str, *scope: str) -> str | None:
        """The value in force, or within ``scope`` (`--global`, `--local`). None when it is not set."""
        return read_setting(self.cwd, name, *scope, own_environment=self.own_environment)

    def setting_origin(self, name: str) -> str | None:
        """Which file sets NAME, as git names it (`file:.git/config`); None when it is not set."""
        answer = self.ask("config", "--null", "--show-origin", "--get", name)
        return _decode(answer.stdout).split("\0")[0] if answer.code == 0 else None


def read_setting(cwd: str, name: str, *scope: str, own_environment: bool = False) -> str | None:
    """One value of git's configuration as seen from ``cwd``, which need not be a repository."""
    args = ["config", *scope, "--null", "--get", name]
    answer = ask_git(args, cwd, own_environment=own_environment)
    if answer.code == 0:
        return _decode(answer.stdout).removesuffix("\0")
    if answer.code == 1:
        return None
    raise failed(args, answer.code, answer.stderr, cwd)


def find_repository(path: str, *, own_environment: bool = False) -> Repository | None:
    """The repository that ``path`` (a folder) lies in, None outside one.

    GitError for a repository that git refuses to read: a foreign owner, an unknown format.
    """
    # Whether there is a worktree decides whether its top may be asked for.
    asked = ask_git(
        [*_ABSOLUTE, *_QUESTIONS],
        path,
        own_environment=own_environment,
    )
    if asked.code != 0:
        # With a colon: a `.git` file is there, and the folder that it names is not.
        if b"not a git repository" in asked.stderr and b"repository: " not in asked.stderr:
            return None
        raise failed(["rev-parse"], asked.code, asked.stderr, path)
    lines = _decode(asked.stdout).split("\n")[:-1]
    if len(lines) != 3:  # a path holds a line break, and only alone it can be told where it ends
        lines = [
            _line(run_git([*_ABSOLUTE, question], path, own_environment=own_environment))
            for question in _QUESTIONS
        ]
    inside, git_dir, common_dir = lines
    top = None
    if inside == "true":
        top = _line(
            run_git(["rev-parse", "--show-toplevel"], path, own_environment=own_environment)
        )
    return Repository(top or path, top, git_dir, common_dir, own_environment)


def open_repository(path: str, *, own_environment: bool = False) -> Repository:
    """As `find_repository`; GitError outside a repository."""
    found = find_repository(path, own_environment=own_environment)
    if found is None:
        raise GitError(
            f"cannot find a git repository at '{path}'",
            "run the command inside a repository, or make one: git init",
        )
    return found


def _decode(answer: bytes) -> str:
    return os.fsdecode(answer)


def _line(answer: bytes) -> str:
    return _decode(answer).removesuffix("\n")
