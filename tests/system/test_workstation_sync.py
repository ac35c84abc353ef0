"""One person, two machines: a workstation that was given a remote, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from repo_builder import Repo

if TYPE_CHECKING:
    from pathlib import Path

METHOD = {"type": "learned", "category": "process", "content": "why"}


def titles(repo: Repo) -> dict[str, list[str]]:
    found = repo.run("list", "--json").json()
    return {entry["title"]: entry["aliases"] for entry in found if entry["tier"] == "workstation"}


@pytest.mark.parametrize("name", ["origin", "backup"])
def test_two_machines_that_began_apart_know_the_same_in_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    other_side = tmp_path / "other-side.git"
    repo = Repo.init(tmp_path / "repo")
    repo.run("init", "--shards", "1")
    repo.git("init", "-q", "--bare", "-b", "main", str(other_side))

    def at(machine: str) -> None:
        monkeypatch.setenv("GITKB_HOME", str(tmp_path / machine))

    for machine, title in (("one", "Small changes are reviewed better"), ("two", "Pair on risk")):
        at(machine)
        repo.kb_add(**METHOD, title=title)
        work = Repo(tmp_path / machine / "workstation")
        work.git("remote", "add", name, str(other_side))
        assert "workstation" in repo.run("tier", "pull").stdout
    at("one")
    repo.run("tier", "pull")
    known = titles(repo)
    assert sorted(known.values()) == [["WL-001"], ["WL-002"]]
    at("two")
    repo.run("tier", "pull")
    assert titles(repo) == known
    assert work.status() == []
    assert work.run("check").exit_code == 0
    assert repo.run("tier", "pull").exit_code == 0
