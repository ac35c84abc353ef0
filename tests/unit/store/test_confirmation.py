"""Confirmations beside the entries: their form, and what writing them does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gitkb.core.identity import DEFAULT_SHARDS, shard_of
from gitkb.errors import StateError
from gitkb.store.confirmation import (
    check_confirmations,
    confirm_keys,
    drop_confirmations,
    read_confirmed,
    tidy_confirmations,
)
from gitkb.store.discover import store_at

if TYPE_CHECKING:
    from pathlib import Path

    from gitkb.store.layout import Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """An empty store outside of any repository."""
    (tmp_path / ".gitkb").mkdir()
    return store_at(str(tmp_path / ".gitkb"))


def file_of(store: Store, key: str) -> str:
    """The path of the file that holds the confirmation of a key."""
    return store.path_of(f"confirmed/{shard_of(key, DEFAULT_SHARDS)}")


def text_of(store: Store, key: str) -> str:
    """The content of that file."""
    with open(file_of(store, key), encoding="utf-8") as file:
        return file.read()


def test_nothing_is_confirmed_at_first(store: Store) -> None:
    assert read_confirmed(store, ["a"]) == {}
    drop_confirmations(store, ["a"])
    assert tidy_confirmations(store) == []


def test_a_confirmation_is_one_line_of_key_and_time(store: Store) -> None:
    assert confirm_keys(store, {"a": 7}) == {"a": 7}
    assert text_of(store, "a") == '{"key":"a","ts":7}\n'
    assert read_confirmed(store, ["a", "b"]) == {"a": 7}


def test_a_second_one_is_later_whatever_the_clock_says(store: Store) -> None:
    confirm_keys(store, {"a": 7})
    assert confirm_keys(store, {"a": 3}) == {"a": 8}
    assert text_of(store, "a") == '{"key":"a","ts":8}\n'


def test_lines_that_cannot_be_read_stay_and_confirm_nothing(store: Store) -> None:
    confirm_keys(store, {"a": 7})
    with open(file_of(store, "a"), "a", encoding="utf-8") as file:
        file.write('{"key":"a","ts":"9"}\n')
    assert read_confirmed(store, ["a"]) == {"a": 7}
    confirm_keys(store, {"a": 9})
    assert text_of(store, "a") == '{"key":"a","ts":9}\n{"key":"a","ts":"9"}\n'


def test_conflict_markers_are_not_written_over(store: Store) -> None:
    confirm_keys(store, {"a": 7})
    before = "<<<<<<< ours\n" + text_of(store, "a")
    with open(file_of(store, "a"), "w", encoding="utf-8") as file:
        file.write(before)
    with pytest.raises(StateError, match="conflict markers"):
        confirm_keys(store, {"a": 9})
    assert tidy_confirmations(store) == []
    assert text_of(store, "a") == before


def test_what_a_text_merge_doubled_is_tidied_to_the_later(store: Store) -> None:
    confirm_keys(store, {"a": 7})
    with open(file_of(store, "a"), "w", encoding="utf-8") as file:
        file.write('{"ts": 9, "key": "a"}\n{"key":"a","ts":7}\n')
    name = f"confirmed/{shard_of('a', DEFAULT_SHARDS)}"
    assert read_confirmed(store, ["a"]) == {"a": 9}
    assert tidy_confirmations(store, dry_run=True) == [name]
    assert tidy_confirmations(store) == [name]
    assert text_of(store, "a") == '{"key":"a","ts":9}\n'
    assert tidy_confirmations(store) == []


def test_what_is_dropped_leaves_the_others(store: Store) -> None:
    near = next(f"k{n}" for n in range(9999) if file_of(store, f"k{n}") == file_of(store, "a"))
    confirm_keys(store, {"a": 7, near: 7})
    drop_confirmations(store, ["a"])
    assert text_of(store, "a") == f'{{"key":"{near}","ts":7}}\n'


def test_a_file_that_leads_out_of_the_store_is_neither_read_nor_written(
    store: Store, tmp_path: Path
) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / ".gitkb" / "confirmed").symlink_to(tmp_path / "outside")
    with pytest.raises(StateError, match="outside of the store"):
        confirm_keys(store, {"a": 7})
    with pytest.raises(StateError, match="outside of the store"):
        read_confirmed(store, ["a"])
    assert not list((tmp_path / "outside").iterdir())


@pytest.mark.parametrize(
    "line", ["", "x", "[]", '{"ts":1}', '{"key":"a b","ts":1}', '{"key":"a","ts":-1}']
)
def test_each_line_that_is_none_is_a_problem(line: str) -> None:
    (problem,) = check_confirmations("confirmed/00.jsonl", f"{line}\n".encode())
    assert (problem.code, problem.line) == ("bad-confirmation", 1)
    assert check_confirmations("confirmed/00.jsonl", b'{"key":"a","ts":1}\n') == []
