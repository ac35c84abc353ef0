"""`import --from drawbar`: nothing is lost unsaid, nothing changes twice."""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitkb.core.entry import Entry, Tombstone
from gitkb.errors import DataError, NotFoundError, StateError, UsageError
from gitkb.operations.exchange.import_ import FORMATS, import_file
from gitkb.operations.exchange.import_drawbar import import_drawbar
from gitkb.operations.exchange.import_result import Dropped, ImportResult
from gitkb.store.discover import store_at
from gitkb.store.reader import read_store
from gitkb.store.writer import changing

from corpus import corrupted

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from gitkb.core.snapshot import Snapshot
    from gitkb.store.layout import Store

NOW = 1_790_000_000


@pytest.fixture
def store(tmp_path: Path) -> Store:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitkb").mkdir()
    return store_at(str(tmp_path / ".gitkb"))


def record(key: str, content: str = "c", **fields: Any) -> dict[str, Any]:
    return {"key": key, "type": "fact", "content": content, **fields}


def lines(*records: Mapping[str, Any] | str) -> bytes:
    texts = (item if isinstance(item, str) else json.dumps(item) for item in records)
    return "".join(text + "\n" for text in texts).encode()


def bring(store: Store, *records: Mapping[str, Any] | str, now: int = NOW) -> ImportResult:
    """Import, and hold what holds for every import."""
    data = lines(*records)
    result = import_drawbar(store, data, now=now)
    assert result.imported + len(result.dropped) == result.total
    counts = (result.added, result.updated, result.outdated, result.unchanged)
    assert sum(counts) == result.imported
    before = files_of(store)
    again = import_drawbar(store, data, now=now + 1000)
    assert files_of(store) == before
    assert (again.total, again.dropped) == (result.total, result.dropped)
    assert again.unchanged == again.imported == result.imported
    return result


def files_of(store: Store) -> dict[str, bytes]:
    found = {}
    for folder, _, names in os.walk(store.root):
        for name in names:
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                found[path] = file.read()
    return found


def fields_of(store: Store, key: str) -> Mapping[str, Any]:
    return read_store(store).current[key].record.fields


def archive_of(store: Store, key: str) -> list[Mapping[str, Any]]:
    return [at.record.fields for at in read_store(store).archived.get(key, ())]


# --- what becomes of a record ----------------------------------------------------------------


def test_a_new_record_keeps_its_time_and_is_created_then(store: Store) -> None:
    result = bring(store, record("a", ts=5, tags=["B", "a"], issue=None, files=[], x={"y": 1}))
    assert (result.added, result.imported, result.total) == (1, 1, 1)
    assert fields_of(store, "a") == {
        **record("a", ts=5, created=5), "tags": ["a", "b"], "x": {"y": 1},
    }  # fmt: skip


def test_a_record_without_a_time_is_from_now(store: Store) -> None:
    bring(store, record("a"))
    assert fields_of(store, "a") == record("a", ts=NOW, created=NOW)


def test_the_newest_line_of_a_key_stands_and_the_others_are_archived(store: Store) -> None:
    result = bring(store, record("a", "1", ts=1), record("a", "3", ts=3), record("a", "2", ts=2))
    assert (result.added, result.outdated) == (1, 2)
    assert fields_of(store, "a") == record("a", "3", ts=3, created=1)
    assert archive_of(store, "a") == [
        record("a", "1", ts=1, created=1),
        record("a", "2", ts=2, created=1),
    ]


def test_at_equal_times_or_without_any_the_later_line_stands(store: Store) -> None:
    bring(store, record("a", "z", ts=1), record("a", "b", ts=1), record("b", "z"), record("b", "y"))
    assert fields_of(store, "a")["content"] == "b"
    assert fields_of(store, "b")["content"] == "y"
    assert [old["content"] for old in archive_of(store, "b")] == ["z"]


def test_a_line_that_says_the_same_again_is_no_new_version(store: Store) -> None:
    result = bring(store, record("a", ts=1), record("a", ts=9, source="agent"))
    assert (result.added, result.unchanged) == (1, 1)
    assert fields_of(store, "a")["ts"] == 1
    assert archive_of(store, "a") == []


def test_a_newer_record_replaces_what_the_store_has(store: Store) -> None:
    bring(store, record("a", "old", ts=1))
    result = bring(store, record("a", "new", ts=2))
    assert (result.updated, result.imported) == (1, 1)
    assert fields_of(store, "a") == record("a", "new", ts=2, created=1)
    assert archive_of(store, "a") == [record("a", "old", ts=1, created=1)]


def test_an_older_record_goes_to_the_archive(store: Store) -> None:
    bring(store, record("a", "new", ts=2))
    result = bring(store, record("a", "old", ts=1))
    assert (result.outdated, result.imported) == (1, 1)
    assert fields_of(store, "a")["content"] == "new"
    assert [old["content"] for old in archive_of(store, "a")] == ["old"]


