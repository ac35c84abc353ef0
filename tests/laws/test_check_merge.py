"""Laws of the check of merges: what our own merge makes is never blamed, what drops lines always is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import assume, given
from hypothesis import strategies as st

from gitkb.core.entry import Entry, parse_record
from gitkb.core.jsonl import split_lines
from gitkb.core.merge.file import merge_files
from gitkb.core.merge.rules import KNOWLEDGE
from gitkb.operations.checks.merge import Tree, check_merge

from strategies import Sides, merges

if TYPE_CHECKING:
    from gitkb.core.entry import Record
    from gitkb.core.problem import Problem

NAME = "knowledge/all.jsonl"


def tree(label: str, data: bytes) -> Tree:
    # The bytes, written as text, are their own name.
    name = data.decode("utf-8")
    return Tree(label, {NAME: name}, lambda blobs: {blob: blob.encode("utf-8") for blob in blobs})


def judge(sides: Sides, result: bytes) -> list[Problem]:
    return check_merge(
        tree("result", result),
        [tree("ours", sides.ours), tree("theirs", sides.theirs)],
        [tree("base", sides.base)],
    )


def records(data: bytes) -> dict[str, Record]:
    return {record.key: record for record in map(parse_record, split_lines(data))}


@given(merges())
def test_what_the_driver_makes_has_no_problem(sides: Sides) -> None:
    merged = merge_files(*sides, KNOWLEDGE)
    assert merged.text is not None
    assert judge(sides, merged.text) == []


@given(merges(), st.data())
def test_a_live_key_that_is_dropped_from_the_result_is_named(
    sides: Sides, data: st.DataObject
) -> None:
    merged = merge_files(*sides, KNOWLEDGE).text or b""
    base, ours, theirs = map(records, sides)
    live = {
        key
        for key, record in records(merged).items()
        if isinstance(record, Entry) and (key not in base or (key in ours and key in theirs))
    }
    assume(live)
    key = data.draw(st.sampled_from(sorted(live)))
    left = [line for line in split_lines(merged) if parse_record(line).key != key]
    problems = judge(sides, b"".join(line + b"\n" for line in left))
    assert [problem.code for problem in problems if f"'{key}'" in problem.message] == ["lost-key"]


@given(merges())
def test_a_merge_that_keeps_one_side_whole_is_blamed_unless_the_driver_does_too(
    sides: Sides,
) -> None:
    merged = merge_files(*sides, KNOWLEDGE).text
    problems = judge(sides, sides.ours)
    if merged == sides.ours:
        assert problems == []
    lost = records(sides.theirs).keys() - records(sides.ours).keys() - records(sides.base).keys()
    lost = {key for key in lost if isinstance(records(sides.theirs)[key], Entry)}
    assert lost <= {
        key
        for key in lost
        for problem in problems
        if problem.is_error and f"'{key}'" in problem.message
    }
