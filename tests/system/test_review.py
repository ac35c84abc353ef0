"""The retro: a person goes through what agents judged."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from repo_builder import Repo, script

if TYPE_CHECKING:
    from pathlib import Path

    from repo_builder import Result

LEARNING = {"type": "learned", "content": "why", "category": "technical", "scope": "project"}


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A project with four learnings of agents, one of a person, and a fact."""
    monkeypatch.setenv("GITKB_HOME", str(tmp_path / "home"))
    repo = Repo.init(tmp_path / "dossier")
    repo.run("init", "--shards", "1")
    repo.kb_add(key="fastapi", title="FastAPI handlers must yield", severity="high", **LEARNING)
    repo.kb_add(
        key="users", title="The users table has two keys", **LEARNING, classified_by="agent"
    )
    repo.kb_add(key="method", title="Write the spec before code", severity="low", **LEARNING)
    repo.kb_add(key="unclear", title="It was slow", severity="low", **LEARNING)
    repo.kb_add(key="human", title="Django is fine", **LEARNING, classified_by="human")
    repo.kb_add(key="said", title="Flask is fine", **LEARNING, source="user")
    repo.kb_add(key="fact", type="fact", content="FastAPI exists")
    return repo


def open_ones(repo: Repo) -> dict[str, str]:
    return {value["key"]: value["proposal"] for value in repo.run("review", "--json").json()}


def tiers_of(repo: Repo) -> dict[str, str]:
    return {
        value["key"]: value["tier"]
        for value in repo.run("learnings", "--for", "verify", "--json").json()
    }


def test_what_nobody_has_decided_on_is_shown_with_a_proposal(repo: Repo) -> None:
    before = repo.tree()
    found = open_ones(repo)
    assert found == {
        "fastapi": "promote", "users": "keep", "method": "promote", "unclear": "keep",
    }  # fmt: skip
    assert list(found)[:2] == ["fastapi", "users"]
    done = repo.run("review")
    assert done.lines()[:4] == [
        "fastapi  high · technical · project",
        "    FastAPI handlers must yield",
        "    why",
        "    proposed: promote, for it is about 'fastapi', which other projects use too",
    ]
    assert "4 learnings" in done.stderr
    assert repo.tree() == before


def test_all_proposals_can_be_accepted_and_nothing_is_asked_again(
    repo: Repo, tmp_path: Path
) -> None:
    done = repo.run("review", "--keep", "fastapi", "--accept", "--json")
    decided = {item["key"]: (item["decision"], item["tier"]) for item in done.json()["decided"]}
    assert decided == {
        "fastapi": ("keep", "project"),
        "users": ("keep", "project"),
        "method": ("promote", "workstation"),
        "unclear": ("keep", "project"),
    }
    assert open_ones(repo) == {}
    assert (repo.run("review").stdout, repo.run("review").stderr) == ("", "")
    assert repo.run("show", "users", "--json").json()["classified_by"] == "human"
    work = Repo(tmp_path / "home" / "workstation")
    [moved] = work.run("list", "--json").json()
    assert (moved["key"], moved["scope"], moved["classified_by"]) == (
        "method",
        "universal",
        "human",
    )


def test_a_person_corrects_what_an_agent_put_on_the_workstation(repo: Repo, tmp_path: Path) -> None:
    """TC-006, AC-019 and AC-020."""
    repo.run("review", "--accept")
    work = Repo(tmp_path / "home" / "workstation")
    work.kb_add(
        key="theirs", title="Django is slow", project="other", **LEARNING, classified_by="agent"
    )
    work.kb_add(
        key="ours",
        title="The orders table is large",
        project="dossier",
        **LEARNING,
        classified_by="agent",
    )
    work.kb_add(key="mine", title="It was odd", **LEARNING, classified_by="agent")
    assert open_ones(repo) == {"ours": "demote", "mine": "keep"}
    assert repo.run("review", "--demote", "ours").stdout == "demoted   ours  in project\n"
    assert repo.run("review", "--keep", "mine").stdout == "kept      mine  in workstation\n"
    assert tiers_of(repo)["ours"] == "project"
    assert work.log()[0] == "Confirm mine"
    assert open_ones(repo) == {}


def test_what_makes_no_sense_is_refused_before_anything_is_done(repo: Repo) -> None:
    before = repo.tree()
    assert "nothing to decide" in repo.run("review", "--keep", "human", exit_code=4).stderr
    done = repo.run("review", "--keep", "users", "--promote", "users", exit_code=2)
    assert "two decisions" in done.stderr
    assert repo.tree() == before


@pytest.mark.skipif(sys.platform == "win32", reason="terminals of POSIX")
def test_in_a_terminal_one_is_asked_about_after_the_other(repo: Repo) -> None:
    said = talk(repo, b"x\np\n\ns\nq\n")
    assert "promoted  fastapi  in workstation" in said
    assert "kept      users  in project" in said
    assert said.count("[k]eep") == 5  # once more for a letter that means nothing
    assert open_ones(repo) == {"method": "promote", "unclear": "keep"}
    assert tiers_of(repo)["fastapi"] == "workstation"


def talk(repo: Repo, answers: bytes) -> str:
    """Run the review in a terminal, and give what it said."""
    outer, inner = os.openpty()
    child = subprocess.Popen(
        [script("gitkb"), "review"], cwd=repo.path, stdin=inner, stdout=inner, stderr=inner
    )
    os.close(inner)
    os.write(outer, answers)
    said = b""
    while True:
        try:
            more = os.read(outer, 4096)
        except OSError:  # the other end is closed
            break
        if not more:
            break
        said += more
    assert child.wait(30) == 0
    os.close(outer)
    return said.decode()


def test_an_answer_can_be_followed(repo: Repo) -> None:
    done: Result = repo.run("review", "--promote", "unclear")
    assert done.stdout == "promoted  unclear  in workstation\n"
    assert tiers_of(repo)["unclear"] == "workstation"
