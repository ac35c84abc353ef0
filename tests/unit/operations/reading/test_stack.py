"""Where a project's stack comes from, and what cannot be read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from gitkb.operations.reading.stack import project_name, project_stack

if TYPE_CHECKING:
    from pathlib import Path

ADD = {
    "architecture": {
        "languages": [{"name": "Python", "version": "3.12"}, "TypeScript", {"version": "1"}],
        "backend": {"framework": "FastAPI"},
        "frontend": {"framework": None},
    }
}


def write_add(folder: Path, value: Any) -> None:
    (folder / ".add").mkdir(exist_ok=True)
    text = value if isinstance(value, bytes) else json.dumps(value).encode()
    (folder / ".add" / "config.json").write_bytes(text)


def test_the_settings_come_first_then_add_then_the_manifests(tmp_path: Path) -> None:
    folder = str(tmp_path)
    (tmp_path / "go.mod").write_bytes(b"module x\n")
    assert project_stack(folder, {}).names == ("go",)
    write_add(tmp_path, ADD)
    assert project_stack(folder, {}).names == ("fastapi", "python", "typescript")
    assert project_stack(folder, {"project": {"stack": ["Rust"]}}).names == ("rust",)
    assert project_stack(folder, {"project": {"stack": []}}).names == ()
    assert project_stack(folder, {"project": {"name": "x"}}).names == (
        "fastapi",
        "python",
        "typescript",
    )


def test_a_project_that_says_nothing_has_an_empty_stack(tmp_path: Path) -> None:
    assert project_stack(str(tmp_path), {}) == ((), (), ())
    assert project_stack(str(tmp_path / "nowhere"), {}) == ((), (), ())


@pytest.mark.parametrize(
    "value", [{}, [], {"architecture": 3}, {"architecture": {"languages": [], "backend": {}}}]
)
def test_a_config_of_add_that_names_nothing_leaves_it_to_the_manifests(
    tmp_path: Path, value: Any
) -> None:
    write_add(tmp_path, value)
    (tmp_path / "Cargo.toml").write_bytes(b"")
    assert project_stack(str(tmp_path), {}).names == ("rust",)


@pytest.mark.parametrize("text", [b"{", b"\xff", b"[" * 100_000, b"x" * 600_000])
def test_a_broken_config_of_add_is_told_and_costs_nothing_else(tmp_path: Path, text: bytes) -> None:
    write_add(tmp_path, text)
    (tmp_path / "Cargo.toml").write_bytes(b"")
    found = project_stack(str(tmp_path), {})
    assert found.names == ("rust",)
    assert [problem.file for problem in found.problems] == [".add/config.json"]


def test_a_folder_in_the_place_of_a_config_is_told(tmp_path: Path) -> None:
    (tmp_path / ".add" / "config.json").mkdir(parents=True)
    [problem] = project_stack(str(tmp_path), {}).problems
    assert "no plain file" in problem.message


def test_a_broken_manifest_is_told_once_and_its_name_still_counts(tmp_path: Path) -> None:
    (tmp_path / "package.json").write_bytes(b"{" + b" " * 600_000)
    (tmp_path / "pyproject.toml").write_bytes(b"[project\n")
    (tmp_path / "api").mkdir()
    (tmp_path / "api" / "go.mod").write_bytes(b"require example.org/x/chi v1.0.0\n")
    found = project_stack(str(tmp_path), {})
    assert found.names == ("go", "javascript", "python")
    assert "chi" in found.libraries
    assert [problem.file for problem in found.problems] == ["package.json", "pyproject.toml"]
    assert not any(problem.is_error for problem in found.problems)


def test_nothing_is_run(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    (tmp_path / "setup.py").write_text(f"open({str(mark)!r}, 'w')")
    assert project_stack(str(tmp_path), {}).names == ("python",)
    assert not mark.exists()


def test_a_project_is_called_as_it_says_or_as_its_folder(tmp_path: Path) -> None:
    assert project_name("/home/ada/ledger", {}) == "ledger"
    assert project_name("/home/ada/ledger", {"project": {"name": "The Ledger"}}) == "The Ledger"
    assert project_name("/home/ada/ledger", {"project": {"name": 3}}) == "ledger"
    assert project_name("/", {}) == "project"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pyproject.toml", '[project]\nname = "ledger"'),
        ("pyproject.toml", '[tool.poetry]\nname = "ledger"'),
        ("package.json", '{"name": "ledger"}'),
        ("Cargo.toml", '[package]\nname = "ledger"'),
        ("composer.json", '{"name": "ledger"}'),
        ("go.mod", "module example.org/ada/ledger/v2\n\ngo 1.22\n"),
    ],
)
def test_a_project_is_called_as_its_manifest_says_in_every_clone(
    tmp_path: Path, name: str, text: str
) -> None:
    (tmp_path / name).write_text(text)
    assert project_name(str(tmp_path), {}) == "ledger"
    assert project_name(str(tmp_path), {"project": {"name": "The Ledger"}}) == "The Ledger"


@pytest.mark.parametrize("text", ["", "not TOML", "[project]\nname = 3", '[project]\nname = " "'])
def test_a_manifest_that_does_not_say_leaves_the_name_to_the_folder(
    tmp_path: Path, text: str
) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    (tmp_path / "package.json").mkdir()
    assert project_name(str(tmp_path), {}) == tmp_path.name
