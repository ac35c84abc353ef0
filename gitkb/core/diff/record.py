"""What changed between two versions of a record, field by field, as values.

1. Fields that hold their default, and a set in another order, do not count as changed: two lines
   that say the same differ in nothing.
2. The key is never among the changes: versions of one key are compared, and a key never changes.
"""

from __future__ import annotations

from typing import NamedTuple

from gitkb.core.canonical import encode_sorted
from gitkb.core.entry import FIELDS, check_fields, normalise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.core.canonical import Fields, Json


class FieldChange(NamedTuple):
    """One field that differs. None stands for absent, which means the field's default."""

    field: str
    before: Json
    after: Json
    removed: tuple[Json, ...] = ()
    """Where both sides are lists or absent: the elements that only `before` has."""
    added: tuple[Json, ...] = ()
    """Where both sides are lists or absent: the elements that only `after` has."""


def diff_fields(before: Fields | None, after: Fields | None) -> list[FieldChange]:
    """Compare two versions of one record; None stands for no record.

    The changes come in the order in which fields stand in a line, unknown fields last, by name.
    """
    old, new = normal_fields(before or {}), normal_fields(after or {})
    names = [
        name for name in (*FIELDS, "deleted", "moved", "by", "reason") if name in old or name in new
    ]
    names += sorted((old.keys() | new.keys()) - set(names))
    changes = []
    for name in names:
        one, other = old.get(name), new.get(name)
        if name == "key" or encode_sorted(one) == encode_sorted(other):
            continue
        removed, added = _elements(one, other)
        changes.append(FieldChange(name, one, other, removed, added))
    return changes


def is_same_record(before: Fields, after: Fields) -> bool:
    """Say whether two objects are one value in perhaps different spellings."""
    # A clock that moved is the commonest difference by far, and the cheapest to see.
    if before.get("ts") != after.get("ts"):
        return False
    if before == after:
        return encode_sorted(before) == encode_sorted(after)  # True == 1 == 1.0
    return encode_sorted(normal_fields(before)) == encode_sorted(normal_fields(after))


def normal_fields(fields: Fields) -> Fields:
    """Give the normal form of a record; what is no valid record stays as it is."""
    return fields if check_fields(fields) else normalise(fields)


def _elements(before: Json, after: Json) -> tuple[tuple[Json, ...], tuple[Json, ...]]:
    if not isinstance(before, list | None) or not isinstance(after, list | None):
        return (), ()
    old = {encode_sorted(item): item for item in before or []}
    new = {encode_sorted(item): item for item in after or []}
    removed = tuple(item for form, item in old.items() if form not in new)
    added = tuple(item for form, item in new.items() if form not in old)
    return removed, added
