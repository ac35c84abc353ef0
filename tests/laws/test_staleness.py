"""What changed since: the calculation against a slow one that walks the graph for every question."""

from __future__ import annotations

from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from gitkb.core.glob import compile_glob
from gitkb.core.staleness import Change, Subject, Touch, find_changes

PATHS = ("a", "b", "src/a", "src/b", "src/deep/a", "ü")
FILES = (*PATHS, "src", "src/", "./a", "*", "src/*", "**/a", ".", "nowhere")


class History(NamedTuple):
    """A random graph of commits, each after its parents, and what they did to six files."""

    parents: list[list[int]]
    touches: dict[int, list[Touch]]


@st.composite
def histories(draw: st.DrawFn) -> History:
    count = draw(st.integers(1, 9))
    parents: list[list[int]] = [[]]
    touches: dict[int, list[Touch]] = {}
    for place in range(count):
        if place:
            wanted = st.lists(st.integers(0, place - 1), min_size=0, max_size=2, unique=True)
            parents.append(draw(wanted))
        did = []
        for path in draw(st.lists(st.sampled_from(PATHS), max_size=2, unique=True)):
            lines = draw(st.tuples(st.integers(0, 5), st.integers(0, 5)))
            source = draw(st.sampled_from([*("" for _ in PATHS), *PATHS]))
            did.append(Touch(path, *lines, "" if source == path else source))
        if did:
            touches[place] = did
    return History(parents, touches)


@st.composite
def questions(draw: st.DrawFn) -> tuple[History, dict[str, Subject], set[str]]:
    history = draw(histories())
    places = st.integers(0, len(history.parents) - 1)
    subjects = {
        f"k{number}": Subject(
            tuple(draw(st.lists(st.sampled_from(FILES), min_size=1, max_size=2, unique=True))),
            draw(places),
            tuple(draw(st.lists(places, max_size=2, unique=True))),
        )
        for number in range(draw(st.integers(1, 3)))
    }
    return history, subjects, draw(st.sets(st.sampled_from(PATHS)))


@given(questions())
def test_it_finds_what_a_walk_for_each_question_finds(
    question: tuple[History, dict[str, Subject], set[str]],
) -> None:
    history, subjects, present = question
    found = find_changes(history.parents, history.touches, subjects, present)
    expected = {
        key: changes
        for key, subject in subjects.items()
        if (changes := _slowly(history, subject, present))
    }
    assert {key: [_facts(one) for one in changes] for key, changes in found.items()} == expected


@given(questions())
def test_nothing_changes_after_a_commit_that_has_everything_in_its_history(
    question: tuple[History, dict[str, Subject], set[str]],
) -> None:
    history, subjects, present = question
    tip = len(history.parents)
    parents = [*history.parents, list(range(tip))]
    for key, subject in subjects.items():
        now = {key: subject._replace(written=tip, confirmed=())}
        assert find_changes(parents, history.touches, now, present) == {}
        confirmed = {key: subject._replace(confirmed=(tip,))}
        assert find_changes(parents, history.touches, confirmed, present) == {}


@given(questions())
def test_other_entries_change_no_answer(
    question: tuple[History, dict[str, Subject], set[str]],
) -> None:
    history, subjects, present = question
    together = find_changes(history.parents, history.touches, subjects, present)
    for key, subject in subjects.items():
        alone = find_changes(history.parents, history.touches, {key: subject}, present)
        assert alone.get(key) == together.get(key)


@given(questions(), st.integers(0, 60))
def test_a_share_is_between_nothing_and_all(
    question: tuple[History, dict[str, Subject], set[str]], lines: int
) -> None:
    history, subjects, present = question
    for changes in find_changes(history.parents, history.touches, subjects, present).values():
        for change in changes:
            share = change.share(lines)
            assert share is not None
            assert 0 <= share <= 1
            assert (share > 0) == (change.added + change.removed > 0)


def _facts(change: Change) -> tuple[object, ...]:
    return (
        change.file,
        change.kind,
        change.commits,
        change.added,
        change.removed,
        change.moved_to,
    )


def _slowly(history: History, subject: Subject, present: set[str]) -> list[tuple[object, ...]]:
    known = _ancestors(history, subject.written)
    for place in subject.confirmed:
        if subject.written in _ancestors(history, place):
            known = known | _ancestors(history, place)
    changes: list[tuple[object, ...]] = []
    for file in subject.files:
        is_meant = compile_glob(file)
        did = {
            (place, touch)
            for place, touches in history.touches.items()
            if place not in known
            for touch in touches
            if is_meant(touch.path) or (touch.source and is_meant(touch.source))
        }
        if not did:
            continue
        moved = {
            (place, touch.path)
            for place, touch in did
            if touch.source and is_meant(touch.source) and not is_meant(touch.path)
        }
        while True:
            more = {
                (place, touch)
                for start, path in moved
                for place, touches in history.touches.items()
                if place != start and start in _ancestors(history, place)
                for touch in touches
                if path in (touch.path, touch.source)
            }
            further = {
                (place, touch.path)
                for start, path in moved
                for place, touch in more
                if touch.source == path and place != start and start in _ancestors(history, place)
            }
            did |= more
            if further <= moved:
                break
            moved |= further
        here = sorted(path for path in present if is_meant(path))
        there = tuple(sorted({path for _, path in moved} & present - set(here)))
        kind = "changed" if here else "moved" if there else "vanished"
        commits = len({place for place, _ in did})
        added, removed = (sum(lines) for lines in _counts(did))
        changes.append((file, kind, commits, added, removed, there))
    return changes


def _counts(did: set[tuple[int, Touch]]) -> tuple[list[int], list[int]]:
    return [touch.added for _, touch in did], [touch.removed for _, touch in did]


def _ancestors(history: History, place: int) -> set[int]:
    found, waiting = {place}, [place]
    while waiting:
        for parent in history.parents[waiting.pop()]:
            if parent not in found:
                found.add(parent)
                waiting.append(parent)
    return found
