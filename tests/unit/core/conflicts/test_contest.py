"""What is contested in an entry, as choices, and what taking one makes of it."""

from __future__ import annotations

from typing import Any

import pytest

from gitkb.core.conflicts.contest import NoPlaceError, contests_of, take_value
from gitkb.core.conflicts.draft import format_draft, parse_draft
from gitkb.core.conflicts.value import ABSENT, other_values
from gitkb.core.jsonl import BadLineError
from gitkb.core.merge.record import merge_records
from gitkb.core.merge.rules import KNOWLEDGE


def entry(*conflicts: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"key": "k", "type": "fact", "content": "shown", **fields, "conflicts": list(conflicts)}


def other(field: str, value: Any, ts: int = 0) -> dict[str, Any]:
    return {"field": field, "value": value, **({"ts": ts} if ts else {})}


def test_the_shown_value_is_the_first_and_the_latest_of_the_others_the_next() -> None:
    fields = entry(
        other("content", "no time"), other("content", "old", 5), other("content", "new", 9)
    )
    [contest] = contests_of(fields)
    assert [choice.value for choice in contest.choices] == ["shown", "new", "old", "no time"]
    assert [choice.number for choice in contest.choices] == [1, 2, 3, 4]
    assert contest.find(0) is None
    assert contest.find(5) is None


def test_fields_come_as_they_stand_in_a_line() -> None:
    fields = entry(other("x_b", 1), other("content", "c"), other("x_a", 1), other("title", "t"))
    assert [contest.field for contest in contests_of(fields)] == ["title", "content", "x_a", "x_b"]


def test_no_field_is_a_value_too() -> None:
    fields = entry({"field": "title", "ts": 1}, other("issue", "7"), title="t")
    title, issue = contests_of(fields)
    assert title.choices[1].is_absent
    assert issue.choices[0].is_absent
    taken = take_value(fields, title, title.choices[1])
    assert "title" not in taken
    assert [one["field"] for one in taken["conflicts"]] == ["issue"]
    assert take_value(taken, issue, issue.choices[1])["issue"] == "7"


def test_taking_what_is_shown_changes_nothing_but_the_conflict() -> None:
    fields = entry(other("content", "else"))
    [contest] = contests_of(fields)
    taken = take_value(fields, contest, contest.choices[0])
    assert taken == {name: fields[name] for name in fields if name != "conflicts"}


def test_a_value_inside_an_object_or_an_element_is_put_where_it_belongs() -> None:
    base = entry(x={"deep": {"n": 1}}, rows=[{"id": "r/1", "text": "a"}, {"id": "r2", "text": "b"}])
    ours = {
        **base,
        "ts": 2,
        "x": {"deep": {"n": 2}},
        "rows": [{"id": "r/1", "text": "ours"}, base["rows"][1]],
    }
    theirs = {
        **base,
        "ts": 3,
        "x": {"deep": {"n": 3}},
        "rows": [{"id": "r/1", "text": "theirs"}, base["rows"][1]],
    }
    merged = merge_records(base, ours, theirs, KNOWLEDGE)
    assert merged is not None
    contests = contests_of(merged)
    assert sorted(contest.field for contest in contests) == ['/rows/["r~11"]/text', "/x/deep/n"]
    taken: Any = merged
    for contest in contests:
        taken = take_value(taken, contest, contest.choices[1])
    assert taken["x"] == ours["x"]
    assert taken["rows"] == ours["rows"]
    assert "conflicts" not in taken
    assert merged["x"] == theirs["x"], "the record that was given is changed"


def test_a_value_whose_surroundings_are_gone_has_no_place() -> None:
    for field in ('/rows/["gone"]/text', "/x/deep/n", "/content/n"):
        [contest] = contests_of(entry(other(field, 1), rows=[]))
        with pytest.raises(NoPlaceError):
            take_value(entry(other(field, 1), rows=[]), contest, contest.choices[1])


@pytest.mark.parametrize(
    "conflicts",
    ["x", [1], [{"value": 1}], [{"field": 7}], [{"field": "content", "value": "shown"}]],
)
def test_what_is_no_conflict_is_passed(conflicts: Any) -> None:
    fields = {**entry(), "conflicts": conflicts}
    assert all(len(contest.choices) == 1 for contest in contests_of(fields))
    other_values(fields)


def test_other_values_are_texts() -> None:
    fields = entry(other("tags", ["a", "b"]), {"field": "title"}, other("content", "c"))
    assert other_values(fields) == [
        ("tags", '["a","b"]'),
        ("title", "(no such field)"),
        ("content", "c"),
    ]


def test_a_draft_says_all_values_and_reads_back_as_what_is_shown() -> None:
    fields = entry(other("content", "else\n# no remark\n{"), other("title", "t"), title="T", ts=4)
    contests = contests_of(fields)
    text = format_draft(fields, contests)
    assert "#     # no remark" in text
    assert parse_draft(text.encode()) == {
        "key": "k",
        "type": "fact",
        "title": "T",
        "content": "shown",
    }
    kept = parse_draft(format_draft(fields, contests[:1]).encode())
    assert kept is not None
    assert [one["field"] for one in kept["conflicts"]] == ["content"]


def test_a_draft_of_remarks_alone_is_empty_and_a_broken_one_says_so() -> None:
    assert parse_draft(b"# a\n\n  \n") is None
    assert parse_draft(b"") is None
    for text in (b"{", b'{"a":1} # x', b"[]", b'{"a":1,"a":2}', b"\xff"):
        with pytest.raises(BadLineError):
            parse_draft(text)


def test_absent_is_not_null() -> None:
    [contest] = contests_of(entry(other("issue", None)))
    assert contest.choices[0].value is ABSENT
    assert contest.choices[1].value is None
