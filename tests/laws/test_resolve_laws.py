"""Whatever two people wrote: markers give what the driver gives, and settling loses no value."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from gitkb.core.conflicts.contest import contests_of, shown_value, take_value
from gitkb.core.conflicts.marker_merge import Stages, merge_marked, merge_stages
from gitkb.core.conflicts.value import conflicts_of
from gitkb.core.entry import check_fields
from gitkb.core.jsonl import split_lines
from gitkb.core.merge.file import merge_files
from gitkb.core.merge.rules import ARCHIVE, KNOWLEDGE

from merge_laws import broken_in_result
from strategies import merges


@st.composite
def triples(draw: st.DrawFn) -> tuple[bytes, bytes, bytes]:
    merge = draw(merges())
    return merge.base, merge.ours, merge.theirs


def _hunks(draw: Any, base: bytes, ours: bytes, theirs: bytes, size: int, with_base: bool) -> bytes:
    """Write the texts as git does: common lines at both ends stay outside of the conflict."""
    sides = [split_lines(text) for text in (base, ours, theirs)]
    head = draw(st.integers(0, _common(sides)))
    tail_sides = [side[head:][::-1] for side in sides]
    tail = draw(st.integers(0, _common(tail_sides)))
    start = sides[1][:head]
    end = sides[1][len(sides[1]) - tail :]
    inner = [side[head : len(side) - tail] for side in sides]
    marks = [sign * size for sign in (b"<", b"|", b"=", b">")]
    middle = [marks[1] + b" base", *inner[0]] if with_base else []
    lines = [
        *start,
        marks[0] + b" HEAD",
        *inner[1],
        *middle,
        marks[2],
        *inner[2],
        marks[3] + b" x",
        *end,
    ]
    return b"".join(line + b"\n" for line in lines)


def _common(sides: list[list[bytes]]) -> int:
    count = 0
    for lines in zip(*sides, strict=False):
        if len(set(lines)) > 1:
            break
        count += 1
    return count


@given(triples(), st.sampled_from([3, 7, 9, 20]), st.sampled_from([KNOWLEDGE, ARCHIVE]), st.data())
def test_markers_that_tell_the_base_give_the_bytes_of_the_driver(
    texts: tuple[bytes, bytes, bytes], size: int, rules: Any, data: st.DataObject
) -> None:
    marked = _hunks(data.draw, *texts, size, True)
    expected = merge_files(*texts, rules).text
    assert merge_marked(marked, rules).text == expected
    assert merge_stages(Stages(*texts), marked, rules).text == expected
    assert merge_stages(Stages(*texts), texts[1], rules).text == expected
    # Killed after the file was written and before it was staged: again gives the same.
    assert merge_stages(Stages(*texts), expected, rules).text == expected


@given(triples(), st.data())
def test_markers_without_a_base_lose_no_value(
    texts: tuple[bytes, bytes, bytes], data: st.DataObject
) -> None:
    base, ours, theirs = texts
    marked = _hunks(data.draw, base, ours, theirs, 7, False)
    result = merge_marked(marked, KNOWLEDGE).text
    assert result is not None
    # No line is known to both, so the laws are those of a merge without a base.
    assert broken_in_result(b"", ours, theirs, result, KNOWLEDGE) == []


@given(triples())
def test_what_is_taken_is_shown_and_no_longer_contested(texts: tuple[bytes, bytes, bytes]) -> None:
    merged = merge_files(*texts, KNOWLEDGE).text or b""
    for line in split_lines(merged):
        fields = json.loads(line)
        for contest in contests_of(fields):
            for choice in contest.choices:
                taken = take_value(fields, contest, choice)
                assert json.dumps(shown_value(taken, contest.field), default=str) == json.dumps(
                    choice.value, default=str
                )
                assert contest.field not in {one["field"] for one in conflicts_of(taken)}
                assert {
                    name: value
                    for name, value in taken.items()
                    if name not in ("conflicts", contest.field)
                    and not contest.field.startswith("/")
                } == {
                    name: value
                    for name, value in fields.items()
                    if name not in ("conflicts", contest.field)
                    and not contest.field.startswith("/")
                }
        assert check_fields(fields) == [] or fields.get("deleted") or "moved" in fields
