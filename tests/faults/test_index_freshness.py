"""A search index never answers with what the files no longer say."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING

import pytest

from gitkb.index.freshness import RACY

from index_builder import World, entry_line

if TYPE_CHECKING:
    from pathlib import Path

NAME = "knowledge/all.jsonl"
OTHER = "knowledge/3f.jsonl"


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path)
    world.write(NAME, entry_line("k", "zebra"))
    world.write(OTHER, entry_line("other", "gnu"))
    assert world.found("zebra") == ["k"]
    return world


def _settle(world: World) -> None:
    """Wait until the signatures of the files count, and let them be recorded."""
    time.sleep(RACY / 10**9 + 0.1)
    world.found("zebra")


def test_a_change_at_once_is_seen(world: World) -> None:
    for number in range(20):
        word = f"w{number:03}"
        world.write(NAME, entry_line("k", word))
        assert world.found(word) == ["k"]


def test_a_change_of_equal_size_whose_time_was_set_back_is_seen(world: World) -> None:
    _settle(world)
    at = world.path(NAME).stat()
    world.write(NAME, entry_line("k", "okapi"))
    os.utime(world.path(NAME), ns=(at.st_atime_ns, at.st_mtime_ns))
    assert world.path(NAME).stat().st_size == at.st_size
    assert world.found("okapi") == ["k"]
    assert world.found("zebra") == []


def test_a_file_replaced_by_an_older_one_is_seen(world: World) -> None:
    older = world.folder / "older"
    older.write_bytes(entry_line("k", "okapi") + b"\n")
    os.utime(older, (1, 1))
    _settle(world)
    older.replace(world.path(NAME))
    assert world.found("okapi") == ["k"]


def test_files_that_appear_and_disappear_are_seen(world: World) -> None:
    world.write("knowledge/00.jsonl", entry_line("new", "okapi"))
    assert world.found("okapi zebra") == ["k", "new"]
    world.path(NAME).unlink()
    assert world.found("okapi zebra") == ["new"]
    world.path("knowledge/00.jsonl").rename(world.path(NAME))
    assert world.found("okapi zebra") == ["new"]


def test_equal_bytes_under_other_times_change_nothing(world: World) -> None:
    _settle(world)
    before = world.database.stat()
    world.write(NAME, entry_line("k", "zebra"))
    assert world.found("zebra") == ["k"]
    after = world.database.stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


@pytest.mark.skipif(sys.platform == "win32", reason="every file is read there")
def test_nothing_is_read_when_no_signature_changed(world: World) -> None:
    _settle(world)
    started = time.time_ns()
    assert world.found("zebra") == ["k"]
    # Read again the file would have a later time of access (relatime), or the search have failed.
    world.path(NAME).chmod(0)
    world.path(OTHER).chmod(0)
    assert world.path(NAME).stat().st_atime_ns < started


def test_a_marker_makes_every_file_be_read_once(world: World) -> None:
    _settle(world)
    marker = world.database.with_name("stale")
    marker.touch()
    assert world.found("zebra") == ["k"]
    assert not marker.exists()


def test_a_file_that_cannot_be_read_is_a_problem_until_it_can(world: World) -> None:
    world.path(NAME).unlink()
    world.path(NAME).mkdir()
    assert world.found("zebra gnu") == ["other"]
    world.path(NAME).rmdir()
    world.write(NAME, entry_line("k", "zebra"))
    assert sorted(world.found("zebra gnu")) == ["k", "other"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a symbolic link")
def test_a_link_that_leads_elsewhere_now_is_seen(world: World) -> None:
    for word in ("okapi", "zebra"):
        (world.folder / word).write_bytes(entry_line("k", word) + b"\n")
    world.path(NAME).unlink()
    world.path(NAME).symlink_to(world.folder / "okapi")
    assert world.found("okapi") == ["k"]
    _settle(world)
    world.path(NAME).unlink()
    world.path(NAME).symlink_to(world.folder / "zebra")
    assert world.found("okapi") == []
    assert world.found("zebra") == ["k"]
