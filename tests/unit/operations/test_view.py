"""Views of a store: which are written, when, and what is refused."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from gitkb.errors import DataError, StateError, UsageError
from gitkb.operations.check import check_store
from gitkb.operations.compact import compact
from gitkb.operations.view import freshen_views, make_views

from store_builder import Shelf, make_shelf

if TYPE_CHECKING:
    from pathlib import Path

COMMIT = "shards = 1\n[views]\ncommit = true\n"


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return make_shelf(tmp_path)


def configure(shelf: Shelf, text: str) -> None:
    (shelf.folder / "config.toml").write_text(text)


def test_a_view_is_written_once_and_then_left_alone(shelf: Shelf) -> None:
    shelf.add(category="process")
    path = shelf.folder / "views/learnings.md"
    first = make_views(shelf.store, write=True)
    assert [(found.file, found.state) for found in first.views] == [
        ("views/learnings.md", "missing")
    ]
    os.utime(path, (1, 1))
    again = make_views(shelf.store, write=True)
    assert again.are_fresh
    assert path.stat().st_mtime == 1
    path.write_text("mine\n")
    assert not make_views(shelf.store).are_fresh
    assert path.read_text() == "mine\n"


def test_the_names_are_those_of_the_settings_or_those_given(shelf: Shelf) -> None:
    configure(shelf, 'shards = 1\n[views]\nnames = ["learnings.md", "fact"]\n')
    shelf.add()
    assert [found.name for found in make_views(shelf.store).views] == ["learnings", "fact"]
    given = make_views(shelf.store, ["knowledge.md", "knowledge"]).views
    assert [found.name for found in given] == ["knowledge"]


@pytest.mark.parametrize("name", ["../x", "a/b", "", ".hidden", "a\nb"])
def test_a_name_that_is_none_for_a_file_is_refused(shelf: Shelf, name: str) -> None:
    with pytest.raises(UsageError, match="no name for a view"):
        make_views(shelf.store, [name], write=True)
    assert not (shelf.folder / "views").exists()


def test_a_budget_is_for_the_active_view_and_not_too_small(shelf: Shelf) -> None:
    with pytest.raises(UsageError, match="for the active view"):
        make_views(shelf.store, budget=1_000)
    with pytest.raises(UsageError, match="too small"):
        make_views(shelf.store, ["active"], budget=299)
    assert make_views(shelf.store, ["active"], budget=300).views[0].view.left_out == 0


def test_broken_settings_stop_the_verb_but_no_write(shelf: Shelf) -> None:
    configure(shelf, 'shards = 1\nviews = "x\n')
    with pytest.raises(DataError):
        make_views(shelf.store)
    configure(shelf, "shards = 1\n[views]\ncommit = 3\n")
    assert shelf.add(category="process").written
    assert not (shelf.folder / "views").exists()


def test_a_change_writes_the_views_that_are_committed_and_no_other(shelf: Shelf) -> None:
    configure(shelf, COMMIT + 'names = ["fact"]\n')
    shelf.add()
    assert os.listdir(shelf.folder / "views") == ["fact.md"]
    shelf.write(
        b'{"key":"k","type":"fact","title":"old","content":"x","ts":1}',
        b'{"key":"k","type":"fact","title":"new","content":"x","ts":2}',
    )
    (shelf.folder / "views/fact.md").unlink()
    compact(shelf.store, dry_run=False)
    assert "k: new" in (shelf.folder / "views/fact.md").read_text()


@pytest.mark.parametrize("name", ["views", "views/learnings.md"])
def test_no_view_is_written_through_a_link_that_leads_out(
    shelf: Shelf, tmp_path: Path, name: str
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    target = outside if name == "views" else outside / "file"
    path = shelf.folder / name
    path.parent.mkdir(exist_ok=True)
    path.symlink_to(target)
    configure(shelf, COMMIT)
    assert shelf.add(category="process").written
    with pytest.raises(StateError, match="outside of the store"):
        make_views(shelf.store, write=True)
    assert os.listdir(outside) == []


def test_check_warns_of_a_stale_view_where_they_are_committed(shelf: Shelf) -> None:
    shelf.add(category="process")
    assert [problem.code for problem in check_store(shelf.store).problems] == []
    configure(shelf, COMMIT)
    (problem,) = check_store(shelf.store).problems
    assert (problem.code, problem.severity, problem.hint) == ("stale-view", "warning", "gitkb view")
    assert freshen_views(shelf.store) == ["views/learnings.md"]
    assert freshen_views(shelf.store) == []
    assert check_store(shelf.store).problems == []


def test_a_line_that_cannot_be_read_is_left_out_and_told_of(shelf: Shelf) -> None:
    shelf.write(b'{"key":"k","type":"fact","content":"x","category":"process"}', b"half a li")
    made = make_views(shelf.store)
    assert made.views[0].view.entries == 1
    assert [problem.line for problem in made.problems] == [2]


def test_a_view_that_is_a_folder_is_one_clear_error(shelf: Shelf) -> None:
    (shelf.folder / "views/learnings.md").mkdir(parents=True)
    with pytest.raises(StateError, match="cannot read 'views/learnings"):
        make_views(shelf.store, write=True)
    configure(shelf, COMMIT)
    assert shelf.add(category="process").written
    assert [problem.code for problem in check_store(shelf.store).problems] == ["stale-view"]
