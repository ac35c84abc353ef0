"""What coding agents call as a session begins, and before they shorten a conversation.

1. The answer is what the agent named in the call takes: JSON that adds to its context, or, for Claude Code
   before it shortens, words that go into its instructions, which therefore are ours alone.
2. Where there is no store, or nothing to tell, there is no answer.
3. Several agents also read the hooks of Claude Code. One whose own file calls us is answered there only.
"""

from __future__ import annotations

import json
import os
import sys

from gitkb.hooks.caller import agent_of, is_answered_elsewhere, project_of
from gitkb.hooks.place import derived_folder
from gitkb.hooks.process import TimeUpError, allowed_seconds, close_terminal, set_limit
from gitkb.hooks.report import drop_answer, log, report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gitkb.store.layout import Store

_MOST_BYTES = 1 << 20


def run(name: str, arguments: list[str]) -> int:
    """Answer an agent on stdout."""
    folder = None
    try:
        event = read_event()
        folder = derived_folder()
        close_terminal()
        set_limit(allowed_seconds(), folder)
        said = answer(name, arguments[0] if arguments else "", event)
        if said:
            sys.stdout.write(f"{said}\n")
            sys.stdout.flush()
    except TimeUpError:
        log(folder, name, f"stopped after {allowed_seconds():g} seconds")
    except BaseException as error:  # noqa: BLE001  invariant 1: an agent goes on without us
        if not isinstance(error, KeyboardInterrupt):
            report(folder, name, error)
            drop_answer()
    return 0


def read_event() -> dict[str, Any]:
    """Read what the agent says on stdin, and go to its project; nothing where it says nothing."""
    said: Any = None
    if sys.stdin is not None and not sys.stdin.isatty():
        try:
            said = json.loads(sys.stdin.buffer.read(_MOST_BYTES))
        except (ValueError, RecursionError, OSError):
            said = None
    event: dict[str, Any] = said if isinstance(said, dict) else {}
    os.chdir(project_of(event))
    return event


def answer(name: str, agent: str, event: dict[str, Any]) -> str:
    """Give what is written to stdout; empty where there is nothing to say."""
    caller = agent_of(event) if agent == "claude" else agent
    if agent == "claude" and is_answered_elsewhere(caller, name, os.curdir):
        return ""
    store = _find_store()
    if store is None:
        return ""
    if name == "before-compact":
        # Only here is text an instruction; whoever else reads this hook takes JSON.
        return _before_compact(store) if agent == "claude" and not caller else ""
    if event.get("source") in ("compact", "clear"):
        from gitkb.hooks.remind import session_of
        from gitkb.store.told import forget_told

        forget_told(store, session_of(event))  # the agent has forgotten it, too
    from gitkb.operations.agents.brief import brief

    text = brief(store)
    if not text:
        return ""
    if caller == "cursor":
        return json.dumps({"additional_context": text})
    told = {"hookEventName": "SessionStart", "additionalContext": text}
    if (
        caller == "vscode"
    ):  # the agent that it shares with Copilot's own program reads the outer one alone
        return json.dumps({"additionalContext": text, "hookSpecificOutput": told})
    return json.dumps({"hookSpecificOutput": told})


def _before_compact(store: Store) -> str:
    from gitkb.core.agents.rules import BEFORE_COMPACT
    from gitkb.operations.agents.brief import open_sessions

    opened = [f"The gitkb session {one} is still open: say so." for one in open_sessions(store)]
    return " ".join([BEFORE_COMPACT, *opened])


def _find_store() -> Store | None:
    """Find the store of this folder, or else one that lies deeper in the worktree."""
    from gitkb.errors import NotFoundError
    from gitkb.store.discover import find_store, find_worktree

    try:
        return find_store()
    except NotFoundError:
        top = find_worktree(os.getcwd())
    if top is None:
        return None
    from gitkb.git.command import ask_git

    said = ask_git(["config", "--null", "--get-all", "gitkb.store"], top)
    for name in os.fsdecode(said.stdout).split("\0"):
        if name and os.path.isdir(os.path.join(top, name)):
            return find_store(os.path.join(top, name))
    return None
