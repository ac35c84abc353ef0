"""A lock of the operating system on a file."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from filelock import FileLock as Library
from filelock import Timeout

from gitkb.file_lock import FileLock, LockHeldError

from repo_builder import run_program

if TYPE_CHECKING:
    from pathlib import Path


def test_it_is_held_by_one_at_a_time_and_given_back(tmp_path: Path) -> None:
    path = str(tmp_path / "folder" / "lock")
    with FileLock(path, 0), pytest.raises(LockHeldError), FileLock(path, 0.05):
        pytest.fail("held twice")
    with FileLock(path, 0):
        pass


def test_it_is_the_lock_that_other_programs_take(tmp_path: Path) -> None:
    path = str(tmp_path / "lock")
    with FileLock(path, 0), pytest.raises(Timeout):
        Library(path).acquire(timeout=0)
    with Library(path), pytest.raises(LockHeldError):
        FileLock(path, 0).acquire()


@pytest.mark.skipif(sys.platform == "win32", reason="an open file cannot be removed there")
def test_a_file_that_was_removed_meanwhile_is_not_the_lock(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with FileLock(str(path), 0):
        path.unlink()
        with FileLock(str(path), 0), pytest.raises(LockHeldError):
            FileLock(str(path), 0).acquire()


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_a_link_in_its_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="symbolic"):
        FileLock(str(tmp_path / "lock"), 0).acquire()
    assert not (tmp_path / "elsewhere").exists()


def test_it_dies_with_its_process_and_its_children_do_not_hold_it(tmp_path: Path) -> None:
    code = (
        "import os, subprocess, sys; from gitkb.file_lock import FileLock; "
        "FileLock(os.path.abspath('lock'), 0).acquire(); "
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(2)'], stdout=-3, stderr=-3);"
        " os._exit(3)"
    )
    run_program([sys.executable, "-c", code], cwd=tmp_path, exit_code=3)
    FileLock(str(tmp_path / "lock"), 0).acquire()
