"""Text for people."""

from __future__ import annotations

import pytest

from gitkb.cli.render_text import age, entry_page, entry_summary, one_line, plural, problem_lines
from gitkb.core.entry import Entry
from gitkb.core.problem import Problem

DAY = 86_400


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "just now"),
        (59, "just now"),
        (-30, "just now"),
        (60, "1 minute ago"),
        (7200, "2 hours ago"),
        (DAY, "1 day ago"),
        (40 * DAY, "1 month ago"),
        (364 * DAY, "11 months ago"),
        (366 * DAY, "1 year ago"),
        (3660 * DAY, "10 years ago"),
        (-100, "in the future"),
    ],
)
def test_an_age_is_said_in_one_unit(seconds: int, words: str) -> None:
    assert age(10**9, now=10**9 + seconds) == words


def test_a_time_that_nobody_knows_is_no_age() -> None:
    assert age(0) == "at an unknown time"


def test_a_number_no_date_can_hold_is_still_a_page() -> None:
    page = list(
        entry_page(Entry({"key": "k", "type": "fact", "content": "x", "ts": 10**30}), False)
    )
    assert "in the future" in page[0]


def test_one_line_is_one_line_of_a_length() -> None:
    assert one_line(" a\n\tb ") == "a b"
    assert one_line("x" * 300, 10) == "xxxxxxxxx…"
    assert one_line("") == ""


def test_plurals() -> None:
    assert (plural(1, "line"), plural(0, "line")) == ("1 line", "0 lines")
    assert plural(2, "entry", "entries") == "2 entries"


def test_a_summary_does_not_say_the_same_twice() -> None:
    lines = list(
        entry_summary(Entry({"key": "k", "type": "learned", "content": "MUST-CHECK: the clock"}))
    )
    assert lines[0].startswith("k  learned · MUST-CHECK · ")
    assert lines[1:] == ["    the clock"]
    long = "a pattern without a title " * 6
    lines = list(entry_summary(Entry({"key": "k", "type": "pattern", "content": long})))
    assert lines[1:] == [f"    {long.strip()}"]
    lines = list(entry_summary(Entry({"key": "k", "type": "fact", "title": "T"}), ("archived",)))
    assert lines == ["k  fact · archived · at an unknown time", "    T"]


def test_a_page_shows_every_field_and_no_line_of_content_at_the_edge() -> None:
    entry = Entry(
        {
            "key": "k",
            "type": "decision",
            "title": "T",
            "content": "one\nfiles:      forged",
            "status": "rejected",
            "importance": 5,
            "tags": ["a"],
            "files": ["b.py"],
            "stack": ["go"],
            "category": "technical",
            "links": [{"rel": "part_of", "to": "other"}],
            "source": "user",
            "issue": "#1",
            "aliases": ["L-001"],
            "done": ["d"],
            "next": ["n"],
            "created": 1,
            "ts": 2,
            "conflicts": [{"field": "title", "value": "U"}, {"field": "issue"}],
        }
    )
    page = "\n".join(entry_page(entry, True))
    for part in (
        *(
            "k  decision · archived · contested · rejected · a",
            "\nT\n",
            "    one\n    files:      forged\n",
        ),
        *("\nfiles:      b.py", "\nstack:      go", "\ncategory:   technical", "\nimportance: 5"),
        *("part_of other", "L-001", "user", "#1", "done:       d", "next:       n"),
        *("title: or else U", "issue: or else (no such field)", "1970-01-01 00:00"),
    ):
        assert part in page, part


def test_a_problem_is_an_error_and_a_hint() -> None:
    problem = Problem("bad-line", "cannot read entry: duplicate name 'tags'", "cure", "a.jsonl", 7)
    assert list(problem_lines(problem)) == [
        "error: cannot read entry at 'a.jsonl:7': duplicate name 'tags'",
        "hint: cure",
    ]
    assert list(problem_lines(problem._replace(severity="warning", hint="", file=""))) == [
        "warning: cannot read entry: duplicate name 'tags'"
    ]
