"""A file is replaced whole or not at all."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

import pytest

from gitkb.core.entry import Entry
from gitkb.errors import StateError
from gitkb.store.discover import store_at
from gitkb.store.durable import remove_leftovers, replace_file, replace_files
from gitkb.store.writer import changing

if TYPE_CHECKING:
    from pathlib import Path


def test_a_file_is_made_with_its_folder(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b.jsonl"
    replace_file(str(path), b"x\n")
    assert path.read_bytes() == b"x\n"
    assert os.listdir(path.parent) == ["b.jsonl"]


@pytest.mark.skipif(os.name == "nt", reason="modes are other things there")
def test_the_mode_stays_and_a_new_file_has_the_usual_one(tmp_path: Path) -> None:
    path = tmp_path / "b.jsonl"
    old = os.umask(0o027)
    try:
        replace_file(str(path), b"x\n")
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
        path.chmod(0o604)
        replace_file(str(path), b"y\n")
        assert stat.S_IMODE(path.stat().st_mode) == 0o604
    finally:
        os.umask(old)


def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"x\n")
    (tmp_path / "link").symlink_to("real")
    replace_file(str(tmp_path / "link"), b"y\n")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"y\n"


def test_one_file_that_cannot_be_written_leaves_all_as_they_were(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old\n")
    (tmp_path / "b").mkdir()
    (tmp_path / ".c.tmp").mkdir()
    files = [(str(tmp_path / "a"), b"new\n"), (str(tmp_path / "c"), b"new\n")]
    with pytest.raises(StateError, match="cannot write") as refusal:
        replace_files(files)
    assert (tmp_path / "a").read_bytes() == b"old\n"
    assert sorted(os.listdir(tmp_path)) == [".c.tmp", "a", "b"]
    assert "nothing was changed" in str(refusal.value.hint)


def test_a_failure_between_files_says_that_part_was_written(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old\n")
    (tmp_path / "b").mkdir()  # a file cannot take the place of a folder
    with pytest.raises(StateError) as refusal:
        replace_files([(str(tmp_path / "a"), b"new\n"), (str(tmp_path / "b"), b"new\n")])
    assert "only part was written" in str(refusal.value.hint)
    assert (tmp_path / "a").read_bytes() == b"new\n"
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]


def test_no_files_are_no_work(tmp_path: Path) -> None:
    replace_files([])
    assert list(tmp_path.iterdir()) == []


def test_leftovers_are_known_by_their_names(tmp_path: Path) -> None:
    for name in (".3f.jsonl.tmp", "3f.jsonl", "notes.tmp", ".other.tmp", "x.jsonl.tmp"):
        (tmp_path / name).write_bytes(b"x")
    remove_leftovers(str(tmp_path))
    assert sorted(os.listdir(tmp_path)) == [".other.tmp", "3f.jsonl", "notes.tmp", "x.jsonl.tmp"]
    remove_leftovers(str(tmp_path / "none"))


@pytest.mark.skipif(os.name == "nt", reason="links need a right there")
def test_a_link_that_a_repository_brings_never_leads_a_writer_outside(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"export PATH\n")
    (tmp_path / ".gitkb" / "knowledge").mkdir(parents=True)
    store = store_at(str(tmp_path / ".gitkb"))
    (tmp_path / ".gitkb" / "knowledge" / "ca.jsonl").symlink_to(victim)
    entry = Entry({"key": "a", "type": "fact", "content": "x"})
    with pytest.raises(StateError, match="a link to a place outside"), changing(store) as change:
        change.put(entry, keep_old=True)
    assert victim.read_bytes() == b"export PATH\n"

    (tmp_path / ".gitkb" / "knowledge" / "ca.jsonl").unlink()
    (tmp_path / ".gitkb" / "knowledge").rmdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / ".gitkb" / "knowledge").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StateError, match="a link to a place outside"), changing(store) as change:
        change.put(entry, keep_old=True)
    assert list((tmp_path / "elsewhere").iterdir()) == []
