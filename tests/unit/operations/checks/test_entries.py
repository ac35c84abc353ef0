"""What only many entries together can tell."""

from __future__ import annotations

from typing import Any

import pytest

from gitkb.core.canonical import encode_json
from gitkb.core.entry import parse_record
from gitkb.core.snapshot import Located
from gitkb.operations.checks.change import check_change, check_scrubbed
from gitkb.operations.checks.entries import check_entries

NOW = 1_000_000.0


def at(key: str, file: str = "knowledge/all.jsonl", number: int = 1, **fields: Any) -> Located:
    whole: dict[str, Any] = {"key": key, "ts": 1, **fields}
    if "deleted" not in fields and "moved" not in fields:
        whole = {"type": "fact", "content": "x", **whole}
    line = encode_json(whole)
    return Located(parse_record(line), line, file, number)


def codes(*records: Located, extra: tuple[str, ...] = ()) -> list[str]:
    return [problem.code for problem in check_entries(records, extra, NOW)]


def link(rel: str, to: str) -> dict[str, Any]:
    return {"links": [{"rel": rel, "to": to}]}


def test_entries_that_need_nothing_of_each_other_are_fine() -> None:
    assert codes(at("a"), at("b"), at("c", deleted=True)) == []


def test_a_key_in_two_files_is_an_error_that_names_both() -> None:
    (problem,) = check_entries([at("a"), at("a", "knowledge/3f.jsonl", 7)], (), NOW)
    assert problem.is_error
    assert problem.message == "two lines of one key: 'a' stands in 'knowledge/all.jsonl:1' too"
    assert problem.place == "knowledge/3f.jsonl:7"


@pytest.mark.parametrize(
    ("records", "found"),
    [
        ([at("a", **link("depends_on", "b"))], ["dangling-link"]),
        ([at("a", **link("depends_on", "b")), at("b")], []),
        ([at("a", category="operations", title="A")], ["category"]),
        ([at("a", category="technical", title="A")], []),
        ([at("a", category="technical")], ["learning"]),
        ([at("a", category="technical", title="A", content=" ")], ["learning"]),
        ([at("a", category="technical", status="rejected")], []),
        ([at("a", status="archived")], ["archived"]),
        ([at("a"), at("a", "archive/all.jsonl")], ["half-change"]),
        ([at("a", ts=2), at("a", "archive/all.jsonl")], []),
        ([at("a", ts=2), at("a", "archive/all.jsonl", ts=3, status="archived")], ["half-archived"]),
        ([at("a", ts=4), at("a", "archive/all.jsonl", ts=3, status="archived")], []),
        ([at("a", deleted=True), at("a", "archive/all.jsonl", ts=3, status="archived")], []),
        ([at("a", conflicts=[{"field": "title", "value": "x"}])], ["contested"]),
        ([at("a", ts=int(NOW) + 90_000)], ["future"]),
        ([at("a", ts=int(NOW) + 80_000)], []),
        ([at("a", content="MUST-CHECK: look")], ["must-check"]),
        ([at("a", type="pitfall", content="MUST-CHECK: look")], []),
        ([at("a", deleted=True, content="still here")], ["tombstone-content"]),
        ([at("a", aliases=["L-001"]), at("b", aliases=["L-001"])], ["alias"]),
        ([at("a", aliases=["L-001"]), at("b", aliases=["L-002"])], []),
    ],
)  # fmt: skip
def test_what_may_be_meant_so_is_a_warning(records: list[Located], found: list[str]) -> None:
    problems = list(check_entries(records, (), NOW))
    assert [problem.code for problem in problems] == found
    assert not any(problem.is_error for problem in problems)
    assert all(problem.hint for problem in problems)


def test_a_category_that_the_team_adds_is_known() -> None:
    assert codes(at("a", category="operations", title="A"), extra=("operations",)) == []


# --- before and after ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ([at("a")], [at("a", ts=2)], []),
        ([at("a")], [at("a", deleted=True)], []),
        ([at("a")], [], ["vanished"]),
        ([at("a", ts=3)], [at("a", "archive/all.jsonl", ts=2)], ["vanished"]),
        ([at("a", ts=3)], [at("a", "archive/all.jsonl", ts=3)], []),
        ([at("a")], [at("a", "knowledge/3f.jsonl")], []),
        ([at("a", deleted=True, ts=5)], [at("a", ts=9)], ["undeleted"]),
        ([at("a", deleted=True, ts=5)], [at("a", ts=9, revives=4)], ["undeleted"]),
        ([at("a", deleted=True, ts=5)], [at("a", ts=9, revives=5)], []),
        ([at("a", moved="workstation", ts=5)], [at("a", ts=9)], []),
        ([at("a", deleted=True)], [], ["tombstones-gone"]),
    ],
)
def test_a_commit_is_held_against_what_was_there(
    before: list[Located], after: list[Located], found: list[str]
) -> None:
    assert [problem.code for problem in check_change(before, after)] == found


def test_many_that_vanish_are_one_warning() -> None:
    (problem,) = check_change([at(f"k{number}") for number in range(9)], [])
    assert problem.message == "'k0', 'k1', 'k2' and 6 more vanished without a trace"


_SCRUBBED = at("a", redacted=["content#1", "title#1"])


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ([_SCRUBBED], [at("a", redacted=["content#1", "title#1"], content="new")], []),
        ([_SCRUBBED], [at("a")], ["content, title"]),
        ([_SCRUBBED], [at("a", redacted=["title#1", "content#2"])], ["content"]),
        ([_SCRUBBED], [at("a", deleted=True)], []),
        ([at("a", deleted=True, redacted=["content#1"])], [at("a", ts=9)], ["content"]),
        ([at("a", deleted=True, redacted=["content#1"])], [at("a", ts=9, revives=1)], []),
        ([at("a", "archive/all.jsonl", redacted=["content#1"])], [at("a")], ["content"]),
        ([_SCRUBBED], [], []),
        ([at("a")], [at("a")], []),
    ],
)
def test_a_text_that_was_scrubbed_does_not_come_back_in_silence(
    before: list[Located], after: list[Located], found: list[str]
) -> None:
    problems = list(check_scrubbed(before, after))
    assert [problem.message for problem in problems] == [
        f"'a' brings back redacted text in {fields}" for fields in found
    ]
    assert not any(problem.is_error for problem in problems)


@pytest.mark.parametrize(
    ("gone", "said"),
    [(["a"], "'a' lost its tombstone"), (["a", "b"], "'a', 'b' lost their tombstones")],
)
def test_tombstones_that_are_gone_are_counted_right(gone: list[str], said: str) -> None:
    (problem,) = check_change([at(key, deleted=True) for key in gone], [])
    assert problem.message == said