def test_what_drawbar_cannot_say_stays_when_it_corrects_an_entry(store: Store) -> None:
    bring(store, record("a", "old", ts=1))
    link = {"rel": "relates_to", "to": "b"}
    put(store, {**record("a", "old", ts=2, created=1), "links": [link], "importance": 5})
    assert bring(store, record("a", "old", ts=1)).unchanged == 1
    bring(store, record("a", "new", ts=3))
    assert fields_of(store, "a") == {
        **record("a", "new", ts=3, created=1), "links": [link], "importance": 5,
    }  # fmt: skip


def test_the_same_corpus_does_not_undo_what_was_corrected_since(store: Store) -> None:
    for old in (record("a", "old", ts=1), record("b", "old")):
        bring(store, old)
        put(store, record(old["key"], "corrected", ts=NOW + 5, created=1))
        assert bring(store, old, now=NOW + 99).unchanged == 1
        assert fields_of(store, old["key"])["content"] == "corrected"


def test_an_archived_entry_stays_archived_unless_the_record_is_newer(store: Store) -> None:
    bring(store, record("a", "old", ts=1))
    with changing(store) as change:
        change.drop("a")
        change.archive(Entry(record("a", "old", ts=50, created=1, status="archived")))
    assert bring(store, record("a", "old", ts=1)).unchanged == 1
    assert bring(store, record("a", "older", ts=0)).outdated == 1
    assert "a" not in read_store(store).current
    assert bring(store, record("a", "new", ts=60)).updated == 1
    assert fields_of(store, "a") == record("a", "new", ts=60, created=0)


@pytest.mark.parametrize("fate", [{"deleted": True}, {"moved": "workstation"}])
def test_a_forgotten_key_is_not_brought_back(store: Store, fate: dict[str, Any]) -> None:
    with changing(store) as change:
        change.put(Tombstone({"key": "a", **fate, "ts": 9}), keep_old=False)
    result = bring(store, record("a", ts=99), record("b", ts=1), record("a", "2", ts=100))
    assert [(drop.line, "'a' was" in drop.reason) for drop in result.dropped] == [
        (1, True),
        (3, True),
    ]
    assert result.imported == 1
    assert isinstance(read_store(store).current["a"].record, Tombstone)


def test_an_odd_key_is_renamed_and_said(store: Store) -> None:
    result = bring(store, record("auth/token", ts=1))
    (renamed,) = result.renamed
    assert (renamed.line, renamed.old) == (1, "auth/token")
    assert fields_of(store, renamed.key)["aliases"] == ["auth/token"]
    found = read_store(store).find("auth/token")
    assert found is not None
    assert found.record.key == renamed.key


# --- damage ----------------------------------------------------------------------------------


def test_every_repaired_and_every_dropped_line_is_reported_with_its_number(store: Store) -> None:
    result = bring(
        store,
        record("a", ts=1),
        "",
        json.dumps(record("b", ts=1)) + ",",
        "no json",
        json.dumps(record("c", type="Fact", tags="x", ts=1)) + json.dumps(record("d", type="?")),
    )
    assert result.total == 5
    assert [(item.line, item.key) for item in result.repaired] == [(3, "b"), (5, "c")]
    assert result.repaired[1].repairs == (
        "parted from another record on its line",
        "read type 'Fact' as fact",
        "'tags' was a text, not a list",
    )
    assert [item.line for item in result.dropped] == [4, 5]
    assert result.dropped[0] == Dropped(4, "no JSON object")
    assert "unknown type '?'" in result.dropped[1].reason


def test_markers_are_dropped_and_both_sides_kept(store: Store) -> None:
    ours, theirs = record("a", "ours", ts=1), record("a", "theirs", ts=2)
    result = bring(store, "<<<<<<< HEAD", ours, "=======", theirs, ">>>>>>> main")
    assert [item.line for item in result.dropped] == [1, 3, 5]
    assert fields_of(store, "a")["content"] == "theirs"
    assert [old["content"] for old in archive_of(store, "a")] == ["ours"]


_pieces = st.sampled_from(
    [
        *(json.dumps(record(key, text, ts=ts)) for key in "ab" for text in "xy" for ts in (1, 2)),
        *(json.dumps(record(key, text)) for key in "ab" for text in "xy"),
        *("\n", "\n\n", "{", "}", ",", '"', "<<<<<<< ours\n", "\ufeff", "\0"),
    ]
)


