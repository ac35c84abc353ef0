"""Laws of plain lines: the quick way to a row says what the general way says, or nothing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gitkb.core.entry import Entry, parse_record
from gitkb.core.jsonl import BadLineError
from gitkb.index.document import entry_row, line_row
from gitkb.index.plain import plain_rows

from strategies import bad_lines, json_values, nasty_texts, records, spellings

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn

    from gitkb.index.document import Shown


def _row(line: bytes) -> Shown | None:
    """The row that the general way makes of a line; None if it is no entry."""
    try:
        record = parse_record(line)
    except BadLineError:
        return None
    if not isinstance(record, Entry):
        return None
    return entry_row(line_row(7, record, line, archive=False), record)


def _assert_agrees(line: bytes) -> None:
    (plain,) = plain_rows(7, [line])
    assert plain is None or plain == _row(line)


@given(st.one_of(records().flatmap(spellings), bad_lines()))
def test_a_plain_row_is_the_row_of_the_line(line: bytes) -> None:
    _assert_agrees(line)


_texts = nasty_texts() | st.sampled_from(["", "x", "ΑΣ", "a b", "dec_0abcdefg", "MUST-CHECK: a"])
_values = {
    "key": st.sampled_from(["dec_0abcdefg", "k", "", "k k", f"dec_{'0' * 125}", "k" * 128])
    | _texts,
    "type": st.sampled_from(["fact", "pitfall", "learned", "rumour", "", 1]),
    "title": _texts | st.none() | st.sampled_from(["a\u00a0b", "a\u2028b", "a\n"]),
    "content": _texts | st.none() | st.integers(),
    "status": st.sampled_from(["active", "superseded", "archived", "gone", True]),
    "importance": st.integers(-1, 6) | st.booleans(),
    "tags": st.lists(_texts, max_size=3) | st.just([1]) | st.just([["a"]]) | st.just("ab"),
    "files": st.lists(_texts, max_size=3) | st.none(),
    "scope": st.sampled_from(["project", "universal", "moon"]),
    "source": _texts,
    "created": st.sampled_from([0, -1, 1.0, 2**63 - 1, 2**70, True, "1"]),
    "ts": st.sampled_from([0, 1, -1, 2**63 - 1, 2**63, 2**70, 1.5, False, None]),
    "deleted": st.booleans(),
    "x": json_values(),
}


@st.composite
def _objects(draw: DrawFn) -> bytes:
    """Objects that are almost entries, perhaps with a name twice."""
    names = draw(st.lists(st.sampled_from(sorted(_values)), max_size=8, unique=True))
    names = draw(st.permutations(["key", "type", "content", "ts", *names]))
    if draw(st.integers(0, 3)):
        names = list(dict.fromkeys(names))
    colon = draw(st.sampled_from([":", ": ", " :", "\t:"]))
    parts = []
    for name in names:
        value: Any = draw(_values[name])
        text = json.dumps(value, ensure_ascii=draw(st.booleans()))
        parts.append(f'"{name}"{colon}{text}')
    return ("{" + ",".join(parts) + "}" + draw(st.sampled_from(["", "", "\r", " ", "x"]))).encode()


@given(_objects())
@example(b'{"key":"k","key":"k","type":"fact","content":"c","ts":1}')
@example(b'{"key":"k","type":"fact","content":":","content":"c","ts":1}')
@example(b'{"key":"k","type":"fact","content":"c","tags":[{"a":1,"a":2}],"ts":1}')
@example(b'{"key":"k","type":"fact","content":"c","tags":["a\\nb"],"ts":1}')
@example(b'{"key":"k","type":"fact","content":"c","ts":' + b"1" * 5000 + b"}")
def test_whatever_is_odd_is_handed_over(line: bytes) -> None:
    _assert_agrees(line)


_halves = st.sampled_from(
    [
        b'{"key":"k","type":"fact","content":"c","ts":1}',
        b'{"key":"k","type":"fact","content":"c","ts":1},{"key":"j","type":"fact","content":"c"}',
        b'{"key":"k","type":"fact","content":"c","ts":1},{',
        b'"key":"j","type":"fact","content":"c"}',
        b'{"key":"k","type":"fact","content":"{","ts":1}',
        b'{"key":"k","type":"fact","content":"}',
        b'{","type":"fact","content":"c","ts":1}',
        b'{"key":"k","tags":[{"key":"j","type":"fact","content":"c"}',
        b'{"key":"j","type":"fact","content":"c"}]}',
        b"",
        b"1",
        b"{}",
    ]
)


@given(st.lists(_halves | records().flatmap(spellings), max_size=6))
def test_no_line_is_taken_for_a_part_of_its_neighbour(lines: list[bytes]) -> None:
    single = [row for at, line in enumerate(lines, 7) for row in plain_rows(at, [line])]
    assert plain_rows(7, lines) == single
    for line in lines:
        _assert_agrees(line)


@pytest.mark.parametrize(
    "fields",
    [
        {"key": "dec_0abcdefg", "type": "decision", "title": "t", "content": "c", "ts": 1},
        {"key": "k", "type": "fact", "content": "c"},
        {"key": "k", "type": "pitfall", "content": "MUST-CHECK: c", "tags": ["A"], "files": ["a"]},
        {"key": "k", "type": "fact", "title": "größe", "source": "user", "importance": 5},
        {"key": "k", "type": "fact", "content": 'two\nlines of "text"', "status": "superseded"},
    ],
)
def test_what_is_usual_is_not_handed_over(fields: dict[str, Any]) -> None:
    line = json.dumps(fields, ensure_ascii=False).encode()
    assert plain_rows(7, [line]) == [_row(line)]
    assert _row(line) is not None
