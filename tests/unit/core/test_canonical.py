"""A value has one form, and it is JSON that every reader reads as the same value."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitkb.core.canonical import encode_json, encode_sorted

from strategies import json_values, nasty_texts


def test_the_form_is_compact_and_keeps_what_is_not_ascii() -> None:
    assert encode_json({"b": [1, None, True], "a": "größe 🙂"}) == (
        '{"b":[1,null,true],"a":"größe 🙂"}'.encode()
    )
    assert encode_sorted({"b": {"d": 1, "c": 2}, "a": []}) == b'{"a":[],"b":{"c":2,"d":1}}'


def test_line_ends_of_other_readers_are_escaped() -> None:
    text = "a\x85b\u2028c\u2029d\ne\rf\x0bg\x0ch"
    encoded = encode_json({text: text})
    assert len(encoded.decode().splitlines()) == 1
    assert json.loads(encoded) == {text: text}
    assert b"\\u0085" in encoded
    assert b"\\u2028" in encoded


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_what_json_has_no_form_for_is_no_value(value: float) -> None:
    for encode in (encode_json, encode_sorted):
        with pytest.raises(ValueError, match="not JSON compliant"):
            encode({"a": value})


@given(json_values())
def test_reading_gives_back_the_value(value: Any) -> None:
    for encode in (encode_json, encode_sorted):
        encoded = encode(value)
        assert json.loads(encoded) == value
        assert b"\n" not in encoded
        assert encoded == encode(json.loads(encoded))


@given(st.dictionaries(nasty_texts(max_size=6), json_values(), max_size=5), st.randoms())
def test_the_order_of_names_does_not_matter_to_the_sorted_form(
    fields: dict[str, Any], random: Any
) -> None:
    names = list(fields)
    random.shuffle(names)
    assert encode_sorted({name: fields[name] for name in names}) == encode_sorted(fields)


@given(json_values(), json_values())
def test_two_values_with_one_form_are_one_value_of_one_type(one: Any, other: Any) -> None:
    same = json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
    assert (encode_sorted(one) == encode_sorted(other)) == same


def test_numbers_of_other_types_are_other_values() -> None:
    assert len({encode_sorted(value) for value in (1, 1.0, True, "1")}) == 4
