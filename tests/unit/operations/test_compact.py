"""`compact`: one line a key again, and nothing lost on the way."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gitkb.core.identity import shard_of
from gitkb.errors import StateError
from gitkb.operations.compact import CompactResult, compact
from gitkb.store.discover import store_at

if TYPE_CHECKING:
    from pathlib import Path

    from gitkb.store.layout import Store

HOME = f"knowledge/{shard_of('a', 16)}"
ARCHIVE = f"archive/{shard_of('a', 16)}"
OLD = b'{"key":"a","type":"fact","content":"old","ts":1}'
NEW = b'{"key":"a","type":"fact","content":"new","ts":2}'
SPACED = b'{"key": "a", "type": "fact", "content": "old", "ts": 1}'
TOMBSTONE = b'{"key":"a","deleted":true,"ts":1}'
MERGED = (
    b'{"key":"a","type":"fact","content":"new","ts":2,'
    b'"conflicts":[{"field":"content","value":"old","ts":1}]}'
)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    (tmp_path / ".gitkb" / "knowledge").mkdir(parents=True)
    (tmp_path / ".gitkb" / "archive").mkdir()
    (tmp_path / ".gitkb" / "config.toml").write_text("shards = 16\n", encoding="utf-8")
    return store_at(str(tmp_path / ".gitkb"))


def write(store: Store, name: str, *lines: bytes) -> None:
    with open(store.path_of(name), "wb") as file:
        file.write(b"".join(line + b"\n" for line in lines))


def read(store: Store, name: str) -> list[bytes]:
    try:
        with open(store.path_of(name), "rb") as file:
            return file.read().split(b"\n")[:-1]
    except FileNotFoundError:
        return []


def counts(result: CompactResult) -> tuple[list[str], int, int, int]:
    return result.keys, result.collapsed, result.archived, result.removed


def test_two_lines_fold_and_the_old_ones_go_to_the_archive(store: Store) -> None:
    write(store, HOME, OLD, b"not json", NEW)
    result = compact(store)
    assert counts(result) == (["a"], 1, 2, 0)
    assert read(store, HOME) == [b"not json", MERGED]
    assert read(store, ARCHIVE) == [OLD, NEW]
    assert [problem.line for problem in result.problems] == [2]


def test_a_line_that_the_fold_equals_stays_and_is_not_archived(store: Store) -> None:
    write(store, HOME, OLD, MERGED)
    assert counts(compact(store)) == (["a"], 1, 1, 0)
    assert read(store, HOME) == [MERGED]
    assert read(store, ARCHIVE) == [OLD]


def test_a_line_that_was_superseded_already_does_not_contest_its_successor(store: Store) -> None:
    write(store, HOME, OLD, NEW)
    write(store, ARCHIVE, OLD)
    assert counts(compact(store)) == (["a"], 1, 0, 0)
    assert read(store, HOME) == [NEW]
    assert read(store, ARCHIVE) == [OLD]


def test_a_later_line_is_asked_though_the_archive_has_it(store: Store) -> None:
    write(store, HOME, OLD, NEW)
    write(store, ARCHIVE, NEW)
    compact(store)
    assert read(store, HOME) == [MERGED]
    assert read(store, ARCHIVE) == [OLD, NEW]


def test_equal_lines_in_two_spellings_collapse_without_a_copy(store: Store) -> None:
    write(store, HOME, SPACED, OLD)
    assert counts(compact(store)) == (["a"], 1, 0, 0)
    assert len(read(store, HOME)) == 1
    assert read(store, ARCHIVE) == []


def test_a_line_in_the_wrong_file_folds_into_the_right_one(store: Store) -> None:
    write(store, "knowledge/0.jsonl", NEW)
    write(store, HOME, OLD)
    compact(store)
    assert read(store, "knowledge/0.jsonl") == []
    assert read(store, HOME) == [MERGED]


def test_two_lines_in_two_wrong_files_fold_into_the_right_one(store: Store) -> None:
    write(store, "knowledge/0.jsonl", NEW)
    write(store, "knowledge/1.jsonl", OLD)
    compact(store)
    assert read(store, HOME) == [MERGED]


def test_a_tombstone_wins_and_what_was_deleted_is_not_kept(store: Store) -> None:
    write(store, HOME, TOMBSTONE, NEW)
    assert counts(compact(store)) == (["a"], 1, 0, 0)
    assert read(store, HOME) == [TOMBSTONE]
    assert read(store, ARCHIVE) == []


def test_what_a_cut_change_left_in_the_archive_is_removed(store: Store) -> None:
    write(store, HOME, NEW)
    write(store, ARCHIVE, OLD, NEW)
    assert counts(compact(store)) == ([], 0, 0, 1)
    assert read(store, ARCHIVE) == [OLD]


def test_a_second_time_there_is_nothing_to_do(store: Store) -> None:
    write(store, HOME, OLD, NEW)
    compact(store)
    before = read(store, HOME), read(store, ARCHIVE)
    assert counts(compact(store)) == ([], 0, 0, 0)
    assert (read(store, HOME), read(store, ARCHIVE)) == before


def test_a_dry_run_counts_the_same_and_writes_nothing_at_all(store: Store, tmp_path: Path) -> None:
    write(store, HOME, OLD, b"not json", NEW)
    write(store, ARCHIVE, OLD)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    planned = compact(store, dry_run=True)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
    assert counts(planned) == counts(compact(store))


def test_a_file_in_conflict_stops_it_before_anything_is_written(store: Store) -> None:
    write(store, HOME, OLD, NEW, b"<<<<<<< ours")
    with pytest.raises(StateError, match="conflict markers"):
        compact(store)
    assert read(store, ARCHIVE) == []
