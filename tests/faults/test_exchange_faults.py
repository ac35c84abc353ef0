"""Import and export survive what happens to programs and disks.

Whatever is cut short, the same call does the rest; a file that is exported to is whole, as it was or as
it was to be.
"""

from __future__ import annotations

import json
import signal
from typing import TYPE_CHECKING

import pytest

from fault_builder import data_lines, fault_at
from repo_builder import Repo

if TYPE_CHECKING:
    from pathlib import Path

OUT = "out.json"


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    repo = Repo.init(tmp_path / "repo")
    repo.run("init", "--shards", "16")
    for number in range(1, 9):
        text = f"# {number}. Use {number}\n\nDate: 2026-01-02\n\nStatus: Accepted\n"
        more = f"\nSupersedes ADR-000{number - 1}\n" if number % 3 == 2 else ""
        repo.write(f"docs/adr/000{number}-use.md", text + more)
    return repo


@pytest.mark.slow
@pytest.mark.parametrize("number", [1, 2, 5, 12, 20, 40, 70])
def test_a_killed_import_is_finished_by_the_same_import(
    repo: Repo, tmp_path: Path, number: int
) -> None:
    whole = Repo.init(tmp_path / "whole")
    whole.run("init", "--shards", "16")
    for place in sorted((repo.path / "docs" / "adr").iterdir()):
        whole.write(f"docs/adr/{place.name}", place.read_bytes())
    whole.run("import", "--from", "adr", "docs/adr")

    environment = fault_at(tmp_path / "fault", number, "kill")
    killed = repo.run("import", "--from", "adr", "docs/adr", env=environment, exit_code=None)
    assert killed.exit_code in (-signal.SIGKILL, 0)
    data_lines(repo)
    answer = repo.run("import", "--from", "adr", "docs/adr", "--json").json()
    assert answer["imported"] == answer["total"] == 8
    assert data_lines(repo) == data_lines(whole)
    assert repo.run("check").exit_code == 0


@pytest.mark.parametrize("kind", ["kill", "full"])
@pytest.mark.parametrize("number", [1, 2, 3, 4, 5])
def test_an_export_cut_short_leaves_the_old_file_or_the_new_one(
    repo: Repo, tmp_path: Path, kind: str, number: int
) -> None:
    repo.run("add", "--key", "k", "--type", "fact", "--content", "x" * 5000)
    repo.write(OUT, "old")
    environment = fault_at(tmp_path / "fault", number, kind, OUT)
    done = repo.run("export", "--output", OUT, env=environment, exit_code=None)
    assert done.exit_code in (0, 5, -signal.SIGKILL)
    if done.exit_code == 5:
        assert "cannot write" in done.stderr
    left = repo.read(OUT)
    assert left == b"old" or json.loads(left)["entries"][0]["key"] == "k"
    assert (done.exit_code != 0) or left != b"old"
