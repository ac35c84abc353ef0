"""A file that git writes too is replaced under git's lock, and a dead writer bars nobody."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from gitkb.errors import GitError, StateError
from gitkb.git.lock_file import edit_file, remove_leftovers, replace_file

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "config"
    path.write_bytes(b"old\n")
    return path


def leave_dead(path: Path, *, is_renamed: bool = False) -> None:
    """What a writer leaves that was killed before its rename, or right after it."""
    new = path.with_name("config.gitkb-new")
    new.write_bytes(b"half")
    if is_renamed:
        path.unlink()
        os.link(new, path)
    else:
        os.link(new, path.with_name("config.lock"))


def test_nothing_lies_beside_a_file_that_was_replaced(config: Path) -> None:
    replace_file(str(config), b"new\n", mode=0o600)
    assert config.read_bytes() == b"new\n"
    assert config.stat().st_mode & 0o777 == 0o600
    assert os.listdir(config.parent) == ["config"]


@pytest.mark.parametrize("is_renamed", [False, True])
def test_what_a_killed_writer_left_bars_nobody(config: Path, is_renamed: bool) -> None:
    leave_dead(config, is_renamed=is_renamed)
    replace_file(str(config), b"new\n")
    assert config.read_bytes() == b"new\n"
    assert os.listdir(config.parent) == ["config"]


@pytest.mark.parametrize("is_renamed", [False, True])
def test_leftovers_go_without_a_write_and_the_file_stays(config: Path, is_renamed: bool) -> None:
    leave_dead(config, is_renamed=is_renamed)
    before = config.read_bytes()
    remove_leftovers(str(config.parent))
    assert config.read_bytes() == before
    assert os.listdir(config.parent) == ["config"]


def test_a_lock_of_git_stays_and_is_told_of(config: Path) -> None:
    lock = config.with_name("config.lock")
    lock.write_bytes(b"git's")
    remove_leftovers(str(config.parent))
    with pytest.raises(StateError, match="another git") as found:
        replace_file(str(config), b"new\n")
    assert str(lock) in str(found.value.hint)
    assert (config.read_bytes(), lock.read_bytes()) == (b"old\n", b"git's")
    assert sorted(os.listdir(config.parent)) == ["config", "config.lock"]


def test_a_copy_is_edited_while_git_is_kept_out(config: Path) -> None:
    seen = []

    def edit(copy: str) -> None:
        seen.append(config.with_name("config.lock").exists())
        with open(copy, "ab") as file:
            file.write(b"more\n")

    edit_file(str(config), edit)
    assert seen == [True]
    assert config.read_bytes() == b"old\nmore\n"
    assert os.listdir(config.parent) == ["config"]


def test_an_edit_that_fails_leaves_the_file_and_nothing_beside_it(config: Path) -> None:
    def edit(_copy: str) -> None:
        raise GitError("no")

    with pytest.raises(GitError):
        edit_file(str(config), edit)
    assert config.read_bytes() == b"old\n"
    assert os.listdir(config.parent) == ["config"]


def test_an_edit_that_changes_nothing_writes_nothing(config: Path) -> None:
    before = config.stat().st_ino
    edit_file(str(config), lambda copy: None)
    assert config.stat().st_ino == before
    edit_file(str(config.with_name("absent")), lambda copy: None)
    assert os.listdir(config.parent) == ["config"]


def test_a_link_stays_one(config: Path) -> None:
    link = config.with_name("link")
    link.symlink_to(config.name)
    replace_file(str(link), b"new\n")
    assert link.is_symlink()
    assert config.read_bytes() == b"new\n"
