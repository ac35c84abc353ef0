"""Repositories elsewhere: clone them, bring them up to date, send what is new.

Invariants:

1. An address is data. One that git would take for an option or hand to a program of its own choosing
   (`ext::`, any other helper) is refused, and so is one that carries a password.
2. Nothing waits for a person: no prompt of git or of ssh, no window that asks for a password, and
   after so many seconds git ends with all that it started.
3. What is brought here is files: no hook runs, no link is made, no submodule and no large file is
   fetched along.
4. Where one writes, nothing that was committed is lost: what cannot be merged with the other side stays
   as it is, and the error says so. A clone that nobody writes follows the other side, whatever it did.
"""

from __future__ import annotations

import os
import re
import signal
from typing import TYPE_CHECKING

from gitkb.errors import GitError, UsageError
from gitkb.git.command import INSTALL_HINT, Answer, ask_git, child_environment, failed

if TYPE_CHECKING:
    from collections.abc import Sequence

CLONE_SECONDS = 120.0
SYNC_SECONDS = 60.0
_LOCAL_SECONDS = 30.0
_PROTOCOLS = "file:git:http:https:ssh"
_is_helper = re.compile(r"[A-Za-z0-9+.-]*::").match
_is_remote = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://|[^/\\]{2,}:").match
# A token stands alone in the place of a name, and is longer than any.
_has_password = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://(?:[^/@\s]*:[^/@\s]*|[^/@\s]{20,})@").match
_REACHING_OUT = ("clone", "fetch", "push")
_SAFE = (
    "-c", f"core.hooksPath={os.devnull}",
    "-c", "core.askPass=",
    "-c", "commit.gpgSign=false",
    "-c", "submodule.recurse=false",
    "-c", "protocol.ext.allow=never",
)  # fmt: skip


def checked_url(url: str, cwd: str) -> str:
    """Give an address as git may have it; a path is made absolute.

    Raises:
        UsageError: when it is none that git may be given.
    """
    if not url or url != url.strip() or any(ord(sign) < 32 or ord(sign) == 127 for sign in url):
        raise UsageError(f"'{url}' is no address of a repository", _URL_HINT)
    if url.startswith("-"):
        raise UsageError(f"'{url}' is no address: git would take it for an option", _URL_HINT)
    if _is_helper(url):
        raise UsageError(f"'{url}' would make git start a program of its own", _URL_HINT)
    if _has_password(url):
        raise UsageError(
            "the address carries a password, which would stand in a file as it is",
            "leave it out, and let git remember it: git help credentials",
        )
    return url if _is_remote(url) else os.path.abspath(os.path.join(cwd, url))


_URL_HINT = "https://HOST/PATH, git@HOST:PATH, or the path of a repository"


def clone(url: str, folder: str) -> None:
    """Clone a repository into a folder that does not exist yet. `url` as `checked_url` gave it.

    GitError: it cannot be reached, or git is not there.
    """
    options = ["--template=", "--no-tags", "--no-recurse-submodules"]
    links = ["--config", "core.symlinks=false"]
    args = ["clone", "-q", *options, *links, "--", url, folder]
    _run(args, os.path.dirname(folder), CLONE_SECONDS, url)


def init(folder: str) -> None:
    """Make a repository in a folder, or do nothing where one is."""
    _run(["init", "-q", "--template=", "-b", "main", folder], folder, _LOCAL_SECONDS)


def commit(folder: str, message: str, path: str) -> bool:
    """Commit what changed at a path; False where nothing did.

    Who has told git no name commits as gitkb, for nobody is there to ask.
    """
    _run(["add", "--", path], folder, _LOCAL_SECONDS)
    staged = _ask(["diff", "--cached", "--quiet", "--", path], folder, _LOCAL_SECONDS)
    if staged.code == 0:
        return False
    done = ["commit", "-q", "--no-verify", "-m", message, "--", path]
    _run([*_name_options(folder), *done], folder, _LOCAL_SECONDS)
    return True


def has_remote(folder: str) -> bool:
    """Whether the branch here follows one elsewhere."""
    answer = _ask(["rev-parse", "--verify", "-q", "@{upstream}"], folder, _LOCAL_SECONDS)
    return answer.code == 0


def remotes(folder: str) -> list[str]:
    """The names of the repositories elsewhere that somebody gave this one."""
    return os.fsdecode(_ask(["remote"], folder, _LOCAL_SECONDS).stdout).split()


def begin_to_follow(folder: str) -> bool:
    """Let the branch here follow its like on the remote that somebody gave the repository.

    `origin` comes first. False where there is no remote, or it follows one already.
    """
    if has_remote(folder):
        return False
    names = remotes(folder)
    branch = _ask(["symbolic-ref", "--short", "HEAD"], folder, _LOCAL_SECONDS)
    name = os.fsdecode(branch.stdout).strip()
    if not names or not name:
        return False
    chosen = "origin" if "origin" in names else names[0]
    _run(["config", f"branch.{name}.remote", chosen], folder, _LOCAL_SECONDS)
    _run(["config", f"branch.{name}.merge", f"refs/heads/{name}"], folder, _LOCAL_SECONDS)
    return True


def count_unsent(folder: str) -> int:
    """How many commits the other side does not have; all of them where there is no other side."""
    since = "@{upstream}..HEAD" if has_remote(folder) else "HEAD"
    answer = _ask(["rev-list", "--count", since], folder, _LOCAL_SECONDS)
    return int(answer.stdout) if answer.code == 0 else 0


