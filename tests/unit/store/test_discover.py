"""The store is found where a person would look for it, and says why."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gitkb.errors import NotFoundError
from gitkb.store.discover import find_store, find_worktree, store_at


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """A repository with a store at its top."""
    top = tmp_path / "project"
    (top / ".git").mkdir(parents=True)
    (top / ".gitkb").mkdir()
    (top / "src" / "deep").mkdir(parents=True)
    return top


def found(start: Path, directory: str | None = None, **environ: str) -> tuple[str, str]:
    before = os.getcwd()
    os.chdir(start)
    try:
        store = find_store(directory, environ)
    finally:
        os.chdir(before)
    return store.root, store.reason


@pytest.mark.parametrize("place", ["src", "src/deep", ".gitkb"])
def test_it_is_found_from_below(top: Path, place: str) -> None:
    assert found(top / place) == (str(top / ".gitkb"), "found in a folder above the current one")


def test_it_is_found_here(top: Path) -> None:
    assert found(top) == (str(top / ".gitkb"), "found in the current folder")
    store = store_at(str(top / ".gitkb"))
    assert store.worktree == str(top)
    assert store.derived == str(top / ".git" / "gitkb")
    assert store.prefix == ".gitkb"


def test_the_nearest_one_wins(top: Path) -> None:
    (top / "src" / ".gitkb").mkdir()
    assert found(top / "src" / "deep")[0] == str(top / "src" / ".gitkb")
    assert store_at(str(top / "src" / ".gitkb")).prefix == "src/.gitkb"


def test_the_search_ends_at_the_top_of_the_repository(top: Path) -> None:
    inner = top / "vendor" / "lib"
    (inner / ".git").mkdir(parents=True)
    with pytest.raises(NotFoundError, match="no knowledge base in the repository") as refusal:
        found(inner)
    assert refusal.value.hint


@pytest.mark.parametrize("named", ["", ".gitkb"])
def test_the_folder_or_its_holder_can_be_named(top: Path, tmp_path: Path, named: str) -> None:
    path = str(top / named)
    root = str(top / ".gitkb")
    assert found(tmp_path, path) == (root, "named by --dir")
    assert found(tmp_path, GITKB_DIR=path) == (root, "named by GITKB_DIR")
    assert found(tmp_path, os.path.relpath(path, tmp_path))[0] == root


def test_the_option_beats_the_variable_and_both_beat_the_search(top: Path, tmp_path: Path) -> None:
    other, third = tmp_path / "other", tmp_path / "third"
    for folder in (other, third):
        (folder / ".gitkb").mkdir(parents=True)
    assert found(top, str(other), GITKB_DIR=str(third))[0] == str(other / ".gitkb")
    assert found(top, GITKB_DIR=str(third))[0] == str(third / ".gitkb")
    assert found(top, GITKB_DIR="")[0] == str(top / ".gitkb")


@pytest.mark.parametrize("by", ["--dir", "GITKB_DIR"])
def test_a_name_that_names_none_is_an_error_and_not_a_search(
    top: Path, tmp_path: Path, by: str
) -> None:
    wrong = str(tmp_path / "none")
    with pytest.raises(NotFoundError, match=by):
        found(
            top, wrong if by == "--dir" else None, **({"GITKB_DIR": wrong} if by != "--dir" else {})
        )


def test_outside_of_a_repository_derived_files_lie_in_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".gitkb").mkdir()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    store = store_at(str(tmp_path / ".gitkb"))
    assert store.worktree is None
    assert store.prefix == ""
    assert not store.derived.startswith(store.root)
    (tmp_path / "other" / ".gitkb").mkdir(parents=True)
    assert store_at(str(tmp_path / "other" / ".gitkb")).derived != store.derived
    assert store_at(str(tmp_path / ".gitkb")).derived == store.derived


def test_a_linked_worktree_has_its_own_derived_files(top: Path, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    (linked / ".gitkb").mkdir(parents=True)
    git_dir = top / ".git" / "worktrees" / "linked"
    git_dir.mkdir(parents=True)
    for text in (f"gitdir: {git_dir}\n", f"gitdir: {os.path.relpath(git_dir, linked)}\n"):
        (linked / ".git").write_text(text, encoding="utf-8")
        store = store_at(str(linked / ".gitkb"))
        assert store.worktree == str(linked)
        assert store.derived == str(git_dir / "gitkb")


def test_a_worktree_named_by_gits_variables_is_one(tmp_path: Path) -> None:
    environ = {"GIT_DIR": str(tmp_path / "g"), "GIT_WORK_TREE": str(tmp_path / "w")}
    (tmp_path / "w" / "deep").mkdir(parents=True)
    assert find_worktree(str(tmp_path / "w" / "deep"), environ) == str(tmp_path / "w")
    assert find_worktree(str(tmp_path), environ) is None
    assert find_worktree(str(tmp_path / "w"), {"GIT_DIR": "x"}) is None
