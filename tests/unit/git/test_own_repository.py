"""A git that was killed in a repository of ours bars it for nobody."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from gitkb.errors import GitError
from gitkb.git import own_repository
from gitkb.git.own_repository import MARK, at_work

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def git_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(own_repository, "REST_SECONDS", 0.0)
    folder = tmp_path / ".git"
    (folder / "gitkb").mkdir(parents=True)
    (folder / "refs" / "heads").mkdir(parents=True)
    return folder


def test_locks_of_a_git_that_was_killed_while_it_worked_for_us_go(git_dir: Path) -> None:
    (git_dir / "gitkb" / MARK).touch()
    for name in ("index.lock", "refs/heads/main.lock"):
        (git_dir / name).touch()
    with at_work(str(git_dir.parent)):
        assert not (git_dir / "index.lock").exists()
        assert (git_dir / "gitkb" / MARK).exists()
    assert not (git_dir / "refs" / "heads" / "main.lock").exists()
    assert not (git_dir / "gitkb" / MARK).exists()


def test_a_lock_that_is_older_than_our_work_is_somebody_elses(git_dir: Path) -> None:
    lock = git_dir / "index.lock"
    lock.touch()
    os.utime(lock, (1, 1))
    (git_dir / "gitkb" / MARK).touch()
    with at_work(str(git_dir.parent)):
        assert lock.exists()


def test_without_a_mark_no_lock_is_touched(git_dir: Path) -> None:
    (git_dir / "index.lock").touch()
    with at_work(str(git_dir.parent)):
        pass
    assert (git_dir / "index.lock").exists()


def test_an_error_leaves_the_mark_for_the_next_one(git_dir: Path) -> None:
    with pytest.raises(GitError), at_work(str(git_dir.parent)):
        raise GitError("no")
    assert (git_dir / "gitkb" / MARK).exists()


def test_a_folder_that_cannot_be_made_is_said_with_a_cure(git_dir: Path) -> None:
    (git_dir / "gitkb").rmdir()
    (git_dir / "gitkb").touch()
    with pytest.raises(GitError) as found, at_work(str(git_dir.parent)):
        pass
    assert found.value.hint