def is_changed(folder: str) -> bool:
    """Whether something here is not committed."""
    answer = _ask(["status", "--porcelain"], folder, _LOCAL_SECONDS)
    return bool(answer.stdout.strip())


def head(folder: str) -> str:
    """The commit here, or an empty text before the first one."""
    answer = _ask(["rev-parse", "-q", "--verify", "HEAD"], folder, _LOCAL_SECONDS)
    return answer.stdout.decode().strip() if answer.code == 0 else ""


def pull(folder: str, *, writable: bool, begins: bool = False) -> None:
    """Bring what is new. A clone that nobody writes follows whatever the other side did.

    `begins` says that the two sides may have begun apart from one another.

    GitError: the other side cannot be reached, or the two cannot be united.
    """
    _run(["fetch", "-q", "--no-tags", "--no-recurse-submodules"], folder, SYNC_SECONDS)
    if not has_remote(folder):
        return  # the other side has no commit yet
    if is_changed(folder):
        raise GitError(
            f"'{folder}' holds changes that are not committed", f"git -C '{folder}' status"
        )
    if not writable:
        # History over there may have been rewritten: nothing here is worth keeping against it.
        _run(["reset", "-q", "--hard", "@{upstream}"], folder, SYNC_SECONDS)
        return
    merge = ["merge", "-q", "--no-edit", "--no-verify", "@{upstream}"]
    if begins:
        merge.insert(1, "--allow-unrelated-histories")
    answer = _ask([*_name_options(folder), *merge], folder, SYNC_SECONDS)
    if answer.code:
        _ask(["merge", "--abort"], folder, _LOCAL_SECONDS)
        raise failed(merge, answer.code, answer.stderr or answer.stdout, folder)


def push(folder: str) -> None:
    """Send what the other side does not have. GitError: it is refused, or cannot be reached."""
    branch = _ask(["symbolic-ref", "--short", "HEAD"], folder, _LOCAL_SECONDS)
    name = os.fsdecode(branch.stdout).strip() or "HEAD"
    known = _ask(["config", "--get", f"branch.{name}.remote"], folder, _LOCAL_SECONDS)
    where = os.fsdecode(known.stdout).strip() or "origin"
    _run(["push", "-q", "--no-verify", "-u", where, name], folder, SYNC_SECONDS)


def _name_options(folder: str) -> tuple[str, ...]:
    known = _ask(["var", "GIT_COMMITTER_IDENT"], folder, _LOCAL_SECONDS).code == 0
    return () if known else ("-c", "user.name=gitkb", "-c", "user.email=gitkb@localhost")


def _run(args: Sequence[str], cwd: str, seconds: float, url: str = "") -> bytes:
    answer = _ask(args, cwd, seconds)
    if answer.code:
        error = failed(args, answer.code, answer.stderr, cwd)
        if error.hint is None and args[0] in _REACHING_OUT:
            where = f"git ls-remote '{url}'" if url else f"git -C '{cwd}' ls-remote"
            error = GitError(error.message, f"see what git says: {where}")
        raise error
    return answer.stdout


def _ask(args: Sequence[str], cwd: str, seconds: float) -> Answer:
    """Run git with whatever it starts in a session of its own, and end them all in time.

    Ending git alone would leave its helper behind, which holds the pipes that we read.
    """
    import subprocess

    try:
        child = subprocess.Popen(
            ["git", *_SAFE, *args],
            cwd=cwd,
            env=_environment(cwd, args[0] in _REACHING_OUT),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,  # and so without a terminal that ssh could ask
        )
    except OSError as error:
        raise GitError(f"cannot run git: {error.strerror or error}", INSTALL_HINT) from error
    try:
        stdout, stderr = child.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        _end(child.pid)
        child.communicate()
        raise GitError(
            f"'git {args[0]}' did not finish within {seconds:g} seconds",
            "see whether the address can be reached, then do it again",
        ) from None
    except BaseException:
        _end(child.pid)
        child.wait()
        raise
    return Answer(child.returncode, stdout, stderr)


def _end(pid: int) -> None:
    try:
        if hasattr(os, "killpg"):
            os.killpg(pid, signal.SIGKILL)
        else:
            os.kill(pid, signal.SIGTERM)
    except ProcessLookupError:
        return


def _environment(cwd: str, reaches_out: bool) -> dict[str, str]:
    environment = child_environment(write=True)
    environment.update(
        GIT_ASKPASS="",
        SSH_ASKPASS="",
        SSH_ASKPASS_REQUIRE="never",
        GCM_INTERACTIVE="never",
        GIT_ALLOW_PROTOCOL=_PROTOCOLS,
        GIT_LFS_SKIP_SMUDGE="1",
    )
    if not reaches_out:
        return environment
    ssh = environment.get("GIT_SSH_COMMAND") or ("" if "GIT_SSH" in environment else _ssh(cwd))
    if ssh and os.path.basename(ssh.split()[0]) in ("ssh", "ssh.exe"):
        environment["GIT_SSH_COMMAND"] = f"{ssh} -o BatchMode=yes -o ConnectTimeout=15"
    return environment


def _ssh(cwd: str) -> str:
    """The ssh that the user has told git to take; ours would otherwise stand before it."""
    answer = ask_git(["config", "--get", "core.sshCommand"], cwd)
    return answer.stdout.decode("utf-8", "replace").strip() if answer.code == 0 else "ssh"
