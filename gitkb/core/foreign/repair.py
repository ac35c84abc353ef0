r"""Repair of damaged lines of JSON, where the repair is certain; never a guess.

1. A line that parses is left alone. Nothing of what a record says is made up: a repair takes away
   what cannot belong to it (a byte order mark, a comma, rubbish behind a whole object), reads the
   one thing that bytes can have meant (a raw tab, a line feed in a text, Python's quotes), or adds
   the closing brace of a record that has all its fields.
2. The key and the names of the fields of a repaired record stand in the damaged line as they are: a
   damaged key names nobody.
3. What is found and what is dropped is all there is: every line that is not blank is part of
   something found, or is dropped with its number and the reason.
"""

from __future__ import annotations

from collections import Counter

from gitkb.core.foreign.repair_object import (
    LATIN,
    Found,
    begins_record,
    checked,
    decode_whole,
    read_objects,
    reason_of,
)
from gitkb.core.foreign.repair_text import read_western, where_cut
from gitkb.core.jsonl import BYTE_ORDER_MARK, BadLineError, is_marker, parse_object, split_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitkb.core.canonical import Json

_LONGEST_JOIN = 100


def iter_objects(data: bytes, usual: frozenset[str]) -> Iterator[Found]:
    """Yield what the bytes of a file hold, in order; O(size) and more for damaged lines alone.

    `usual` names the fields of a whole record, for files in which no record is whole; else those
    count that most whole ones have.
    """
    data, whole_file = _decode_utf16(data)
    lines = split_lines(data)
    objects = [_parse(line) for line in lines]
    expected = _usual_names(objects) or usual
    number = 0
    while number < len(lines):
        line, fields = lines[number], objects[number]
        taken = 1
        if fields is not None:
            yield Found(number + 1, fields, whole_file)
        elif line.strip():
            joined, taken = _join(lines, objects, number)
            found = [joined] if joined else _repair_line(line, number + 1, expected)
            for item in found:
                yield item._replace(repairs=item.repairs + whole_file)
        number += taken


def _usual_names(objects: list[dict[str, Json] | None]) -> frozenset[str]:
    whole = [fields for fields in objects if fields]
    counts = Counter(name for fields in whole for name in fields)
    return frozenset(name for name, count in counts.items() if 2 * count > len(whole))


def _decode_utf16(data: bytes) -> tuple[bytes, tuple[str, ...]]:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        try:
            return data.decode("utf-16").encode("utf-8"), ("read as UTF-16",)
        except (UnicodeDecodeError, UnicodeEncodeError):
            pass
    return data, ()


def _parse(line: bytes) -> dict[str, Json] | None:
    try:
        return parse_object(line)
    except BadLineError:
        return None


def _repair_line(line: bytes, number: int, expected: frozenset[str]) -> list[Found]:
    """Repair one line by itself. Two records on one line are two that are found."""
    if is_marker(line):
        reason = "a conflict marker: both sides of an unfinished merge follow it"
        return [Found(number, None, reason=reason)]
    repairs: list[str] = []
    try:
        text = _decode(line, repairs)
        return read_objects(text, number, expected, repairs)
    except BadLineError as error:
        return [Found(number, None, reason=reason_of(error))]


def _decode(line: bytes, repairs: list[str]) -> str:
    bare = line
    while bare.startswith(BYTE_ORDER_MARK):
        bare = bare[len(BYTE_ORDER_MARK) :]
    if bare != line:
        repairs.append("removed a byte order mark")
    if not bare.strip(b"\0 \t\r"):
        raise BadLineError("nothing but NUL bytes")
    try:
        return bare.decode("utf-8")
    except UnicodeDecodeError as error:
        text = read_western(bare)
        if text is None:
            try:
                parse_object(bare)
            except BadLineError as reason:
                raise reason from error
            raise BadLineError("not UTF-8") from error
        repairs.append(LATIN)
        return text


def _join(
    lines: list[bytes], objects: list[dict[str, Json] | None], start: int
) -> tuple[Found | None, int]:
    """Put together a record that raw line feeds spread over some lines."""
    try:
        text = _decode(lines[start].rstrip(b"\r"), [])
    except BadLineError:
        return None, 1
    if not text.lstrip().startswith("{") or where_cut(text) == "":
        return None, 1
    for number in range(start + 1, min(start + _LONGEST_JOIN, len(lines))):
        line = lines[number]
        if objects[number] is not None or is_marker(line) or begins_record.match(_lossy(line)):
            break
        try:
            text += "\n" + line.rstrip(b"\r").decode("utf-8")
        except UnicodeDecodeError:
            break
        # Only a line that ends in a closing brace can be the last one.
        if not line.rstrip(b" \t\r,").endswith(b"}"):
            continue
        value = decode_whole(text, [])
        if value is not None:
            note = f"joined lines {start + 1} to {number + 1}"
            if not {"key", "type"} <= value.keys():
                break
            found = Found(start + 1, value, (note,))
            return checked(found, b"\n".join(lines[start : number + 1])), number + 1 - start
    return None, 1


def _lossy(line: bytes) -> str:
    return line.decode("utf-8", "replace")
