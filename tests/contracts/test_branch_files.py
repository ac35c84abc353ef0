"""Both readers of branches give the same answer, and each kind of repository one of them."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from gitkb.git.branches import iter_by_library, iter_by_program, read_branches

from repo_builder import Repo

if TYPE_CHECKING:
    from pathlib import Path

FOLDER = ".gitkb/knowledge"


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """Three branches, two of which hold the same; one name that needs quoting; a deeper folder."""
    repo = Repo.init(tmp_path / "work")
    repo.write(f"{FOLDER}/3f.jsonl", "one\n")
    repo.write(f'{FOLDER}/ключ "q".jsonl', "odd\n")
    repo.write(f"{FOLDER}/deeper/aa.jsonl", "deeper\n")
    repo.write("other/3f.jsonl", "not ours\n")
    repo.git("add", "-A")
    repo.commit("one")
    repo.git("branch", "same")
    repo.git("checkout", "-q", "-b", "later")
    repo.write(f"{FOLDER}/3f.jsonl", "two\n")
    repo.git("add", "-A")
    repo.commit("two")
    repo.git("checkout", "-q", "--orphan", "empty")
    repo.git("rm", "-q", "-r", "-f", ".")
    repo.write("readme", "no store here\n")
    repo.git("add", "-A")
    repo.commit("empty")
    return repo


def test_both_readers_give_the_same(repo: Repo) -> None:
    by_library = list(iter_by_library(str(repo.path), FOLDER))

    assert by_library == list(iter_by_program(str(repo.path), FOLDER))
    assert [len(found.files) for found in by_library] == [2, 2]


def test_a_clone_has_its_remotes_branches_and_not_their_head_twice(
    repo: Repo, tmp_path: Path
) -> None:
    subprocess.run(["git", "clone", "-q", repo.path, tmp_path / "clone"], check=True)
    clone = str(tmp_path / "clone")

    by_library = list(iter_by_library(clone, FOLDER))

    assert by_library == list(iter_by_program(clone, FOLDER))
    assert all(found.branch.startswith("origin/") for found in by_library)


def test_a_repository_that_the_library_cannot_open_is_read_by_the_program(tmp_path: Path) -> None:
    work = tmp_path / "sha256"
    subprocess.run(["git", "init", "-q", "--object-format=sha256", "-b", "main", work], check=True)
    repo = Repo(work)
    repo.write(f"{FOLDER}/3f.jsonl", "one\n")
    repo.git("add", "-A")
    repo.commit("one")

    assert read_branches(str(work), FOLDER) == [("main", [("3f.jsonl", b"one\n")])]


def test_a_repository_without_a_commit_has_no_branches(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "new")

    assert read_branches(str(repo.path), FOLDER) == []
