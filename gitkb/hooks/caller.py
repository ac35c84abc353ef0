"""Which agent calls. Several also read the hooks of Claude Code, and say in their own way who they are.

1. One whose own file calls us is answered there only.
2. Nothing is imported here: a hook before an edit pays for it every time.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_OWN_FILES = {"cursor": ".cursor/hooks.json", "vscode": ".github/hooks/gitkb.json"}
_MOST_BYTES = 1 << 20


def agent_of(event: Mapping[str, object]) -> str:
    """Name the agent by what only it sends; empty where nothing says so, as with Claude Code and Codex.

    Cursor names itself in the environment, too: to a command of more than one program the event does not get.
    """
    if "cursor_version" in event or "CURSOR_VERSION" in os.environ:
        return "cursor"
    return "vscode" if "timestamp" in event else ""


def is_answered_elsewhere(agent: str, hook: str, folder: str) -> bool:
    """Whether an agent's own file in a project's folder calls this hook, too."""
    name = _OWN_FILES.get(agent)
    if name is None:
        return False
    try:
        with open(os.path.join(folder, name), "rb") as file:
            return f"gitkb-hook {hook} ".encode() in file.read(_MOST_BYTES)
    except OSError:
        return False


def project_of(event: Mapping[str, object]) -> str:
    """Give the project's folder as the agent names it; the current folder where it does not."""
    for folder in (os.environ.get("CLAUDE_PROJECT_DIR"), event.get("cwd")):
        if isinstance(folder, str) and folder and "\0" not in folder and os.path.isdir(folder):
            return folder
    return os.getcwd()
