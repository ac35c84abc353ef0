"""Entries that go from one tier to another and back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from gitkb.errors import StateError
from gitkb.operations.tiers import move
from gitkb.operations.tiers.move import demote, promote
from gitkb.store.discover import store_at

from repo_builder import Repo

if TYPE_CHECKING:
    from pathlib import Path

    from gitkb.store.layout import Store

LEARNING = {
    "key": "pymysql",
    "type": "pitfall",
    "title": "pymysql is not thread-safe",
    "content": "Use aiomysql.",
    "category": "anti-pattern",
    "severity": "critical",
    "scope": "project",
    "aliases": ["L-003"],
    "links": [{"rel": "relates_to", "to": "other"}],
    "x-own": {"kept": True},
}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's folder."""
    monkeypatch.setenv("GITKB_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def repo(home: Path, tmp_path: Path) -> Repo:
    """A project with a learning, committed."""
    repo = Repo.init(tmp_path / "dossier")
    repo.run("init", "--shards", "1")
    repo.kb_add(**LEARNING)
    repo.commit("Begin")
    return repo


def store_of(repo: Repo) -> Store:
    return store_at(str(repo.path / ".gitkb"))


def lines(folder: Path, part: str = "knowledge") -> dict[str, dict[str, Any]]:
    found = [
        json.loads(line)
        for path in sorted((folder / ".gitkb" / part).glob("*.jsonl"))
        for line in path.read_bytes().splitlines()
    ]
    return {line["key"]: line for line in found}


def tiers_of(repo: Repo) -> list[tuple[str, str]]:
    found = repo.run("learnings", "--for", "plan", "--json").json()
    return [(value["key"], value["tier"]) for value in found]


def test_a_promoted_entry_keeps_all_it_says_and_leaves_a_redirect(home: Path, repo: Repo) -> None:
    before = lines(repo.path)["pymysql"]
    done = repo.run("promote", "L-003")
    assert done.stdout == (
        "moved pymysql  pymysql is not thread-safe: from project to workstation as WL-001\n"
    )
    assert done.stderr == ""
    there = lines(home / "workstation")["pymysql"]
    assert there.pop("ts") > before.pop("ts")
    assert there == {
        **before,
        "aliases": ["WL-001"],
        "scope": "workstation",
        "project": "dossier",
        "classified_by": "human",
    }
    left = lines(repo.path)["pymysql"]
    assert (left["moved"], left["by"]) == ("workstation", "Ada Lovelace")
    assert left["aliases"] == ["L-003"]
    assert lines(repo.path, "archive")["pymysql"]["content"] == "Use aiomysql."
    assert tiers_of(repo) == [("pymysql", "workstation")]
    work = Repo(home / "workstation")
    assert work.log()[0] == "Move pymysql here from project dossier"
    assert work.status() == []
    assert repo.run("check").exit_code == work.run("check").exit_code == 0
    assert repo.status() == [" M .gitkb/archive/all.jsonl", " M .gitkb/knowledge/all.jsonl"]


def test_what_is_there_already_is_left_as_it_is(home: Path, repo: Repo) -> None:
    repo.run("promote", "pymysql")
    before = (repo.tree(), Repo(home / "workstation").tree())
    done = repo.run("promote", "pymysql", "--json")
    assert done.json()["moved"][0]["written"] is False
    assert "already" in repo.run("promote", "WL-001").stdout
    assert "already" in repo.run("promote", "L-003").stdout
    assert (repo.tree(), Repo(home / "workstation").tree()) == before


def test_a_demoted_entry_comes_home(home: Path, repo: Repo) -> None:
    """TC-006."""
    before = lines(repo.path)["pymysql"]
    repo.run("promote", "pymysql")
    done = repo.run("demote", "WL-001", "--json")
    [moved] = done.json()["moved"]
    assert (moved["source"], moved["target"], moved["alias"]) == ("workstation", "project", "L-003")
    back = lines(repo.path)["pymysql"]
    assert back.pop("ts") > before.pop("ts")
    assert "revives" in back
    assert back.pop("revives")
    assert back == {**before, "classified_by": "human"}
    assert lines(home / "workstation")["pymysql"]["moved"] == "project dossier"
    assert tiers_of(repo) == [("pymysql", "project")]
    assert repo.run("check").exit_code == 0
    # And there again: neither number nor creation changes on the way.
    repo.run("promote", "pymysql")
    assert lines(home / "workstation")["pymysql"]["aliases"] == ["WL-001"]
    assert lines(home / "workstation")["pymysql"]["created"] == before["created"]


def test_what_another_project_learned_keeps_where_it_came_from(
    home: Path, repo: Repo, tmp_path: Path
) -> None:
    repo.run("promote", "pymysql")
    other = Repo.init(tmp_path / "auth")
    other.run("init", "--shards", "1")
    done = other.run("demote", "pymysql")
    assert "'pymysql' was learned in 'dossier', and is in 'auth' now" in done.stderr
    assert lines(other.path)["pymysql"]["project"] == "dossier"
    other.run("promote", "pymysql")
    assert lines(home / "workstation")["pymysql"]["project"] == "dossier"
    done = repo.run("demote", "pymysql")
    assert done.stderr == ""
    assert "project" not in lines(repo.path)["pymysql"]


def test_numbers_go_on_from_the_highest(home: Path, repo: Repo) -> None:
    for number in range(3):
        repo.kb_add(**{**LEARNING, "key": f"k{number}", "title": f"t{number}", "aliases": []})
    repo.kb_add(key="plain", type="fact", content="no learning")
    done = repo.run("promote", "k2", "k0", "plain", "k1", "--json").json()["moved"]
    assert [item["alias"] for item in done] == ["WL-001", "WL-002", "", "WL-003"]


def test_two_projects_that_learned_the_same_make_one_entry(
    home: Path, repo: Repo, tmp_path: Path
) -> None:
    other = Repo.init(tmp_path / "ledger")
    other.run("init", "--shards", "1")
    other.kb_add(**{**LEARNING, "content": "Use one connection a thread.", "tags": ["db"]})
    repo.run("promote", "pymysql")
    done = other.run("promote", "pymysql")
    assert "holds both now" in done.stdout
    there = lines(home / "workstation")["pymysql"]
    shown = {there["content"], *(conflict["value"] for conflict in there["conflicts"])}
    assert shown == {"Use aiomysql.", "Use one connection a thread."}
    assert there["tags"] == ["db"]
    assert there["project"] == "dossier"
    assert "WL-001" in there["aliases"]
    assert Repo(home / "workstation").run("check").exit_code == 0


def test_a_universal_entry_stays_universal(home: Path, repo: Repo) -> None:
    added = repo.kb_add(**{**LEARNING, "key": "method", "title": "Method", "scope": "universal"})
    assert (added["tier"], added["scope"]) == ("workstation", "universal")
    assert lines(home / "workstation")["method"]["scope"] == "universal"
    repo.run("promote", "pymysql", "--universal")
    assert lines(home / "workstation")["pymysql"]["scope"] == "universal"
    repo.run("demote", "method")
    assert "scope" not in lines(repo.path)["method"]


def test_an_entry_goes_to_a_further_tier_that_one_may_write(
    home: Path, repo: Repo, tmp_path: Path
) -> None:
    remote = Repo.init(tmp_path / "org.git", bare=True)
    read_only = Repo.init(tmp_path / "all")
    read_only.run("init", "--shards", "1")
    read_only.kb_add(**{**LEARNING, "key": "theirs", "title": "Theirs", "aliases": []})
    read_only.commit("Begin")
    repo.run("tier", "add", "org", str(remote.path), "--push")
    repo.run("tier", "add", "all", str(read_only.path))
    repo.run("promote", "pymysql")
    repo.run("promote", "pymysql", "--to", "org")
    assert sorted(tiers_of(repo)) == [("pymysql", "org"), ("theirs", "all")]
    assert lines(home / "workstation")["pymysql"]["moved"] == "org"
    assert remote.log("main")[0] == "Move pymysql here from workstation"
    repo.run("demote", "pymysql")
    assert sorted(tiers_of(repo)) == [("pymysql", "project"), ("theirs", "all")]
    before = repo.tree()
    assert "only read" in repo.run("demote", "theirs", exit_code=5).stderr
    assert "only read" in repo.run("promote", "pymysql", "--to", "all", exit_code=5).stderr
    assert repo.tree() == before


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("promote", "nothing"), 4), (("demote", "pymysql", "--to", "workstation"), 4),
        (("promote", "pymysql", "--to", "nowhere"), 4), (("promote", "pymysql", "--to", "project"), 2),
        (("promote",), 2),
    ],
)  # fmt: skip
def test_what_cannot_be_moved_is_refused_and_nothing_is_made(
    home: Path, repo: Repo, words: tuple[str, ...], code: int
) -> None:
    before = repo.tree()
    done = repo.run(*words, exit_code=code)
    assert done.stderr.startswith("error: ")
    assert "hint: " in done.stderr
    assert repo.tree() == before
    assert not (home / "workstation").exists()


