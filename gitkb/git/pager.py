"""The pager that a person has chosen for git: what it is, and how it is run.

1. It is git's: GIT_PAGER, `core.pager`, PAGER, and else `less`, in the order of `git var GIT_PAGER`
   (https://git-scm.com/docs/git-var), which would name the one of our own children: none.
   Nothing that a branch brings along can name it.
2. It is run as git runs it (pager.c): by the shell, with LESS=FRX and LV=-c where those are not set, and
   waited for; while it runs, an interrupt is its own affair.
"""

from __future__ import annotations

import os

from gitkb.errors import GitError

_SETTINGS = {"LESS": "FRX", "LV": "-c"}
_NONE = ("", "cat")


def find_pager(folder: str) -> str:
    """Give the shell command of the pager; an empty text where none is wanted."""
    command = os.environ.get("GIT_PAGER")
    if command is None:
        command = _configured(folder)
    if command is None:
        command = os.environ.get("PAGER", "less")
    return "" if command.strip() in _NONE else command


def _configured(folder: str) -> str | None:
    from gitkb.git.command import ask_git

    try:
        answer = ask_git(["config", "--get", "core.pager"], folder)
    except GitError:
        return None
    return os.fsdecode(answer.stdout).strip() if answer.code == 0 else None


def run_pager(command: str, text: bytes) -> bool:
    """Show a text in a pager, and wait until it is left; False where it could not be started."""
    import signal
    from shutil import which
    from subprocess import PIPE, Popen

    environ = {**_SETTINGS, **os.environ}
    plain = all(sign.isalnum() or sign in "/._-" for sign in command)
    if plain and which(command) is None:
        return False  # the shell would say so, and the answer would be lost
    if command == "less":
        command = "less -R"  # colours, also where LESS is set and says nothing of them
    try:
        pager = Popen(command, shell=True, stdin=PIPE, env=environ)  # noqa: S602  it is the user's own
    except OSError:
        return False
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        pager.communicate(text)  # a reader who leaves early is no error to it
    finally:
        signal.signal(signal.SIGINT, before)
    return pager.returncode != 127
