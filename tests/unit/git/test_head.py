"""HEAD read from git's files, in the forms that gitrepository-layout(5) knows, and in others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gitkb.git.head import Head, read_head_files

if TYPE_CHECKING:
    from pathlib import Path

ONE, TWO = "1" * 40, "2" * 64


def git_dir(folder: Path, **files: str) -> str:
    """A git directory of some files; `__` stands for a slash and `_` for a dash in their names."""
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_", "-")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return str(folder)


def test_a_detached_head_is_the_commit_itself(tmp_path: Path) -> None:
    assert read_head_files(git_dir(tmp_path, HEAD=f"{ONE}\n")) == Head(ONE, frozenset())
    assert read_head_files(git_dir(tmp_path, HEAD=f"{TWO}\n")) == Head(TWO, frozenset())


def test_a_loose_branch_comes_before_a_packed_one(tmp_path: Path) -> None:
    packed = f"# pack-refs with: peeled fully-peeled sorted \n{ONE} refs/heads/main\n^{TWO}\n"
    folder = git_dir(tmp_path, HEAD="ref: refs/heads/main\n", packed_refs=packed)
    assert read_head_files(folder) == Head(ONE, frozenset())
    git_dir(tmp_path, refs__heads__main=f"{TWO}\n")
    assert read_head_files(folder) == Head(TWO, frozenset())


def test_a_packed_branch_of_which_the_name_is_an_ending_is_another(tmp_path: Path) -> None:
    packed = f"{ONE} refs/heads/other/refs/heads/main\n"
    folder = git_dir(tmp_path, HEAD="ref: refs/heads/main\n", packed_refs=packed)
    assert read_head_files(folder) is None


def test_a_linked_worktree_looks_where_its_branches_are(tmp_path: Path) -> None:
    git_dir(tmp_path, refs__heads__side=f"{ONE}\n", shallow=f"{TWO}\n")
    linked = tmp_path / "worktrees" / "side"
    folder = git_dir(linked, HEAD="ref: refs/heads/side\n", commondir="../..\n")
    assert read_head_files(folder) == Head(ONE, frozenset({TWO}))


@pytest.mark.parametrize(
    "head",
    ["ref: refs/heads/.invalid\n", "ref: refs/bisect/bad\n", "ref: refs/heads/new\n", "", "abc\n"],
)
def test_what_is_kept_in_another_way_is_left_to_git(tmp_path: Path, head: str) -> None:
    assert read_head_files(git_dir(tmp_path, HEAD=head)) is None


def test_a_branch_that_names_another_is_left_to_git(tmp_path: Path) -> None:
    files = {"HEAD": "ref: refs/heads/main\n", "refs__heads__main": "ref: refs/heads/x\n"}
    assert read_head_files(git_dir(tmp_path, **files)) is None


def test_a_reftable_is_left_to_git(tmp_path: Path) -> None:
    folder = git_dir(tmp_path, HEAD=f"{ONE}\n", reftable__tables="")
    assert read_head_files(folder) is None


def test_no_folder_is_left_to_git(tmp_path: Path) -> None:
    assert read_head_files(str(tmp_path / "none")) is None
