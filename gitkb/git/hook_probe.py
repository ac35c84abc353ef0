"""Does a hook fire: git itself is asked to run it, and gitkb has to hear of it.

What a look at files cannot see: a hooks folder on a disk that runs no programs, a program of ours that
is broken, a hook that git's configuration switches off, a git that looks somewhere else.

Invariants:

1. Nothing of anybody else's is started: a hook that belongs to another tool, or that git would run
   together with one, is not probed.
2. A probed hook does nothing but answer (`gitkb.hooks.main` reads `VARIABLE`).
"""

from __future__ import annotations

import os

from gitkb.errors import GitError
from gitkb.git.command import child_environment
from gitkb.git.repository import HOOKS_IN_CONFIGURATION, git_version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.git.hook_path import HookState
    from gitkb.git.repository import Repository

VARIABLE = "GITKB_HOOK_PROBE"
HOOK_RUN = (2, 36, 0)
"""From here there is `git hook run`."""
SECONDS = 20.0
# post-checkout: a branch was checked out, because of files our script does not start us.
_ARGUMENTS = {
    "post-checkout": ("HEAD", "HEAD", "1"),
    "post-merge": ("0",),
    "post-rewrite": ("amend",),
}


def probe_hook(repository: Repository, state: HookState) -> str | None:
    """Let git run one hook that works by its looks; what is wrong, None when it fired or cannot be told.

    Costs a start of git, of a shell and of Python.
    """
    version = git_version(repository.cwd).numbers
    if version < HOOK_RUN or not _is_ours_alone(repository, state, version):
        return None
    if state.name.startswith("post-") and repository.operation() == "rebase":
        return None  # our scripts only leave a mark then
    token = f"fired {os.getpid()}"
    said = _run(repository, state.name, token)
    if any(line.strip() == token for line in said):
        return None
    return said[0] if said else "it ended without a word"


def _is_ours_alone(repository: Repository, state: HookState, version: tuple[int, int, int]) -> bool:
    if state.state in ("foreign", "called", "legacy"):
        return False
    if version < HOOKS_IN_CONFIGURATION:
        return True
    listed = repository.ask("hook", "list", state.name).stdout.decode("utf-8", "replace")
    # The file in the hooks folder, which is ours, is listed as "hook from hookdir".
    ours = (f"gitkb-{state.name}", "hook from hookdir")
    return all(name in ours for name in listed.splitlines())


def _run(repository: Repository, name: str, token: str) -> list[str]:
    """What was said while git ran the hook."""
    import subprocess

    # Its own environment, as a person's git gives it: what hides our program there is what we look for.
    environment = {**child_environment(cwd=repository.cwd), VARIABLE: token}
    command = ["git", "hook", "run", name, "--", *_ARGUMENTS.get(name, ())]
    try:
        done = subprocess.run(
            command,
            cwd=repository.cwd,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return [f"it did not end within {SECONDS:g} seconds"]
    except OSError as error:
        raise GitError(f"cannot run git: {error.strerror or error}") from error
    said = done.stderr.decode("utf-8", "replace").splitlines()
    return [line for line in said if line.strip()]
