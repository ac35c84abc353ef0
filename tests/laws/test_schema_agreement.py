"""Law: the fast check and the published JSON Schema accept the same objects.

Objects are valid ones as people write them, and the same with something put into a field that was
not made for it. A schema that is stricter or laxer than the code fails here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import example, given
from hypothesis import strategies as st

from gitkb.core.entry import FIELDS, TOMBSTONE_FIELDS, check_fields
from gitkb.schema.validate import explain, is_valid

from strategies import fields_of_entries, json_values, keys, tombstones

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn

_NAMES = sorted({*FIELDS, *TOMBSTONE_FIELDS})
_BOUNDARIES: list[Any] = [
    None, True, False, 0, 1, 3, 5, 6, -1, 3.0, 1.5, 10**30, "", " ", "x", "active", "archived",
    "decision", "Decision", "human", "project", "a b", "-a", "a\n", "a" * 128, "a" * 129, "ключ",
    "two\nlines", "two\x85lines", "two\u2028lines", "a\ttab", "true",
    [], ["x"], ["x", "x"], [""], ["x", 1], [None], {}, [{}], [[]],
    [{"rel": "supersedes", "to": "k1"}], [{"rel": "supersedes", "to": "k1", "more": 1}],
    [{"rel": "supersedes"}], [{"to": "k1"}], [{"rel": "likes", "to": "k1"}],
    [{"rel": "supersedes", "to": "a b"}], [{"rel": "supersedes", "to": "k1\n"}],
    [{"rel": ["supersedes"], "to": "k1"}], [{"rel": "supersedes", "to": 1}],
    [{"field": "title"}], [{"field": "title", "value": None}], [{"field": 1}],
    [{"field": "title", "value": "x", "ts": 3}], [{"field": "title", "ts": 3.0}],
    [{"field": "title", "ts": -1}], [{"field": "title", "ts": True}], [{"value": "x"}],
]  # fmt: skip


@st.composite
def objects(draw: DrawFn) -> dict[str, Any]:
    """Valid entries and tombstones, some with a few fields removed or filled with anything."""
    fields = dict(
        draw(fields_of_entries(keys()) | tombstones(keys()).map(lambda record: dict(record.fields)))
    )
    values = st.sampled_from(_BOUNDARIES) | json_values()
    for name in draw(st.lists(st.sampled_from(_NAMES), max_size=3)):
        if draw(st.integers(0, 3)):
            fields[name] = draw(values)
        else:
            fields.pop(name, None)
    return fields


@given(objects())
@example({})
@example({"key": "k"})
@example({"key": "k", "deleted": True})
@example({"key": "k", "deleted": True, "ts": 1, "content": "kept by an older tool"})
@example({"key": "k", "type": "fact", "content": "x", "deleted": False})
@example({"key": "k", "type": "fact", "content": "x", "deleted": 1})
@example({"key": "k", "ts": 1, "moved": ""})
@example({"key": "k", "ts": 1, "moved": "universal", "deleted": False})
def test_the_fast_check_accepts_what_the_schema_accepts(fields: dict[str, Any]) -> None:
    assert (check_fields(fields) == []) == is_valid(fields)


@given(objects())
def test_what_is_refused_is_explained_and_nothing_else_is(fields: dict[str, Any]) -> None:
    faults = explain(fields)
    assert bool(faults) == (not is_valid(fields))
    assert all(fault.message and fault.hint for fault in faults)


def test_each_field_takes_and_refuses_the_same_values_by_both() -> None:
    # The small world whole: every field with every value at an edge.
    bases = (
        {"key": "k", "type": "fact", "content": "x", "title": "t", "ts": 1},
        {"key": "k", "deleted": True, "ts": 1},
    )
    differing = [
        fields
        for base in bases
        for name in [*_NAMES, "unknown"]
        for value in _BOUNDARIES
        if (check_fields(fields := {**base, name: value}) == []) != is_valid(fields)
    ]
    assert differing == []
