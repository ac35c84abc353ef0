"""The one place that starts the git program.

Invariants:

1. A child never inherits the names of another repository: everything that
   ``git rev-parse --local-env-vars`` lists is scrubbed, unless the caller says that the call is meant for
   the repository those variables name (``own_environment=True``, as hooks do). From a linked worktree
   git exports an absolute GIT_DIR and GIT_INDEX_FILE; a child that keeps them writes into that
   repository wherever its ``cwd`` is. One more exception: where no `.git` stands and GIT_DIR and
   GIT_WORK_TREE alone make ``cwd`` part of a worktree, as people have it who keep their home under git.
2. A child never waits for a person: stdin is closed or given, no terminal prompt, no pager, no editor.
3. A reading call never takes git's lock of the staging area (GIT_OPTIONAL_LOCKS=0).
4. Answers are bytes in the C locale: nothing here is translated or decoded.
5. No program is started to watch the file system, and git is not started where a branch could have planted
   a repository with a configuration of its own (`git.planted`).
"""

from __future__ import annotations

import os
from typing import IO, TYPE_CHECKING, NamedTuple, cast

from gitkb.errors import GitError, OwnerError
from gitkb.git.planted import refuse_planted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# git 2.55 `rev-parse --local-env-vars`, less GIT_CONFIG_COUNT: that one is set by people and CI systems for
# every repository (safe.directory, url.insteadOf), while git itself hands `-c` down in GIT_CONFIG_PARAMETERS.
LOCAL_VARIABLES = frozenset(
    {
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_CONFIG",
        "GIT_CONFIG_PARAMETERS",
        "GIT_OBJECT_DIRECTORY",
        "GIT_DIR",
        "GIT_WORK_TREE",
        "GIT_IMPLICIT_WORK_TREE",
        "GIT_GRAFT_FILE",
        "GIT_INDEX_FILE",
        "GIT_NO_REPLACE_OBJECTS",
        "GIT_REPLACE_REF_BASE",
        "GIT_PREFIX",
        "GIT_INTERNAL_SUPER_PREFIX",
        "GIT_SHALLOW_FILE",
        "GIT_COMMON_DIR",
        # Not in git's list, and just as wrong for a child of ours:
        "GIT_NAMESPACE",
        "GIT_QUARANTINE_PATH",
        "GIT_LITERAL_PATHSPECS",
        "GIT_GLOB_PATHSPECS",
        "GIT_NOGLOB_PATHSPECS",
        "GIT_ICASE_PATHSPECS",
        "GIT_ATTR_SOURCE",
        "GIT_EXTERNAL_DIFF",
        "GIT_DIFF_OPTS",
    }
)

_PROGRAM = ("git", "-c", "core.fsmonitor=false")
INSTALL_HINT = "install git, or put it on PATH, then run the command again"


class Answer(NamedTuple):
    """What a finished git said: its exit status and both streams as they came."""

    code: int
    stdout: bytes
    stderr: bytes


def child_environment(
    own_environment: bool = False,
    *,
    write: bool = False,
    base: Mapping[str, str] | None = None,
    cwd: str | None = None,
) -> dict[str, str]:
    """The environment for a git child. ``base`` stands for ``os.environ`` where given.

    ``cwd``: where the child will stand; the variables stay where they alone make it a worktree.
    """
    source = os.environ if base is None else base
    named = named_worktree(cwd, source) if cwd is not None else None
    environment = {
        name: value
        for name, value in source.items()
        if own_environment or name not in LOCAL_VARIABLES
    }
    environment.update(named or {})
    environment.update(
        LC_ALL="C",
        LANGUAGE="",
        GIT_TERMINAL_PROMPT="0",
        GIT_PAGER="cat",
        GIT_EDITOR=":",
        GIT_SEQUENCE_EDITOR=":",
    )
    for name in list(environment):
        if name.startswith("GIT_TRACE"):  # traces to stderr would land in our messages
            del environment[name]
    if not write:
        environment["GIT_OPTIONAL_LOCKS"] = "0"
    return environment


