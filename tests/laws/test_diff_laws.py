"""What differs between two sequences, and between two states of a store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from gitkb.core.diff.entry import diff_snapshots
from gitkb.core.diff.text import change_lines
from gitkb.core.diff.word import compare, compare_words
from gitkb.core.entry import encode_record
from gitkb.core.snapshot import read_snapshot

from strategies import edits, nasty_texts, spellings, worlds

if TYPE_CHECKING:
    from gitkb.core.diff.entry import EntryChange

    from strategies import World

parts = st.lists(st.sampled_from("abc"), max_size=8)


@given(parts, parts)
def test_the_runs_give_both_sequences_back(old: list[str], new: list[str]) -> None:
    runs = compare(old, new)
    assert [part for run in runs if run.kind != "added" for part in run.parts] == old
    assert [part for run in runs if run.kind != "removed" for part in run.parts] == new


@given(parts, parts)
def test_no_shorter_script_leads_from_one_to_the_other(old: list[str], new: list[str]) -> None:
    runs = compare(old, new)
    changed = sum(len(run.parts) for run in runs if run.kind != "same")
    assert changed == len(old) + len(new) - 2 * _longest_common(old, new)


def _longest_common(old: list[str], new: list[str]) -> int:
    row = [0] * (len(new) + 1)
    for one in old:
        before = row[:]
        for at, other in enumerate(new):
            row[at + 1] = before[at] + 1 if one == other else max(row[at], before[at + 1])
    return row[-1]


@given(nasty_texts(), nasty_texts())
def test_the_words_give_both_texts_back(old: str, new: str) -> None:
    runs = compare_words(old, new)
    assert "".join(run.text for run in runs if run.kind != "added") == old
    assert "".join(run.text for run in runs if run.kind != "removed") == new


def test_texts_without_a_common_word_are_compared_at_once() -> None:
    old, new = (" ".join(f"{sign}{number}" for number in range(30_000)) for sign in "ab")
    assert [run.kind for run in compare_words(old, new)] == ["removed", "added"]


def _changes(old: World, new: World) -> list[EntryChange]:
    before, after = (
        read_snapshot(
            [
                (
                    "knowledge/all.jsonl",
                    b"".join(encode_record(one) + b"\n" for one in world.values()),
                )
            ]
        )
        for world in (old, new)
    )
    return diff_snapshots(before, after, sorted({*old, *new}))


@given(worlds())
def test_a_store_does_not_differ_from_itself(world: World) -> None:
    assert _changes(world, world) == []


@given(worlds(), st.data())
def test_order_files_and_spelling_are_no_change(world: World, data: st.DataObject) -> None:
    lines = [data.draw(spellings(record)) for record in world.values()]
    files = [(f"knowledge/{number:02x}.jsonl", line + b"\n") for number, line in enumerate(lines)]
    whole = b"".join(encode_record(record) + b"\n" for record in world.values())
    before = read_snapshot([("knowledge/all.jsonl", whole)])
    after = read_snapshot(data.draw(st.permutations(files)))
    assert diff_snapshots(before, after, sorted(world)) == []


@given(worlds(), st.data())
def test_each_key_that_says_something_else_is_told_once(world: World, data: st.DataObject) -> None:
    after = data.draw(edits(world))
    lines = {key: encode_record(record) for key, record in after.items()}
    different = {
        key
        for key in {*world, *after}
        if key not in world or key not in after or encode_record(world[key]) != lines[key]
    }
    told = [change.key for change in _changes(world, after)]
    assert sorted(told) == sorted(different)


@given(worlds(), st.data())
def test_no_entry_begins_a_line_of_ours(world: World, data: st.DataObject) -> None:
    for change in _changes(world, data.draw(edits(world))):
        lines = "\n".join(change_lines(change)).split("\n")
        assert lines[0].startswith(f"{change.kind:10}  {change.key}")
        assert all(not line or line.startswith("    ") for line in lines[1:])
