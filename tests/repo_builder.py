"""Real repositories for tests and benchmarks, made by the real git program.

1. Every call runs in a sealed environment: no configuration, identity or clock from outside.
2. Time starts with 2026 and goes on by a minute with every program that a test runs, so that the
   same steps give the same commit ids and a later step is later.
3. A program that fails where the test did not expect it raises with everything it said.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from seal import DEFAULT_PERSON, START, Person, identity

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

ADA = DEFAULT_PERSON
BEN = Person("Benjamin Banneker", "ben@example.org")
CHI = Person("Chien-Shiung Wu", "chi@example.org")


@dataclass(frozen=True, slots=True)
class Result:
    """What a program said and how it ended."""

    arguments: tuple[str, ...]
    exit_code: int
    stdout: str
    stderr: str

    def json(self) -> Any:
        """Standard output as one JSON document."""
        return json.loads(self.stdout)

    def lines(self) -> list[str]:
        """Standard output cut at line feeds, without an empty last line."""
        lines = self.stdout.split("\n")
        return lines if lines[-1] else lines[:-1]

    def __str__(self) -> str:
        return (
            f"{' '.join(self.arguments)}\nexit {self.exit_code}\n"
            f"--- stdout\n{self.stdout}\n--- stderr\n{self.stderr}"
        )


class ProgramError(AssertionError):
    """A program ended otherwise than the test expected."""


def run_program(
    arguments: Sequence[str | os.PathLike[str]],
    *,
    cwd: Path,
    exit_code: int | None = 0,
    stdin: str | bytes | None = None,
    env: Mapping[str, str] | None = None,
    timeout: float = 120,
) -> Result:
    """Run a program to its end. `exit_code` is what it must end with, None takes any.

    `env` is added to the environment of the test. Output is read as UTF-8; bytes that are none
    come back as surrogates.
    """
    words = tuple(os.fspath(argument) for argument in arguments)
    data = stdin.encode("utf-8", "surrogateescape") if isinstance(stdin, str) else stdin
    done = subprocess.run(
        words,
        cwd=cwd,
        input=b"" if data is None else data,
        env={**os.environ, **(env or {})},
        capture_output=True,
        timeout=timeout,
        check=False,
    )
    result = Result(
        words,
        done.returncode,
        done.stdout.decode("utf-8", "surrogateescape"),
        done.stderr.decode("utf-8", "surrogateescape"),
    )
    if exit_code is not None and result.exit_code != exit_code:
        raise ProgramError(f"expected exit {exit_code} in '{cwd}':\n{result}")
    return result


class Repo:
    """One working tree (or bare repository) and the person who works in it."""

    def __init__(self, path: Path, person: Person = ADA) -> None:
        self.path = path
        self.person = person

    @classmethod
    def init(cls, path: Path, *options: str, person: Person = ADA, bare: bool = False) -> Repo:
        """A new repository with the branch `main`. `options` go to `git init`."""
        path.mkdir(parents=True, exist_ok=True)
        repo = cls(path, person)
        repo.git("init", "-q", "-b", "main", *(["--bare"] if bare else []), *options)
        repo._set_identity()
        return repo

    @classmethod
    def clone(
        cls, source: Repo | Path | str, path: Path, *options: str, person: Person = ADA
    ) -> Repo:
        """A clone of a repository, folder or URL. `options` go to `git clone`."""
        origin = source.path if isinstance(source, Repo) else source
        path.parent.mkdir(parents=True, exist_ok=True)
        run_program(["git", "clone", "-q", *options, str(origin), str(path)], cwd=path.parent)
        repo = cls(path, person)
        repo._set_identity()
        return repo

    def _set_identity(self) -> None:
        # Beside the variables: gitkb rightly hides GIT_* from git when it works in a repository.
        self.config("user.name", self.person.name)
        self.config("user.email", self.person.email)

    # -- programs

    def git(
        self,
        *arguments: str | os.PathLike[str],
        exit_code: int | None = 0,
        stdin: str | bytes | None = None,
        env: Mapping[str, str] | None = None,
        person: Person | None = None,
    ) -> Result:
        """Run git here as this person, a minute after the program before."""
        return run_program(
            ["git", *arguments],
            cwd=self.path,
            exit_code=exit_code,
            stdin=stdin,
            env={**self._moment(), **identity(person or self.person), **(env or {})},
        )

    def run(
        self,
        *arguments: str | os.PathLike[str],
        exit_code: int | None = 0,
        stdin: str | bytes | None = None,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        program: str = "gitkb",
    ) -> Result:
        """Run the installed `gitkb` here (or another of its programs), as a user would."""
        return run_program(
            [script(program), *arguments],
            cwd=cwd or self.path,
            exit_code=exit_code,
            stdin=stdin,
            env={**self._moment(), **identity(self.person), **(env or {})},
        )

    def kb_add(self, **fields: object) -> dict[str, Any]:
        """Add one entry from its fields (`type_` stands for `type`); answers what `add` said."""
        entry = {name.rstrip("_"): value for name, value in fields.items()}
        answer = self.run("add", stdin=json.dumps(entry, ensure_ascii=False)).json()
        if not isinstance(answer, dict):
            raise ProgramError(f"gitkb add answered {answer!r}")
        return answer

    def _moment(self) -> dict[str, str]:
        _Clock.ticks += 1
        moment = f"{START + 60 * _Clock.ticks} +0000"
        return {"GIT_AUTHOR_DATE": moment, "GIT_COMMITTER_DATE": moment}

    # -- files

    def write(self, name: str, content: str | bytes) -> Path:
        """Write a file of the working tree, byte for byte (no newline is translated)."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def read(self, name: str) -> bytes:
        """The bytes of a file of the working tree."""
        return (self.path / name).read_bytes()

    def tree(self, below: str = ".gitkb") -> dict[str, bytes]:
        """Every file below a folder, by its path from there: two stores compare with `==`."""
        folder = self.path / below
        return {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        }

    # -- git's verbs

    def add(self, *paths: str) -> None:
        """Stage paths; without any, everything."""
        self.git("add", "--", *paths) if paths else self.git("add", "-A")

    def commit(self, message: str, *options: str, by: Person | None = None) -> str:
        """Commit what changed, tracked or not, and answer the commit's id."""
        self.add()
        self.git("commit", "-q", "-m", message, *options, person=by)
        return self.head()

    def commit_staged(self, message: str, *options: str, by: Person | None = None) -> str:
        """Commit what is staged, and answer the commit's id."""
        self.git("commit", "-q", "-m", message, *options, person=by)
        return self.head()

    def head(self, revision: str = "HEAD") -> str:
        """The id of a commit."""
        return self.git("rev-parse", "--verify", revision).stdout.strip()

    def branch(self, name: str, start: str = "HEAD") -> None:
        """Make a branch and stay where we are."""
        self.git("branch", name, start)

    def checkout(self, name: str, *, new: bool = False) -> None:
        """Go to a branch or commit, making the branch if it is new."""
        self.git("checkout", "-q", *(["-b"] if new else []), name)

    def merge(self, *arguments: str, exit_code: int | None = 0) -> Result:
        """Merge, with an ordinary message."""
        return self.git("merge", "--no-edit", *arguments, exit_code=exit_code)

    def rebase(self, *arguments: str, exit_code: int | None = 0) -> Result:
        """Rebase."""
        return self.git("rebase", *arguments, exit_code=exit_code)

    def push(self, *arguments: str, exit_code: int | None = 0) -> Result:
        """Push the current branch to the remote it came from."""
        return self.git("push", "-q", *(arguments or ("-u", "origin", "HEAD")), exit_code=exit_code)

    def pull(self, *arguments: str, exit_code: int | None = 0) -> Result:
        """Pull by merging."""
        return self.git("pull", "-q", "--no-rebase", "--no-edit", *arguments, exit_code=exit_code)

    def log(self, *arguments: str, form: str = "%s") -> list[str]:
        """One line a commit, newest first: the subject, or another `--format`."""
        return self.git("log", f"--format={form}", *arguments).lines()

    def status(self) -> list[str]:
        """`git status --porcelain`, a line a path."""
        return self.git("status", "--porcelain", "--untracked-files=all").lines()

    def config(self, name: str, value: str) -> None:
        """Set one value of this clone's configuration."""
        self.git("config", name, value)

    def worktree(self, path: Path, branch: str) -> Repo:
        """A linked worktree on a new branch."""
        self.git("worktree", "add", "-q", "-b", branch, path)
        return Repo(path, self.person)


class Team(NamedTuple):
    """A bare remote and two people with a clone each."""

    remote: Repo
    ada: Repo
    ben: Repo


def team(folder: Path, *init_options: str, store: bool = True) -> Team:
    """Two clones of one bare remote with one commit, and (unless told otherwise) a store in both.

    `init_options` go to `gitkb init`.
    """
    remote = Repo.init(folder / "remote.git", bare=True)
    ada = Repo.clone(remote, folder / "ada", person=ADA)
    ada.git("symbolic-ref", "HEAD", "refs/heads/main")
    ada.write("README", "A project.\n")
    if store:
        ada.run("init", *init_options)
    ada.commit("Begin")
    ada.push()
    ben = Repo.clone(remote, folder / "ben", person=BEN)
    if store:
        ben.run("install")
    return Team(remote, ada, ben)


def script(name: str) -> str:
    """The path of an installed program of the running interpreter."""
    suffix = ".exe" if sys.platform == "win32" else ""
    return os.path.join(sysconfig.get_path("scripts"), name + suffix)


class _Clock:
    ticks = 0


def restart_clock() -> None:
    """Go back to the start of 2026, as every test does."""
    _Clock.ticks = 0
