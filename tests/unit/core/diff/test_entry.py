"""What became of an entry: the kinds of change, and how they read."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gitkb.core.diff.entry import EntryChange, diff_snapshots
from gitkb.core.diff.text import change_lines, summary, urgent
from gitkb.core.snapshot import read_snapshot

Lines = list[dict[str, Any]]
ENTRY: dict[str, Any] = {"key": "k", "type": "fact", "title": "T", "content": "x", "ts": 5}
GONE: dict[str, Any] = {"key": "k", "deleted": True, "ts": 9, "by": "Ada", "reason": "wrong"}
MOVED: dict[str, Any] = {"key": "k", "moved": "team", "ts": 9}
ARCHIVED = {**ENTRY, "status": "archived", "ts": 9}


def changes(
    old: Lines, new: Lines, old_archive: Lines | None = None, new_archive: Lines | None = None
) -> list[EntryChange]:
    pairs = ((old, old_archive or []), (new, new_archive or []))
    before, after = (
        read_snapshot([("knowledge/all.jsonl", _bytes(now)), ("archive/all.jsonl", _bytes(then))])
        for now, then in pairs
    )
    keys = {key for one in (before, after) for key in (*one.current, *one.archived)}
    return diff_snapshots(before, after, sorted(keys))


def _bytes(lines: Lines) -> bytes:
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def lines_of(*arguments: Lines) -> list[str]:
    return [line for change in changes(*arguments) for line in change_lines(change)]


@pytest.mark.parametrize(
    ("kind", "old", "new", "old_archive", "new_archive"),
    [
        ("added", [], [ENTRY], [], []),
        ("changed", [ENTRY], [{**ENTRY, "content": "y", "ts": 9}], [], [ENTRY]),
        ("superseded", [ENTRY], [{**ENTRY, "status": "superseded"}], [], []),
        ("rejected", [ENTRY], [{**ENTRY, "status": "rejected"}], [], []),
        ("restored", [{**ENTRY, "status": "rejected"}], [ENTRY], [], []),
        ("archived", [ENTRY], [], [], [ARCHIVED]),
        ("archived", [], [], [], [ARCHIVED]),
        ("restored", [], [ENTRY], [ARCHIVED], [ARCHIVED]),
        ("forgotten", [ENTRY], [GONE], [], []),
        ("forgotten", [], [GONE], [ARCHIVED], [ARCHIVED]),
        ("forgotten", [MOVED], [GONE], [], []),
        ("moved", [ENTRY], [MOVED], [], []),
        ("revived", [GONE], [{**ENTRY, "revives": 9}], [], []),
        ("revived", [MOVED], [{**ENTRY, "revives": 9}], [], []),
        ("changed", [GONE], [{**GONE, "reason": "late"}], [], []),
        ("removed", [ENTRY], [], [], []),
        ("removed", [ENTRY], [], [{**ENTRY, "ts": 1}], [{**ENTRY, "ts": 1}]),
        ("removed", [GONE], [], [], []),
        ("rewritten", [ENTRY], [ENTRY], [{**ENTRY, "ts": 1}], []),
        ("rewritten", [], [], [ARCHIVED], [{**ARCHIVED, "content": "[redacted]"}]),
    ],
)
def test_each_way_that_an_entry_can_go_has_its_word(
    kind: str, old: Lines, new: Lines, old_archive: Lines, new_archive: Lines
) -> None:
    [change] = changes(old, new, old_archive, new_archive)
    assert change.kind == kind


def test_a_version_that_goes_to_the_archive_or_comes_from_it_is_not_lost() -> None:
    after = {**ENTRY, "content": "y", "ts": 9}
    assert changes([after], [after], [ENTRY], [ENTRY, {**ENTRY, "ts": 7}]) == []
    [change] = changes([], [ARCHIVED], [ARCHIVED], [])
    assert change.lost_versions == 0


def test_the_later_of_two_lines_of_a_key_is_compared() -> None:
    after = {**ENTRY, "content": "y", "ts": 9}
    assert changes([after], [ENTRY, after]) == []


def test_what_needs_a_person_comes_first() -> None:
    check = {"type": "pitfall", "content": "MUST-CHECK: look", "ts": 1}
    conflict = [{"field": "title", "value": "U"}]
    new: Lines = [
        {**ENTRY, "key": "a", "importance": 5},
        {**ENTRY, "key": "b", "conflicts": conflict},
        {**check, "key": "c"},
        {**ENTRY, "key": "d"},
    ]
    found = changes([{**ENTRY, "key": "d", "content": "old"}], new)
    assert [change.key for change in found] == ["b", "c", "a", "d"]
    assert summary(found) == "3 added, 1 changed"
    assert urgent(found) == "1 must-check, 1 contested"


def test_a_deleted_must_check_needs_a_person_too() -> None:
    check = {**ENTRY, "type": "pitfall", "content": "MUST-CHECK: look"}
    assert urgent(changes([check], [GONE])) == "1 must-check"


# --- as text ---------------------------------------------------------------------------------


def test_an_added_entry_is_shown_field_by_field() -> None:
    new = {**ENTRY, "content": "One. Two.", "tags": ["a", "b"]}
    assert lines_of([], [new]) == [
        "added       k  fact",
        "    T",
        "    type: fact",
        "    content:",
        "      | One.",
        "        Two.",
        "    tags: a, b",
    ]


def test_a_long_text_shows_the_words_that_changed() -> None:
    text = "Floats lost a cent in every tenth invoice of the year."
    [*_, line] = lines_of(
        [{**ENTRY, "content": text}],
        [{**ENTRY, "content": text.replace("tenth", "third"), "ts": 9}],
    )
    assert line == "      Floats lost a cent in every [-tenth-]{+third+} invoice of the year."


def test_long_stretches_that_stayed_are_cut() -> None:
    middle = "word " * 200
    old, new = (f"{first} {middle} end" for first in ("Now", "Then"))
    [*_, line] = lines_of([{**ENTRY, "content": old}], [{**ENTRY, "content": new}])
    assert line.startswith("      [-Now-]{+Then+} word word")
    assert "…" in line
    assert len(line) < 200


def test_texts_that_have_little_in_common_stand_one_after_the_other() -> None:
    old, new = "a b c d e f g h i j k l m n o p q r s t u v w", "1 2 3 4 5 6 7 8 9 0 11 12 13 14 15"
    assert lines_of([{**ENTRY, "content": old}], [{**ENTRY, "content": new}])[-2:] == [
        f"      - {old}",
        f"      + {new}",
    ]


def test_fields_of_every_kind_are_compared() -> None:
    new = {
        **ENTRY,
        "title": "U",
        "importance": 5,
        "tags": ["x"],
        "links": [{"rel": "depends_on", "to": "other"}],
        "conflicts": [{"field": "title", "value": "T"}, {"field": "issue"}],
        "new\nfield": [1],
        "ts": 9,
    }
    assert lines_of([{**ENTRY, "tags": ["y"], "issue": "A-1"}], [new])[2:] == [
        "    title:",
        "      - T",
        "      + U",
        "    importance:",
        "      + 5",
        "    tags:",
        "      - y",
        "      + x",
        "    links:",
        "      + depends_on other",
        "    issue:",
        "      - A-1",
        "    conflicts:",
        "      + issue, or else absent",
        "      + title, or else: T",
        '    "new\\nfield":',
        "      + 1",
    ]


def test_a_time_shows_only_where_nothing_else_changed() -> None:
    assert lines_of([ENTRY], [{**ENTRY, "ts": 9}])[2:] == [
        "    ts:",
        "      - 5 (1970-01-01 00:00:05 UTC)",
        "      + 9 (1970-01-01 00:00:09 UTC)",
    ]


def test_the_end_of_an_entry_says_by_whom_whereto_and_why() -> None:
    assert lines_of([ENTRY], [GONE]) == ["forgotten   k  fact", "    T", "    by Ada; wrong"]
    assert lines_of([ENTRY], [MOVED]) == ["moved       k  fact", "    T", "    to team"]
    new = {**ENTRY, "key": "n", "links": [{"rel": "supersedes", "to": "k"}]}
    lines = lines_of([ENTRY], [{**ENTRY, "status": "superseded"}, new])
    assert "    by n" in lines
    assert lines_of([ENTRY], [])[-1] == "    without a trace in the archive"
    assert lines_of([GONE], []) == ["removed     k", "    its tombstone"]
    old = [{**ENTRY, "ts": 1}]
    assert lines_of([ENTRY], [ENTRY], old, [])[-1] == "    1 archived version gone or rewritten"
