"""Put gitkb into the files of coding agents, or take it out again.

1. All files are worked out before the first is written; with `dry_run` none is.
2. A file is written whole or not at all, and keeps its mode. Files and folders that are empty without
   us go with us; what has something else in it stays.
3. What leads out of the project, is no plain file, or cannot be edited safely is left as it is, and told of
   with what to paste.
4. Two agents may need one file: each works on what the one before it left.
5. What somebody wrote into a file since it was looked at is never written over.
"""

from __future__ import annotations

import os
import stat
from typing import NamedTuple

from gitkb.core.agents.edit import Refusal, edit_bytes
from gitkb.core.agents.parts import AGENTS, parts_of
from gitkb.errors import StateError, UsageError
from gitkb.store.discover import current_folder, find_worktree
from gitkb.store.durable import replace_file
from gitkb.store.project_file import read_project_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Literal

    from gitkb.core.agents.edit import Part
    from gitkb.store.layout import Store

    Action = Literal["made", "changed", "removed", "kept", "refused"]


class Item(NamedTuple):
    """One file, and what becomes of it."""

    path: str
    """From the top of the project."""
    agents: tuple[str, ...]
    action: Action
    why: str = ""
    """Why it was refused."""
    paste: str = ""
    """What to put there, where it was refused."""
    before: bytes | None = None
    after: bytes | None = None


class Plan(NamedTuple):
    """What a setup does."""

    top: str
    items: tuple[Item, ...]
    notes: tuple[str, ...]
    """What stands in the way of its working."""

    @property
    def changes(self) -> tuple[Item, ...]:
        """The files that have to be written or removed."""
        return tuple(item for item in self.items if item.before != item.after)


def plan_setup(store: Store | None, agents: Sequence[str], *, remove: bool = False) -> Plan:
    """Work out what has to change; nothing is written. What was put in can be taken out without a store.

    Raises:
        UsageError: for an agent that we do not know.
    """
    unknown = [agent for agent in agents if agent not in AGENTS]
    if unknown or not agents:
        message = f"cannot set up '{unknown[0]}'" if unknown else "say for which agent"
        raise UsageError(message, f"one or more of {', '.join(AGENTS)}")
    top, folder = _place(store)
    items: dict[str, Item] = {}
    for agent in dict.fromkeys(agents):
        for part in parts_of(agent, folder):
            items[part.path] = _plan_part(top, agent, part, items.get(part.path), remove)
    notes = [] if remove else [*_missing_programs(), *_ignored(store, items)]
    return Plan(top, tuple(items.values()), tuple(notes))


def apply_plan(plan: Plan) -> None:
    """Write and remove the files of a plan.

    Raises:
        StateError: when one was changed meanwhile, or cannot be written; those before it are.
    """
    for item in plan.changes:
        path = _path(plan.top, item.path)
        try:
            is_same = _read(plan.top, item.path) == item.before
        except Refusal:
            is_same = False
        if not is_same:
            raise StateError(
                f"'{item.path}' was changed meanwhile", "see what changed, then try again"
            )
        if item.after is not None:
            replace_file(path, item.after)
            continue
        try:
            os.unlink(path)
        except OSError as error:
            message = f"cannot remove '{item.path}': {error.strerror}"
            raise StateError(message, "see who may write there, then try again") from None
        _remove_empty(plan.top, os.path.dirname(path))


def _place(store: Store | None) -> tuple[str, str]:
    """Give the top of the project, and where the store lies below it."""
    if store is None:
        here = current_folder()
        return find_worktree(here) or here, ""
    parent = os.path.dirname(store.root)
    top = store.worktree or parent
    folder = os.path.relpath(os.path.realpath(parent), os.path.realpath(top))
    return top, "" if folder == os.curdir else folder.replace(os.sep, "/")


def _plan_part(top: str, agent: str, part: Part, earlier: Item | None, remove: bool) -> Item:
    agents = (*earlier.agents, agent) if earlier else (agent,)
    if earlier is not None and earlier.action == "refused":
        return earlier._replace(agents=agents)
    before: bytes | None = None
    try:
        before = earlier.before if earlier else _read(top, part.path)
        now = earlier.after if earlier else before
        after = edit_bytes(now, part.take if remove else part.put)
    except Refusal as refusal:
        after = earlier.after if earlier else before
        paste = "" if remove else part.paste
        return Item(part.path, agents, "refused", str(refusal), paste, before, after)
    return Item(part.path, agents, _action(before, after), before=before, after=after)


def _action(before: bytes | None, after: bytes | None) -> Action:
    if before == after:
        return "kept"
    if before is None:
        return "made"
    return "removed" if after is None else "changed"


def _read(top: str, name: str) -> bytes | None:
    path = _path(top, name)
    real_top = os.path.realpath(top)
    real = os.path.realpath(path)
    if not f"{real}{os.sep}".startswith(real_top.rstrip(os.sep) + os.sep):
        raise Refusal("it leads out of the project")
    if os.path.relpath(real, real_top).split(os.sep)[0] == ".git":
        raise Refusal("it leads into git's own folder")
    try:
        found = os.stat(path)
    except FileNotFoundError:
        if os.path.islink(path):
            raise Refusal("it is a link to nothing") from None
        return None
    except NotADirectoryError:
        raise Refusal("a file stands where its folder should be") from None
    except OSError as error:
        raise Refusal(f"it cannot be read: {error.strerror}") from None
    if not stat.S_ISREG(found.st_mode):
        raise Refusal("it is no plain file")
    data = read_project_file(real)
    if isinstance(data, str):
        raise Refusal(f"it cannot be read: {data}")
    return data


def _path(top: str, name: str) -> str:
    return os.path.join(top, *name.split("/"))


def _remove_empty(top: str, folder: str) -> None:
    """Remove a folder and those above it, as far as they are empty, below the top."""
    while os.path.relpath(folder, top) not in (os.curdir, os.pardir) and not os.path.islink(folder):
        try:
            os.rmdir(folder)
        except OSError:
            return
        folder = os.path.dirname(folder)


def _missing_programs() -> Iterable[str]:
    from importlib.util import find_spec
    from shutil import which

    missing = [name for name in ("gitkb", "gitkb-hook") if which(name) is None]
    if missing:
        names = " and ".join(f"'{name}'" for name in missing)
        yield f"{names} are not on PATH, and by these names agents start them: pipx install gitkb"
    elif (folder := os.environ.get("VIRTUAL_ENV")) and which(
        "gitkb", path=_path_without(folder)
    ) is None:
        yield (
            "'gitkb' is on PATH by an activated environment alone: start agents from a shell that has it, "
            "or pipx install gitkb"
        )
    if find_spec("mcp") is None:
        yield "gitkb mcp needs the SDK of the protocol: pip install 'gitkb[mcp]'"


def _path_without(folder: str) -> str:
    below = os.path.join(folder, "")
    parts = os.environ.get("PATH", "").split(os.pathsep)
    return os.pathsep.join(part for part in parts if not os.path.join(part, "").startswith(below))


def _ignored(store: Store | None, items: Iterable[str]) -> Iterable[str]:
    if store is None or store.worktree is None:
        return
    from gitkb.git.command import ask_git

    feed = b"".join(os.fsencode(path) + b"\0" for path in items)
    said = ask_git(["check-ignore", "-z", "--stdin"], store.worktree, input=feed)
    for path in filter(None, os.fsdecode(said.stdout).split("\0")):
        yield f"git ignores '{path}': nobody else will get it"
