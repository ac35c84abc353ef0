"""Two values for one field, kept as a value in the record's `conflicts`.

1. An entry is ``{"field", "value", "ts"}``: the value that is not shown and the clock of the version
   that held it. Without `value` that version had no such field; without `ts` it had no clock.
2. `field` is the name of the field. Inside an object or a list it is a path with ``/`` before each
   step (RFC 6901: ``~0`` is ``~``, ``~1`` is ``/``); an element of a list is named by its JSON in
   brackets: ``/comments/["c1"]/text``.
3. One value of a field stands there once, with its latest clock, and never beside the same value
   shown.
"""

from __future__ import annotations

from gitkb.core.canonical import encode_sorted
from gitkb.core.clock import instant_of, later
from gitkb.core.merge.refusal import NoListError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TypeAlias

    from gitkb.core.canonical import Fields, Json

    Path: TypeAlias = tuple[str, ...]


_SILENT = frozenset({"key", "ts", "created", "revives", "conflicts"})
"""What an entry says of itself rather than of its subject."""


class _Absent:
    """The value of a field that is not there."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Json = _Absent()


def format_field(path: Path) -> str:
    """Name a field: its name alone at the top level, else a path."""
    if len(path) == 1 and not path[0].startswith("/"):
        return path[0]
    return "".join("/" + step.replace("~", "~0").replace("/", "~1") for step in path)


def parse_field(field: str) -> Path:
    """Undo `format_field`."""
    if not field.startswith("/"):
        return (field,)
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in field[1:].split("/"))


def conflict_of(path: Path, value: Json, ts: Json) -> dict[str, Json]:
    """Make an entry for a value that is not shown; `value` and `ts` may be `ABSENT`."""
    entry = {"field": format_field(path)}
    if value is not ABSENT:
        entry["value"] = value
    if ts is not ABSENT:
        entry["ts"] = ts
    return entry


def conflicts_of(fields: Fields) -> list[dict[str, Json]]:
    """Give the entries of a record.

    Raises:
        NoListError: when the field holds something else.
    """
    entries = fields.get("conflicts", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise NoListError
    return entries


def other_values(fields: Fields) -> list[tuple[str, str]]:
    """Give field and value, as texts, of all that an entry does not show of what it is contested in."""
    try:
        entries = conflicts_of(fields)
    except NoListError:
        return []
    return [(str(entry.get("field", "")), text_of(entry.get("value", ABSENT))) for entry in entries]


def text_of(value: Json) -> str:
    """Write the value of a field, or that there is none, for people."""
    if value is ABSENT:
        return "(no such field)"
    return value if isinstance(value, str) else encode_sorted(value).decode("utf-8")


def value_at(fields: Fields, path: Path) -> Json:
    """Give the value shown at a path through objects; `ABSENT` where there is none."""
    value: Json = fields
    for step in path:
        if not isinstance(value, dict) or step not in value:
            return ABSENT
        value = value[step]
    return value


def merge_conflicts(base: Fields, ours: Fields, theirs: Fields) -> list[dict[str, Json]]:
    """Merge the entries of three versions of a record, as a set.

    An entry that one side took away is gone, unless the other side has it and changed its field: that
    value may have lost against another one since.

    Raises:
        NoListError: when `conflicts` of a version holds something else.
    """
    known = {_name(entry) for entry in conflicts_of(base)}
    our_names, their_names = (
        {_name(entry) for entry in conflicts_of(side)} for side in (ours, theirs)
    )
    merged = []
    for side, other_names in ((ours, their_names), (theirs, our_names)):
        for entry in conflicts_of(side):
            name = _name(entry)
            if name in other_names or name not in known or _is_changed(base, side, entry):
                merged.append(entry)
    return merged


def _name(entry: dict[str, Json]) -> bytes:
    return encode_sorted({part: entry[part] for part in entry if part != "ts"})


def _is_changed(base: Fields, side: Fields, entry: dict[str, Json]) -> bool:
    field = entry.get("field")
    if not isinstance(field, str):
        return False
    name = parse_field(field)[0]
    return not _is_same(base.get(name, ABSENT), side.get(name, ABSENT))


def settle(shown: Fields, entries: Iterable[dict[str, Json]]) -> list[dict[str, Json]]:
    """Put entries in order, one for each value, without those whose value is the one shown."""
    kept: dict[bytes, dict[str, Json]] = {}
    for entry in entries:
        field = entry.get("field")
        if isinstance(field, str):
            value = value_at(shown, parse_field(field))
            if "/[" not in field and _is_same(value, entry.get("value", ABSENT)):
                continue
        name = _name(entry)
        kept[name] = _with_later_clock(kept[name], entry) if name in kept else entry
    return [kept[name] for name in sorted(kept)]


def keep_change(base: Fields | None, redirect: Fields, entry: Fields) -> Fields:
    """Give a redirect with the values that an entry, which did not know of it, has changed since `base`.

    A field that was taken away is no value, and a redirect shows none either.
    """
    known: Fields = base if base is not None and "moved" not in base else {}
    kept = [
        conflict_of((name,), entry[name], entry.get("ts", ABSENT))
        for name in sorted(entry.keys() - _SILENT)
        if not _is_same(known.get(name, ABSENT), entry[name])
    ]
    old = set(map(encode_sorted, conflicts_of(known)))
    kept += [one for one in conflicts_of(entry) if encode_sorted(one) not in old]
    if not kept:
        return redirect
    return {**redirect, "conflicts": settle({}, [*conflicts_of(redirect), *kept])}


def _with_later_clock(one: dict[str, Json], other: dict[str, Json]) -> dict[str, Json]:
    if instant_of(other.get("ts")) is None:
        return one
    if instant_of(one.get("ts")) is None:
        return other
    return {**one, "ts": later(one["ts"], other["ts"])}


def _is_same(one: Json, other: Json) -> bool:
    if one is ABSENT or other is ABSENT:
        return one is other
    return encode_sorted(one) == encode_sorted(other)
