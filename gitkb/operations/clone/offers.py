"""What a repository already keeps in another form, and the command that would bring it in.

1. Nothing is imported or written: the numbers come from a dry run.
2. Only ordinary files within the worktree are looked at, and none that is vast: the paths may be those
   that a stranger's repository names.
3. What was imported already, and says nothing new, is not offered again.
"""

from __future__ import annotations

import json
import os
import shlex
from typing import NamedTuple

from gitkb.errors import GitkbError
from gitkb.operations.exchange.import_ import import_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitkb.core.canonical import Json
    from gitkb.store.layout import Store

_RECORDS = tuple(
    f"{above}{name}"
    for above in ("docs/", "doc/", "documentation/", "")
    for name in ("decisions", "adr", "adrs", "ADR", "architecture/decisions", "architecture/adr")
)
_MEMORIES = ("memory.jsonl", "memory.json", ".mcp/memory.jsonl", ".mcp/memory.json")
_AGENTS = (".mcp.json", ".cursor/mcp.json", ".vscode/mcp.json", ".gemini/settings.json", "mcp.json")
_LARGEST = 64 * 1024 * 1024
_WHAT = {
    "adr": "decision records",
    "drawbar": "drawbar-kb's corpus",
    "add": "ADD's learnings",
    "engram": "engram's memory",
    "mcp-memory": "an MCP memory file",
}


class Offer(NamedTuple):
    """Something that could be imported."""

    format: str
    path: str
    """From the top of the worktree."""
    what: str
    entries: int
    """How many entries would be new or newer than what the store has."""
    dropped: int
    """How many records and lines could not be taken."""
    command: str
    """For the top of the worktree."""


def find_offers(store: Store, *, now: int) -> list[Offer]:
    """Look for knowledge of other tools in the worktree of a store, and try what an import would bring."""
    top = store.worktree or os.path.dirname(store.root)
    offers = []
    for form, path in _candidates(top):
        try:
            result = import_file(store, form, os.path.join(top, path), now=now, dry_run=True)
        except GitkbError:
            continue  # a name that looked like it
        entries = result.added + result.updated
        if entries:
            command = f"gitkb import --from {form} {shlex.quote(path)}"
            offers.append(Offer(form, path, _WHAT[form], entries, len(result.dropped), command))
    return offers


def _candidates(top: str) -> Iterator[tuple[str, str]]:
    seen: set[str] = set()
    for form, path in (
        *(("adr", path) for path in (*_named_by_adr_tools(top), *_RECORDS)),
        ("drawbar", ".drawbar"),
        ("add", ".add"),
        ("engram", ".engram"),
        *(("mcp-memory", path) for path in (*_MEMORIES, *_named_by_agents(top))),
    ):
        real = os.path.realpath(os.path.join(top, path))
        is_new = real not in seen
        if is_new and _is_within(real, top) and _is_plain(real, is_file=form == "mcp-memory"):
            seen.add(real)
            yield form, path


def _is_within(real: str, top: str) -> bool:
    inside = os.path.realpath(top)
    return real.startswith(os.path.join(inside, ""))


def _is_plain(path: str, *, is_file: bool) -> bool:
    try:
        if is_file:
            return os.path.isfile(path) and os.path.getsize(path) <= _LARGEST
        return os.path.isdir(path)
    except OSError:
        return False


def _named_by_adr_tools(top: str) -> Iterator[str]:
    text = _read(os.path.join(top, ".adr-dir")).strip()
    if text and "\n" not in text:
        yield os.path.normpath(text)


def _named_by_agents(top: str) -> Iterator[str]:
    """The memory files that the agents of this project give to the reference memory server."""
    for name in _AGENTS:
        try:
            found: Json = json.loads(_read(os.path.join(top, name)) or "{}")
        except (ValueError, RecursionError):
            continue  # an agent may take comments, which are none of JSON
        for path in _memory_paths(found):
            plain = path.replace("${workspaceFolder}", top).replace("${PWD}", top)
            real = os.path.normpath(os.path.join(top, plain))
            yield os.path.relpath(real, top)


def _memory_paths(value: Json) -> Iterator[str]:
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            path = one.get("MEMORY_FILE_PATH")
            if isinstance(path, str) and path and "\0" not in path:
                yield path
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one


def _read(path: str) -> str:
    if not os.path.isfile(path):
        return ""
    try:
        with open(path, encoding="utf-8") as file:
            return file.read(1 << 20)
    except (OSError, ValueError):
        return ""
