"""Making a store, once and again."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitkb.errors import GitError, StateError, UsageError
from gitkb.operations.clone.setup import ignored_in, make_store, require_worktree
from gitkb.store.config import read_shards

PARTS = ["knowledge/", "archive/", "config.toml", ".gitattributes", ".gitignore"]


def made(parts: list[object]) -> list[str]:
    return [part.name for part in parts if part.made]  # type: ignore[attr-defined]


def test_a_store_is_made_once_and_stays_as_it_is(tmp_path: Path) -> None:
    store, parts = make_store(str(tmp_path), None)
    assert made([*parts]) == PARTS
    assert Path(store.root) == tmp_path / ".gitkb"
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    again = make_store(str(tmp_path), None)
    assert made([*again.parts]) == []
    assert before == {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert make_store(str(tmp_path / ".gitkb"), None).store.root == store.root


def test_the_current_folder_is_taken_where_none_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert make_store(None, None).store.root == str(tmp_path / ".gitkb")
    monkeypatch.setenv("GITKB_DIR", str(tmp_path / "named"))
    assert make_store(None, None).store.root == str(tmp_path / "named" / ".gitkb")


@pytest.mark.parametrize("shards", [1, 16, 256, 4096])
def test_the_layout_is_chosen_at_birth(tmp_path: Path, shards: int) -> None:
    store = make_store(str(tmp_path), shards).store
    assert read_shards(store) == shards
    make_store(str(tmp_path), None)
    make_store(str(tmp_path), shards)
    other = 16 if shards != 16 else 1
    with pytest.raises(StateError, match=f"with {shards} shards") as caught:
        make_store(str(tmp_path), other)
    assert caught.value.hint == f"gitkb reshard {other}"
    assert read_shards(store) == shards


@pytest.mark.parametrize("shards", [0, 2, 255, 65536])
def test_another_number_of_files_is_refused(tmp_path: Path, shards: int) -> None:
    with pytest.raises(UsageError):
        make_store(str(tmp_path), shards)
    assert list(tmp_path.iterdir()) == []


def test_lines_of_the_users_own_stay(tmp_path: Path) -> None:
    store = make_store(str(tmp_path), None).store
    for name, own in ((".gitattributes", "*.md text"), (".gitignore", "drafts/")):
        Path(store.root, name).write_text(own)  # without a line end
        parts = make_store(str(tmp_path), None).parts
        assert name in made([*parts])
        lines = Path(store.root, name).read_text().splitlines()
        assert lines[0] == own
        assert len(lines) > 1
        assert made([*make_store(str(tmp_path), None).parts]) == []
    config = Path(store.root, "config.toml")
    config.write_text("shards = 256\n[project]\nname = 'x'\n")
    make_store(str(tmp_path), None)
    assert config.read_text() == "shards = 256\n[project]\nname = 'x'\n"


def test_what_stands_in_the_way_is_said(tmp_path: Path) -> None:
    (tmp_path / ".gitkb").write_text("a file")
    with pytest.raises(StateError, match="cannot make"):
        make_store(str(tmp_path), None)


def test_outside_of_git_nothing_is_ignored_and_no_worktree_is_there(tmp_path: Path) -> None:
    store = make_store(str(tmp_path), None).store
    assert ignored_in(store) is None
    with pytest.raises(GitError) as caught:
        require_worktree(store)
    assert caught.value.hint


def test_files_that_are_no_text_keep_their_bytes(tmp_path: Path) -> None:
    store = make_store(str(tmp_path), None).store
    Path(store.config_path).write_bytes(b"shards = 256 # \xff\n")
    ignore = Path(store.path_of(".gitignore"))
    ignore.write_bytes(b"\xff\n")
    make_store(str(tmp_path), None)
    assert Path(store.config_path).read_bytes() == b"shards = 256 # \xff\n"
    assert ignore.read_bytes().startswith(b"\xff\n.*.tmp\n")


def test_what_stands_in_the_place_of_a_file_is_said(tmp_path: Path) -> None:
    (tmp_path / ".gitkb" / "config.toml").mkdir(parents=True)
    with pytest.raises(StateError, match=r"config\.toml"):
        make_store(str(tmp_path), None)
