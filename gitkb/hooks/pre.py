"""Before a commit: the entries in the staging area that is being committed are judged.

1. Nothing is staged, and nothing written but to the log of what was shown. What is read is the staging area that git names (GIT_INDEX_FILE), not
   the one in the repository: `commit -a` and `commit -- FILE` make one of their own.
2. What is wrong with the data blocks the commit; a fault of our own only where the team wants it so.
3. A reminder comes after that, stops no commit, and is given up where it would keep one waiting.
"""

from __future__ import annotations

import os

from gitkb.hooks.place import derived_folder, stores
from gitkb.hooks.process import TimeUpError, close_terminal, run_with_site_if_needed
from gitkb.hooks.report import report, say


def run(name: str) -> int:
    """Judge what is staged; the exit code is what git goes by."""
    folder = None
    try:
        if not stores():
            return 0
        folder = derived_folder()
        close_terminal()
        code = run_with_site_if_needed(_check_staged)
        if code == 0 and name == "pre-commit":
            run_with_site_if_needed(_name_left_out)
            run_with_site_if_needed(_remind_after_check)
        return code
    except TimeUpError:
        return 0  # only a reminder has a limit
    except KeyboardInterrupt:
        return 130
    except Exception as error:  # noqa: BLE001  a hook is a face: this is its one boundary
        return _judge_failure(folder, name, error)


def _check_staged() -> int:
    """1 when a staged entry is wrong. What may be meant so is a warning, and let by."""
    from gitkb.operations.check import check_staged

    found = 0
    for problem in check_staged(os.getcwd()).problems:  # of every store in the worktree
        found += problem.is_error
        say(f"{problem.severity}: {problem.located}")
        if problem.hint:
            say(f"hint: {problem.hint}")
    if found:
        say(
            f"gitkb: {found} {'problem' if found == 1 else 'problems'} in what is staged; not committed"
        )
    return 1 if found else 0


def _name_left_out() -> int:
    """Say which new files `git commit -a` leaves out: an entry can be the first of its file."""
    if os.path.basename(os.environ.get("GIT_INDEX_FILE", "")) != "index.lock":
        return 0  # no `-a`: whoever names what is committed means it
    from gitkb.git.command import ask_git

    asked = ["ls-files", "--others", "--exclude-standard", "-z", "--", *stores()]
    count = ask_git(asked, os.getcwd(), own_environment=True).stdout.count(b"\0")
    if count:
        from shlex import join

        files = (
            "a new file of knowledge stays"
            if count == 1
            else f"{count} new files of knowledge stay"
        )
        say(f"warning: {files} out of this commit, as 'git commit -a' takes known files alone")
        say(f"hint: git add {join(stores())}")
    return 0


def _remind_after_check() -> int:
    from gitkb.hooks.remind import lines_after_check

    for line in lines_after_check(stores(), os.getcwd()):
        say(line)
    return 0


def _judge_failure(folder: str | None, name: str, error: Exception) -> int:
    """What we say of the data blocks a commit. A fault of our own only does so where the team wants it."""
    from gitkb.errors import GitkbError

    if isinstance(error, GitkbError):
        say(f"error: {error.message}", *([f"hint: {error.hint}"] if error.hint else []))
        return 1
    report(folder, name, error)
    say("warning: this commit was not checked; run 'gitkb check' before you push it")
    from gitkb.git.command import ask_git

    asked = ["config", "--type=bool", "--get", "gitkb.requireHook"]
    return 1 if ask_git(asked, os.getcwd(), own_environment=True).stdout == b"true\n" else 0
