"""What a merge has to know about the records of a file.

1. A key is made of strings and integers; integers come before strings, by value.
2. `ts` and `created` are clocks in every file; others are named.
3. Nothing here looks at a side: rules are the same whichever of the two sides is ours.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, TypeAlias

    from gitkb.core.canonical import Fields, Json

    Key: TypeAlias = "tuple[tuple[int, Any], ...]"
    """Each part with its kind: (0, an integer) or (1, a string). Sorts as rule 1 says."""

LARGER = "max"
SMALLER = "min"
CONFLICTS = "conflicts"
LINKS = "links"
_CONFLICT_FIELDS = ("field", "value", "ts")


class Rules:
    """How the records of one file are told apart and merged. Never changed once made.

    key: the fields that name a record. clocks: name to `LARGER` or `SMALLER`. deciders: the clocks
    that say which version is later, the first that differs. derived: fields that are computed from
    the record. ordered: lists whose order counts. is_gitkb: entries and tombstones in the order of
    the hash of their key. is_archive: a line is known by itself, not by its key.
    """

    __slots__ = (
        "clocks",
        "deciders",
        "derived",
        "is_archive",
        "is_gitkb",
        "key",
        "ordered",
    )

    def __init__(
        self,
        key: tuple[str, ...],
        clocks: dict[str, str],
        deciders: tuple[str, ...],
        derived: frozenset[str] = frozenset(),
        ordered: frozenset[str] = frozenset(),
        is_gitkb: bool = False,
        is_archive: bool = False,
    ) -> None:
        self.key = key
        self.clocks = clocks
        self.deciders = deciders
        self.derived = derived
        self.ordered = ordered
        self.is_gitkb = is_gitkb
        self.is_archive = is_archive

    def parse(self, line: bytes) -> dict[str, Json]:
        """Parse one line; a carriage return at its end counts as white space.

        Raises:
            BadLineError: when the line is no JSON object.
        """
        from gitkb.core.jsonl import parse_foreign, parse_object

        if line.endswith(b"\r"):
            line = line[:-1]
        return parse_object(line) if self.is_gitkb else parse_foreign(line)

    def key_of(self, fields: Fields) -> Key | None:
        """Give the key of a record, or None where a field is missing or of another kind."""
        parts: list[tuple[int, Any]] = []
        for name in self.key:
            part = fields.get(name)
            if isinstance(part, str):
                parts.append((1, part))
            elif isinstance(part, int) and not isinstance(part, bool) and not self.is_gitkb:
                parts.append((0, part))
            else:
                return None
        return tuple(parts)

    def order(self, key: Key) -> Any:
        """Give what a key is sorted by."""
        if not self.is_gitkb:
            return key
        from gitkb.core.identity import order_of

        return order_of(key[0][1])

    def prepare(self, fields: Fields) -> dict[str, Json]:
        """Bring a record into the form in which it is compared.

        A default that is spelled out is dropped and sets are sorted, so that both ways of writing
        one thing are equal. Foreign records stay as they are.
        """
        if not self.is_gitkb:
            return dict(fields)
        from gitkb.core.entry import DEFAULTS, OBJECT_SET_FIELDS, SET_FIELDS, is_tombstone

        if is_tombstone(fields):
            return dict(fields)
        prepared = {}
        for name, value in fields.items():
            if isinstance(value, list):
                if name in SET_FIELDS or name in OBJECT_SET_FIELDS:
                    value = sorted_set(name, value)
            if name in DEFAULTS and _is_default(value, DEFAULTS[name]):
                continue
            prepared[name] = value
        return prepared

    def arrange(self, fields: Fields, like: Iterable[str]) -> dict[str, Json]:
        """Put a merged record in order: gitkb's, or the order of `like`, then by name.

        Objects inside are put in order too, for the two sides may have written them in two ways.
        """
        from gitkb.core.entry import FIELDS, TOMBSTONE_FIELDS, is_tombstone

        order = like
        if self.is_gitkb:
            order = TOMBSTONE_FIELDS if is_tombstone(fields) else FIELDS
        arranged = _in_order(fields, order)
        if CONFLICTS in arranged:
            entries = arranged[CONFLICTS]
            arranged[CONFLICTS] = [_in_order(entry, _CONFLICT_FIELDS) for entry in entries]
        return arranged


def sorted_set(name: str, items: list[Json]) -> list[Json]:
    """Sort a list of gitkb's and drop its repeats: words as words, all else by canonical JSON."""
    from gitkb.core.canonical import encode_sorted
    from gitkb.core.entry import SET_FIELDS

    if name in SET_FIELDS and all(isinstance(item, str) for item in items):
        return sorted(set(items))
    forms = {encode_sorted(item): item for item in items}
    return [forms[form] for form in sorted(forms)]


def _in_order(fields: Fields, order: Iterable[str]) -> dict[str, Json]:
    arranged = {name: fields[name] for name in order if name in fields}
    for name in sorted(fields.keys() - arranged.keys()):
        arranged[name] = fields[name]
    return {name: _by_name(value) for name, value in arranged.items()}


def _by_name(value: Json) -> Json:
    if isinstance(value, dict):
        return _in_order(value, ())
    return [_by_name(item) for item in value] if isinstance(value, list) else value


def _is_default(value: Json, default: Json) -> bool:
    # True == 1 and 3.0 == 3 in Python, and neither is the default.
    return type(value) is type(default) and value == default


# The lists of a session, as in gitkb.core.entry (a test compares them): importing it would cost the
# driver as much as everything it does in most merges, and the same holds for the imports above.
_ORDERED = frozenset({"done", "decided", "open", "next"})
_GITKB_CLOCKS = {"ts": LARGER, "created": SMALLER, "revives": LARGER}

KNOWLEDGE = Rules(("key",), _GITKB_CLOCKS, ("ts",), ordered=_ORDERED, is_gitkb=True)
"""Entries and tombstones, one line a key."""

ARCHIVE = Rules(("key",), _GITKB_CLOCKS, ("ts",), ordered=_ORDERED, is_gitkb=True, is_archive=True)
"""Older versions, one line a version."""


def foreign_rules(
    key: Iterable[str],
    clocks: Iterable[tuple[str, str]] = (),
    derived: Iterable[str] = (),
    ordered: Iterable[str] = (),
) -> Rules:
    """Make the rules for the records of another tool.

    Without a clock that is said to be one, `ts` and then `updated_at` say which version is later.
    `updated_at` is then no clock in full: of two that differ the smaller is kept in `conflicts`,
    for nothing is dropped unless somebody said that it may be.
    """
    named = dict(clocks)
    later = tuple(name for name, kind in named.items() if kind == LARGER)
    return Rules(
        tuple(key),
        {"ts": LARGER, "created": SMALLER, **named},
        later[:1] or ("ts", "updated_at"),
        frozenset(derived),
        frozenset(ordered),
    )
