"""Lines of JSON are read strictly, and every refusal says where and what helps."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitkb.core.canonical import encode_json
from gitkb.core.jsonl import (
    DEEPEST,
    BadLineError,
    is_marker,
    parse_foreign,
    parse_object,
    split_lines,
)

from strategies import json_values


def refusal(line: bytes) -> BadLineError:
    with pytest.raises(BadLineError) as refused:
        parse_object(line)
    return refused.value


@pytest.mark.parametrize(
    ("line", "reason", "column"),
    [
        (b"", "an empty line", 0),
        (b" \t", "an empty line", 0),
        (b"\r", "an empty line", 0),
        (b"not json", "not JSON: expecting value", 1),
        (b'{"a":1', "not JSON: expecting ',' delimiter", 7),
        (b'{"a":1} x', "not JSON: extra data", 9),
        (b'{"a":1}{"a":1}', "not JSON: extra data", 8),
        (b'{"a":1,,"b":2}', "not JSON", 8),
        (b"{'a':1}", "not JSON", 2),
        (b'{"a":"b\tc"}', "not JSON: invalid control character at", 8),
        (b'{"a":"b\rc"}', "not JSON: invalid control character at", 8),
        (b'{"a":1,"a":1}', "duplicate name 'a'", 0),
        (b'{"x":{"a":1,"\\u0061":2}}', "duplicate name 'a'", 0),
        (b'{"a":NaN}', "NaN is not JSON", 0),
        (b'{"a":[Infinity]}', "Infinity is not JSON", 0),
        (b'{"a":-Infinity}', "-Infinity is not JSON", 0),
        (b'{"a":1e999}', "the number 1e999 is too large", 0),
        (b'{"a":-1e400}', "the number -1e400 is too large", 0),
        (b'{"a":' + b"1" * 5000 + b"}", "a number that cannot be read", 0),
        (b'{"a":"\\ud800"}', "half of a surrogate pair", 0),
        (b'{"\\udc00":1}', "half of a surrogate pair", 0),
        (b'{"a":["\\ud83d","\\ude00"]}', "half of a surrogate pair", 0),
        (b'{"a":"\\u0000"}', "a NUL character (\\u0000)", 0),
        (b'{"a":{"b\\u0000":1}}', "a NUL character (\\u0000)", 0),
        (b'{"a":"x\0y"}', "a NUL byte", 8),
        (b'{"a":1}\0\0', "a NUL byte", 8),
        (b'{"a":"caf\xe9"}', "the byte 0xE9 is not UTF-8", 10),
        ('{"größe":"'.encode() + b'\xe9"}', "the byte 0xE9 is not UTF-8", 11),
        (b'{"a":"\xed\xa0\x80"}', "the byte 0xED is not UTF-8", 7),
        (b'{"a":"\xc0\x80"}', "the byte 0xC0 is not UTF-8", 7),
        (b'\xef\xbb\xbf{"a":1}', "a byte order mark before the line", 1),
        ('{"a":1}'.encode("utf-16"), "UTF-16 text", 0),
        (b"[]", "not a JSON object", 0),
        (b'"text"', "not a JSON object", 0),
        (b"null", "not a JSON object", 0),
        (b"<<<<<<< HEAD", "a conflict marker", 0),
        (b"=======\r", "a conflict marker", 0),
        (b"[" * 100_000, "nested more than", 0),
        (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "nested more than", 0),
    ],
)
def test_what_is_no_json_object_is_refused_with_reason_and_column(
    line: bytes, reason: str, column: int
) -> None:
    refused = refusal(line)
    assert refused.reason.startswith(reason) or reason in refused.reason
    assert refused.column == column
    assert refused.hint


@pytest.mark.parametrize("inner", [b"1", b'"\\u0000"', b'"\\u00e9"', b'"\\ud800"'])
@pytest.mark.parametrize(("before", "after"), [(b"[", b"]"), (b'{"a":', b"}")])
def test_values_nested_too_deep_are_refused_whoever_asks(
    before: bytes, after: bytes, inner: bytes
) -> None:
    def deep(levels: int) -> bytes:
        return b'{"x":' + before * (levels - 1) + inner + after * (levels - 1) + b"}"

    for levels in (DEEPEST + 1, 300, 900, 950, 990, 1_100, 3_000, 50_000):
        assert "nested more than" in refusal(deep(levels)).reason
        with pytest.raises(BadLineError, match="nested more than"):
            parse_foreign(deep(levels))
    if inner != b'"\\ud800"':
        assert parse_foreign(deep(DEEPEST))


def test_many_values_beside_each_other_are_not_deep() -> None:
    line = json.dumps({"x": [[[]] for _ in range(1_000)]}).encode()
    assert len(parse_object(line)["x"]) == 1_000


def test_numbers_are_exact() -> None:
    line = b'{"a":123456789012345678901234567890,"b":-0.1,"c":1.0,"d":1}'
    fields = parse_object(line)
    assert encode_json(fields) == line
    assert isinstance(fields["c"], float)
    assert isinstance(fields["d"], int)


@pytest.mark.parametrize("line", [b'{"a":1}\r', b' {"a":1} ', b'\t{ "a" : 1 }\r'])
def test_white_space_around_and_in_an_object_is_let_by(line: bytes) -> None:
    assert parse_object(line) == {"a": 1}


def test_foreign_records_may_hold_nul_but_nothing_else_that_is_wrong() -> None:
    assert parse_foreign(b'{"a":"\\u0000"}') == {"a": "\0"}
    assert parse_object(b'{"a":"\\\\u0000"}') == {"a": "\\u0000"}
    for line in (b'{"a":1,"a":1}', b'{"a":NaN}', b'{"a":"\\ud800"}', b"[]", b"\xff"):
        with pytest.raises(BadLineError):
            parse_foreign(line)


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"", []),
        (b"\n", [b""]),
        (b"a", [b"a"]),
        (b"a\n", [b"a"]),
        (b"a\n\nb", [b"a", b"", b"b"]),
        (
            b"a\r\nb\rc\x0bd\x0ce\xc2\x85f\xe2\x80\xa8g\n",
            [b"a\r", "b\rc\vd\fe\x85f\u2028g".encode()],
        ),
    ],
)
def test_lines_end_at_line_feeds_alone(data: bytes, lines: list[bytes]) -> None:
    assert split_lines(data) == lines


@given(st.binary())
def test_lines_put_together_again_are_the_file(data: bytes) -> None:
    lines = split_lines(data)
    assert b"\n".join(lines) + (b"\n" if data.endswith(b"\n") else b"") == data


@pytest.mark.parametrize(
    "line",
    [
        b"<<<<<<< HEAD", b"<<<<<<<", b"||||||| merged common ancestors", b"=======", b"=======\r",
        b">>>>>>> topic", b">>>>>>>>>>>> deeper", b"================================",
    ],
)  # fmt: skip
def test_all_four_markers_are_known_at_any_size(line: bytes) -> None:
    assert is_marker(line)


@pytest.mark.parametrize(
    "line",
    [
        b"", b"<<<<<<", b"<<<<<<<x", b" <<<<<<< x", b"<<<<>>>>", b"------- x", b"=======x",
        b'{"a":"<<<<<<< x"}', b"<<<<<<=", b"\n",
    ],
)  # fmt: skip
def test_what_only_looks_like_a_marker_is_none(line: bytes) -> None:
    assert not is_marker(line)


@given(st.dictionaries(st.text("ab", max_size=2), json_values(), max_size=4))
def test_what_was_encoded_is_read_back(fields: dict[str, Any]) -> None:
    assert parse_object(encode_json(fields)) == fields


@given(st.binary(max_size=80) | st.text(max_size=40).map(str.encode))
def test_any_bytes_are_read_or_refused(line: bytes) -> None:
    try:
        fields = parse_object(line)
    except BadLineError:
        return
    assert not is_marker(line)
    assert parse_object(encode_json(fields)) == fields
