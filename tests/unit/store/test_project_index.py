"""The projects that a workstation has seen."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from gitkb.store.project_index import Project, read_projects, remember_project

if TYPE_CHECKING:
    from pathlib import Path


def project(folder: Path, name: str, *stack: str) -> Project:
    (folder / name / ".gitkb").mkdir(parents=True)
    return Project(str(folder / name), name, stack)


def test_projects_are_remembered_once_each(tmp_path: Path) -> None:
    home = str(tmp_path / "home")
    one, two = project(tmp_path, "one", "python"), project(tmp_path, "two")
    for seen in (two, one, two):
        remember_project(home, seen)
    assert read_projects(home) == [one, two]
    changed = one._replace(stack=("go", "python"))
    remember_project(home, changed)
    assert read_projects(home) == [changed, two]
    rows = json.loads((tmp_path / "home" / "projects.json").read_bytes())["projects"]
    assert [sorted(row) for row in rows] == [["name", "path", "stack"]] * 2


def test_nothing_is_written_where_nothing_is_new(tmp_path: Path) -> None:
    home = tmp_path / "home"
    one = project(tmp_path, "one")
    remember_project(str(home), one)
    before = (home / "projects.json").stat().st_mtime_ns
    remember_project(str(home), one)
    assert (home / "projects.json").stat().st_mtime_ns == before


def test_projects_that_are_gone_leave_the_index_when_it_is_written(tmp_path: Path) -> None:
    home = str(tmp_path / "home")
    one, two = project(tmp_path, "one"), project(tmp_path, "two")
    remember_project(home, one)
    (tmp_path / "one" / ".gitkb").rmdir()
    assert not one.is_there
    remember_project(home, two)
    assert read_projects(home) == [two]


@pytest.mark.parametrize(
    "text", [b"", b"{", b"[]", b"\xff", b'{"projects":3}', b'{"projects":[1,{"path":"/x"}]}']
)
def test_a_broken_index_is_an_empty_one_and_is_written_anew(tmp_path: Path, text: bytes) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "projects.json").write_bytes(text)
    assert read_projects(str(home)) == []
    one = project(tmp_path, "one", "go")
    remember_project(str(home), one)
    assert read_projects(str(home)) == [one]


def test_where_it_cannot_be_written_nobody_is_bothered(tmp_path: Path) -> None:
    (tmp_path / "home").write_bytes(b"a file")
    remember_project(str(tmp_path / "home"), project(tmp_path, "one"))
    assert read_projects(str(tmp_path / "home")) == []
