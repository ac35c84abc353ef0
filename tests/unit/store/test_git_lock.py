"""A writer keeps out of git's way while it writes the worktree."""

from __future__ import annotations

import os
import threading
import time
from typing import TYPE_CHECKING

import pytest

from gitkb.core.entry import Entry
from gitkb.errors import StateError
from gitkb.store.discover import store_at
from gitkb.store.git_lock import wait_for_git
from gitkb.store.rewrite import rewriting, write_steps
from gitkb.store.writer import changing

if TYPE_CHECKING:
    from pathlib import Path

    from gitkb.store.layout import Store

ENTRY = Entry({"key": "a", "type": "fact", "content": "text"})


@pytest.fixture
def store(tmp_path: Path) -> Store:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitkb").mkdir()
    return store_at(str(tmp_path / ".gitkb"))


@pytest.fixture
def index_lock(tmp_path: Path) -> Path:
    return tmp_path / ".git" / "index.lock"


def test_a_writer_waits_until_git_is_done(store: Store, index_lock: Path) -> None:
    index_lock.touch()
    seen: list[bool] = []

    def write() -> None:
        with changing(store) as change:
            seen.append(index_lock.exists())
            change.put(ENTRY, keep_old=True)

    writer = threading.Thread(target=write)
    writer.start()
    time.sleep(0.2)
    assert not seen
    index_lock.unlink()
    writer.join()
    assert seen == [False]


def test_a_lock_that_git_left_behind_stops_nobody(store: Store, index_lock: Path) -> None:
    index_lock.touch()
    os.utime(index_lock, (time.time() - 3600, time.time() - 3600))
    before = time.monotonic()
    wait_for_git(store, patience=600)
    assert time.monotonic() - before < 60


def test_the_wait_for_git_has_an_end(store: Store, index_lock: Path) -> None:
    index_lock.touch()
    before = time.monotonic()
    wait_for_git(store, patience=0.2)
    assert time.monotonic() - before < 60


def test_what_git_started_does_not_wait_for_it(
    store: Store, index_lock: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index_lock.touch()
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/index.lock")
    before = time.monotonic()
    wait_for_git(store, patience=600)
    assert time.monotonic() - before < 60


def test_a_file_that_changed_after_it_was_read_is_not_written(store: Store, tmp_path: Path) -> None:
    path = tmp_path / ".gitkb" / "knowledge" / "ca.jsonl"

    def write() -> None:
        with changing(store) as change:
            change.put(ENTRY, keep_old=True)
            path.parent.mkdir()
            path.write_bytes(b'{"key":"a","type":"fact","content":"of another"}\n')

    with pytest.raises(StateError, match="same moment") as refusal:
        write()
    assert refusal.value.hint == "nothing was written; do it again"
    assert b"of another" in path.read_bytes()


def test_a_rewrite_spares_a_file_that_changed_after_it_was_read(
    store: Store, tmp_path: Path
) -> None:
    path = tmp_path / ".gitkb" / "knowledge" / "ca.jsonl"
    with changing(store) as change:
        change.put(ENTRY, keep_old=True)

    def write() -> None:
        with rewriting(store) as files:
            path.write_bytes(b"of another\n")
            write_steps(store, files.data, [{"knowledge/ca.jsonl": b"ours\n"}])

    with pytest.raises(StateError, match="same moment"):
        write()
    assert path.read_bytes() == b"of another\n"
