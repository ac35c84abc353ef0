"""What edges and statuses say together, and the cures that are named."""

from __future__ import annotations

from typing import Any

import pytest

from gitkb.core.canonical import encode_json
from gitkb.core.entry import parse_record
from gitkb.core.snapshot import Located
from gitkb.operations.checks.links import check_links

SUPERSEDED: dict[str, Any] = {"status": "superseded"}


def at(key: str, *links: tuple[str, str], number: int = 1, **fields: Any) -> Located:
    whole: dict[str, Any] = {"key": key, "ts": 1, **fields}
    if "deleted" not in fields and "moved" not in fields:
        whole = {"type": "fact", "content": "x", **whole}
    if links:
        whole["links"] = [{"rel": rel, "to": to} for rel, to in links]
    line = encode_json(whole)
    return Located(parse_record(line), line, "knowledge/all.jsonl", number)


def said(*records: Located, archived: str = "") -> list[tuple[str, str]]:
    current = {record.record.key: record for record in records}
    problems = list(check_links(current, set(archived)))
    assert not any(problem.is_error for problem in problems)
    assert all(problem.file and problem.line for problem in problems)
    return [(problem.code, problem.hint) for problem in problems]


@pytest.mark.parametrize(
    ("records", "archived"),
    [
        ([at("a", ("depends_on", "b")), at("b")], ""),
        ([at("a", ("supersedes", "b")), at("b", **SUPERSEDED)], ""),
        ([at("a", ("supersedes", "b"), **SUPERSEDED), at("b", **SUPERSEDED), at("c", ("supersedes", "a"))], ""),
        ([at("a", ("supersedes", "b"))], "b"),
        ([at("a", ("caused_by", "b"), ("rejected_because", "c"))], "bc"),
        ([at("a", content="see [[b]]")], "b"),
        ([at("a", content="see [[a]] and [[b]]"), at("b")], ""),
        ([at("a", deleted=True)], ""),
    ],
)  # fmt: skip
def test_what_is_whole_is_fine(records: list[Located], archived: str) -> None:
    assert said(*records, archived=archived) == []


def test_a_link_to_what_moved_to_another_tier_leads_on() -> None:
    assert said(at("a", ("part_of", "b")), at("b", moved="workstation")) == []


@pytest.mark.parametrize(
    ("records", "archived", "code", "hint"),
    [
        ([at("a", ("part_of", "b"))], "", "dangling-link", "gitkb unlink a part_of b"),
        ([at("a", ("part_of", "b")), at("b", deleted=True)], "", "dangling-link", "gitkb unlink a part_of b"),
        ([at("a", content="[[b]]")], "", "dangling-link", "write its content anew: gitkb show a"),
        ([at("a", content="[[b]]"), at("b", deleted=True)], "", "dangling-link", "write its content anew: gitkb show a"),
        ([at("a", ("part_of", "b"))], "b", "link-to-archived", "gitkb restore b, or gitkb unlink a part_of b"),
        ([at("a", ("part_of", "a"))], "", "self-link", "gitkb unlink a part_of a"),
        ([at("a", ("supersedes", "b")), at("b")], "", "half-superseded", "gitkb supersede b a"),
        ([at("a", ("supersedes", "b")), at("b", status="rejected")], "", "half-superseded", "gitkb supersede b a"),
        ([at("a", **SUPERSEDED)], "", "superseded-by-nothing", "gitkb restore a"),
        ([at("a", ("depends_on", "b")), at("b", **SUPERSEDED)], "", "superseded-by-nothing", "gitkb restore b"),
    ],
)  # fmt: skip
def test_each_fault_is_named_with_its_cure(
    records: list[Located], archived: str, code: str, hint: str
) -> None:
    assert said(*records, archived=archived) == [(code, hint)]


def test_a_circle_is_named_once() -> None:
    circle = [
        at("a", ("supersedes", "b"), **SUPERSEDED),
        at("b", ("supersedes", "c"), **SUPERSEDED),
        at("c", ("supersedes", "a"), **SUPERSEDED),
    ]
    assert said(*circle) == [("circle", "gitkb unlink a supersedes b, if 'b' is in force")]


def test_an_entry_that_supersedes_itself_alone_is_superseded_by_nothing() -> None:
    assert said(at("a", ("supersedes", "a"), **SUPERSEDED)) == [
        ("self-link", "gitkb unlink a supersedes a"),
        ("superseded-by-nothing", "gitkb restore a"),
    ]
