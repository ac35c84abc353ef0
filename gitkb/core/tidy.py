"""Data files brought into their one form: every record canonical, in order, in its own file.

1. No record is lost or changed in meaning; equal ones become one. Two that differ stay two.
2. A line that is no record stays in its file, behind the record it followed, with its bytes but for
   rule 3.
3. Byte order marks before lines, carriage returns behind them and empty lines go.
4. A file with conflict markers is left alone, and so is every line that would have to move into it.
5. Doing it again changes nothing.
"""

from __future__ import annotations

from typing import NamedTuple

from gitkb.core.entry import encode_record, parse_record
from gitkb.core.identity import order_of, shard_of
from gitkb.core.jsonl import BYTE_ORDER_MARK, BadLineError, is_marker, split_lines
from gitkb.core.problem import Problem, problem_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import TypeAlias

    Order: TypeAlias = "tuple[bytes, int, bytes]"
    """What a line is sorted by: hash of its key, time, bytes. The last are the line itself."""

MARKER_HINT = "gitkb resolve"
"""It merges by key what git left in conflict, and what markers stand for that somebody committed."""
_TOP: Order = (b"", 0, b"")


class Tidied(NamedTuple):
    """What to write, and what could not be brought into form."""

    arriving: dict[str, bytes]
    """Files with the lines added that move into them. Written first, a kill leaves copies alone."""
    changed: dict[str, bytes]
    """Files in their form, as far as it is not the one they have."""
    problems: list[Problem]


class _File:
    """A file under way: its records, and behind which of them its other lines stand."""

    def __init__(self) -> None:
        self.records: set[Order] = set()
        self.others: dict[Order, list[bytes]] = {}

    def encode(self) -> bytes:
        lines = list(self.others.get(_TOP, ()))
        for order in sorted(self.records):
            lines.append(order[2])
            lines += self.others.get(order, ())
        return b"".join(line + b"\n" for line in lines)


def tidy(files: Mapping[str, bytes], shards: int, only: Collection[str] | None = None) -> Tidied:
    """Tidy files given by names such as ``knowledge/3f.jsonl``. O(n log n).

    All files of a store are given. With `only`, the others are left as they are, but lines that
    belong into them arrive there.
    """
    problems: list[Problem] = []
    closed = {name for name, data in files.items() if _has_marker(data)}
    tidied: dict[str, _File] = {}
    moving: dict[str, set[Order]] = {}
    for name, data in files.items():
        if only is not None and name not in only:
            continue
        if name in closed:
            message = "conflict markers: it was left as it is"
            problems.append(Problem("marker", message, MARKER_HINT, name))
            continue
        file = tidied[name] = _File()
        for place, order in _sort_lines(name, data, file, shards, problems):
            if place == name or place in closed:
                file.records.add(order)
            else:
                moving.setdefault(place, set()).add(order)
    arriving = {place: _insert(files.get(place, b""), orders) for place, orders in moving.items()}
    for place, orders in moving.items():
        if place in tidied:
            tidied[place].records |= orders
    new = {**arriving, **{name: file.encode() for name, file in tidied.items()}}
    changed = {name: data for name, data in new.items() if files.get(name) != data}
    return Tidied(arriving, changed, problems)


def _sort_lines(
    name: str, data: bytes, file: _File, shards: int, problems: list[Problem]
) -> list[tuple[str, Order]]:
    """Put the lines that are no records into `file`; give the others with where they belong."""
    folder, found, behind = name.rpartition("/")[0], [], _TOP
    for number, line in enumerate(split_lines(data), 1):
        line = _bare(line)
        if not line.strip(b" \t\r"):
            continue
        try:
            record = parse_record(line)
        except BadLineError as error:
            problems.append(problem_of(line, error, name, number))
            file.others.setdefault(behind, []).append(line)
            continue
        place = f"{folder}/{shard_of(record.key, shards)}"
        order = (order_of(record.key), int(record.fields.get("ts", 0)), encode_record(record))
        found.append((place, order))
        if place == name:
            behind = order
    return found


def _insert(data: bytes, orders: set[Order]) -> bytes:
    """Put lines into a file that is not tidied yet, each before the first that comes later."""
    present = [(_order_of(line), line) for line in split_lines(data)]
    pending = sorted(orders.difference(order for order, _ in present), reverse=True)
    lines = []
    for order, line in present:
        while pending and pending[-1] < order:
            lines.append(pending.pop()[2])
        lines.append(line)
    lines += [order[2] for order in reversed(pending)]
    return b"".join(line + b"\n" for line in lines)


def _order_of(line: bytes) -> Order:
    try:
        record = parse_record(line)
    except BadLineError:
        return _TOP
    return order_of(record.key), int(record.fields.get("ts", 0)), line


def _bare(line: bytes) -> bytes:
    """Take off what is no part of a line: byte order marks before it, carriage returns behind."""
    while line.startswith(BYTE_ORDER_MARK):
        line = line[len(BYTE_ORDER_MARK) :]
    return line.rstrip(b"\r")


def _has_marker(data: bytes) -> bool:
    return any(is_marker(_bare(line)) for line in split_lines(data))
