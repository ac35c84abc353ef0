"""One data file judged by itself: which faults are seen, where, and what is said to cure them."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

import pytest

from gitkb.schema.data_file import check_file, column_of

NAME = "knowledge/all.jsonl"
BOM = b"\xef\xbb\xbf"


def line(key: str, **fields: Any) -> bytes:
    return json.dumps({"key": key, "type": "fact", "content": key, "ts": 1, **fields}).encode()


def in_order(*keys: str) -> list[bytes]:
    return [line(key) for key in sorted(keys, key=lambda key: sha256(key.encode()).digest())]


def file(*lines: bytes) -> bytes:
    return b"".join(item + b"\n" for item in lines)


def faults(data: bytes, name: str = NAME, shards: int = 1) -> list[tuple[str, int, str]]:
    """Code, line and hint of every problem."""
    found = check_file(name, data, shards).problems
    assert all(problem.is_error and problem.file == name and problem.hint for problem in found)
    return [(problem.code, problem.line, problem.hint) for problem in found]


def test_a_file_as_gitkb_writes_it_has_no_fault() -> None:
    assert faults(file(*in_order("a", "b", "c"))) == []


def test_an_empty_file_has_no_fault_in_any_layout() -> None:
    assert faults(b"", "knowledge/3f.jsonl", 1) == []


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (BOM + file(line("a")), ("byte-order-mark", 1, "gitkb fmt")),
        (line("a"), ("no-final-newline", 1, "gitkb fmt")),
        (line("a") + b"\r\n", ("crlf", 1, "gitkb fmt")),
        (file(b"", line("a")), ("bad-line", 1, "gitkb fmt")),
        (file(b"=======", line("a")), ("marker", 1, "gitkb resolve")),
        (file(b"||||||| base", line("a")), ("marker", 1, "gitkb resolve")),
        (file(line("a"), line("a", ts=2)), ("duplicate-key", 2, "gitkb compact")),
        (file(*reversed(in_order("a", "b"))), ("out-of-order", 2, "gitkb fmt")),
        (file(line("a", importance=9)), ("invalid", 1, "How much it matters")),
        (file(b'{"key":"a","key":"b"}'), ("bad-line", 1, "keep one of the two values")),
        (file(b'{"key":"a\x00"}'), ("bad-line", 1, "remove the byte")),
        (file(b'{"key":"\xe9"}'), ("bad-line", 1, "save the file as UTF-8")),
        (file(b'{"ts":NaN}'), ("bad-line", 1, "write null, a number or text")),
        (file(b'{"ts":1e999}'), ("bad-line", 1, "write it as text")),
        (file(b'{"title":"\\ud800"}'), ("bad-line", 1, "remove the \\ud… escape")),
        (file(b"[]"), ("bad-line", 1, "write one object a line: {…}")),
        (line("a")[:-9] + b"\n", ("bad-line", 1, "mend the line")),
    ],
)
def test_each_fault_has_its_line_and_its_cure(data: bytes, fault: tuple[str, int, str]) -> None:
    ((code, number, hint),) = faults(data)
    assert (code, number) == fault[:2]
    assert hint.startswith(fault[2])


def test_a_line_in_the_wrong_file_is_told_with_its_place() -> None:
    (problem,) = check_file("knowledge/00.jsonl", file(line("a")), 256).problems
    assert problem.code == "wrong-file"
    assert problem.message == "'a' belongs into 'knowledge/ca.jsonl'"


def test_a_file_of_another_layout_is_told_once() -> None:
    ((code, number, hint),) = faults(file(*in_order("a", "b")), NAME, 256)
    assert (code, number, hint) == ("wrong-layout", 0, "gitkb reshard 256")


def test_carriage_returns_are_told_once_a_file() -> None:
    data = file(*in_order("a", "b", "c")).replace(b"\n", b"\r\n")
    assert faults(data) == [("crlf", 1, "gitkb fmt")]


def test_every_fault_of_a_line_is_told() -> None:
    data = file(line("a", importance=9, tags="x"))
    assert [code for code, _, _ in faults(data)] == ["invalid", "invalid"]


def test_the_good_lines_are_given_back_whatever_else_is_wrong() -> None:
    good = in_order("a", "b")
    found = check_file(NAME, BOM + file(good[0], b"bad", b"<<<<<<< x", good[1]), 1)
    assert [at.line for at in found.records] == good
    assert [at.number for at in found.records] == [1, 4]


def test_the_archive_may_hold_a_key_many_times_but_a_version_once() -> None:
    versions = file(line("a"), line("a", ts=2))
    assert faults(versions, "archive/all.jsonl") == []
    twice = file(line("a"), line("a"), line("a", ts=2))
    assert faults(twice, "archive/all.jsonl") == [("duplicate-version", 2, "gitkb fmt")]


def test_a_tombstone_in_the_archive_is_told() -> None:
    tombstone = b'{"key":"a","deleted":true,"ts":1}'
    ((code, _, _),) = faults(file(tombstone), "archive/all.jsonl")
    assert code == "tombstone-in-archive"


def test_a_fault_in_a_field_names_its_column() -> None:
    text = '{"key":"a","type":"fact","content":"\\"ts\\": é","ts":"soon"}'
    (problem,) = check_file(NAME, text.encode() + b"\n", 1).problems
    column = text.rindex('"ts"') + 1
    assert problem.message.endswith(f"(column {column})")


@pytest.mark.parametrize(
    ("text", "field", "column"),
    [
        ('{"a":1}', "a", 2),
        (' { "a" : [1, {"b": 2}] , "b":3}', "b", 26),
        ('{"a":"\\"b\\":1","b":2}', "b", 16),
        ("{}", "a", 0),
        ('{"a":1}', "", 0),
    ],
)
def test_a_column_is_that_of_the_name_itself(text: str, field: str, column: int) -> None:
    assert column_of(text.encode(), field) == column
