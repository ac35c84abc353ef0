"""Edges in the search index, and what they say of a hit."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from gitkb.core.link import Edge
from gitkb.index import edge as edges_of_index
from gitkb.index.search import Hit
from gitkb.index.sync import open_synced

from index_builder import ALL, World, entry_line, keys_of

if TYPE_CHECKING:
    from pathlib import Path

NAME = "knowledge/all.jsonl"


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def _linked(key: str, *links: tuple[str, str], **fields: Any) -> bytes:
    return entry_line(key, "zebra", links=[{"rel": rel, "to": to} for rel, to in links], **fields)


def _edges(world: World, *keys: str) -> list[Edge]:
    with closing(open_synced(str(world.database), world.files())) as index:
        return index.edges(keys) if keys else index.all_edges()


def _hits(world: World) -> dict[str, Hit]:
    hits = world.ask("zebra", ALL)
    return dict(zip(keys_of(hits), hits, strict=True))


def test_edges_are_found_from_both_ends_stored_and_derived(world: World) -> None:
    world.write(
        NAME,
        _linked("a", ("caused_by", "b"), ("part_of", "c")),
        entry_line("b", "see [[a]] and [[d]]"),
        entry_line("c", "as [[d]] says, and [[c]]"),
    )
    derived = [Edge("b", "relates_to", "a", True), Edge("b", "relates_to", "d", True)]
    assert _edges(world, "a") == [
        Edge("a", "caused_by", "b"),
        Edge("a", "part_of", "c"),
        derived[0],
    ]
    assert _edges(world, "b") == [Edge("a", "caused_by", "b"), *derived]
    assert _edges(world, "d") == [derived[1], Edge("c", "relates_to", "d", True)]
    assert _edges(world, "nobody") == []
    assert len(_edges(world)) == 5


def test_an_edge_that_is_written_in_escapes_is_an_edge(world: World) -> None:
    world.write(
        NAME,
        b'{"key":"a","type":"fact","content":"\\u005b[b]]","ts":1}',
        b'{"key":"b","type":"fact","content":"x","\\u006cinks":[{"rel":"part_of","to":"a"}]}',
    )
    assert _edges(world) == [Edge("a", "relates_to", "b", True), Edge("b", "part_of", "a")]


def test_a_link_that_stands_twice_is_one_edge(world: World) -> None:
    world.write(NAME, _linked("a", ("part_of", "b"), ("part_of", "b")))
    assert _edges(world) == [Edge("a", "part_of", "b")]


def test_edges_follow_the_version_that_is_shown(world: World) -> None:
    world.write(NAME, _linked("a", ("part_of", "b")), entry_line("x", "[[a]]"))
    world.write("archive/all.jsonl", _linked("old", ("part_of", "a"), status="archived"))
    assert len(_edges(world)) == 3
    world.write(NAME, _linked("a", ("part_of", "c")), b'{"key":"x","deleted":true,"ts":5}')
    assert _edges(world) == [Edge("a", "part_of", "c"), Edge("old", "part_of", "a")]
    world.write(NAME)
    assert _edges(world) == [Edge("old", "part_of", "a")]


def test_a_hit_names_its_successors_whatever_became_of_them(world: World) -> None:
    world.write(
        NAME,
        entry_line("old", "zebra", status="superseded"),
        _linked("new", ("supersedes", "old"), status="superseded"),
        _linked("newest", ("supersedes", "new"), ("supersedes", "old")),
        b'{"key":"gone","deleted":true,"ts":5}',
    )
    world.write(
        "archive/all.jsonl",
        _linked("gone", ("supersedes", "old")),
        _linked("away", ("supersedes", "old"), status="archived"),
    )
    hits = _hits(world)
    assert hits["old"].superseded_by == ("away", "new", "newest")
    assert hits["new"].superseded_by == ("newest",)
    assert hits["newest"].superseded_by == ()


def test_a_hit_is_in_doubt_while_what_it_rests_on_is_not_true(world: World) -> None:
    lines = [
        _linked("a", ("depends_on", "b"), ("depends_on", "fine")),
        _linked("b", ("depends_on", "c"), ("depends_on", "a")),
        entry_line("fine", "zebra"),
    ]
    world.write(NAME, *lines, entry_line("c", "zebra"))
    assert {hit.in_doubt for hit in _hits(world).values()} == {()}
    world.write(NAME, *lines, entry_line("c", "zebra", status="rejected"))
    hits = _hits(world)
    assert (hits["a"].in_doubt, hits["b"].in_doubt, hits["c"].in_doubt) == (("c",), ("c",), ())
    world.write(NAME, *lines)
    assert _hits(world)["a"].in_doubt == ("c",)
    world.write(NAME, *lines, entry_line("c", "zebra", ts=9))
    assert _hits(world)["a"].in_doubt == ()


def test_many_hits_are_told_the_same_as_few(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.write(
        NAME,
        entry_line("old", "zebra", status="superseded"),
        _linked("new", ("supersedes", "old"), ("supersedes", "absent"), ("depends_on", "old")),
    )
    few = _hits(world)
    monkeypatch.setattr(edges_of_index, "_PLENTY", 0)
    assert _hits(world) == few
    assert (few["old"].superseded_by, few["new"].in_doubt) == (("new",), ("old",))
