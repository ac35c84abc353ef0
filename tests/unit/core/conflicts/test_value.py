"""Entries of `conflicts`."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitkb.core.conflicts.value import (
    ABSENT,
    conflict_of,
    conflicts_of,
    format_field,
    merge_conflicts,
    parse_field,
    settle,
    value_at,
)
from gitkb.core.merge.refusal import NoListError


@given(st.lists(st.text("a/~[", min_size=1, max_size=3), min_size=1, max_size=3).map(tuple))
def test_a_path_survives_being_written(path: tuple[str, ...]) -> None:
    assert parse_field(format_field(path)) == path


def test_a_field_at_the_top_is_named_plainly() -> None:
    assert format_field(("title",)) == "title"
    assert format_field(("meta", "a/b", "~")) == "/meta/a~1b/~0"
    assert format_field(("/odd",)) == "/~1odd"


def test_an_absent_value_is_no_null() -> None:
    assert conflict_of(("f",), ABSENT, ABSENT) == {"field": "f"}
    assert conflict_of(("f",), None, 3) == {"field": "f", "value": None, "ts": 3}


def test_one_value_stands_once_with_its_latest_clock_and_never_beside_itself() -> None:
    entries = [{"field": "f", "value": 2, "ts": ts} for ts in (4, 9, 5)]
    entries += [{"field": "f", "value": 1}, {"field": "g"}, {"field": "h"}]
    assert settle({"f": 1, "h": 0}, entries) == [
        {"field": "f", "value": 2, "ts": 9},
        {"field": "h"},
    ]


def test_a_settled_entry_stays_away_unless_its_field_changed_again() -> None:
    entry = {"field": "f", "value": 2, "ts": 1}
    base = {"f": 1, "conflicts": [entry]}
    assert merge_conflicts(base, {"f": 1, "conflicts": [entry]}, {"f": 1}) == []
    assert merge_conflicts(base, {"f": 3, "conflicts": [entry]}, {"f": 1}) == [entry]


def test_values_are_found_through_objects_only() -> None:
    assert value_at({"a": {"b": 1}}, ("a", "b")) == 1
    assert value_at({"a": [1]}, ("a", "0")) is ABSENT


@pytest.mark.parametrize("value", [1, "x", {"a": 1}, [1], None])
def test_a_field_of_another_meaning_is_refused(value: object) -> None:
    with pytest.raises(NoListError):
        conflicts_of({"conflicts": value})
