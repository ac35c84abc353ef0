"""A snapshot serves the good lines, reports the bad, and shows one record a key."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitkb.core.entry import parse_record
from gitkb.core.jsonl import BadLineError
from gitkb.core.snapshot import read_snapshot

from strategies import bad_lines, records, spellings


def line(key: str, content: str = "c", **fields: Any) -> bytes:
    return json.dumps({"key": key, "type": "fact", "content": content, **fields}).encode()


def file_of(*lines: bytes) -> bytes:
    return b"".join(item + b"\n" for item in lines)


def test_the_good_lines_are_served_and_each_bad_one_is_reported() -> None:
    data = file_of(line("a"), b"broken", line("b"), b"<<<<<<< ours", b"", line("c", ts=-1))
    snapshot = read_snapshot([("knowledge/3f.jsonl", data)])
    assert list(snapshot.current) == ["a", "b"]
    assert [(item.line, item.code) for item in snapshot.problems] == [
        (2, "bad-line"), (4, "marker"), (5, "bad-line"), (6, "bad-line"),
    ]  # fmt: skip
    assert all(item.file == "knowledge/3f.jsonl" for item in snapshot.problems)
    assert all(item.message and item.hint for item in snapshot.problems)
    assert snapshot.problems[0].place == "knowledge/3f.jsonl:2"


def test_a_byte_order_mark_is_reported_and_the_first_line_read() -> None:
    snapshot = read_snapshot([("knowledge/3f.jsonl", b"\xef\xbb\xbf" + file_of(line("a")))])
    assert list(snapshot.current) == ["a"]
    (problem,) = snapshot.problems
    assert (problem.code, problem.line, problem.hint) == ("byte-order-mark", 1, "gitkb fmt")


def test_a_byte_order_mark_inside_a_file_is_a_bad_line() -> None:
    data = file_of(line("a"), b"\xef\xbb\xbf" + line("b"))
    snapshot = read_snapshot([("knowledge/3f.jsonl", data)])
    assert list(snapshot.current) == ["a"]
    assert snapshot.problems[0].line == 2


def test_lines_that_windows_ended_are_read() -> None:
    data = line("a") + b"\r\n" + line("b") + b"\r\n"
    snapshot = read_snapshot([("knowledge/3f.jsonl", data)])
    assert list(snapshot.current) == ["a", "b"]


def test_of_two_lines_of_a_key_the_later_stands_in_whatever_order() -> None:
    old, new = line("a", "old", ts=1), line("a", "new", ts=2)
    for lines in ((old, new), (new, old)):
        snapshot = read_snapshot([("knowledge/3f.jsonl", file_of(*lines))])
        assert snapshot.current["a"].line == new
        assert [at.line for at in snapshot.duplicates] == [old]
    for files in ((old, new), (new, old)):
        snapshot = read_snapshot(
            (f"knowledge/{n}.jsonl", file_of(item)) for n, item in enumerate(files)
        )
        assert snapshot.current["a"].line == new


def test_a_tombstone_hides_nothing_but_its_own_key() -> None:
    gone = b'{"key":"a","deleted":true,"ts":5}'
    snapshot = read_snapshot([("knowledge/3f.jsonl", file_of(gone, line("b")))])
    assert snapshot.current["a"].line == gone
    assert snapshot.problems == []


def test_versions_of_the_archive_are_told_apart_from_current_lines() -> None:
    old, older = line("a", ts=2), line("a", ts=1)
    snapshot = read_snapshot(
        [
            ("knowledge/3f.jsonl", file_of(line("a", ts=3))),
            ("archive/3f.jsonl", file_of(old, older)),
        ]
    )
    assert snapshot.current["a"].record.fields["ts"] == 3
    assert [at.line for at in snapshot.archived["a"]] == [older, old]
    latest = snapshot.latest_archived("a")
    assert latest is not None
    assert latest.line == old
    assert snapshot.latest_archived("b") is None
    assert snapshot.duplicates == []


def test_a_tombstone_in_the_archive_is_a_problem() -> None:
    snapshot = read_snapshot([("archive/3f.jsonl", b'{"key":"a","deleted":true,"ts":5}\n')])
    assert snapshot.archived == {}
    assert snapshot.problems[0].code == "tombstone-in-archive"


def test_a_record_is_found_by_key_before_alias_and_by_the_smaller_key_of_two() -> None:
    data = file_of(line("b", aliases=["L-1", "c"]), line("a", aliases=["L-1"]), line("c"))
    snapshot = read_snapshot([("knowledge/3f.jsonl", data)])
    found = {name: snapshot.find(name) for name in ("c", "L-1", "none", "l-1")}
    assert {name: at and at.record.key for name, at in found.items()} == {
        "c": "c", "L-1": "a", "none": None, "l-1": None,
    }  # fmt: skip


@given(st.lists(records().flatmap(spellings) | bad_lines(), max_size=8))
def test_every_line_is_served_or_reported_and_none_twice(lines: list[bytes]) -> None:
    data = file_of(b"", *lines)  # so that no line is the first and a mark on it one of the file
    snapshot = read_snapshot([("knowledge/all.jsonl", data)])
    served = [at.number for at in (*snapshot.current.values(), *snapshot.duplicates)]
    reported = [problem.line for problem in snapshot.problems]
    assert sorted([*served, *reported]) == list(range(1, len(lines) + 2))
    for at in (*snapshot.current.values(), *snapshot.duplicates):
        assert at.line == [b"", *lines][at.number - 1]
        assert parse_record(at.line).key == at.record.key
    for number in reported[1:]:
        with pytest.raises(BadLineError):
            parse_record(lines[number - 2])


def test_a_tombstone_stands_over_a_later_edit_that_does_not_know_of_it() -> None:
    tombstone = b'{"key":"a","deleted":true,"ts":10}\n'
    edit = b'{"key":"a","type":"fact","content":"edited","ts":20}\n'
    revival = b'{"key":"a","type":"fact","content":"again","ts":20,"revives":10}\n'

    for text in (tombstone + edit, edit + tombstone):
        snapshot = read_snapshot([("knowledge/all.jsonl", text)])
        assert snapshot.current["a"].line + b"\n" == tombstone
    for text in (tombstone + revival, revival + tombstone):
        snapshot = read_snapshot([("knowledge/all.jsonl", text)])
        assert snapshot.current["a"].line + b"\n" == revival
