"""Random histories of three clones, with the package's merge in the place of git: see history_dag."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from history_dag import (
    EDITS,
    JOINS,
    KEYS,
    REVERTS,
    Act,
    broken_promises,
    meetings,
    play,
    values_of,
)

# An act is a few bytes and a history some milliseconds: thousands are drawn where others draw hundreds.
many = settings(max_examples=10 * settings().max_examples)
_small = st.integers(0, 59)
_acts: st.SearchStrategy[list[Act]] = st.lists(
    st.tuples(_small, _small, _small, _small), max_size=25
)


@many
@given(_acts)
def test_nothing_is_lost_and_no_deletion_undone_whatever_is_merged_rebased_and_picked(
    acts: list[Act],
) -> None:
    history = play(acts, EDITS + JOINS)
    assert history.broken == [], history.story


@many
@given(_acts)
def test_a_revert_takes_back_its_own_entries_and_no_others(acts: list[Act]) -> None:
    history = play(acts, EDITS + JOINS + REVERTS)
    assert history.broken == [], history.story


@many
@given(_acts)
def test_clones_that_merge_all_of_each_other_hold_the_same_keys_in_whatever_order(
    acts: list[Act],
) -> None:
    history = play(acts, (*EDITS, "merge", "merge", "merge", "merge"))
    ends = meetings(history)
    assert [broken_promises(end) for end in ends] == [[], [], []], history.story
    assert len({end.archive for end in ends}) == 1
    fates = [{key: fate for key, (fate, _) in values_of(end).items()} for end in ends]
    assert fates[0] == fates[1] == fates[2], history.story


@many
@given(st.lists(st.tuples(_small, st.integers(0, 2), _small), max_size=8))
def test_edits_of_what_all_had_leave_the_same_values_in_whatever_order_they_meet(
    edits: list[tuple[int, int, int]],
) -> None:
    kinds = ("add", "edit", "title", "tag", "untag", "merge")
    base = [(kinds.index("add"), 0, key, 0) for key in range(len(KEYS))]
    base += [(kinds.index("merge"), 1, 1, 0), (kinds.index("merge"), 2, 0, 0)]
    acts = [(1 + kind % 4, clone, key, 0) for kind, clone, key in edits]
    history = play([*base, *acts], kinds)
    ends = list(map(values_of, meetings(history)))
    assert ends[0] == ends[1] == ends[2], history.story
