"""Which entries say much the same."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from gitkb.index.sync import open_synced

from index_builder import World, entry_line

if TYPE_CHECKING:
    from pathlib import Path

    from gitkb.index.similar import Similar


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path)
    world.write(
        "knowledge/all.jsonl",
        entry_line("lock", "Two deploys ran at once.", title="Deploys need a lock"),
        entry_line("cents", "Floats round badly.", title="Money is kept in cents"),
        entry_line("gone", "Two ran.", title="Deploys need a lock", status="superseded"),
        entry_line("cache", "The cache is warmed at night.", title="Cache"),
        *(entry_line(f"n{n}", f"filler {n}", title=f"cache cache {n}") for n in range(300)),
    )
    return world


def _similar(world: World, title: str, content: str, **options: object) -> list[Similar]:
    with closing(open_synced(str(world.database), world.files())) as index:
        return index.similar(title, content, **options)  # type: ignore[arg-type]


def test_the_nearest_come_first_and_only_active_ones(world: World) -> None:
    found = _similar(world, "A lock for deployments", "Two of them ran at once.")
    assert [other.key for other in found] == ["lock"]
    assert 0.55 < found[0].score < 1
    assert found[0].title == "Deploys need a lock"


def test_the_same_title_is_always_found_and_first(world: World) -> None:
    found = _similar(world, "CACHE.", "something else altogether")
    assert [other.key for other in found][:1] == ["cache"]
    assert len(found) <= 3
    assert [other.key for other in _similar(world, "cache!", "x", limit=0)] == ["cache"]


def test_an_entry_is_not_like_itself(world: World) -> None:
    title, content = "Deploys need a lock", "Two deploys ran at once."
    assert [other.key for other in _similar(world, title, content)] == ["lock"]
    assert _similar(world, title, content)[0].score == 1.0
    assert _similar(world, title, content, without="lock") == []


@pytest.mark.parametrize("text", ["", "?!", "🚀", "the of and"])
def test_nothing_is_like_a_text_that_says_nothing(world: World, text: str) -> None:
    assert _similar(world, text, text) == []
