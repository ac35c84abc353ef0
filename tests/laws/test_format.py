"""Laws of `fmt`: it loses nothing, changes no meaning, and a second time changes nothing.

Files are made of lines as people and tools leave them: valid records in any spelling and order, in
the wrong file, twice, lines that are no records, other line ends, byte order marks.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from gitkb.core.canonical import encode_sorted
from gitkb.core.entry import Entry, normalise, parse_record
from gitkb.core.identity import shard_of
from gitkb.core.jsonl import BadLineError, is_marker, split_lines
from gitkb.core.tidy import tidy
from gitkb.schema.data_file import check_file

from strategies import bad_lines, records, spellings

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn

BOM = b"\xef\xbb\xbf"
SHARDS = 16
_NAMES = ["knowledge/" + shard_of(f"k{number}", SHARDS) for number in range(6)]
_NAMES += ["archive/" + shard_of("k0", SHARDS), "knowledge/all.jsonl", "knowledge/3f.jsonl"]

# Made once: building a strategy costs more than drawing from it.
_GOOD = records().flatmap(spellings)
_LINES = st.one_of(_GOOD, _GOOD, _GOOD, bad_lines())
_LINES_WITHOUT_MARKERS = _LINES.filter(lambda line: not is_marker(line))


@st.composite
def stores(draw: DrawFn, *, markers: bool = True) -> dict[str, bytes]:
    """Some data files of a store, more or less in disorder."""
    lines = _LINES if markers else _LINES_WITHOUT_MARKERS
    files: dict[str, bytes] = {}
    for name in draw(st.lists(st.sampled_from(_NAMES), unique=True, min_size=1, max_size=3)):
        has_repeats = draw(st.booleans())
        found = draw(st.lists(lines, max_size=4))
        if has_repeats and found:
            found += draw(st.lists(st.sampled_from(found), max_size=2))
        end = draw(st.sampled_from([b"\n", b"\n", b"\r\n", b"\n\n"]))
        data = end.join(found) + (end if draw(st.booleans()) else b"")
        files[name] = BOM + data if draw(st.integers(0, 5)) == 0 else data
    return files


def apply(files: dict[str, bytes], only: list[str] | None = None) -> dict[str, bytes]:
    return {**files, **tidy(files, SHARDS, only).changed}


def meanings(files: dict[str, bytes]) -> dict[str, set[bytes]]:
    """What the records of each folder say, however they are spelled."""
    found: dict[str, set[bytes]] = {"knowledge": set(), "archive": set()}
    for name, data in files.items():
        for line in split_lines(data):
            try:
                record = parse_record(bare(line))
            except BadLineError:
                continue
            fields = normalise(record.fields) if isinstance(record, Entry) else record.fields
            found[name.partition("/")[0]].add(encode_sorted(fields))
    return found


def bare(line: bytes) -> bytes:
    """A line without what `fmt` takes off every line."""
    while line.startswith(BOM):
        line = line[len(BOM) :]
    return line.rstrip(b"\r")


def others(data: bytes) -> Counter[bytes]:
    """The lines of a file that are no records, but for what belongs to no line."""
    found: Counter[bytes] = Counter()
    for line in split_lines(data):
        try:
            parse_record(bare(line))
        except BadLineError:
            found[bare(line)] += bool(bare(line).strip())
    return +found


@given(stores())
def test_a_second_time_changes_nothing(files: dict[str, bytes]) -> None:
    once = apply(files)
    assert tidy(once, SHARDS).changed == {}


@given(stores())
def test_every_record_keeps_its_meaning_and_none_appears(files: dict[str, bytes]) -> None:
    assert meanings(apply(files)) == meanings(files)


@given(stores())
def test_every_other_line_stays_in_its_file(files: dict[str, bytes]) -> None:
    tidied = apply(files)
    assert {name: others(data) for name, data in tidied.items() if others(data)} == {
        name: others(data) for name, data in files.items() if others(data)
    }


@given(stores(), st.data())
def test_with_some_files_named_nothing_is_lost_either(
    files: dict[str, bytes], data: st.DataObject
) -> None:
    only = data.draw(st.lists(st.sampled_from(sorted(files)), unique=True))
    tidied = apply(files, only)
    assert meanings(tidied) == meanings(files)
    assert tidy(tidied, SHARDS, only).changed == {}


@given(stores())
def test_a_kill_between_the_steps_loses_nothing(files: dict[str, bytes]) -> None:
    tidied, now = tidy(files, SHARDS), dict(files)
    for step in (tidied.arriving, tidied.changed):
        for name, data in sorted(step.items()):
            now[name] = data
            assert meanings(now) == meanings(files)


@given(stores())
def test_a_file_with_conflict_markers_is_left_alone(files: dict[str, bytes]) -> None:
    marked = {
        name for name, data in files.items()
        if any(is_marker(line.removeprefix(BOM)) for line in split_lines(data))
    }  # fmt: skip
    tidied = tidy(files, SHARDS)
    assert not marked & tidied.changed.keys()
    assert marked == {problem.file for problem in tidied.problems if not problem.line}


@given(stores(markers=False))
def test_after_it_a_check_finds_nothing_that_fmt_would_cure(files: dict[str, bytes]) -> None:
    for name, data in apply(files).items():
        problems = check_file(name, data, SHARDS).problems
        assert [problem for problem in problems if problem.hint == "gitkb fmt"] == []


@given(st.lists(_GOOD, max_size=5), st.randoms(use_true_random=False))
def test_the_order_of_the_lines_does_not_matter(lines: list[bytes], random: object) -> None:
    shuffled = list(lines)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    name = "knowledge/all.jsonl"
    one, other = (b"".join(line + b"\n" for line in found) for found in (lines, shuffled))
    assert apply({name: one}) == apply({name: other})
