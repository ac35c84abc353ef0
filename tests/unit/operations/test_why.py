"""The story of an entry, and what is near it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gitkb.errors import NotFoundError, SearchIndexError, UsageError
from gitkb.operations.archive import archive, restore
from gitkb.operations.forget import forget
from gitkb.operations.graph import graph
from gitkb.operations.link import link
from gitkb.operations.reading import search_index
from gitkb.operations.reject import reject
from gitkb.operations.related import related
from gitkb.operations.show import show
from gitkb.operations.supersede import supersede
from gitkb.operations.why import why

from store_builder import Shelf, make_shelf

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    """One queue was replaced by two, Kafka was turned down for that, and a pitfall came of it."""
    shelf = make_shelf(tmp_path)
    for moment, (key, type_, title) in enumerate(
        (
            ("kafka", "decision", "Use Kafka"),
            ("pit", "pitfall", "Jobs ran twice"),
            ("two", "decision", "Use two queues"),
            ("one", "decision", "Use one queue"),
            ("pg", "fact", "Postgres 16"),
            ("alone", "note", "Nothing to do with it"),
        )
    ):
        shelf.add(key=key, type=type_, title=title, created=100 - moment, ts=100 - moment)
    supersede(shelf.store, "one", "two")
    reject(shelf.store, "kafka", "two")
    link(shelf.store, "pit", "caused_by", "one")
    link(shelf.store, "two", "depends_on", "pg")
    return shelf


def test_the_story_is_told_in_order_of_time_from_wherever_one_asks(shelf: Shelf) -> None:
    for key in ("one", "two", "kafka", "pit"):
        story = why(shelf.store, key)
        assert [step.entry.key for step in story.steps] == ["one", "two", "pit", "kafka"]
        assert (story.root and story.root.key, story.matched, story.missing) == (key, False, ())
    statuses = [step.status for step in why(shelf.store, "one").steps]
    assert statuses == ["superseded", "active", "active", "rejected"]
    assert [step.author for step in why(shelf.store, "one").steps] == [None] * 4


def test_an_entry_without_a_story_is_its_own(shelf: Shelf) -> None:
    assert [step.entry.key for step in why(shelf.store, "pg").steps] == ["pg"]


def test_a_question_finds_the_entry_it_is_about_also_a_rejected_one(shelf: Shelf) -> None:
    story = why(shelf.store, "why not Kafka?")
    assert (story.root and story.root.key, story.matched) == ("kafka", True)
    assert len(story.steps) == 4
    assert why(shelf.store, "zebra").steps == []
    notices: list[str] = []
    assert why(shelf.store, "???", notices).root is None
    assert "holds no word" in notices[0]


def test_what_is_found_beside_the_story_is_named(shelf: Shelf) -> None:
    shelf.add(key="other", type="note", title="Kafka elsewhere", content="Kafka Kafka")
    story = why(shelf.store, "Kafka")
    names = {*(step.entry.key for step in story.steps), *(entry.key for entry in story.others)}
    assert {"kafka", "other"} <= names


def test_archived_entries_are_told_and_forgotten_ones_are_named(shelf: Shelf) -> None:
    archive(shelf.store, ["two"])
    forget(shelf.store, ["one"], "secret")
    story = why(shelf.store, "kafka")
    assert [(step.entry.key, step.status) for step in story.steps] == [
        ("two", "archived"),
        ("pit", "active"),
        ("kafka", "rejected"),
    ]
    assert story.missing == ("one",)
    with pytest.raises(NotFoundError, match="'one' was forgotten: secret"):
        why(shelf.store, "one")


def test_a_circle_is_told_once(shelf: Shelf) -> None:
    link(shelf.store, "one", "caused_by", "pit")
    assert len(why(shelf.store, "pit").steps) == 4


def test_what_is_near_is_said_with_its_way_and_what_is_left_out(shelf: Shelf) -> None:
    found = related(shelf.store, "two")
    assert [(node.entry.key, node.via.relation, node.is_outgoing) for node in found.nodes] == [
        ("kafka", "rejected_because", False),
        ("pg", "depends_on", True),
        ("one", "supersedes", True),
    ]
    assert {node.entry.key for node in related(shelf.store, "two", 2).nodes} == {
        *("pg", "one", "kafka", "pit")
    }
    cut = related(shelf.store, "two", 9, 3)
    assert (len(cut.nodes), cut.left_out) == (3, 1)
    for depth, limit in ((0, 1), (1, 0)):
        with pytest.raises(UsageError):
            related(shelf.store, "two", depth, limit)
        with pytest.raises(UsageError):
            graph(shelf.store, "two", depth, limit)


def test_the_graph_holds_what_has_edges(shelf: Shelf) -> None:
    shelf.add(key="alone", type="note", content="see [[nowhere]]", title="Nothing")
    whole = graph(shelf.store)
    assert [node.key for node in whole.nodes] == [
        *("alone", "kafka", "nowhere", "one", "pg", "pit", "two")
    ]
    assert [node.status for node in whole.nodes if node.key in ("nowhere", "one")] == [
        "missing",
        "superseded",
    ]
    assert (len(whole.edges), whole.left_out) == (5, 0)
    part = graph(shelf.store, limit=2)
    assert ([node.key for node in part.nodes], part.left_out) == (["one", "two"], 5)
    assert [edge.relation for edge in part.edges] == ["supersedes"]
    around = graph(shelf.store, "pit", 1)
    assert [node.key for node in around.nodes] == ["one", "pit"]
    small = graph(shelf.store, "two", 2, 2)
    assert "two" in [node.key for node in small.nodes]
    assert (len(small.nodes), small.left_out) == (2, 3)
    assert graph(shelf.store, "two", 2, 1).left_out == 4


def test_an_entry_is_shown_with_what_others_say_of_it(shelf: Shelf) -> None:
    shown = show(shelf.store, "one")
    assert [at.key for at in shown.superseded_by] == ["two"]
    assert {(at.key, at.edge.relation, at.is_outgoing) for at in shown.neighbours or ()} == {
        ("two", "supersedes", False),
        ("pit", "caused_by", False),
    }
    reject(shelf.store, "pg")
    [doubt] = show(shelf.store, "two").in_doubt
    assert doubt == ("pg", "Postgres 16", "rejected")
    forget(shelf.store, ["pg"])
    [doubt] = show(shelf.store, "two").in_doubt
    assert doubt == ("pg", "", "missing")
    archive(shelf.store, ["one"])
    assert [at.status for at in show(shelf.store, "two").neighbours or () if at.key == "one"] == [
        "archived"
    ]


def test_a_successor_that_was_put_away_replaces_only_what_says_so(shelf: Shelf) -> None:
    archive(shelf.store, ["two"])
    [later] = show(shelf.store, "one").superseded_by
    assert (later.key, later.status) == ("two", "archived")
    restore(shelf.store, ["one"])
    assert show(shelf.store, "one").superseded_by == ()


def test_an_entry_is_shown_without_a_search_index_too(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_args: object, **_named: object) -> None:
        raise SearchIndexError("no memory")

    monkeypatch.setattr(search_index, "open_synced", refuse)
    shown = show(shelf.store, "one")
    assert (shown.entry.title, shown.neighbours) == ("Use one queue", None)
