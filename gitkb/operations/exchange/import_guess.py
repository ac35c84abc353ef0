"""Guess the format of what is to be imported, to say so when another one was named.

Only what is beyond doubt is said: a name that one tool alone uses, or a first record whose fields are
those of one format.
"""

from __future__ import annotations

import gzip
import json
import os
import zlib

from gitkb.core.documents.json_document import is_document
from gitkb.core.jsonl import BYTE_ORDER_MARK
from gitkb.store.layout import STORE_NAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.core.canonical import Json

_HEAD = 1 << 16
_LINES = 20
_ENGRAM_FIELDS = {"session_id", "sync_id", "started_at", "observation_sync_id"}


def guess_formats(path: str) -> list[str]:
    """Give the formats that something may be in, the likeliest first; none where that is not clear.

    Raises:
        OSError: when a file cannot be read.
    """
    if os.path.isdir(path):
        return _guess_folder(path)
    if path.lower().endswith((".md", ".markdown")):
        return ["adr", "add"]
    return _guess_data(_read_head(path))


def _guess_folder(path: str) -> list[str]:
    def has(*names: str) -> bool:
        return os.path.exists(os.path.join(path, *names))

    guessed = []
    if os.path.basename(os.path.normpath(path)) == STORE_NAME or has(STORE_NAME):
        guessed.append("gitkb")
    if has(".add") or any(has(f"{stem}.json") for stem in ("learnings", "library")):
        guessed.append("add")
    if (has("manifest.json") and has("chunks")) or has(".engram", "manifest.json"):
        guessed.append("engram")
    if has("memory.jsonl"):
        guessed.append("mcp-memory")
    if has(".drawbar") or has("knowledge.jsonl") or has("memory", "knowledge.jsonl"):
        guessed.append("drawbar")
    # A project's folder has many things: only a folder of one kind is told apart.
    is_project = has(".git")
    return [] if is_project or len(guessed) != 1 else guessed


def _read_head(path: str) -> bytes:
    with open(path, "rb") as file:
        head = file.read(_HEAD)
    if head[:2] == b"\x1f\x8b":
        try:
            with gzip.open(path) as unpacked:
                return unpacked.read(_HEAD)
        except (OSError, EOFError, zlib.error):
            return b""
    return head


def _guess_data(head: bytes) -> list[str]:
    if is_document(head):
        return ["gitkb"]
    head = head.removeprefix(BYTE_ORDER_MARK).lstrip()
    if head[:1] == b"#" and b"\n## " in head:
        return ["adr", "add"]
    records = [_record(line) for line in head.split(b"\n")[:_LINES]]
    guesses = [_guess_record(record) for record in records if record]
    if guesses and all(guess == guesses[0] for guess in guesses):
        return guesses[0]
    if not guesses and _is_learnings(head):
        return ["add"]
    if not guesses and head[:1] == b"{" and b'"observations"' in head and b'"sessions"' in head:
        return ["engram"]
    return []


def _is_learnings(head: bytes) -> bool:
    is_file = head[:1] == b"{" and b'"entries"' in head
    return is_file and (b"learnings.schema.json" in head or b'"severity"' in head)


def _record(line: bytes) -> dict[str, Json] | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _guess_record(record: dict[str, Json]) -> list[str]:
    names = record.keys()
    if record.get("type") == "entity" and {"name", "observations"} <= names:
        return ["mcp-memory"]
    if record.get("type") == "relation" and {"from", "to", "relationType"} <= names:
        return ["mcp-memory"]
    if {"entities", "relations"} <= names:
        return ["mcp-memory"]
    if "entries" in names and ("$schema" in names or "project" in names):
        return ["add"]
    if "key" in names and ({"type", "content"} <= names or "deleted" in names):
        return ["gitkb", "drawbar"]
    if names & _ENGRAM_FIELDS or {"sessions", "observations"} <= names:
        return ["engram"]
    return []