def test_a_move_that_was_killed_half_way_is_finished_by_the_same_call(
    home: Path, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    class KilledError(Exception):
        pass

    def die(*_: object) -> None:
        raise KilledError

    for step in ("save_tier", "redirect"):
        with monkeypatch.context() as patch:
            patch.setattr(move, step, die)
            with pytest.raises(KilledError):
                promote(store_of(repo), "pymysql")
        # It stands in both, and the nearer one speaks.
        assert tiers_of(repo) == [("pymysql", "project")]
    there = lines(home / "workstation")["pymysql"]
    moved = promote(store_of(repo), "pymysql")
    assert moved.written
    assert not moved.united
    assert lines(home / "workstation")["pymysql"] == there
    assert Repo(home / "workstation").status() == []
    assert tiers_of(repo) == [("pymysql", "workstation")]
    with monkeypatch.context() as patch:
        patch.setattr(move, "redirect", die)
        with pytest.raises(KilledError):
            demote(store_of(repo), "pymysql")
    assert tiers_of(repo) == [("pymysql", "project")]
    assert demote(store_of(repo), "pymysql").written
    assert "moved" in lines(home / "workstation")["pymysql"]
    assert tiers_of(repo) == [("pymysql", "project")]


def test_what_changed_meanwhile_is_not_moved(
    home: Path, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    def change_it(*_: object) -> bool:
        repo.kb_add(**{**LEARNING, "content": "Changed meanwhile."})
        return True

    with monkeypatch.context() as patch:
        patch.setattr(move, "save_tier", change_it)
        with pytest.raises(StateError, match="changed"):
            promote(store_of(repo), "pymysql")
    assert lines(repo.path)["pymysql"]["content"] == "Changed meanwhile."
    assert tiers_of(repo) == [("pymysql", "project")]
    moved = promote(store_of(repo), "pymysql")
    assert moved.united  # nothing of either version is lost
    there = lines(home / "workstation")["pymysql"]
    assert there["content"] == "Changed meanwhile."
    assert there["conflicts"][0]["value"] == "Use aiomysql."
