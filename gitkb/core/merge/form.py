"""The forms in which records and their values are compared.

1. Equal forms mean equal values, whatever the order of their fields.
2. A list whose elements all differ is taken for a set, unless its order is known to mean something.
"""

from __future__ import annotations

from gitkb.core.canonical import encode_sorted
from gitkb.core.conflicts.value import ABSENT
from gitkb.core.entry import is_tombstone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.core.canonical import Fields, Json
    from gitkb.core.merge.rules import Rules


def value_form(value: Json) -> bytes:
    """Give the form in which a value is compared; an absent one is the smallest."""
    return b"" if value is ABSENT else encode_sorted(value)


def is_unchanged(one: Fields, other: Fields, rules: Rules) -> bool:
    """Say whether two versions differ in clocks, derived fields and the order of sets at most."""
    return content_form(one, rules) == content_form(other, rules)


def content_form(fields: Fields, rules: Rules) -> bytes:
    """Give the form of a record without its clocks and derived fields, sets in one order.

    The time of a tombstone is no clock but what it says: deleted anew, after a revival it knew of.
    """
    is_deletion = rules.is_gitkb and is_tombstone(fields)
    return encode_sorted(
        {
            name: _in_one_order(name, value, rules)
            for name, value in fields.items()
            if is_deletion or (name not in rules.clocks and name not in rules.derived)
        }
    )


def _in_one_order(name: str, value: Json, rules: Rules) -> Json:
    if isinstance(value, dict):
        return {part: _in_one_order(part, value[part], rules) for part in value}
    if isinstance(value, list):
        items = [_in_one_order("", item, rules) for item in value]
        if name not in rules.ordered and _is_set(items):
            items.sort(key=encode_sorted)
        return items
    return value


def _is_set(items: list[Json]) -> bool:
    return len(set(map(encode_sorted, items))) == len(items)
