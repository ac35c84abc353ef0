"""One data file judged by itself: its bytes, its lines, their order, and whether they belong here.

1. Every line that is a valid record is given back, whatever else is wrong with the file.
2. A fault names its line and the command that cures it. What one command cures in one go (line
   ends, order, a layout) is told once a file, at the first line that has it.
3. It does not matter where the bytes come from: the work tree, a commit or the staging area.
"""

from __future__ import annotations

from typing import NamedTuple

from gitkb.core.entry import Entry, Tombstone, check_fields, is_tombstone
from gitkb.core.identity import ARCHIVE, fits_layout, order_of, shard_of
from gitkb.core.jsonl import (
    BYTE_ORDER_MARK,
    BadLineError,
    is_marker,
    parse_object,
    split_lines,
)
from gitkb.core.problem import Problem, problem_of
from gitkb.core.snapshot import Located
from gitkb.core.tidy import MARKER_HINT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitkb.core.canonical import Fields

_FMT = "gitkb fmt"


class FileCheck(NamedTuple):
    """What is wrong with a file, and the records that stand in it, in their order."""

    problems: list[Problem]
    records: list[Located]


def check_file(name: str, data: bytes, shards: int) -> FileCheck:
    """Judge the bytes of a data file with a name such as ``knowledge/3f.jsonl``. O(its size)."""
    problems: list[Problem] = []
    if data.startswith(BYTE_ORDER_MARK):
        message = "a byte order mark before the first line"
        problems.append(Problem("byte-order-mark", message, _FMT, name, 1))
        data = data[len(BYTE_ORDER_MARK) :]
    lines = split_lines(data)
    problems.extend(_check_line_ends(name, data, lines))
    records = []
    for number, line in enumerate(lines, 1):
        try:
            fields = parse_object(line)
        except BadLineError as error:
            problems.append(_refuse(line, error, name, number))
            continue
        if check_fields(fields):
            problems.extend(_explain(fields, line, name, number))
            continue
        record = Tombstone(fields) if is_tombstone(fields) else Entry(fields)
        records.append(Located(record, line, name, number))
    problems.extend(_check_places(name, records, shards))
    problems.extend(_check_twice(name, records))
    problems.extend(_check_tombstones(name, records))
    problems.sort(key=lambda problem: problem.line)
    return FileCheck(problems, records)


def _check_line_ends(name: str, data: bytes, lines: list[bytes]) -> Iterator[Problem]:
    if data and not data.endswith(b"\n"):
        message = "no newline at the end: the last line may be cut off"
        yield Problem("no-final-newline", message, _FMT, name, len(lines))
    if b"\r" in data:
        ending = [number for number, line in enumerate(lines, 1) if line.endswith(b"\r")]
        if ending:
            message = f"{_count(len(ending), 'line')} with a carriage return at the end (CRLF)"
            yield Problem("crlf", message, _FMT, name, ending[0])


def _refuse(line: bytes, error: BadLineError, name: str, number: int) -> Problem:
    problem = problem_of(line, error, name, number)
    return problem._replace(hint=MARKER_HINT) if is_marker(line) else problem


def _explain(fields: Fields, line: bytes, name: str, number: int) -> Iterator[Problem]:
    # Imports jsonschema, which only a fault is worth.
    from gitkb.schema.validate import explain

    for fault in explain(fields):
        column = column_of(line, fault.path.partition("[")[0].partition(".")[0])
        where = f" (column {column})" if column else ""
        yield Problem(
            "invalid", f"no valid entry: {fault.message}{where}", fault.hint, name, number
        )


def column_of(line: bytes, field: str) -> int:
    """Find the column (characters, from 1) at which a field of the object begins, or 0."""
    import json

    if not field:
        return 0
    text = line.decode("utf-8")
    scan = json.JSONDecoder().raw_decode
    at = text.index("{") + 1
    while True:
        at = _skip(text, at, " \t\r,")
        if text[at : at + 1] != '"':
            return 0
        begin = at
        found, at = scan(text, at)
        if found == field:
            return begin + 1
        at = _skip(text, at, " \t\r:")
        _, at = scan(text, at)


def _skip(text: str, at: int, letters: str) -> int:
    while text[at : at + 1] and text[at] in letters:
        at += 1
    return at


def _check_places(name: str, records: list[Located], shards: int) -> Iterator[Problem]:
    if not records:
        return  # an empty file of another layout is what resharding leaves
    place = name.rpartition("/")[2]
    if not fits_layout(name, shards):
        wanted = "1 file" if shards == 1 else f"{shards} files"
        message = f"a file of another layout: the entries are spread over {wanted}"
        yield Problem("wrong-layout", message, f"gitkb reshard {shards}", name)
    else:
        wrong = [at for at in records if shard_of(at.record.key, shards) != place]
        for at in wrong[:1]:
            folder = name.partition("/")[0]
            message = f"'{at.record.key}' belongs into '{folder}/{shard_of(at.record.key, shards)}'"
            more = len(wrong) - 1
            message += f", and {_count(more, 'more line')} into other files" if more else ""
            yield Problem("wrong-file", message, _FMT, name, at.number)
    order = [(order_of(at.record.key), *at.age) for at in records]
    falls = [number for number in range(1, len(order)) if order[number] < order[number - 1]]
    if falls:
        at = records[falls[0]]
        message = f"lines out of order: '{at.record.key}' belongs further up"
        yield Problem("out-of-order", message, _FMT, name, at.number)


def _check_tombstones(name: str, records: list[Located]) -> Iterator[Problem]:
    if not name.startswith(ARCHIVE):
        return
    for at in records:
        if isinstance(at.record, Tombstone):
            message = "a tombstone in the archive, where only versions of entries live"
            hint = "move the line to the knowledge file of the same name, or remove it"
            yield Problem("tombstone-in-archive", message, hint, name, at.number)


def _check_twice(name: str, records: list[Located]) -> Iterator[Problem]:
    seen: dict[str | bytes, int] = {}
    for at in records:
        identity = at.line if name.startswith(ARCHIVE) else at.record.key
        first = seen.setdefault(identity, at.number)
        if first == at.number:
            continue
        if name.startswith(ARCHIVE):
            message = f"the same version of '{at.record.key}' as in line {first}"
            yield Problem("duplicate-version", message, _FMT, name, at.number)
        else:
            message = f"two lines of one key: '{at.record.key}' stands in line {first} too"
            yield Problem("duplicate-key", message, "gitkb compact", name, at.number)


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
