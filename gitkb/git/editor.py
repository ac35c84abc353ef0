"""The editor of whoever is at the terminal, as git picks and starts it.

1. It is the one that ``git var GIT_EDITOR`` names: GIT_EDITOR, core.editor, VISUAL, EDITOR, vi. git never
   takes any of these from what a repository carries.
2. It is started as git starts it: by sh where it is more than a name, with the file as its argument (git-var(1)); an interrupt at the
   keyboard is for it alone.
"""

from __future__ import annotations

import os
import threading

from gitkb.errors import GitError
from gitkb.git.command import INSTALL_HINT, failed

TYPE_CHECKING = False
if TYPE_CHECKING:
    import subprocess

_FOR_SH = frozenset("|&;<>()$`\\\"' \t\n*?[#~=%")
"""What makes git hand a command to sh, in its run-command.c."""
_NOT_FOUND = 127
"""What sh says of a command that is not there."""
_HINT = "say which one: export VISUAL=nano, or git config --global core.editor nano"


def edit_file(path: str, folder: str) -> None:
    """Open a file in the editor, and wait until it is closed.

    `folder` is where git is asked, and where the editor is at work.

    Raises:
        GitError: when git names no editor, or it ends with an error.
    """
    import subprocess

    editor = _find_editor(folder)
    is_for_sh = not _FOR_SH.isdisjoint(editor)
    command = ["sh", "-c", f'{editor} "$@"', editor, path] if is_for_sh else [editor, path]
    try:
        running = subprocess.Popen(command, cwd=folder)
    except OSError as error:
        raise GitError(f"cannot start the editor '{editor}': {error.strerror}", _HINT) from None
    code = _wait(running)
    if code == _NOT_FOUND and is_for_sh:
        raise GitError(f"the editor '{editor}' ended with {code}", _HINT)
    if code != 0:  # :cq in vim, or a death: which editor it is is not the question
        how = f"ended with {code}" if code > 0 else f"was killed by signal {-code}"
        raise GitError(f"the editor '{editor}' {how}")


def _wait(running: subprocess.Popen[bytes]) -> int:
    import signal

    # As git does: at a keyboard Ctrl-C goes to the editor, and is the editor's to understand.
    names = [name for name in ("SIGINT", "SIGQUIT") if hasattr(signal, name)]
    if threading.current_thread() is not threading.main_thread():
        names = []
    before = {name: signal.signal(getattr(signal, name), signal.SIG_IGN) for name in names}
    try:
        return running.wait()
    finally:
        for name, handler in before.items():
            signal.signal(getattr(signal, name), handler)


def _find_editor(folder: str) -> str:
    import subprocess

    # Not by `ask_git`, which sees to it that no git of ours opens an editor.
    environment = {**os.environ, "LC_ALL": "C"}
    try:
        done = subprocess.run(
            ["git", "var", "GIT_EDITOR"],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
    except OSError as error:
        raise GitError(f"cannot run git: {error.strerror or error}", INSTALL_HINT) from error
    editor = os.fsdecode(done.stdout).strip()
    if done.returncode != 0 or not editor:
        if done.returncode == 0:
            raise GitError("git names no editor: GIT_EDITOR, VISUAL or EDITOR is empty", _HINT)
        said = failed(["var", "GIT_EDITOR"], done.returncode, done.stderr, folder)
        raise GitError(said.message, _HINT)
    return editor
