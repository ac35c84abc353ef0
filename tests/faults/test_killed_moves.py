"""A move between two stores that is killed at any call: nothing is lost, and the same call finishes it."""

from __future__ import annotations

import itertools
import json
import shutil
import signal
from typing import TYPE_CHECKING

import pytest

from fault_builder import fault_at
from repo_builder import Repo

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from repo_builder import Result

EVERYWHERE = "gitkb"  # the store, the user's folder, and what git keeps of both
LEARNING = {
    "key": "pymysql",
    "type_": "pitfall",
    "title": "pymysql is not thread-safe",
    "content": "Use aiomysql.",
    "category": "anti-pattern",
    "scope": "project",
}


METHOD = ("--type", "fact", "--category", "process", "--title", "Small changes", "--content", "x")


class World:
    """A project and the user's folder beside it, which are copied together."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.repo = Repo(path / "dossier")
        self.env = {"GITKB_HOME": str(path / "gitkb-home")}

    def run(self, *words: str, fault: dict[str, str] | None = None, code: int | None = 0) -> Result:
        return self.repo.run(*words, env={**self.env, **(fault or {})}, exit_code=code)

    def lines(self) -> dict[str, list[dict[str, object]]]:
        """What each store says of the one key, in force and archived."""
        found = {}
        for name, store in (
            ("project", self.repo.path),
            ("workstation", self.path / "gitkb-home" / "workstation"),
        ):
            files = sorted((store / ".gitkb").rglob("*.jsonl"))
            rows = [json.loads(line) for path in files for line in path.read_bytes().splitlines()]
            found[name] = [row for row in rows if row["key"] == "pymysql"]
        return found

    def said(self) -> bool:
        """Whether what was learned stands in force in a store."""
        return any(
            row.get("content") == "Use aiomysql." and row.get("status", "active") == "active"
            for rows in self.lines().values()
            for row in rows
        )

    def tiers(self) -> list[str]:
        found = self.run("learnings", "--for", "plan", "--json").json()
        return [value["tier"] for value in found]


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path / "begin")
    Repo.init(world.repo.path)
    world.run("init", "--shards", "1")
    world.repo.run("add", stdin=_given(), env=world.env)
    world.repo.commit("Begin")
    return world


def _given() -> str:
    return json.dumps({name.rstrip("_"): value for name, value in LEARNING.items()})


def copies(world: World, folder: Path, step: int = 1) -> Iterator[tuple[int, World]]:
    for number in itertools.count(1, step):
        shutil.copytree(world.path, folder / f"copy-{number}", symlinks=True)
        yield number, World(folder / f"copy-{number}")
        shutil.rmtree(folder / f"copy-{number}")


def kill_everywhere(world: World, tmp_path: Path, verb: str, source: str, target: str) -> None:
    halves = 0
    for number, copy in copies(world, tmp_path):
        fault = fault_at(tmp_path / "fault", number, "kill", EVERYWHERE)
        done = copy.run(verb, "pymysql", fault=fault, code=None)
        assert done.exit_code in (0, -signal.SIGKILL), done
        assert copy.said(), number
        [tier] = copy.tiers()
        assert tier in (source, target), number
        assert copy.run("check").exit_code == 0
        doctor = [
            finding
            for finding in copy.run("doctor", "--json", code=None).json()
            if finding["code"] == "moves" and finding["severity"] != "ok"
        ]
        rows = copy.lines()
        alive = [
            name
            for name, found in rows.items()
            if any("content" in row and _is_live(copy, name, row) for row in found)
        ]
        if len(alive) == 2:
            halves += 1
            [finding] = doctor
            assert finding["cure"] == f"gitkb {verb} pymysql"
            assert f"gitkb {verb} pymysql" in copy.run("review").stderr
        else:
            assert doctor == []
        copy.run(verb, "pymysql")
        assert copy.tiers() == [target]
        assert copy.run("check").exit_code == 0
        home = Repo(copy.path / "gitkb-home" / "workstation")
        assert home.git("status", "--porcelain").stdout == "", number
        for found in copy.lines().values():
            texts = [json.dumps(row, sort_keys=True) for row in found]
            assert len(texts) == len(set(texts))
        if done.exit_code == 0:
            break
    assert number > 10
    assert halves >= 2


def _is_live(world: World, name: str, row: dict[str, object]) -> bool:
    store = world.repo.path if name == "project" else world.path / "gitkb-home" / "workstation"
    files = (store / ".gitkb" / "knowledge").glob("*.jsonl")
    return any(json.loads(line) == row for path in files for line in path.read_bytes().splitlines())


@pytest.mark.slow
def test_a_promotion_killed_at_any_call_loses_nothing_and_is_finished(
    world: World, tmp_path: Path
) -> None:
    # The workstation is there: how it is made is killed below.
    world.run("add", *METHOD)
    kill_everywhere(world, tmp_path, "promote", "project", "workstation")


@pytest.mark.slow
def test_a_return_killed_at_any_call_loses_nothing_and_is_finished(
    world: World, tmp_path: Path
) -> None:
    world.run("promote", "pymysql")
    kill_everywhere(world, tmp_path, "demote", "workstation", "project")


@pytest.mark.slow
def test_a_learning_whose_writing_is_killed_at_any_call_is_written_by_the_same_call(
    world: World, tmp_path: Path
) -> None:
    given = ("--type", "learned", "--category", "technical", "--title", "FastAPI must yield")
    words = ("add", *given, "--content", "Or it leaks.", "--scope", "workstation")
    for number, copy in copies(world, tmp_path, 7):
        fault = fault_at(tmp_path / "fault", number, "kill", EVERYWHERE)
        done = copy.run(*words, fault=fault, code=None)
        assert done.exit_code in (0, -signal.SIGKILL), done
        again = copy.run(*words).json()
        assert (again["tier"], again["alias"]) == ("workstation", "WL-001"), (number, again)
        home = Repo(copy.path / "gitkb-home" / "workstation")
        assert home.git("status", "--porcelain").stdout == "", number
        found = [
            value["tier"] for value in copy.run("learnings", "--for", "verify", "--json").json()
        ]
        assert found == ["workstation"]
        if done.exit_code == 0:
            break
    assert number > 10
