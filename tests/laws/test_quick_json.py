"""What is parsed without `json` is what `jsonl` gives, and all else is handed over."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from gitkb.core.canonical import encode_json, encode_sorted
from gitkb.core.entry import LIST_FIELDS
from gitkb.core.jsonl import BadLineError, parse_foreign, parse_object
from gitkb.core.merge.rules import KNOWLEDGE
from gitkb.core.quick_json import parse_plain

from strategies import bad_lines, json_values, nasty_texts

if TYPE_CHECKING:
    from collections.abc import Callable


def answer_of(parse: Callable[[bytes], Any], line: bytes) -> bytes | None:
    try:
        return encode_sorted(parse(line))
    except BadLineError:
        return None


@given(st.dictionaries(nasty_texts(), json_values()))
def test_a_plain_object_is_parsed_as_jsonl_does(value: dict[str, Any]) -> None:
    line = encode_json(value)
    plain = parse_plain(line)
    assert plain is None or encode_sorted(plain) == answer_of(parse_object, line)


_PIECES = ['{"a":', '"a":1,', '"b":', "[", "]", "}", "1e999", "NaN", "-0", "1.50", '"x', '"', "\\"]
_PIECES += ["\t", " ", "\\u0000", "\\ud800", "é", "{}", "null", "tru", ",", "9" * 30]


@given(st.lists(st.sampled_from(_PIECES), max_size=8).map("".join), bad_lines())
def test_a_broken_line_is_never_parsed(text: str, bad: bytes) -> None:
    for line in (text.encode(), ("{" + text + "}").encode(), bad):
        plain = parse_plain(line)
        if plain is not None:
            for parse in (parse_object, parse_foreign):
                assert answer_of(parse, line) == encode_sorted(plain)


def test_what_is_too_deep_for_jsonl_is_handed_over() -> None:
    line = b'{"a":' + b"[" * 200 + b"]" * 200 + b"}"
    assert parse_plain(line) is None


def test_most_lines_are_plain() -> None:
    line = json.dumps({"key": "k", "title": "größe \\ \n", "n": [1, 2.5, None]}, ensure_ascii=False)
    assert parse_plain(line.encode()) == json.loads(line)


def test_the_lists_of_a_session_are_the_ones_that_entry_names() -> None:
    assert KNOWLEDGE.ordered == LIST_FIELDS