def named_worktree(cwd: str, environ: Mapping[str, str]) -> dict[str, str] | None:
    """GIT_DIR and GIT_WORK_TREE, absolute, where they alone make ``cwd`` part of a worktree; else None."""
    git_dir, top = environ.get("GIT_DIR"), environ.get("GIT_WORK_TREE")
    if not git_dir or not top:
        return None
    folder, top = os.path.realpath(cwd), os.path.realpath(top)
    if os.path.commonpath((folder, top)) != top:
        return None
    while not os.path.lexists(os.path.join(folder, ".git")):
        if folder == top:
            return {"GIT_DIR": os.path.abspath(git_dir), "GIT_WORK_TREE": top}
        folder = os.path.dirname(folder)
    return None


def ask_git(
    args: Sequence[str],
    cwd: str,
    *,
    input: bytes | None = None,  # noqa: A002  subprocess's own word for it
    own_environment: bool = False,
    write: bool = False,
    seconds: float | None = None,
) -> Answer:
    """Run git to its end and return whatever it said, any exit status included.

    GitError: git is not there, ``cwd`` is not a folder, or ``seconds`` passed (the child is killed).
    """
    import subprocess  # 1.1 times a bare Python start, and callers on hot paths often need no git at all

    try:
        refuse_planted(cwd)
        done = subprocess.run(
            [*_PROGRAM, *args],
            cwd=cwd,
            env=child_environment(own_environment, write=write, cwd=cwd),
            input=input,
            stdin=subprocess.DEVNULL if input is None else None,
            capture_output=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise GitError(
            f"'git {_verb(args)}' did not finish within {seconds:g} seconds",
            "look for a hanging git process or a slow disk, then run the command again",
        ) from None
    except OSError as error:
        raise _not_started(error, cwd) from error
    return Answer(done.returncode, done.stdout, done.stderr)


def run_git(
    args: Sequence[str],
    cwd: str,
    *,
    input: bytes | None = None,  # noqa: A002  subprocess's own word for it
    own_environment: bool = False,
    write: bool = False,
    seconds: float | None = None,
    accept: Sequence[int] = (0,),
) -> bytes:
    """Run git to its end and return its stdout. GitError when the exit status is not in ``accept``."""
    answer = ask_git(
        args, cwd, input=input, own_environment=own_environment, write=write, seconds=seconds
    )
    if answer.code not in accept:
        raise failed(args, answer.code, answer.stderr, cwd)
    return answer.stdout


class stream_git:  # noqa: N801  used as a function: `with stream_git([...], cwd) as lines:`
    """Run a reading git and hand over its stdout while it works: constant memory for a long history.

    ``input`` (a list of commits, say) is written to a temporary file first, so that neither side can
    block the other. Leaving the block before the end of the stream ends git without an error;
    reading to the end and then leaving raises GitError when git failed.

    A class, not a generator: contextlib is not needed on the way to a plain ``run_git``.
    """

    __slots__ = ("_args", "_child", "_cwd", "_environment", "_errors", "_input")

    def __init__(
        self,
        args: Sequence[str],
        cwd: str,
        *,
        input: bytes | None = None,  # noqa: A002  subprocess's own word for it
        own_environment: bool = False,
    ) -> None:
        self._args = args
        self._cwd = cwd
        self._input = input
        self._environment = child_environment(own_environment, cwd=cwd)

    def __enter__(self) -> IO[bytes]:
        import subprocess
        import tempfile

        self._errors = tempfile.TemporaryFile()
        feed = tempfile.TemporaryFile()
        try:
            feed.write(self._input or b"")
            feed.seek(0)
            refuse_planted(self._cwd)
            self._child = subprocess.Popen(
                [*_PROGRAM, *self._args],
                cwd=self._cwd,
                env=self._environment,
                stdin=feed,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                bufsize=1 << 16,
            )
        except OSError as error:
            self._errors.close()
            raise _not_started(error, self._cwd) from error
        finally:
            feed.close()
        return cast("IO[bytes]", self._child.stdout)  # stdout=PIPE: never None

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        stdout = cast("IO[bytes]", self._child.stdout)
        left_early = kind is not None or bool(stdout.read(1))
        stdout.close()
        if left_early:
            self._child.kill()
        code = self._child.wait()
        with self._errors as errors:
            if code != 0 and not left_early:
                errors.seek(0)
                raise failed(self._args, code, errors.read(), self._cwd)


def failed(args: Sequence[str], code: int, stderr: bytes, cwd: str) -> GitError:
    """The error for a git that ended badly: its own words, and a hint where we know the cure."""
    said = stderr.decode("utf-8", "replace").strip()
    if "dubious ownership" in said:
        return OwnerError(
            f"git refuses the repository at '{cwd}': dubious ownership, it belongs to another user",
            f"if you trust it: {_safe_line(said, cwd)}",
        )
    lines = [line.removeprefix("fatal: ").removeprefix("error: ") for line in said.splitlines()]
    message = f"'git {_verb(args)}' failed ({code})"
    if lines:
        message += ": " + "; ".join(line.strip() for line in lines[:4] if line.strip())
    return GitError(message, _cure(said))


def _safe_line(said: str, cwd: str) -> str:
    """The line that git prints for this case, letter by letter: it names the folder as git sees it."""
    command = "git config --global --add safe.directory"
    for line in said.splitlines():
        if line.strip().startswith(command):
            return line.strip()
    # git before 2.35.3 or other wording; the folder is then ours to name
    return f"{command} '{cwd}'"


_CURES = (
    (
        ("not a git repository: ",),  # followed by the folder that a `.git` file names
        "that folder is gone; in the repository, where it is now: git worktree repair FOLDER",
    ),
    (
        ("The empty string is not a valid path",),
        "a path in git's configuration is empty: git config --show-origin core.hooksPath",
    ),
    (
        ("must be run in a work tree",),
        "git takes this repository for a bare one: git config core.bare false, if it is none",
    ),
    (("not a git repository",), "run the command inside a git repository, or make one: git init"),
    (
        ("Read-only file system", "Permission denied"),
        "see who may write there; what only reads works meanwhile",
    ),
    (
        ("No space left", "Disk quota", "write error", "failed to write", "nable to write"),
        "make room and see to the disk, then run the command again",
    ),
    (
        (".lock': File exists", "could not lock config file"),
        "another git is at work here; wait for it to end, then run the command again",
    ),
    (("bad config line", "lacks a value"), "mend the file that git names: git config --edit"),
    (
        (
            "unknown repository extension",
            "Expected git repo version",
            "invalid value for 'extensions",
        ),
        "this git is older than the format of the repository: upgrade git",
    ),
    (
        ("safe.bareRepository",),
        "work in a worktree of it: git worktree add ../tree; or name the folder with --git-dir to git",
    ),
    (
        (
            "alternate object path",
            "bad object",
            "unable to read",
            "ould not read",
            "Not a valid object",
        ),
        "objects of this clone are missing: gitkb doctor says which repository lent them, if one did",
    ),
)


def _cure(said: str) -> str | None:
    """The hint for the first of the known faults that git named."""
    return next((cure for words, cure in _CURES if any(word in said for word in words)), None)


def _not_started(error: OSError, cwd: str) -> GitError:
    if not os.path.isdir(cwd):
        return GitError(
            f"cannot run git in '{cwd}': no such folder", "cd to a folder that is there"
        )
    return GitError(f"cannot run git: {error.strerror or error}", INSTALL_HINT)


def _verb(args: Sequence[str]) -> str:
    """``-c a=b -C d rev-parse x`` -> ``rev-parse``: what a person needs of a command line."""
    skip = False
    for arg in args:
        if skip:
            skip = False
        elif arg in ("-c", "-C"):
            skip = True
        elif not arg.startswith("-"):
            return arg
    return args[0] if args else ""