@given(st.lists(st.lists(_pieces, max_size=8).map("".join), min_size=1, max_size=3))
def test_whatever_is_imported_the_numbers_add_up_and_again_changes_nothing(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("store")
    (folder / ".git").mkdir()
    (folder / ".gitkb").mkdir()
    store = store_at(str(folder / ".gitkb"))
    for text in texts:
        bring(store, text)
        snapshot = read_store(store)
        assert not snapshot.problems
        assert not snapshot.duplicates


# --- real knowledge --------------------------------------------------------------------------


def current_of(snapshot: Snapshot) -> dict[str, Mapping[str, Any]]:
    return {key: at.record.fields for key, at in snapshot.current.items()}


def test_a_real_corpus_comes_in_whole(store: Store, shared_data: Path) -> None:
    path = shared_data / "corpora" / "mulch" / "in-drawbar-form.jsonl"
    result = import_file(store, "drawbar", str(path), now=NOW)
    assert (result.total, result.imported, result.dropped) == (457, 457, [])
    assert not result.repaired
    assert not result.renamed
    snapshot = read_store(store)
    assert not snapshot.problems
    assert not snapshot.duplicates
    records = [json.loads(line) for line in path.read_bytes().split(b"\n") if line]
    for old in records:
        versions = [snapshot.current[old["key"]], *snapshot.archived.get(old["key"], ())]
        assert any(
            (at.record.fields["content"], at.record.fields["ts"]) == (old["content"], old["ts"])
            for at in versions
        )
    before = files_of(store)
    again = import_file(store, "drawbar", str(path), now=NOW + 1)
    assert again.unchanged == 457
    assert files_of(store) == before


@pytest.mark.parametrize("seed", range(3))
def test_a_real_corpus_with_every_tenth_line_corrupt_comes_in_as_far_as_is_certain(
    store: Store, shared_data: Path, tmp_path: Path, seed: int
) -> None:
    clean = (shared_data / "corpora" / "mulch" / "in-drawbar-form.jsonl").read_bytes()
    damaged = corrupted(clean, seed)
    path = tmp_path / "legacy.jsonl"
    path.write_bytes(damaged.data)
    result = import_file(store, "drawbar", str(path), now=NOW)
    assert result.imported + len(result.dropped) == result.total
    assert {item.line for item in result.dropped} == damaged.lost
    assert {item.line for item in result.repaired} == damaged.mendable
    assert all(item.reason for item in result.dropped)

    other = store_at(str(tmp_path / "other" / ".gitkb"))
    import_drawbar(other, damaged.without_lost, now=NOW)
    assert current_of(read_store(store)) == current_of(read_store(other))

    before = files_of(store)
    assert import_file(store, "drawbar", str(path), now=NOW + 1).unchanged == result.imported
    assert files_of(store) == before


def test_ten_thousand_records_take_seconds(store: Store) -> None:
    rng = random.Random(1)
    many = [record(f"k-{n}", "word " * rng.randint(20, 90), ts=n) for n in range(10_000)]
    result = import_drawbar(store, lines(*many), now=NOW)
    assert result.added == 10_000
    assert Counter(at.file for at in read_store(store).current.values()).total() == 10_000


# --- paths and faults ------------------------------------------------------------------------


@pytest.mark.parametrize("place", ["", ".drawbar/memory/", "memory/"])
def test_a_folder_is_searched_for_drawbars_own_file(
    store: Store, tmp_path: Path, place: str
) -> None:
    path = tmp_path / "old" / place / "knowledge.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(lines(record("a", ts=1)))
    assert import_file(store, "drawbar", str(tmp_path / "old"), now=NOW).added == 1


def test_what_cannot_be_imported_says_why(store: Store, tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="nothing to import"):
        import_file(store, "drawbar", str(tmp_path / "none"), now=NOW)
    with pytest.raises(NotFoundError, match="of drawbar in"):
        import_file(store, "drawbar", str(tmp_path), now=NOW)
    with pytest.raises(UsageError, match="unknown format 'yaml'"):
        import_file(store, "yaml", str(tmp_path), now=NOW)
    assert list(FORMATS) == ["drawbar", "engram", "add", "adr", "mcp-memory", "gitkb"]


def test_a_file_that_cannot_be_read_is_said(store: Store, tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.mkdir()
    (loop / "knowledge.jsonl").mkdir()
    with pytest.raises((DataError, NotFoundError)):
        import_file(store, "drawbar", str(loop), now=NOW)


def test_nothing_is_written_where_a_file_of_the_store_is_in_conflict(store: Store) -> None:
    bring(store, record("a", ts=1))
    (path,) = (path for path in files_of(store) if "knowledge" in path)
    with open(path, "ab") as file:
        file.write(b"=======\n")
    before = files_of(store)
    with pytest.raises(StateError, match="conflict markers"):
        import_drawbar(store, lines(record("a", "new", ts=2), record("b", ts=1)), now=NOW)
    assert files_of(store) == before


def put(store: Store, fields: Mapping[str, Any]) -> None:
    with changing(store) as change:
        change.put(Entry(fields), keep_old=True)
