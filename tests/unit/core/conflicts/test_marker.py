"""Conflict markers read back, and files made whole from them."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitkb.core.conflicts.marker import (
    DEEPEST,
    Conflict,
    MarkerError,
    has_markers,
    own_lines,
    parse_conflicts,
)
from gitkb.core.conflicts.marker_merge import Stages, is_edited, merge_marked, merge_stages
from gitkb.core.merge.file import merge_files
from gitkb.core.merge.rules import ARCHIVE, KNOWLEDGE

CASES = Path(__file__).resolve().parents[3] / "cases" / "merge"


def line(key: str, content: str = "x", ts: int = 1, **more: str) -> bytes:
    rest = "".join(f',"{name}":"{value}"' for name, value in more.items())
    return f'{{"key":"{key}","type":"fact","content":"{content}"{rest},"ts":{ts}}}'.encode()


def text(*lines: bytes) -> bytes:
    return b"".join(one + b"\n" for one in lines)


A, B, C = line("a", "ours", 2), line("a", "theirs", 3), line("a", "base", 1)


def only_conflict(data: bytes) -> Conflict:
    [conflict] = [node for node in parse_conflicts(data) if isinstance(node, Conflict)]
    return conflict


@pytest.mark.parametrize("size", [3, 7, 8, 40])
def test_markers_of_any_size_with_and_without_labels(size: int) -> None:
    marks = [sign * size for sign in (b"<", b"|", b"=", b">")]
    conflict = only_conflict(
        text(marks[0] + b" HEAD", A, marks[1], C, marks[2], B, marks[3] + b" x y")
    )
    assert (conflict.ours, conflict.base, conflict.theirs) == ([A], [C], [B])


def test_without_a_base_there_is_none() -> None:
    conflict = only_conflict(text(b"<<<<<<< HEAD", A, b"=======", B, b">>>>>>> x"))
    assert conflict.base is None


def test_carriage_returns_hide_no_marker() -> None:
    data = text(b"<<<<<<< HEAD", A, b"=======", B, b">>>>>>> x").replace(b"\n", b"\r\n")
    assert only_conflict(data).theirs == [B + b"\r"]


def test_a_conflict_inside_a_side_of_the_same_size() -> None:
    inner = (b"<<<<<<< one", A, b"=======", B, b">>>>>>> two")
    conflict = only_conflict(text(b"<<<<<<< HEAD", *inner, b"=======", C, b">>>>>>> x"))
    assert isinstance(conflict.ours[0], Conflict)
    assert conflict.theirs == [C]


@pytest.mark.parametrize(
    ("lines", "number"),
    [
        ((A, b">>>>>>> x"), 2),
        ((b"=======",), 1),
        ((b"||||||| base", A), 1),
        ((A, b"<<<<<<< HEAD", A, b"======="), 2),
        ((b"<<<<<<< HEAD", b">>>>>>> x"), 2),
        ((b"<<<<<<< HEAD", b"=======", b"||||||| base", b">>>>>>> x"), 3),
        ((b"<<<<<<< HEAD", b"=======", b"=======", b">>>>>>> x"), 3),
        ((b"<<<<<<< HEAD", A, b"========", B, b">>>>>>> x"), 3),
        ((b"<<<<<<<",) * (DEEPEST + 1), DEEPEST + 1),
    ],
)
def test_what_is_no_whole_conflict_is_named_by_its_line(
    lines: tuple[bytes, ...], number: int
) -> None:
    with pytest.raises(MarkerError) as error:
        parse_conflicts(text(*lines))
    assert error.value.line == number
    assert has_markers(text(*lines))
    merge = merge_marked(text(*lines), KNOWLEDGE)
    assert merge.text is None
    assert [problem.line for problem in merge.problems] == [number]


@pytest.mark.parametrize("odd", [b"<html>", b"== a heading ==", b"=======x", b"===", b">", b"||"])
def test_a_line_that_only_looks_like_a_marker_is_none(odd: bytes) -> None:
    assert not has_markers(text(A, odd, line("b")))
    assert own_lines(text(odd)) == [odd]


def merged(data: bytes, *archived: bytes) -> list[bytes]:
    result = merge_marked(data, KNOWLEDGE, frozenset(archived)).text
    assert result is not None
    return result.splitlines()


def test_with_a_base_only_what_both_changed_is_contested() -> None:
    ours, theirs = line("a", "base", 2, title="t"), line("a", "theirs", 3)
    data = text(b"<<<<<<<", ours, b"|||||||", C, b"=======", theirs, b">>>>>>>")
    [result] = merged(data)
    assert b"conflicts" not in result
    assert b'"title":"t"' in result
    assert b'"content":"theirs"' in result


def test_without_a_base_both_values_stay() -> None:
    [result] = merged(text(b"<<<<<<<", A, b"=======", B, b">>>>>>>"))
    assert b'"content":"theirs"' in result
    assert b'"conflicts":[{"field":"content","value":"ours","ts":2}]' in result


def test_the_archive_says_which_line_is_an_older_version() -> None:
    data = text(b"<<<<<<<", A, b"=======", C, b">>>>>>>")
    assert merged(data, C) == [A]
    assert b"conflicts" in merged(data)[0]
    # A copy in the archive of what is the later one proves nothing.
    assert b"conflicts" in merged(data, A)[0]


def test_what_the_archive_has_as_put_aside_does_not_come_back() -> None:
    data = text(b"<<<<<<<", A, b"=======", b">>>>>>>")
    aside = line("a", "ours", 5).replace(b'"ts"', b'"status":"archived","ts"')
    assert merged(data, aside) == []
    assert merged(data) == [A]
    edited = text(b"<<<<<<<", line("a", "edited", 4), b"=======", b">>>>>>>")
    assert merged(edited, aside) == [line("a", "edited", 4)]


def test_in_the_archive_every_version_of_both_sides_stays() -> None:
    data = text(b"<<<<<<<", A, C, b"=======", B, b">>>>>>>")
    result = merge_marked(data, ARCHIVE).text
    assert result is not None
    assert sorted(result.splitlines()) == sorted([A, B, C])


def test_a_conflict_inside_a_side_is_made_whole_first() -> None:
    inner = (b"<<<<<<< one", A, b"=======", line("b"), b">>>>>>> two")
    result = merged(text(b"<<<<<<< HEAD", *inner, b"=======", line("c"), b">>>>>>> x"))
    assert sorted(result) == sorted([A, line("b"), line("c")])


def test_stages_that_hold_committed_markers_are_made_whole_before_they_are_merged() -> None:
    marked = text(b"<<<<<<<", line("m", "one"), b"=======", line("n", "two"), b">>>>>>>")
    merge = merge_stages(
        Stages(marked, marked + text(line("o")), marked + text(line("p"))), None, KNOWLEDGE
    )
    assert merge.text is not None
    assert {one[8:9] for one in merge.text.splitlines()} == {b"m", b"n", b"o", b"p"}


def test_a_side_whose_markers_are_broken_is_refused() -> None:
    merge = merge_stages(Stages(b"", text(A, b"======="), text(B)), None, KNOWLEDGE)
    assert merge.text is None
    assert merge.problems[0].code == "marker"


def test_a_file_as_git_left_it_counts_as_untouched() -> None:
    stages = Stages(text(C), text(A), text(B))
    for work in (text(A), b"", text(b"<<<<<<< HEAD", A, b"=======", B, b">>>>>>> x")):
        assert not is_edited(work, stages)
        assert (
            merge_stages(stages, work, KNOWLEDGE).text == merge_stages(stages, None, KNOWLEDGE).text
        )
    assert is_edited(text(line("a", "typed")), stages)


def test_what_was_typed_between_markers_stands_and_the_rest_is_merged() -> None:
    stages = Stages(text(C, line("b")), text(A, line("b")), text(B, line("b")))
    work = text(b"<<<<<<< HEAD", A, b"=======", B, b">>>>>>> x", line("b", "typed", 9))
    merge = merge_stages(stages, work, KNOWLEDGE)
    assert merge.text is not None
    assert line("b", "typed", 9) in merge.text.splitlines()
    assert b'"value":"ours"' in merge.text


@pytest.mark.parametrize("case", sorted(CASES.glob("[!f]*")), ids=lambda case: str(case.name))
def test_each_merge_that_somebody_wrote_down_comes_out_as_from_the_driver(case: Path) -> None:
    base, ours, theirs = (
        (case / f"{side}.jsonl").read_bytes() for side in ("base", "ours", "theirs")
    )
    expected = merge_files(base, ours, theirs, KNOWLEDGE).text
    assert merge_stages(Stages(base, ours, theirs), ours, KNOWLEDGE).text == expected
    marked = b"<<<<<<<\n" + ours + b"|||||||\n" + base + b"=======\n" + theirs + b">>>>>>>\n"
    assert merge_marked(marked, KNOWLEDGE).text == expected
