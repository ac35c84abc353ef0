"""One writer at a time."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from gitkb.core.entry import Entry
from gitkb.errors import StateError
from gitkb.store.discover import store_at
from gitkb.store.lock import locked
from gitkb.store.reader import read_store
from gitkb.store.writer import changing

if TYPE_CHECKING:
    from pathlib import Path

    from gitkb.store.layout import Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitkb").mkdir()
    return store_at(str(tmp_path / ".gitkb"))


def test_the_lock_is_given_back_also_after_an_error(store: Store) -> None:
    with pytest.raises(ZeroDivisionError), locked(store):
        raise ZeroDivisionError
    with locked(store, patience=0):
        pass


def test_the_lock_lies_in_the_git_directory(store: Store) -> None:
    with locked(store):
        assert store.lock_path.endswith("/.git/gitkb/lock")
    assert read_store(store).problems == []


def test_a_lock_that_cannot_be_made_is_said(store: Store, tmp_path: Path) -> None:
    (tmp_path / ".git" / "gitkb").write_bytes(b"in the way")
    with pytest.raises(StateError, match="cannot lock the store") as refusal, locked(store):
        pytest.fail("no lock was made")
    assert refusal.value.hint


def test_two_threads_wait_for_each_other(store: Store) -> None:
    def write(number: int) -> None:
        with changing(store) as change:
            at = change.find("a")
            count = int(at.record.fields["x"]) if at else 0
            fields = {"key": "a", "type": "fact", "content": f"{number}", "x": count + 1}
            change.put(Entry(fields), keep_old=True)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert read_store(store).current["a"].record.fields["x"] == 8
    assert len(read_store(store).archived["a"]) == 7
