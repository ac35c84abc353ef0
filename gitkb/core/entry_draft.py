"""An entry as a Markdown file with front matter, for an editor, and back.

1. A field whose lines are as they were when the draft was made keeps the value that it had, byte for
   byte, whatever gitkb knows of it; so does the content.
2. What is not shown is kept: times, and what verbs of their own look after (`SILENT`).
3. A field whose lines are taken out is taken out of the entry.
4. A line that cannot be read is named, with its number; nothing is guessed.

Values are written as they are; in double quotes as JSON where they could be read as something else.
"""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from gitkb.core.canonical import encode_json
from gitkb.core.entry import DEFAULTS, FIELDS, LIST_FIELDS, SET_FIELDS
from gitkb.core.jsonl import BadLineError, parse_object
from gitkb.core.unsafe import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from gitkb.core.canonical import Fields, Json

SILENT = frozenset(
    {"ts", "created", "revives", "conflicts", "allowed_secrets", "redacted", "classified_by"}
)
"""What a person at an editor has nothing to say about."""
_ALWAYS = ("title", "importance", "tags", "files")
_TEXTS = frozenset(
    {"key", "type", "title", "status", "category", "scope", "source", "project", "issue", "checkpoint"}
)  # fmt: skip
_FENCE = "---"
_ABSENT: Any = object()
_FAULT = "#!"
_plain_name = re.compile(r"[A-Za-z_][\w.-]*$")
_named = re.compile(r"([A-Za-z_][\w.-]*)[ \t]*:(?:[ \t]+(.*))?$")
_item = re.compile(r"[ \t]*-(?:[ \t]+(.*))?$")
_part = re.compile(r'\s*("(?:[^"\\]|\\.)*"|[^,"]*)\s*(,|$)')
_HEAD = (
    "# One field a line; below the second --- stands the content. Save and close to write it.",
    "# No change, or an empty file, writes nothing.",
)


