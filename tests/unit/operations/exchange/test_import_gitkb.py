"""`import --from gitkb`: another store, or lines of one, comes in by the same rules."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from gitkb.core.entry import Entry, Tombstone
from gitkb.errors import NotFoundError, StateError
from gitkb.operations.exchange.import_ import import_file
from gitkb.operations.exchange.import_gitkb import import_gitkb
from gitkb.operations.exchange.import_result import Dropped
from gitkb.store.discover import store_at
from gitkb.store.reader import iter_files, read_store
from gitkb.store.writer import changing

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from gitkb.operations.exchange.import_result import ImportResult
    from gitkb.store.layout import Store

NOW = 1_790_000_000


def make_store(folder: Path) -> Store:
    (folder / ".git").mkdir(parents=True)
    (folder / ".gitkb").mkdir()
    return store_at(str(folder / ".gitkb"))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return make_store(tmp_path / "here")


def entry(key: str, content: str = "c", **fields: Any) -> dict[str, Any]:
    return {"key": key, "type": "fact", "content": content, **fields}


def gone(key: str, ts: int) -> dict[str, Any]:
    return {"key": key, "deleted": True, "ts": ts}


def bring(store: Store, *records: Mapping[str, Any] | str) -> ImportResult:
    texts = (item if isinstance(item, str) else json.dumps(item) for item in records)
    data = "".join(f"{text}\n" for text in texts).encode()
    result = import_gitkb(store, [("", data)], now=NOW)
    assert result.imported + len(result.dropped) == result.total
    before = dict(iter_files(store))
    again = import_gitkb(store, [("", data)], now=NOW + 9)
    assert dict(iter_files(store)) == before
    assert (again.total, again.unchanged) == (result.total, again.imported)
    assert not read_store(store).problems
    return result


def fields_of(store: Store, key: str) -> Mapping[str, Any]:
    return read_store(store).current[key].record.fields


def test_every_field_comes_as_it_is(store: Store) -> None:
    whole = entry("a", links=[{"rel": "part_of", "to": "b"}], importance=5, ts=4, created=2, x=[1])
    assert bring(store, whole).added == 1
    assert fields_of(store, "a") == whole


def test_a_line_that_is_no_record_is_dropped_and_said(store: Store) -> None:
    result = bring(store, entry("a", ts=1), "", "no json", '{"key":"b","type":"?"}')
    assert result.imported == 1
    assert [item.line for item in result.dropped] == [3, 4]
    assert "unknown type" in result.dropped[1].reason


def test_markers_stop_the_import(store: Store) -> None:
    with pytest.raises(StateError, match="conflict markers at line 2"):
        bring(store, entry("a"), "=======")
    assert not read_store(store).current


def test_a_newer_version_replaces_the_whole_entry(store: Store) -> None:
    bring(store, entry("a", importance=5, ts=1, created=1))
    assert bring(store, entry("a", "new", ts=2)).updated == 1
    assert fields_of(store, "a") == entry("a", "new", ts=2, created=1)
    (old,) = read_store(store).archived["a"]
    assert old.record.fields["importance"] == 5


def test_a_tombstone_beats_an_entry_and_is_beaten_only_by_one_that_knows_of_it(
    store: Store,
) -> None:
    bring(store, entry("a", ts=5))
    assert bring(store, gone("a", 3)).updated == 1
    assert isinstance(read_store(store).current["a"].record, Tombstone)
    (kept,) = read_store(store).archived["a"]
    assert kept.record.fields["ts"] == 5

    result = bring(store, entry("a", ts=99))
    assert (result.imported, len(result.dropped)) == (0, 1)
    assert bring(store, gone("a", 2)).unchanged == 1
    assert bring(store, gone("a", 7)).updated == 1
    assert bring(store, entry("a", "back", ts=9, revives=7)).updated == 1
    assert fields_of(store, "a")["content"] == "back"
    assert bring(store, gone("a", 7)).unchanged == 1
    assert fields_of(store, "a")["content"] == "back"


def test_a_tombstone_of_a_key_unknown_here_comes_too(store: Store) -> None:
    assert bring(store, gone("a", 3)).added == 1
    assert fields_of(store, "a") == gone("a", 3)


@pytest.mark.parametrize("place", ["", ".gitkb"])
def test_a_whole_store_comes_with_its_archive(store: Store, tmp_path: Path, place: str) -> None:
    other = make_store(tmp_path / "other")
    with changing(other) as change:
        change.put(Entry(entry("a", "old", ts=1, created=1)), keep_old=True)
        change.put(Entry(entry("a", "new", ts=2, created=1)), keep_old=True)
        change.put(Tombstone(gone("b", 1)), keep_old=True)
        change.archive(Entry(entry("c", ts=3, created=3, status="archived")))
    path = str(tmp_path / "other" / place)
    result = import_file(store, "gitkb", path, now=NOW)
    assert (result.total, result.imported, result.dropped) == (4, 4, [])
    assert dict(iter_files(store)) == dict(iter_files(other))
    assert import_file(store, "gitkb", path, now=NOW).unchanged == 4
    assert dict(iter_files(store)) == dict(iter_files(other))


def test_a_line_dropped_from_another_store_names_its_file(store: Store, tmp_path: Path) -> None:
    other = make_store(tmp_path / "other")
    with changing(other) as change:
        change.put(Entry(entry("a", ts=1)), keep_old=True)
    ((name, data),) = iter_files(other)
    (tmp_path / "other" / ".gitkb" / name).write_bytes(data + b"broken\n")
    result = import_file(store, "gitkb", str(tmp_path / "other"), now=NOW)
    assert result.dropped == [Dropped(2, result.dropped[0].reason, name)]


def test_a_folder_without_a_store_is_said(store: Store, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(NotFoundError, match="no knowledge base in"):
        import_file(store, "gitkb", str(tmp_path / "empty"), now=NOW)
