"""Reminders: of what is about to be committed, and of a file that an agent is about to edit.

1. Neither ever stands in the way: whatever happens, git and the agent go on.
2. Where nothing concerns nothing is said.
3. An agent says on stdin what it is about to do, in its own words; a person, or another agent, names
   the paths. What is answered to the former is JSON that adds to its context and decides nothing.
4. Some agents run a hook at every tool, whatever its matcher says: only those that write count then.
"""

from __future__ import annotations

import os
import sys

from gitkb.hooks.caller import agent_of, is_answered_elsewhere, project_of
from gitkb.hooks.place import stores
from gitkb.hooks.process import TimeUpError, allowed_seconds, close_terminal, set_limit
from gitkb.hooks.report import cause_of, drop_answer, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from gitkb.store.layout import Store

_MOST_BYTES = 4 << 20
_PATH_FIELDS = ("file_path", "filePath", "notebook_path", "path", "file")
_LISTS_OF_PATHS = ("files", "replacements")
_PATCH_FIELDS = ("patch", "input", "command", "diff")
_PATCH_MARKS = ("*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: ")
_SESSION_FIELDS = ("session_id", "sessionId", "conversation_id", "conversationId")
_TOOLS_THAT_WRITE = ("edit", "write", "create", "replace", "insert", "patch", "delete", "rename")
_AGENT = "--agent="
_MOST_PATHS = 50


def run(name: str, arguments: list[str]) -> int:
    """Say what concerns a file or a commit, if anything does."""
    try:
        edit = read_edit(arguments) if name == "before-edit" else None
        if name == "before-edit" and edit is None:
            return 0  # as most do, and pay for nothing that follows
        set_limit(_seconds(), None)
        if edit is not None:
            said = answer_before_edit(*edit)
        else:
            close_terminal()
            said = "\n".join(staged_lines(stores(), os.getcwd(), only_wanted=False))
        if said:
            sys.stdout.write(f"{said}\n")
            sys.stdout.flush()
    except BaseException as error:  # noqa: BLE001  a reminder never stands in the way
        if not isinstance(error, KeyboardInterrupt | TimeUpError):
            say(f"gitkb: {name} could not look: {cause_of(error)}")
            drop_answer()
    return 0


def _seconds() -> float:
    """How long anybody waits for a reminder at most."""
    return min(allowed_seconds(), 5.0)


def staged_lines(stores: Sequence[str], top: str, *, only_wanted: bool) -> list[str]:
    """Give the lines about what would be committed, at most three; `only_wanted` asks the settings first."""
    from gitkb.operations.remind import MOST_LINES, is_wanted_at_commit, remind_staged
    from gitkb.store.discover import find_store

    lines: list[str] = []
    for name in stores:
        store = find_store(os.path.join(top, name))
        if only_wanted:
            if not is_wanted_at_commit(store):
                continue
            set_limit(_seconds(), None)
        if len(lines) < MOST_LINES:
            lines += remind_staged(store, most=MOST_LINES - len(lines))
    return list(dict.fromkeys(lines))


def lines_after_check(stores: Sequence[str], top: str) -> list[str]:
    """Give the lines that git's own hook shows where the team wants them; a fault is a line, too."""
    try:
        return staged_lines(stores, top, only_wanted=True)
    except ModuleNotFoundError:
        raise  # with Python's site it is found
    except Exception as error:  # noqa: BLE001  a reminder stops no commit
        return [f"gitkb: remind could not look: {cause_of(error)}"]


def read_edit(arguments: Sequence[str]) -> tuple[dict[str, Any], list[str], str] | None:
    """Read what is about to be edited: the event, the paths, and the folder they are named from.

    `--agent=NAME` stands in the agent's own file. None where nothing can concern it, which is found out in little
    more than a start of Python.
    """
    named = [word for word in arguments if not word.startswith(_AGENT)]
    event = {} if named else _read_event()
    caller = agent_of(event) if event else ""
    if caller and not _is_edit(event):
        return None
    if len(named) == len(arguments) and is_answered_elsewhere(
        caller, "before-edit", project_of(event)
    ):
        return None
    said = event.get("cwd")
    cwd = said if isinstance(said, str) and _is_folder(said) else os.getcwd()
    paths = named or paths_of(event)
    if not paths or not any(_may_concern(path, cwd) for path in paths):
        return None
    return event, paths, cwd


