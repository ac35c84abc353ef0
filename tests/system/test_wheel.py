"""What a user gets: the wheel and the source archive bring everything, and install anywhere."""

from __future__ import annotations

import os
import shutil
import stat
import sys
import tarfile
import venv
import zipfile
from importlib.metadata import entry_points
from pathlib import Path

import pytest

import gitkb

from repo_builder import Repo, run_program
from seal import ROOT

PROGRAMS = {"gitkb", "git-kb", "gitkb-hook", "gitkb-merge-driver"}
HOOKS = {path.name for path in (ROOT / "hooks").iterdir() if path.is_file()}
DATA = {
    path.relative_to(ROOT).as_posix()
    for pattern in ("*.schema.json", "*.sql", "py.typed")
    for path in (ROOT / "gitkb").rglob(pattern)
}
_NOT_COPIED = shutil.ignore_patterns(".git", ".venv", "dist", "build", ".*_cache", "__pycache__")


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project in a folder whose name has a space, so that a build cannot harm it."""
    copy = tmp_path_factory.mktemp("a project") / "gitkb"
    shutil.copytree(ROOT, copy, ignore=_NOT_COPIED)
    return copy


@pytest.fixture(scope="module")
def archive(source: Path) -> Path:
    """The source archive, built from the project."""
    return _build(source, "sdist", "*.tar.gz")


@pytest.fixture(scope="module")
def wheel(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the source archive alone."""
    folder = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    (unpacked,) = folder.iterdir()
    return _build(unpacked, "wheel", "*.whl")


def _build(project: Path, target: str, pattern: str) -> Path:
    run_program([sys.executable, "-m", "hatchling", "build", "--target", target], cwd=project)
    (built,) = (project / "dist").glob(pattern)
    return built


def _contents(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


def test_the_wheel_brings_hooks_schemas_and_tables(wheel: Path) -> None:
    names = _contents(wheel).keys()
    assert {f"gitkb/hooks/scripts/{name}" for name in HOOKS} <= names
    assert names >= DATA
    assert any(name.endswith(".schema.json") for name in DATA)
    assert any(name.endswith(".sql") for name in DATA)


def test_hooks_in_the_wheel_are_scripts_without_carriage_returns(wheel: Path) -> None:
    contents = _contents(wheel)
    for name in HOOKS:
        script = contents[f"gitkb/hooks/scripts/{name}"]
        assert script.startswith(b"#!/bin/sh\n")
        assert b"\r" not in script
        assert script == (ROOT / "hooks" / name).read_bytes()


@pytest.mark.skipif(os.name == "nt", reason="modes are POSIX's")
def test_hooks_are_executable_in_the_project_and_in_the_archives(
    wheel: Path, archive: Path
) -> None:
    with zipfile.ZipFile(wheel) as packed:
        modes = {info.filename: info.external_attr >> 16 for info in packed.infolist()}
    with tarfile.open(archive) as packed_source:
        source_modes = {
            name.partition("/")[2]: packed_source.getmember(name).mode
            for name in packed_source.getnames()
        }
    for name in HOOKS:
        assert modes[f"gitkb/hooks/scripts/{name}"] & stat.S_IXUSR, name
        assert source_modes[f"hooks/{name}"] & stat.S_IXUSR, name


def test_the_wheel_brings_nothing_but_the_package_and_its_manual_page(wheel: Path) -> None:
    start = f"gitkb-{gitkb.__version__}"
    others = {
        name for name in _contents(wheel) if not name.startswith(("gitkb/", f"{start}.dist-info/"))
    }
    assert others == {f"{start}.data/data/share/man/man1/{name}.1" for name in ("gitkb", "git-kb")}


def test_what_the_wheel_holds_is_what_the_source_holds(wheel: Path, source: Path) -> None:
    contents = _contents(wheel)
    modules = [path.relative_to(source).as_posix() for path in (source / "gitkb").rglob("*.py")]
    assert modules
    assert [name for name in modules if contents.get(name) != (source / name).read_bytes()] == []


def test_the_source_archive_is_complete_enough_to_test(archive: Path) -> None:
    with tarfile.open(archive) as packed:
        names = {name.partition("/")[2] for name in packed.getnames()}
    wanted = {"Makefile", "LICENSE", "README.md", "pyproject.toml", "tests/conftest.py"}
    assert wanted | {f"hooks/{name}" for name in HOOKS} | DATA <= names
    assert not {name for name in names if name.startswith((".venv", "dist", ".git/"))}


def test_every_installed_program_leads_to_a_function() -> None:
    ours = [point for point in entry_points(group="console_scripts") if point.value[:5] == "gitkb"]
    assert {point.name for point in ours} == PROGRAMS
    assert all(callable(point.load()) for point in ours)


@pytest.mark.slow
def test_the_wheel_installs_into_a_bare_environment_without_a_network(
    wheel: Path, wheelhouse: Path, tmp_path: Path
) -> None:
    programs = _install(tmp_path / "an environment", wheel, wheelhouse)
    for name in PROGRAMS:
        said = run_program([programs / name, "--version"], cwd=tmp_path)
        assert gitkb.__version__ in said.stdout.split()
        assert run_program([programs / name, "--help"], cwd=tmp_path).stdout
    found = {path.stem for path in programs.iterdir()}
    assert found >= PROGRAMS
    assert (programs.parent / "share" / "man" / "man1" / "git-kb.1").is_file()


@pytest.mark.slow
def test_the_source_folder_installs_too_and_git_finds_the_verb(
    source: Path, wheelhouse: Path, tmp_path: Path
) -> None:
    programs = _install(tmp_path / "environment", source, wheelhouse)
    repo = Repo.init(tmp_path / "repo")
    path = os.pathsep.join([str(programs), os.environ["PATH"]])
    repo.git("kb", "init", env={"PATH": path})
    assert (repo.path / ".gitkb" / "knowledge").is_dir()


def _install(folder: Path, what: Path, wheelhouse: Path) -> Path:
    """Install into a fresh environment from wheels alone; answers the folder of its programs."""
    venv.create(folder, with_pip=False, symlinks=os.name != "nt")
    # The pip of the tests works on the other environment: putting one in takes longer than gitkb.
    pip: list[str | Path] = [sys.executable, "-m", "pip", "--python", folder]
    pip += ["install", "--quiet", "--no-index"]
    run_program(
        [*pip, "--no-compile", what],
        cwd=folder,
        env={"PIP_FIND_LINKS": wheelhouse.resolve().as_uri()},
    )
    return folder / ("Scripts" if os.name == "nt" else "bin")