class DraftError(Exception):
    """What was saved is no entry. `line` counts from 1; 0 is the draft as a whole."""

    def __init__(self, reason: str, line: int = 0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


class Draft(NamedTuple):
    """What a draft says: the fields of the entry, and the line of each that stands in it."""

    fields: dict[str, Json]
    lines: Mapping[str, int]


def format_draft(fields: Fields) -> str:
    """Write an entry as a draft."""
    content = str(fields.get("content", ""))
    notes = list(_HEAD)
    if fields.get("conflicts"):
        notes.append(f"# It is contested: gitkb resolve {fields['key']} settles that.")
    if shown(content) != content:
        notes.append("# The content holds characters that no eye sees, or that steer a terminal.")
    lines = [_FENCE, *notes]
    for name in (*FIELDS, *sorted(fields.keys() - set(FIELDS))):
        if name not in SILENT and name != "content" and (name in fields or name in _ALWAYS):
            lines += _block(name, fields)
    return "\n".join([*lines, _FENCE, "", content]) + "\n"


def parse_draft(text: str, opened: Fields) -> Draft | None:
    """Read what was saved of the draft of `opened`; None where nothing is left in it.

    Raises:
        DraftError: when a line cannot be read.
    """
    before = format_draft(opened)
    if "\r" not in before:  # some editors end lines their own way
        text = text.replace("\r\n", "\n")
    text = text.removeprefix("\ufeff")
    if not text.strip():
        return None
    head, body = _split(text.split("\n"))
    old_head, old_body = _split(before.split("\n"))
    fields: dict[str, Json] = {name: opened[name] for name in opened if name in SILENT}
    if body == old_body:
        if "content" in opened:
            fields["content"] = opened["content"]
    elif content := "\n".join(body).strip("\n").rstrip():
        fields["content"] = content
    kept = {one.name: one.lines for one in _blocks(old_head)}
    places: dict[str, int] = {}
    for one in _blocks(head):
        if one.name in places:
            raise DraftError(f"'{one.name}' stands twice", one.number)
        if one.name in SILENT or one.name == "content":
            raise DraftError(f"'{one.name}' cannot be set here", one.number)
        places[one.name] = one.number
        if kept.get(one.name) == one.lines:
            if one.name in opened:
                fields[one.name] = opened[one.name]
        elif (value := _value(one)) is not _ABSENT:
            fields[one.name] = value
    return Draft(fields, places)


def mark_fault(text: str, reason: str, line: int) -> str:
    """Write a fault on top of a draft, where the next look falls, in place of the last one."""
    lines = text.split("\n")
    end = next((at for at, one in enumerate(lines) if at and one.rstrip() == _FENCE), len(lines))
    old = [at for at, one in enumerate(lines[:end]) if one.startswith(_FAULT)]
    gone = set(old)
    line -= sum(at < line for at in old)
    kept = [one for at, one in enumerate(lines) if at not in gone]
    first = next((at for at, one in enumerate(kept) if one.strip()), 0)
    place = first + 1 if kept and kept[first].rstrip() == _FENCE else 0
    where = f"line {line + 1}: " if line else ""
    note = f"{_FAULT} error: {where}{' '.join(shown(reason).split())}"
    return "\n".join([*kept[:place], note, *kept[place:]])


class _Block(NamedTuple):
    name: str
    number: int
    lines: tuple[str, ...]


def _split(lines: Sequence[str]) -> tuple[list[tuple[int, str]], list[str]]:
    """Part a draft: the numbered lines of its front matter, and those of the content."""
    start = next(
        (at for at, line in enumerate(lines) if line.strip() and not line.startswith("#")), 0
    )
    if lines[start].rstrip() != _FENCE:
        raise DraftError("the fields begin below a line of ---", start + 1)
    for end in range(start + 1, len(lines)):
        if lines[end].rstrip() == _FENCE:
            head = [(at + 1, lines[at]) for at in range(start + 1, end)]
            return head, list(lines[end + 1 :])
    raise DraftError("the line of --- below the fields is gone", len(lines))


def _blocks(head: Sequence[tuple[int, str]]) -> Iterator[_Block]:
    """Group the lines of a front matter by the field that they are about."""
    block: list[str] = []
    name, start = "", 0
    for number, raw in head:
        line = raw.rstrip()
        if not line.strip() or line.startswith("#"):
            continue
        found = None if line[:1] in " \t" else _name_in(line, number)
        if found:
            if name:
                yield _Block(name, start, tuple(block))
            name, start, block = found, number, [line]
        elif name and _item.match(line):
            block.append(line)
        else:
            raise DraftError(
                f"'{line.strip()[:40]}' is neither 'name: value' nor an item of a list, and "
                "a value has one line",
                number,
            )
    if name:
        yield _Block(name, start, tuple(block))


def _name_in(line: str, number: int) -> str:
    if not line.startswith('"'):
        found = _named.match(line)
        return found[1] if found else ""
    try:
        name, end = json.JSONDecoder().raw_decode(line)
    except ValueError:
        raise DraftError("a name in quotes has to be JSON", number) from None
    return name if isinstance(name, str) and line[end : end + 1] == ":" else ""


def _value(block: _Block) -> Json:
    first, *items = block.lines
    if first.startswith('"'):
        first = first[json.JSONDecoder().raw_decode(first)[1] + 1 :].strip()
    else:
        first = first.partition(":")[2].strip()
    if items and first:
        raise DraftError(f"'{block.name}' has a value and a list below it", block.number)
    try:
        if items:
            return [_item_of(block.name, (_item.match(one) or [""] * 2)[1] or "") for one in items]
        if not first:
            return _ABSENT
        if block.name in _TEXTS:
            return _text(first)
        if block.name in SET_FIELDS or block.name in LIST_FIELDS:
            return _texts(block.name, first)
        return _json_or_text(first)
    except BadLineError as error:
        raise DraftError(f"'{block.name}': {error.reason}", block.number) from None


def _item_of(name: str, text: str) -> Json:
    if name == "links" and len(words := text.split()) == 2 and not text.startswith("{"):
        return {"rel": words[0], "to": words[1]}
    if name in SET_FIELDS or name in LIST_FIELDS:
        return _text(text.strip())
    return _json_or_text(text.strip())


def _text(text: str) -> str:
    if len(text) > 1 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'")
    if text.startswith('"') and text.endswith('"') and len(text) > 1:
        try:
            return str(_parse(text))
        except BadLineError:
            return text  # a title that begins with a quotation, and says so as people do
    return text


def _texts(name: str, text: str) -> list[str]:
    if text.startswith("[") and text.endswith("]"):
        text = text[1:-1]
    elif name in LIST_FIELDS:
        return [_text(text)]
    found, at = [], 0
    while at < len(text):
        part = _part.match(text, at)
        if part is None:
            raise BadLineError('a list is [one, two], with " around what has a comma')
        if part[1].strip():
            found.append(_text(part[1].strip()))
        at = part.end()
        if not part[2]:
            break
    return found


def _json_or_text(text: str) -> Json:
    try:
        return _parse(text)
    except BadLineError:
        if text[:1] in '{["':
            raise
        return _text(text)


def _parse(text: str) -> Json:
    # Read as a line of a store is, so that what is taken here can be read there.
    return parse_object(b'{"value":' + text.encode("utf-8", "surrogatepass") + b"}")["value"]


def _block(name: str, fields: Fields) -> list[str]:
    shown_name = name if _plain_name.match(name) else _quoted(name)
    value = fields.get(name, DEFAULTS.get(name, ""))
    if name in SET_FIELDS and isinstance(value, list):
        return [f"{shown_name}: [{', '.join(_inside(one) for one in value)}]"]
    if name in LIST_FIELDS and isinstance(value, list):
        return [f"{shown_name}:", *(f"  - {_written(one)}" for one in value)]
    if name == "links" and isinstance(value, list):
        return [f"{shown_name}:", *(f"  - {_link(one)}" for one in value)]
    if isinstance(value, str) and (name in _TEXTS or _is_plain_elsewhere(value)):
        return [f"{shown_name}: {_written(value)}".rstrip()]
    return [f"{shown_name}: {_quoted(value)}"]


def _is_plain_elsewhere(text: str) -> bool:
    if text[:1] in '{["':
        return False
    try:
        _parse(text)
    except BadLineError:
        return True
    return False


def _link(link: Json) -> str:
    is_short = (
        isinstance(link, dict)
        and link.keys() == {"rel", "to"}
        and all(isinstance(value, str) and value.split() == [value] for value in link.values())
    )
    return f"{link['rel']} {link['to']}" if is_short else _quoted(link)


def _written(text: Json) -> str:
    """Give a text as it stands where a line ends."""
    is_plain = (
        isinstance(text, str)
        and text.strip() == text
        and text[:1] not in ('"', "'", "#")
        and shown(text) == text
        and "\n" not in text
        and "\x85" not in text
    )
    return str(text) if is_plain else _quoted(text)


def _inside(text: Json) -> str:
    """Give a text as it stands in brackets."""
    is_plain = isinstance(text, str) and text and not re.search(r'[,\[\]"\']', text)
    return _written(text) if is_plain else _quoted(text)


def _quoted(value: Json) -> str:
    text = encode_json(value).decode("utf-8")
    if text.isascii() and "\x7f" not in text:
        return text
    from gitkb.core.unsafe import escaped

    return escaped(text)
