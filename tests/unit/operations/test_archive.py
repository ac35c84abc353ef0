"""Putting aside and bringing back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from gitkb.errors import NotFoundError, UsageError
from gitkb.operations.archive import Moved, archive, restore
from gitkb.operations.forget import forget
from gitkb.operations.supersede import supersede

from store_builder import Shelf, make_shelf

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return make_shelf(tmp_path)


def test_neither_or_both_ways_to_say_what_is_a_usage_error(shelf: Shelf) -> None:
    for keys, days in ([], None), (["k"], 5), (["k"], 0):
        with pytest.raises(UsageError):
            archive(shelf.store, keys, days)


def test_an_archived_entry_says_so_and_comes_back_as_it_was(shelf: Shelf) -> None:
    shelf.add(title="T", tags=["a"], status="rejected", unknown=1)
    [before] = shelf.lines()
    assert archive(shelf.store, ["k", "k"]) == [Moved("k", "T")]
    assert shelf.lines() == []
    latest = shelf.lines("archive")[-1]
    assert (latest["status"], latest["unknown"]) == ("archived", 1)
    assert latest["ts"] > before["ts"]
    assert restore(shelf.store, ["k"]) == [Moved("k", "T")]
    [after] = shelf.lines()
    assert {**after, "ts": 0} == {**before, "ts": 0}
    assert after["ts"] > latest["ts"]


def test_what_is_done_already_is_passed(shelf: Shelf) -> None:
    shelf.add()
    assert restore(shelf.store, ["k"]) == []
    archive(shelf.store, ["k"])
    before = shelf.tree()
    assert archive(shelf.store, ["k"]) == []
    assert shelf.tree() == before


def test_all_move_or_none(shelf: Shelf) -> None:
    shelf.add()
    before = shelf.tree()
    with pytest.raises(NotFoundError, match="no entry 'nope'"):
        archive(shelf.store, ["k", "nope"])
    with pytest.raises(NotFoundError, match="no entry 'nope'"):
        restore(shelf.store, ["k", "nope"])
    assert shelf.tree() == before


def test_a_forgotten_entry_is_neither_archived_nor_restored(shelf: Shelf) -> None:
    shelf.add()
    shelf.add(content="corrected")  # the archive holds a version of it
    forget(shelf.store, ["k"])
    before = shelf.tree()
    for work in (archive, restore):
        with pytest.raises(NotFoundError, match="was forgotten"):
            work(shelf.store, ["k"])
    assert shelf.tree() == before


def test_age_out_takes_what_is_older_and_only_that(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    day = 86_400
    monkeypatch.setattr("time.time", lambda: 100.5 * day)
    shelf.add(key="old", ts=69 * day)
    shelf.add(key="just", ts=int(70.5 * day))
    shelf.add(key="new", ts=99 * day)
    shelf.add(key="gone", ts=1)
    forget(shelf.store, ["gone"])
    line = json.dumps({"key": "timeless", "type": "fact", "content": "nobody knows when"})
    shelf.write(*shelf.tree()["knowledge/all.jsonl"].splitlines(), line.encode())
    assert [moved.key for moved in archive(shelf.store, [], 30)] == ["old"]
    assert archive(shelf.store, [], 30) == []
    assert [moved.key for moved in archive(shelf.store, [], 0)] == ["just", "new"]
    assert {line["key"] for line in shelf.lines()} == {"gone", "timeless"}


def test_a_second_line_of_the_key_is_kept_too(shelf: Shelf) -> None:
    one = b'{"key":"k","type":"fact","content":"one","ts":1}'
    two = b'{"key":"k","type":"fact","content":"two","ts":2}'
    shelf.write(one, two)
    archive(shelf.store, ["k"])
    assert shelf.lines() == []
    assert [line["content"] for line in shelf.lines("archive")] == ["one", "two"]
    restore(shelf.store, ["k"])
    assert [line["content"] for line in shelf.lines()] == ["two"]


def test_a_status_written_by_hand_is_undone_by_restore(shelf: Shelf) -> None:
    shelf.write(b'{"key":"k","type":"fact","content":"one","status":"archived","ts":1}')
    assert restore(shelf.store, ["k"]) == [Moved("k", "one")]
    assert "status" not in shelf.lines()[0]
    archive(shelf.store, ["k"])
    restore(shelf.store, ["k"])
    assert "status" not in shelf.lines()[0]


def test_there_and_back_many_times_loses_and_repeats_nothing(shelf: Shelf) -> None:
    shelf.add(status="rejected")
    for _ in range(3):
        archive(shelf.store, ["k"])
        restore(shelf.store, ["k"])
    assert shelf.lines()[0]["status"] == "rejected"
    lines = [json.dumps(line) for line in shelf.lines("archive")]
    assert len(lines) == len(set(lines))


@pytest.mark.parametrize("before", ["superseded", "rejected"])
def test_what_was_in_force_when_it_was_archived_is_so_again(shelf: Shelf, before: str) -> None:
    """Whatever it was still earlier, which the archive tells of too."""
    shelf.add(status=before)
    restore(shelf.store, ["k"])
    for _ in range(2):
        archive(shelf.store, ["k"])
        restore(shelf.store, ["k"])
        assert "status" not in shelf.lines()[0]


def test_what_lost_its_successor_in_the_archive_is_in_force_again(shelf: Shelf) -> None:
    shelf.add(key="old")
    shelf.add(key="new")
    supersede(shelf.store, "old", "new")
    archive(shelf.store, ["old"])
    forget(shelf.store, ["new"])
    restore(shelf.store, ["old"])
    assert [line.get("status") for line in shelf.lines() if line["key"] == "old"] == [None]


@pytest.mark.parametrize("work", [archive, forget])
def test_what_nothing_replaces_any_longer_is_named(shelf: Shelf, work: Any) -> None:
    for key in ("old", "older", "new", "other"):
        shelf.add(key=key)
    for old, new in (("older", "old"), ("old", "new"), ("older", "other")):
        supersede(shelf.store, old, new)
    assert [one.left_superseded for one in work(shelf.store, ["new", "other"])] == [
        ("old",),
        ("older",),
    ]
    assert [one.left_superseded for one in work(shelf.store, ["old"])] == [("older",)]


def test_an_entry_that_has_moved_is_said_to_have_moved(shelf: Shelf) -> None:
    shelf.write(b'{"key":"k","moved":"org","ts":1}')
    for work in (archive, restore):
        with pytest.raises(NotFoundError, match="'k' has moved to the tier 'org'"):
            work(shelf.store, ["k"])


def test_what_was_superseded_in_the_archive_comes_back_as_superseded(shelf: Shelf) -> None:
    shelf.add(key="old")
    archive(shelf.store, ["old"])
    shelf.add(key="new", links=[{"rel": "supersedes", "to": "old"}])
    restore(shelf.store, ["old"])
    assert [line.get("status") for line in shelf.lines()] == [None, "superseded"]
