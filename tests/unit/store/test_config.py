"""The settings are read once by a parser and once in haste, and both say the same."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitkb.core.identity import SHARD_COUNTS
from gitkb.errors import DataError, StateError
from gitkb.store.config import CONFIG_TEXT, read_config, read_shards, with_shards
from gitkb.store.layout import Store

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(str(tmp_path), None, str(tmp_path / "derived"), "made here")


def write(store: Store, text: str) -> None:
    with open(store.config_path, "w", encoding="utf-8", newline="") as file:
        file.write(text)


def test_a_store_without_settings_has_the_defaults(store: Store) -> None:
    assert read_config(store) == (256, {})
    assert read_shards(store) == 256


@pytest.mark.parametrize("shards", SHARD_COUNTS)
def test_the_settings_of_a_new_store_are_read(store: Store, shards: int) -> None:
    write(store, CONFIG_TEXT.format(shards=shards))
    assert read_config(store).shards == read_shards(store) == shards


@pytest.mark.parametrize(
    ("text", "shards"),
    [
        ("shards = 16 # few\r\n", 16),
        ("  shards=1", 1),
        ('"shards" = 16', 16),
        ("shards = 0x10", 16),
        ("shards = 4_096", 4096),
        ("[project]\nname = 'x'", 256),
        ("[project]\nshards = 1", 256),
        ('languages = """\nshards = 1\n"""\nshards = 16', 16),
        ("languages = '''\nshards = 1\n'''", 256),
        ("# shards = 1", 256),
        ("", 256),
        ("shards = 16\n[project]\nshards = 1", 16),
    ],
)
def test_both_readers_agree(store: Store, text: str, shards: int) -> None:
    write(store, text)
    assert read_config(store).shards == shards
    assert read_shards(store) == shards


@pytest.mark.parametrize(
    "text",
    ["shards = 3", "shards = true", "shards = '256'", "shards = 256.5", "shards", "[", "shards = []", "shards = -1"],
)  # fmt: skip
def test_what_makes_no_sense_is_refused_by_both(store: Store, text: str) -> None:
    write(store, text)
    for read in (read_config, read_shards):
        with pytest.raises(DataError) as refusal:
            read(store)
        assert "config.toml" in refusal.value.message
        assert refusal.value.hint


def test_settings_that_cannot_be_read_are_refused(store: Store) -> None:
    os.mkdir(store.config_path)
    for read in (read_config, read_shards):
        with pytest.raises(StateError, match=r"config\.toml"):
            read(store)


def test_settings_that_are_no_text_are_refused(store: Store) -> None:
    with open(store.config_path, "wb") as file:
        file.write(b"shards = 16 # \xff\n")
    for read in (read_config, read_shards):
        with pytest.raises(DataError):
            read(store)


_lines = st.sampled_from(
    [
        "# shards = 1", "[project]", "shards = 16", "name = 'x'", "[views]", "", "  ", "x = [",
        "]", "shards = 16 ", "commit = true", "shards = 99", "y = \"\"\"", "\"\"\"",
    ]
)  # fmt: skip


@given(st.lists(_lines, max_size=6).map("\n".join))
def test_in_haste_nothing_is_read_otherwise(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    store = Store(str(tmp_path_factory.getbasetemp()), None, "", "")
    write(store, text)
    try:
        shards = read_config(store).shards
    except DataError:
        return  # in haste a broken rest of the file is not looked at
    assert read_shards(store) == shards


@given(st.lists(_lines, max_size=6).map("\n".join), st.sampled_from(SHARD_COUNTS))
def test_another_number_of_shards_changes_nothing_else(
    tmp_path_factory: pytest.TempPathFactory, text: str, shards: int
) -> None:
    store = Store(str(tmp_path_factory.getbasetemp()), None, "", "")
    write(store, text)
    try:
        before = read_config(store).values
        changed = with_shards(text.encode(), shards)
    except DataError:
        return
    write(store, changed.decode())
    after = read_config(store)
    assert after.shards == shards
    assert {**after.values, "shards": 0} == {**before, "shards": 0}


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("shards = 256", "shards = 16"),
        ("# ours\r\n  shards=1 # one\r\n[x]\r\ny = 1\r\n", "# ours\r\nshards = 16 # one\r\n[x]\r\ny = 1\r\n"),
        ("[x]\nshards = 1\n", "shards = 16\n[x]\nshards = 1\n"),
        ("a = \'\'\'\nshards = 1\n\'\'\'\nshards = 1\n", "a = \'\'\'\nshards = 1\n\'\'\'\nshards = 16\n"),
        ("", "shards = 16\n"),
    ],
)  # fmt: skip
def test_only_the_setting_itself_is_changed(text: str, changed: str) -> None:
    assert with_shards(text.encode(), 16).decode() == changed


@pytest.mark.parametrize(
    "text", ['"shards" = 256', "shards = 0x100", "shards = 4_096", "[", "\xff"]
)
def test_what_only_a_person_can_change_is_said(text: str) -> None:
    with pytest.raises(DataError) as refusal:
        with_shards(text.encode("latin-1"), 16)
    assert refusal.value.hint


def test_a_byte_that_is_no_text_is_named_with_its_line(store: Store) -> None:
    with open(store.config_path, "wb") as file:
        file.write(b"shards = 16\n\xff\n")
    with pytest.raises(DataError, match=r"the byte 0xFF is not UTF-8 \(at line 2\)"):
        read_config(store)
