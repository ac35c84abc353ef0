"""The files of the ADD learning library: the JSON that agents read, and the Markdown view of it.

1. Of a document each entry is given as it stands, a bad one with the reason, whatever the others are.
2. The same records give the same bytes, in the order of their numbers.
3. The view reads back: `add_markdown.parse_learnings` finds in it every record's number, title, severity,
   date, category and body.
"""

from __future__ import annotations

import json
from typing import NamedTuple

from gitkb.core.alias import parse_alias
from gitkb.core.canonical import encode_json, encode_sorted
from gitkb.core.entry import CATEGORIES
from gitkb.core.foreign.add_words import heading_of_category
from gitkb.core.jsonl import BYTE_ORDER_MARK, BadLineError, parse_object
from gitkb.core.unsafe import escaped, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gitkb.core.canonical import Fields, Json

SCHEMA = "https://github.com/MountainUnicorn/add/learnings.schema.json"
VERSION = "1.0.0"

_ORDER = ("anti-pattern", *(name for name in CATEGORIES if name != "anti-pattern"))
_SEVERITY_ORDER = ("critical", "high", "medium", "low")


class Document(NamedTuple):
    """What a file says beside its entries, and each entry: its fields, or why it has none."""

    project: str
    entries: list[dict[str, Json] | str]


class _Doubled(dict):  # type: ignore[type-arg]
    """An object in which a name stands twice."""

    name = ""


def parse_document(data: bytes) -> Document:
    """Read a file, which is an object with ``entries``, or a bare list of them.

    Raises:
        BadLineError: when it is no such document.
    """
    try:
        text = data.removeprefix(BYTE_ORDER_MARK).decode("utf-8")
    except UnicodeDecodeError:
        raise BadLineError("it is not UTF-8") from None
    try:
        value = json.loads(text, object_pairs_hook=_object, parse_constant=_Constant)
    except json.JSONDecodeError as error:
        reason = f"it is not JSON: {error.msg.lower()} at line {error.lineno}"
        raise BadLineError(f"{reason}, column {error.colno}") from None
    except (ValueError, RecursionError):
        raise BadLineError(
            "it is not JSON that can be read: too deep, or a number too long"
        ) from None
    found = value.get("entries") if isinstance(value, dict) else value
    if isinstance(found, dict):
        found = list(found.values())
    if not isinstance(found, list):
        raise BadLineError("it has no list 'entries'")
    project = value.get("project") if isinstance(value, dict) else ""
    return Document(project if isinstance(project, str) else "", [_checked(item) for item in found])


class _Constant(str):
    """``NaN`` and the like, which are no JSON."""

    __slots__ = ()


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    doubled = _Doubled(found)
    names = [name for name, _ in pairs]
    doubled.name = next(name for name in names if names.count(name) > 1)
    return doubled


def _checked(item: Json) -> dict[str, Json] | str:
    if not isinstance(item, dict):
        return "it is no object"
    waiting: list[Json] = [item]
    while waiting:
        value = waiting.pop()
        if isinstance(value, _Doubled):
            return f"the name '{value.name[:40]}' stands in it twice"
        if isinstance(value, _Constant):
            return f"{value} is no JSON"
        if isinstance(value, dict | list):
            waiting.extend(value.values() if isinstance(value, dict) else value)
    try:
        return parse_object(encode_json(item))
    except BadLineError as error:
        return error.reason
    except (ValueError, RecursionError):
        return "it holds what is no text, or is nested too deep"


def format_document(records: Iterable[Fields], project: str) -> str:
    """Write the file that agents read."""
    ordered = sorted(records, key=_number)
    document = {"$schema": SCHEMA, "version": VERSION, "project": project, "entries": ordered}
    return escaped(json.dumps(document, ensure_ascii=False, indent=2)) + "\n"


def format_markdown(records: Iterable[Fields], project: str, *, is_library: bool = False) -> str:
    """Write the view that people read: by category, the newest first, of one day the gravest."""
    ordered = sorted(records, key=_number)
    source = "~/.claude/add/library.json" if is_library else ".add/learnings.json"
    kind = "Workstation Library" if is_library else "Project Learnings"
    tier = "Tier 2: Cross-Project Knowledge" if is_library else "Tier 3: Project-Specific Knowledge"
    lines = [
        f"# {kind} — {_inline(project)}" if project else f"# {kind}",
        "",
        f"> **{tier}**",
        f"> Generated from `{source}` — do not edit directly.",
        "> Agents read JSON for filtering; this file is for human review.",
        "",
    ]
    groups: dict[str, list[Fields]] = {}
    for record in ordered:
        groups.setdefault(_text(record, "category") or CATEGORIES[0], []).append(record)
    rank = {name: place for place, name in enumerate(_ORDER)}
    for category in sorted(groups, key=lambda name: (rank.get(name, len(rank)), name)):
        lines += [f"## {_inline(heading_of_category(category))}", ""]
        for record in sorted(groups[category], key=_place):
            lines += [*_item(record), ""]
    newest = max((_text(record, "date") for record in ordered), default="")
    count = "1 entry" if len(ordered) == 1 else f"{len(ordered)} entries"
    updated = f" Last updated: {_inline(newest)}." if newest else ""
    lines += ["---", f"*{count}.{updated} Source: {source}*"]
    return "\n".join(lines) + "\n"


def _item(record: Fields) -> list[str]:
    severity = _inline(_text(record, "severity") or "medium")
    names = [_inline(_text(record, name)) for name in ("id", "date")]
    title = _inline(_text(record, "title"))
    # Indented, whatever it says stays within its own item of the list (CommonMark 0.31, section 5.2).
    body = [f"  {line}".rstrip() for line in _lines(_text(record, "body"))]
    named = ", ".join(name for name in names if name)
    return [f"- **[{severity}] {title}**" + (f" ({named})" if named else ""), *body]


def _lines(text: str) -> Sequence[str]:
    return shown(text).strip("\n").split("\n") if text.strip() else ()


def _place(record: Fields) -> tuple[list[int], int, tuple[int, int, str, bytes]]:
    severity = _text(record, "severity")
    known = severity in _SEVERITY_ORDER
    grave = _SEVERITY_ORDER.index(severity) if known else len(_SEVERITY_ORDER)
    return [-ord(sign) for sign in f"{_text(record, 'date')}\0"], grave, _number(record)


def _number(record: Fields) -> tuple[int, int, str, bytes]:
    """The order of a file; no two records that differ are alike in it."""
    name = _text(record, "id")
    parts = parse_alias(name)
    form = encode_sorted(record)
    return (0, parts[1], name, form) if parts else (1, 0, name, form)


def _inline(text: str) -> str:
    return shown(" ".join(text.split()))


def _text(record: Fields, name: str) -> str:
    value = record.get(name)
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
