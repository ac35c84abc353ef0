"""`fmt` on files: which are written, which are named, and what stops it."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from gitkb.core.identity import shard_of
from gitkb.core.tidy import MARKER_HINT
from gitkb.errors import DataError, StateError, UsageError
from gitkb.operations.fmt import format_files, format_store
from gitkb.store.discover import store_at

if TYPE_CHECKING:
    from pathlib import Path

    from gitkb.store.layout import Store

HOME = f"knowledge/{shard_of('a', 16)}"
LINE = b'{"key":"a","type":"fact","content":"x","ts":1}\n'
SPACED = (
    b'\xef\xbb\xbf{"type": "fact", "key": "a", "content": "x", "ts": 1, "importance": 3}\r\n\r\n'
)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    (tmp_path / ".gitkb" / "knowledge").mkdir(parents=True)
    (tmp_path / ".gitkb" / "config.toml").write_text("shards = 16\n", encoding="utf-8")
    return store_at(str(tmp_path / ".gitkb"))


def write(store: Store, name: str, data: bytes) -> None:
    with open(store.path_of(name), "wb") as file:
        file.write(data)


def read(store: Store, name: str) -> bytes:
    with open(store.path_of(name), "rb") as file:
        return file.read()


def test_a_file_takes_its_form(store: Store) -> None:
    write(store, HOME, SPACED)
    assert format_store(store).changed == [HOME]
    assert read(store, HOME) == LINE
    assert format_store(store).is_fine


def test_a_file_in_its_form_is_not_written(store: Store) -> None:
    write(store, HOME, LINE)
    before = os.stat(store.path_of(HOME))
    assert format_store(store).is_fine
    after = os.stat(store.path_of(HOME))
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_a_check_says_the_same_and_writes_nothing(store: Store, tmp_path: Path) -> None:
    write(store, HOME, SPACED)
    found = format_store(store, check_only=True)
    assert read(store, HOME) == SPACED
    assert not os.path.exists(store.lock_path)
    assert found == format_store(store)


def test_a_line_moves_to_its_file_and_the_old_file_stays_empty(store: Store) -> None:
    write(store, "knowledge/0.jsonl", LINE)
    assert format_store(store).changed == sorted(["knowledge/0.jsonl", HOME])
    assert read(store, "knowledge/0.jsonl") == b""
    assert read(store, HOME) == LINE


def test_only_named_files_are_rewritten(store: Store) -> None:
    write(store, HOME, SPACED)
    write(store, "knowledge/0.jsonl", b"\r\n")
    assert format_store(store, ["knowledge/0.jsonl"]).changed == ["knowledge/0.jsonl"]
    assert read(store, HOME) == SPACED


def test_a_line_that_is_no_record_stays_and_is_reported(store: Store) -> None:
    write(store, HOME, b"half a li\n" + SPACED)
    (problem,) = format_store(store).problems
    assert (problem.file, problem.line) == (HOME, 1)
    assert read(store, HOME) == b"half a li\n" + LINE


def test_a_file_with_conflict_markers_is_left_alone_with_a_hint(store: Store) -> None:
    write(store, HOME, b"<<<<<<< ours\n" + SPACED)
    result = format_store(store)
    assert result.changed == []
    assert [problem.hint for problem in result.problems] == [MARKER_HINT]


def test_files_are_found_in_their_stores_by_their_paths(store: Store, tmp_path: Path) -> None:
    write(store, HOME, SPACED)
    path = os.path.join(".gitkb", HOME)
    os.chdir(tmp_path)
    assert format_files([path]).changed == [path]
    assert format_files([path]).is_fine


@pytest.mark.parametrize("path", ["README", ".gitkb/config.toml", "knowledge/3f.jsonl"])
def test_a_path_that_is_no_data_file_is_a_mistake_in_the_call(path: str) -> None:
    with pytest.raises(UsageError, match="no data file"):
        format_files([path])


def test_a_broken_setting_stops_it_before_anything_is_written(store: Store) -> None:
    write(store, "config.toml", b"shards = 17\n")
    write(store, HOME, SPACED)
    with pytest.raises(DataError):
        format_store(store)
    assert read(store, HOME) == SPACED


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
def test_a_file_that_cannot_be_read_stops_it(store: Store) -> None:
    write(store, HOME, LINE)
    os.chmod(store.path_of(HOME), 0)
    with pytest.raises(StateError):
        format_store(store)


# --- lines of one key -------------------------------------------------------------------------

OTHER = b'{"key":"a","type":"fact","content":"y","ts":2}\n'
BOTH = {"content": "y", "conflicts": [{"field": "content", "value": "x", "ts": 1}]}


def test_two_lines_of_a_key_fold_by_the_rules_of_the_merge(store: Store) -> None:
    write(store, HOME, LINE + OTHER)
    seen = format_store(store, check_only=True)
    assert read(store, HOME) == LINE + OTHER
    assert format_store(store) == seen
    assert seen.folded == ("a",)
    fields = json.loads(read(store, HOME))
    assert {name: fields[name] for name in BOTH} == BOTH
    assert read(store, HOME.replace("knowledge", "archive")) == LINE + OTHER
    assert format_store(store).is_fine


def test_named_files_report_two_lines_of_a_key_and_keep_them(store: Store) -> None:
    write(store, HOME, LINE + OTHER)
    found = format_store(store, [HOME])
    assert [(problem.code, problem.hint) for problem in found.problems] == [
        ("duplicate-key", "gitkb compact")
    ]
    assert read(store, HOME) == LINE + OTHER


def test_nothing_is_folded_in_a_store_that_is_in_conflict(store: Store) -> None:
    write(store, HOME, LINE + OTHER)
    write(store, "knowledge/0.jsonl", b"<<<<<<< ours\r\n")
    assert format_store(store).folded == ()
    assert read(store, HOME) == LINE + OTHER