def answer_before_edit(event: dict[str, Any], paths: list[str], cwd: str) -> str:
    """Give what is written to stdout; empty where there is nothing to say."""
    from gitkb.operations.remind import before_edit, folder_of

    store = _find_store(folder_of(paths[0], cwd))
    if store is None:
        return ""
    text = before_edit(store, paths, session_of(event), cwd).text
    if not text or not event:
        return text
    from json import dumps

    if agent_of(event) == "cursor":
        return dumps({"additional_context": text})
    name = event.get("hook_event_name") or event.get("hookEventName") or "PreToolUse"
    return dumps({"hookSpecificOutput": {"hookEventName": name, "additionalContext": text}})


def _may_concern(path: str, cwd: str) -> bool:
    """Say no where a plain repository has no store, or its filter says so."""
    if "GITKB_DIR" in os.environ or "GIT_DIR" in os.environ:
        return True
    whole = os.path.normpath(os.path.join(cwd, path))
    folder = os.path.dirname(whole)
    if os.path.realpath(folder) != folder:
        return True  # a link on the way
    while True:
        dot_git = os.path.join(folder, ".git")
        if os.path.lexists(os.path.join(folder, ".gitkb")):
            if not os.path.isdir(dot_git) or os.path.islink(dot_git):
                return True
            from gitkb.store.touch_filter import may_concern

            relative = os.path.relpath(whole, folder).replace(os.sep, "/")
            return may_concern(folder, os.path.join(dot_git, "gitkb"), [relative])
        parent = os.path.dirname(folder)
        if os.path.lexists(dot_git) or parent == folder:
            return False
        folder = parent


def paths_of(event: dict[str, Any]) -> list[str]:
    """Give the paths that an agent's event is about, in whatever field it names them."""
    found: dict[str, None] = {}
    given = event.get("tool_input", event.get("toolInput", event.get("input")))
    if isinstance(given, str):  # a tool whose whole input is a patch
        given = {"patch": given}
    for fields in (given, event):
        if not isinstance(fields, dict):
            continue
        for name in _PATH_FIELDS:
            value = fields.get(name)
            if isinstance(value, str) and value and "\0" not in value:
                found[value] = None
        for name in _LISTS_OF_PATHS:
            found.update(dict.fromkeys(_paths_in_list(fields.get(name))))
        for name in _PATCH_FIELDS:
            if isinstance(fields.get(name), str):
                found.update(dict.fromkeys(_paths_in_patch(fields[name])))
        if found:
            break
    return list(found)[:_MOST_PATHS]


def _paths_in_list(value: object) -> Iterator[str]:
    for item in value if isinstance(value, list) else ():
        path = item.get("filePath") if isinstance(item, dict) else item
        if isinstance(path, str) and path and "\0" not in path:
            yield path


def _is_edit(event: dict[str, Any]) -> bool:
    tool = event.get("tool_name", event.get("toolName"))
    return not isinstance(tool, str) or any(word in tool.lower() for word in _TOOLS_THAT_WRITE)


def _paths_in_patch(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        for mark in _PATCH_MARKS:
            if line.startswith(mark) and line[len(mark) :].strip():
                yield line[len(mark) :].strip()


def session_of(event: dict[str, Any]) -> str:
    """Name the session that an event belongs to; an agent within it has a memory of its own."""
    for name in _SESSION_FIELDS:
        value = event.get(name)
        if isinstance(value, str) and value:
            inner = event.get("agent_id")
            return f"{value} {inner}" if isinstance(inner, str) else value
    return ""


def _read_event() -> dict[str, Any]:
    if sys.stdin is None or sys.stdin.isatty():
        return {}
    data = sys.stdin.buffer.read(_MOST_BYTES).strip()
    from gitkb.core.quick_json import parse_plain

    event: Any = parse_plain(data)
    if event is None:
        from json import loads

        try:
            event = loads(data)
        except (ValueError, RecursionError):
            return {}
    return event if isinstance(event, dict) else {}


def _is_folder(path: str) -> bool:
    return "\0" not in path and os.path.isdir(path)


def _find_store(folder: str) -> Store | None:
    from gitkb.errors import NotFoundError
    from gitkb.store.discover import find_store, find_worktree
    from gitkb.store.layout import STORE_NAME

    if os.environ.get("GITKB_DIR"):
        return find_store()
    top = find_worktree(folder)
    while True:
        if os.path.isdir(os.path.join(folder, STORE_NAME)):
            try:
                return find_store(folder)
            except NotFoundError:
                return None
        parent = os.path.dirname(folder)
        if folder in (top, parent):
            return None
        folder = parent
