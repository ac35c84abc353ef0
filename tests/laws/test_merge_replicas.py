"""Replicas that merge each other, in whatever order."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from gitkb.core.merge.file import merge_files
from gitkb.core.merge.record import merge_records
from gitkb.core.merge.rules import KNOWLEDGE

from merge_laws import form, lines_of
from strategies import encode_world, merges

if TYPE_CHECKING:
    from strategies import Sides


def merged(base: bytes, ours: bytes, theirs: bytes) -> bytes:
    text = merge_files(base, ours, theirs, KNOWLEDGE).text
    assert text is not None
    return text


@given(merges())
def test_two_replicas_that_merged_each_other_hold_the_same_bytes(sides: Sides) -> None:
    base, ours, theirs = sides
    here, there = merged(base, ours, theirs), merged(base, theirs, ours)
    assert here == there
    assert merged(here, here, there) == here


VALUES: dict[str, st.SearchStrategy[Any]] = {
    "title": st.sampled_from("ABC"),
    "content": st.sampled_from("PQ"),
    "tags": st.lists(st.sampled_from("xyz"), unique=True).map(sorted),
    "next": st.lists(st.sampled_from("mn"), max_size=2),
    "x": st.sampled_from([1, True, None, {"p": 1}, {"p": 2, "q": 1}, ["u"], ["u", "v"]]),
}


@st.composite
def replicas(draw: st.DrawFn) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """A base and three edits of it, each later than the base."""
    base = {"key": "k", "type": "fact", "title": "A", "ts": 0}
    base |= draw(st.fixed_dictionaries({}, optional=VALUES))
    sides = []
    for _ in range(3):
        side = dict(base, ts=draw(st.integers(0, 3)))
        for name in draw(st.lists(st.sampled_from(sorted(VALUES)), max_size=3)):
            if draw(st.integers(0, 3)) or name == "title":
                side[name] = draw(VALUES[name])
            else:
                side.pop(name, None)
        sides.append(side)
    return base, sides


def values(record: Any) -> dict[str, set[str]]:
    """For each field the set of its values, shown or in conflicts; sets and objects by their parts."""
    found: dict[str, set[str]] = {}
    fields = [(name, value) for name, value in record.items() if name not in ("conflicts", "ts")]
    entries = record.get("conflicts", [])
    fields += [(entry["field"], entry["value"]) for entry in entries if "value" in entry]
    for name, value in fields:
        _collect(found, name, value)
    return found


def _collect(found: dict[str, set[str]], name: str, value: Any) -> None:
    if isinstance(value, dict):
        for part, inner in value.items():
            _collect(found, f"/{name.strip('/')}/{part}", inner)
    elif isinstance(value, list) and name != "next":
        for item in value:
            found.setdefault(name, set()).add(form(item))
    else:
        found.setdefault(name, set()).add(form(value))


@given(replicas())
def test_more_replicas_hold_the_same_values_in_whatever_order_they_merged(
    drawn: tuple[dict[str, Any], list[dict[str, Any]]],
) -> None:
    base, sides = drawn
    outcomes = set()
    for one, two, three in itertools.permutations(sides):
        first = merge_records(base, one, two, KNOWLEDGE)
        last = merge_records(base, first, three, KNOWLEDGE)
        assert last is not None
        found = {name: sorted(each) for name, each in sorted(values(last).items())}
        outcomes.add(json.dumps(found))
    assert len(outcomes) == 1, outcomes


@given(merges(), st.data())
def test_more_replicas_keep_the_same_keys(sides: Sides, data: st.DataObject) -> None:
    from gitkb.core.entry import parse_record

    from strategies import edits

    base, ours, theirs = sides
    world = {record.key: record for record in map(parse_record, lines_of(base))}
    third = encode_world(data.draw(edits(world)))
    outcomes = set()
    for one, two, three in itertools.permutations([ours, theirs, third]):
        text = merged(base, merged(base, one, two), three)
        outcomes.add(tuple(json.loads(line)["key"] for line in lines_of(text)))
    assert len(outcomes) == 1


def test_what_was_swept_deleted_anew_and_revived_ends_the_same_in_whatever_order() -> None:
    base = {"key": "k", "deleted": True, "ts": 0}
    revived = {"key": "k", "type": "fact", "content": "x", "ts": 1, "revives": 0}
    sides = [None, {"key": "k", "deleted": True, "ts": 1}, revived]
    outcomes = []
    for one, two, three in itertools.permutations(sides):
        outcomes.append(
            merge_records(base, merge_records(base, one, two, KNOWLEDGE), three, KNOWLEDGE)
        )
    assert outcomes == [sides[1]] * 6
