"""The learnings of a store are picked out of its lines, and what is broken is named."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gitkb.core.learning import Learnings

GOOD = {"type": "learned", "title": "t", "content": "c", "category": "technical", "ts": 5}


def line(key: str, **fields: Any) -> bytes:
    value = {"key": key, **GOOD, **fields}
    value = {name: item for name, item in value.items() if item is not None}
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def shelf(*lines: bytes, name: str = "knowledge/all.jsonl") -> Learnings:
    return Learnings([(name, b"".join(one + b"\n" for one in lines))])


def test_only_active_entries_with_a_category_are_learnings() -> None:
    found = shelf(
        line("yes"),
        line("no-category", category=None),
        line("rejected", status="rejected"),
        b'{"key":"gone","deleted":true,"ts":1}',
        b'{"key":"went","moved":"workstation","ts":1}',
    )
    assert list(found.entries) == ["yes"]
    assert found.faults == []


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"title": None}, "it has no 'title'"),
        ({"title": " "}, "it has no 'title'"),
        ({"content": None}, "it has no 'content'"),
        ({"ts": None}, "it has no 'ts'"),
        ({"category": None, "aliases": ["L-007"]}, "it has no 'category'"),
        ({"category": None, "aliases": ["WL-3"], "title": None}, "it has no 'category' and no 'title'"),
        ({"category": None, "checkpoint": "retro"}, "it has no 'category'"),
        ({"category": None, "classified_by": "agent"}, "it has no 'category'"),
        ({"type": None}, "it is not valid: no 'type'"),
        ({"importance": "high"}, "it is not valid: 'importance'"),
        ({"category": ""}, "it is not valid: 'category'"),
    ],
)  # fmt: skip
def test_one_that_lacks_something_is_named_and_left_out(
    fields: dict[str, Any], message: str
) -> None:
    found = shelf(line("a"), line("bad", **fields), line("z"))
    assert list(found.entries) == ["a", "z"]
    [fault] = found.faults
    assert fault.key == "bad"
    assert fault.place == "knowledge/all.jsonl:2"
    assert fault.message.startswith(message)


def test_an_alias_of_another_kind_makes_no_learning() -> None:
    assert shelf(line("k", category=None, aliases=["L-7x", "OLD-1"])).faults == []


def test_a_line_that_is_no_json_is_told_only_where_it_looks_like_a_learning() -> None:
    found = shelf(b'{"type":"learned","category":"technical"', b"<<<<<<< ours", b"{", line("k"))
    assert list(found.entries) == ["k"]
    [fault] = found.faults
    assert (fault.key, fault.place) == ("", "knowledge/all.jsonl:1")


def test_of_two_lines_of_one_key_the_one_that_stands_counts() -> None:
    assert shelf(line("k", ts=1), line("k", ts=9, title="new")).entries["k"].title == "new"
    assert shelf(line("k", ts=1), line("k", ts=9, category=None)).entries == {}
    assert shelf(line("k", ts=9), b'{"key":"k","deleted":true,"ts":1}').entries == {}


def test_other_spellings_of_a_line_are_read_as_well() -> None:
    odd = b'{ "category" : "technical", "ts":1,"title":"t","content":"c","type":"fact", "key" : "odd" }'
    escaped = line("esc").replace(b'"category"', b'"c\\u0061tegory"')
    assert set(shelf(odd, escaped).entries) == {"odd", "esc"}
    assert set(Learnings([("knowledge/all.jsonl", b"\xef\xbb\xbf" + line("k"))]).entries) == {"k"}


def test_what_a_store_holds_is_known_whether_or_not_it_is_a_learning() -> None:
    found = shelf(
        line("l"),
        line("fact", category=None),
        line("off", status="superseded"),
        b'{"key":"gone","deleted":true,"ts":1}',
    )
    assert [key for key in ("l", "fact", "off", "gone", "never") if found.holds(key)] == [
        "l", "fact", "off",
    ]  # fmt: skip
