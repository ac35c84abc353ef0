"""A session survives whatever kills the program that starts or ends it."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import pytest

from fault_builder import copies, data_lines, fault_at
from repo_builder import Repo

if TYPE_CHECKING:
    from pathlib import Path

# The store and its derived folder, and so the files of sessions.
PLACE = "gitkb" + os.sep


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    repo = Repo.init(tmp_path / "repo")
    repo.run("init", "--shards", "1", "--no-install")
    repo.kb_add(key="k", type="fact", content="x")
    repo.commit("Begin")
    return repo


def ids(repo: Repo) -> list[str]:
    return [one["id"] for one in repo.run("session", "list", "--json").json()]


@pytest.mark.slow
def test_a_kill_at_any_moment_of_a_start_leaves_a_session_or_none(
    repo: Repo, tmp_path: Path
) -> None:
    repo.run("recall", "x")
    for number, copy in copies(repo, tmp_path):
        environment = fault_at(tmp_path / "fault", number, "kill", os.sep + "sessions" + os.sep)
        done = copy.run("session", "start", "Goal", env=environment, exit_code=None)
        found = copy.run("session", "list", "--json").json()
        assert [one["goal"] for one in found] in ([], ["Goal"])
        assert not any("reason" in one for one in found)
        copy.run("session", "start", "Another")
        assert copy.status() == []
        if done.exit_code == 0:
            break
        assert done.exit_code == -signal.SIGKILL
    assert number > 3


@pytest.mark.slow
def test_a_kill_at_any_moment_of_an_end_loses_and_doubles_nothing(
    repo: Repo, tmp_path: Path
) -> None:
    session = repo.run("session", "start", "Goal", "--json").json()["id"]
    for number, copy in copies(repo, tmp_path):
        environment = fault_at(tmp_path / "fault", number, "kill", PLACE)
        done = copy.run("session", "end", "--done", "it", env=environment, exit_code=None)
        if done.exit_code != 0:
            assert done.exit_code == -signal.SIGKILL
            copy.run("session", "end", session, "--done", "it")
        assert ids(copy) == []
        [entry] = copy.run("list", "--type", "session", "--json").json()
        assert (entry["key"], entry["done"]) == (session, ["it"])
        assert sum(len(lines) for lines in data_lines(copy).values()) == 2
        if done.exit_code == 0:
            break
    assert number > 6


@pytest.mark.slow
def test_a_full_disk_ends_no_session_without_its_entry(repo: Repo, tmp_path: Path) -> None:
    session = repo.run("session", "start", "Goal", "--json").json()["id"]
    for number, copy in copies(repo, tmp_path):
        environment = fault_at(tmp_path / "fault", number, "full")
        done = copy.run("session", "end", "--done", "it", env=environment, exit_code=None)
        if done.exit_code == 0:
            break
        assert done.exit_code == 5
        assert ids(copy) == [session]
        copy.run("session", "end", "--done", "it")
        [entry] = copy.run("list", "--type", "session", "--json").json()
        assert entry["done"] == ["it"]
    assert number > 3
