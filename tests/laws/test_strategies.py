"""The strategies keep their word: laws drawn from a wrong world prove nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitkb.core.entry import Entry, check_fields, encode_record, parse_record
from gitkb.core.identity import is_key
from gitkb.core.jsonl import BadLineError, split_lines

from strategies import (
    Sides,
    bad_lines,
    entries,
    fields_of_entries,
    in_hash_order,
    keys,
    merges,
    records,
    spellings,
)

if TYPE_CHECKING:
    from gitkb.core.entry import Record


@given(keys())
def test_drawn_keys_are_keys(key: str) -> None:
    assert is_key(key)


@given(fields_of_entries())
def test_drawn_fields_are_valid_entries(fields: dict[str, Any]) -> None:
    assert check_fields(fields) == []


@given(records())
def test_a_drawn_record_survives_its_line(record: Record) -> None:
    assert parse_record(encode_record(record)) == record


@given(st.data())
def test_a_spelling_says_the_same_as_its_record(data: st.DataObject) -> None:
    record = data.draw(entries())
    read = parse_record(data.draw(spellings(record)))
    assert isinstance(read, Entry)
    assert encode_record(read) == encode_record(record)


@given(merges())
def test_drawn_sides_are_files_in_order_with_one_line_a_key(sides: Sides) -> None:
    for side in sides:
        found = [parse_record(line).key for line in split_lines(side)]
        assert found == in_hash_order(found)
        assert len(set(found)) == len(found)


@given(bad_lines())
def test_drawn_bad_lines_are_refused(line: bytes) -> None:
    with pytest.raises(BadLineError):
        parse_record(line)
