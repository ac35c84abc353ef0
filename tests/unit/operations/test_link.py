"""Edges between entries: made, taken away, and what they do to statuses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from gitkb.errors import NotFoundError, StateError, UsageError
from gitkb.operations.archive import archive
from gitkb.operations.forget import forget
from gitkb.operations.link import Linked, Unlinked, link, unlink
from gitkb.operations.reject import Rejected, reject
from gitkb.operations.supersede import supersede

from store_builder import Shelf, make_shelf

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    shelf = make_shelf(tmp_path)
    for key in "abc":
        shelf.add(key=key, title=key.upper(), aliases=[f"L-{key}"])
    return shelf


def line(shelf: Shelf, key: str) -> dict[str, Any]:
    return next(line for line in shelf.lines() if line["key"] == key)


def test_an_edge_is_added_once(shelf: Shelf) -> None:
    assert link(shelf.store, "L-a", "depends_on", "b") == Linked("a", "depends_on", "b", True)
    before = shelf.tree()
    assert link(shelf.store, "a", "depends_on", "L-b") == Linked("a", "depends_on", "b", False)
    assert shelf.tree() == before
    assert line(shelf, "a")["links"] == [{"rel": "depends_on", "to": "b"}]
    assert len(shelf.lines("archive")) == 1


def test_an_edge_is_taken_away_and_that_again_is_fine(shelf: Shelf) -> None:
    link(shelf.store, "a", "depends_on", "b")
    link(shelf.store, "a", "part_of", "b")
    assert unlink(shelf.store, "a", "depends_on", "b") == Unlinked("a", "depends_on", "b", True)
    assert line(shelf, "a")["links"] == [{"rel": "part_of", "to": "b"}]
    before = shelf.tree()
    assert unlink(shelf.store, "a", "depends_on", "b") == Unlinked("a", "depends_on", "b", False)
    assert shelf.tree() == before


@pytest.mark.parametrize("target", ["gone", "nowhere", "a"])
def test_an_edge_that_leads_nowhere_can_be_taken_away(shelf: Shelf, target: str) -> None:
    shelf.add(key="gone")
    shelf.add(key="a", links=[{"rel": "part_of", "to": target}])
    forget(shelf.store, ["gone"])
    assert unlink(shelf.store, "a", "part_of", target).written
    assert "links" not in line(shelf, "a")


def test_a_relation_that_the_content_implies_is_told(shelf: Shelf) -> None:
    shelf.add(key="a", content="see [[b]]")
    assert unlink(shelf.store, "a", "relates_to", "b").derived
    link(shelf.store, "a", "relates_to", "b")
    done = unlink(shelf.store, "a", "relates_to", "b")
    assert (done.written, done.derived) == (True, True)
    assert not unlink(shelf.store, "a", "part_of", "b").derived


def test_unlinking_the_last_successor_makes_the_old_one_active(shelf: Shelf) -> None:
    link(shelf.store, "b", "supersedes", "a")
    supersede(shelf.store, "a", "c")
    assert line(shelf, "a")["status"] == "superseded"
    assert not unlink(shelf.store, "b", "supersedes", "a").reactivated
    assert line(shelf, "a")["status"] == "superseded"
    assert unlink(shelf.store, "c", "supersedes", "L-a").reactivated
    assert "status" not in line(shelf, "a")


def test_what_was_rejected_before_it_was_superseded_is_so_again(shelf: Shelf) -> None:
    reject(shelf.store, "a")
    supersede(shelf.store, "a", "b")
    unlink(shelf.store, "b", "supersedes", "a")
    assert line(shelf, "a")["status"] == "rejected"


def test_wrong_calls_say_what_is_wrong(shelf: Shelf) -> None:
    with pytest.raises(UsageError, match="unknown relation 'replaces'"):
        link(shelf.store, "a", "replaces", "b")
    with pytest.raises(UsageError, match="unknown relation 'replaces'"):
        unlink(shelf.store, "a", "replaces", "b")
    with pytest.raises(StateError, match="linked to itself"):
        link(shelf.store, "a", "part_of", "L-a")
    with pytest.raises(NotFoundError, match="no entry 'nope'"):
        link(shelf.store, "a", "part_of", "nope")
    archive(shelf.store, ["c"])
    for call in (link, unlink):
        with pytest.raises(StateError, match="'c' is archived"):
            call(shelf.store, "c", "part_of", "a")


def test_a_rejected_option_keeps_its_reason(shelf: Shelf) -> None:
    assert reject(shelf.store, "L-a", "L-b") == Rejected("a", "A", "b", True)
    assert line(shelf, "a")["status"] == "rejected"
    assert line(shelf, "a")["links"] == [{"rel": "rejected_because", "to": "b"}]
    assert reject(shelf.store, "a", "b").written is False
    assert reject(shelf.store, "a").written is False
    assert reject(shelf.store, "a", "c").written is True
    with pytest.raises(StateError, match="'b' cannot be rejected because of 'a', which was"):
        reject(shelf.store, "b", "a")
    assert len(line(shelf, "a")["links"]) == 2


def test_what_cannot_be_rejected_says_why(shelf: Shelf) -> None:
    with pytest.raises(StateError, match="reason for its own rejection"):
        reject(shelf.store, "a", "a")
    supersede(shelf.store, "a", "b")
    with pytest.raises(StateError, match="is superseded"):
        reject(shelf.store, "a")
