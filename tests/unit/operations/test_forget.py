"""Deleting for everybody, and the end of old tombstones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gitkb.errors import NotFoundError
from gitkb.operations.archive import archive
from gitkb.operations.forget import Forgotten, Swept, forget, gc

from store_builder import Shelf, make_shelf

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return make_shelf(tmp_path)


def test_a_tombstone_carries_no_content_and_is_later(shelf: Shelf) -> None:
    shelf.add(title="T", ts=10**12)
    assert forget(shelf.store, ["k", "k"], "no longer so") == [Forgotten("k", "T", True)]
    assert shelf.lines() == [
        {"key": "k", "deleted": True, "ts": 10**12 + 1, "reason": "no longer so"}
    ]


def test_what_is_forgotten_stays_as_it_is(shelf: Shelf) -> None:
    shelf.add()
    forget(shelf.store, ["k"], "first")
    before = shelf.tree()
    assert forget(shelf.store, ["k"], "second") == [Forgotten("k", "", False)]
    assert shelf.tree() == before


def test_an_archived_entry_can_be_forgotten(shelf: Shelf) -> None:
    shelf.add(ts=10**12)
    archive(shelf.store, ["k"])
    [aside] = shelf.lines("archive")
    forget(shelf.store, ["k"])
    [tombstone] = shelf.lines()
    assert tombstone["ts"] > aside["ts"]


def test_all_are_forgotten_or_none(shelf: Shelf) -> None:
    shelf.add()
    before = shelf.tree()
    with pytest.raises(NotFoundError, match="no entry 'nope'"):
        forget(shelf.store, ["k", "nope"])
    assert shelf.tree() == before


def test_a_second_line_of_the_key_does_not_outlive_it(shelf: Shelf) -> None:
    shelf.write(
        b'{"key":"k","type":"fact","content":"one","ts":1}',
        b'{"key":"k","type":"fact","content":"two","ts":2}',
    )
    forget(shelf.store, ["k"])
    assert [line.get("deleted") for line in shelf.lines()] == [True]


def test_gc_takes_tombstones_of_an_age_and_nothing_else(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    day = 86_400
    moment = [100 * day]
    monkeypatch.setattr("time.time", lambda: float(moment[0]))
    for key in ("old", "new", "alive"):
        shelf.add(key=key, ts=1)
    forget(shelf.store, ["old"])
    moment[0] += 40 * day
    forget(shelf.store, ["new"])
    before = shelf.tree()
    assert gc(shelf.store, 30, dry_run=True) == Swept(["old"], {})
    assert shelf.tree() == before
    assert gc(shelf.store, 30) == Swept(["old"], {})
    assert {line["key"] for line in shelf.lines()} == {"new", "alive"}
    assert gc(shelf.store, 30) == Swept([], {})


def test_gc_does_not_bring_back_what_the_archive_still_holds(shelf: Shelf) -> None:
    shelf.add(content="one", ts=1)
    shelf.add(content="two", ts=2)
    forget(shelf.store, ["k"])
    before = shelf.tree()
    assert gc(shelf.store, 0) == Swept([], {"k": ["the archive"]})
    assert shelf.tree() == before
