"""Records as a person reads them in a diff."""

from __future__ import annotations

import difflib
import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitkb.core.entry_text import format_file, format_time, split_sentences


def text(*lines: dict[str, Any] | bytes) -> str:
    data = [json.dumps(line).encode() if isinstance(line, dict) else line for line in lines]
    return format_file(b"".join(line + b"\n" for line in data)).decode()


def changed(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """The lines of a diff without context."""
    lines = difflib.unified_diff(
        text(before).split("\n"), text(after).split("\n"), n=0, lineterm=""
    )
    return [line for line in lines if line[:3] not in ("---", "+++") and line[:2] != "@@"]


ENTRY: dict[str, Any] = {
    "key": "money",
    "type": "decision",
    "title": "Money is kept in cents",
    "content": "Floats lost a cent in every tenth invoice. We tried decimals, e.g. these.\n\nNo use.",
    "tags": ["tax", "money"],
    "importance": 4,
    "links": [{"rel": "depends_on", "to": "tax"}],
    "created": 1767225600,
    "ts": 1767225661,
    "conflicts": [{"field": "title", "value": "Money is in euros", "ts": 5}, {"field": "issue"}],
    "x_new": {"a": 1},
}


def test_an_entry_reads_field_by_field_and_sentence_by_sentence() -> None:
    assert (
        text(ENTRY)
        == """\
entry money, title: Money is kept in cents
  type: decision
  content:
    | Floats lost a cent in every tenth invoice.
      We tried decimals, e.g. these.
    |
    | No use.
  importance = 4
  tags: money
  tags: tax
  links: depends_on tax
  created: 1767225600 (2026-01-01 00:00:00 UTC)
  ts: 1767225661 (2026-01-01 00:01:01 UTC)
  conflicts: issue, absent
  conflicts: title, ts 5 (1970-01-01 00:00:05 UTC), or else
    | Money is in euros
  x_new =
    = {
    =  "a": 1
    = }

"""
    )


def test_tombstones_and_redirects_say_what_they_are() -> None:
    assert (
        text(
            {"key": "a", "deleted": True, "ts": 9, "by": "Ada", "reason": "It was wrong"},
            {"key": "b", "moved": "workstation", "ts": 9},
        )
        == """\
forgotten a
  ts: 9 (1970-01-01 00:00:09 UTC)
  by: Ada
  reason: It was wrong

moved b
  ts: 9 (1970-01-01 00:00:09 UTC)
  moved: workstation

"""
    )


def test_what_cannot_be_read_and_markers_stand_as_they_are() -> None:
    given_lines = [
        b'{"key":"a","key":"b"}',
        b"entry x",
        b"<<<<<<< ours",
        b"\xe9\\",
        b"",
        b"\x1b[2J",
    ]
    assert (
        text(*given_lines)
        == """\
unreadable: {"key":"a","key":"b"}

unreadable: entry x

<<<<<<< ours
unreadable: \\xe9\\u{5c}

unreadable: \n
unreadable: \\u{1b}[2J

"""
    )


def test_a_changed_word_changes_the_line_of_its_sentence() -> None:
    after = {**ENTRY, "content": ENTRY["content"].replace("tenth", "third")}
    assert changed(ENTRY, after) == [
        "-    | Floats lost a cent in every tenth invoice.",
        "+    | Floats lost a cent in every third invoice.",
    ]


def test_a_new_tag_is_one_new_line() -> None:
    assert changed(ENTRY, {**ENTRY, "tags": ["tax", "money", "ledger"]}) == ["+  tags: ledger"]


def test_a_value_of_another_kind_shows() -> None:
    assert changed({**ENTRY, "x_new": "4"}, {**ENTRY, "x_new": 4}) == [
        "-  x_new: 4",
        "+  x_new = 4",
    ]


def test_an_escape_for_a_character_that_is_shown_as_one_shows() -> None:
    before, after = ({**ENTRY, "title": title} for title in ("a\x1bb", "a\\u{1b}b"))
    assert changed(before, after) == [
        "-entry money, title: a\\u{1b}b",
        "+entry money, title: a\\u{5c}u{1b}b",
    ]


def test_other_line_ends_and_a_byte_order_mark_show() -> None:
    line = b'{"key":"a","type":"fact","content":"x"}'
    plain = format_file(line + b"\n").decode()
    assert format_file(line + b"\r\n").decode() == plain[:-1] + "  line end: CRLF\n\n"
    assert format_file(line).decode() == plain[:-1] + "  line end: none\n\n"
    assert format_file(b"\xef\xbb\xbf" + line + b"\n").decode() == "byte order mark\n" + plain
    assert format_file(b"") == b""


@pytest.mark.parametrize(
    ("line", "sentences"),
    [
        ("One. Two! Three? Four.", ["One.", "Two!", "Three?", "Four."]),
        ('He said "no." Then he left.', ['He said "no."', "Then he left."]),
        ("Use a.b, e.g. this, and v1. or 2.", ["Use a.b, e.g. this, and v1. or 2."]),
        ("Раз. Два, т. е. три.", ["Раз.", "Два, т. е. три."]),
        ("一。二！三", ["一。", "二！", "三"]),
        ("「一。」二", ["「一。」二"]),
        ("A.  Two blanks. B", ["A.  Two blanks.", "B"]),
        ("", [""]),
    ],
)
def test_sentences_end_where_a_reader_ends_them(line: str, sentences: list[str]) -> None:
    assert split_sentences(line) == sentences


@given(st.integers(0, 253_402_300_799))
def test_times_have_the_day_of_the_calendar(ts: int) -> None:
    moment = datetime.fromtimestamp(ts, UTC)
    assert format_time(ts) == f"{ts} ({moment:%Y-%m-%d %H:%M:%S} UTC)".replace(
        f"({moment.year}-", f"({moment.year:04}-"
    )


def test_a_time_beyond_the_calendar_is_a_number() -> None:
    assert format_time(253_402_300_800) == "253402300800"
