"""Where `gitkb add` writes a learning, and which number it gets."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from repo_builder import BEN, Repo, run_program, script

if TYPE_CHECKING:
    from pathlib import Path

FASTAPI = {"type": "learned", "category": "technical", "title": "FastAPI handlers must yield"}
USERS = {"type": "learned", "category": "technical", "title": "The users table has two keys"}
METHOD = {"type": "learned", "category": "process", "title": "Write the spec before code"}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GITKB_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def repo(home: Path, tmp_path: Path) -> Repo:
    repo = Repo.init(tmp_path / "dossier")
    repo.run("init", "--shards", "1")
    return repo


def lines(path: Path, folder: str = "knowledge") -> dict[str, dict[str, Any]]:
    files = sorted((path / ".gitkb" / folder).glob("*.jsonl"))
    rows = [json.loads(line) for name in files for line in name.read_bytes().splitlines()]
    return {row["key"]: row for row in rows}


def numbers(path: Path) -> dict[str, list[str]]:
    return {row.get("title", key): row.get("aliases", []) for key, row in lines(path).items()}


def test_what_is_the_projects_stays_in_it(home: Path, repo: Repo) -> None:
    """TC-002."""
    answer = repo.kb_add(**USERS, content="why")
    assert (answer["tier"], answer["scope"], answer["alias"]) == ("project", "project", "L-001")
    assert "'users table'" in answer["reasons"][0]
    row = lines(repo.path)[answer["key"]]
    assert (row["classified_by"], row["aliases"]) == ("agent", ["L-001"])
    assert "scope" not in row
    assert not home.exists()


def test_what_other_projects_need_goes_to_the_workstation(home: Path, repo: Repo) -> None:
    """TC-003."""
    answer = repo.kb_add(**FASTAPI, content="why")
    assert (answer["tier"], answer["scope"], answer["alias"]) == (
        "workstation", "workstation", "WL-001",
    )  # fmt: skip
    assert lines(repo.path) == {}
    row = lines(home / "workstation")[answer["key"]]
    assert (row["scope"], row["project"], row["classified_by"]) == (
        "workstation", "dossier", "agent",
    )  # fmt: skip
    work = Repo(home / "workstation")
    assert work.log()[0] == f"Learn {answer['key']}: FastAPI handlers must yield"
    assert work.status() == []
    answer = repo.kb_add(**METHOD, content="why", source="user")
    assert (answer["scope"], answer["alias"]) == ("universal", "WL-002")
    assert lines(home / "workstation")[answer["key"]]["classified_by"] == "human"


def test_a_new_learning_that_colleagues_will_not_see_is_told_of(home: Path, repo: Repo) -> None:
    done = repo.run("add", stdin=json.dumps({**FASTAPI, "content": "why"}))
    key = done.json()["key"]
    note = f"note: written to the tier 'workstation', not to this repository: gitkb demote {key}"
    assert note in done.stderr
    again = repo.run("add", stdin=json.dumps({**FASTAPI, "content": "better"}))
    assert "not to this repository" not in again.stderr
    assert "not to this repository" not in repo.run("add", stdin=json.dumps(USERS)).stderr


def test_a_category_that_nobody_knows_is_told_when_it_is_written(home: Path, repo: Repo) -> None:
    odd = {**USERS, "category": "tehcnical"}
    assert "note: unknown category 'tehcnical', not one of technical" in (
        repo.run("add", stdin=json.dumps(odd)).stderr
    )
    with (repo.path / ".gitkb/config.toml").open("a", encoding="utf-8") as config:
        config.write('[categories]\nextra = ["ci-cd"]\n')
    known = {**USERS, "title": "The users table has a trigger", "category": "ci-cd"}
    assert "unknown category" not in repo.run("add", stdin=json.dumps(known)).stderr


def test_a_scope_that_is_given_is_taken(home: Path, repo: Repo) -> None:
    answer = repo.kb_add(**FASTAPI, content="why", scope="project")
    assert (answer["tier"], answer["alias"]) == ("project", "L-001")
    assert "reasons" not in answer
    answer = repo.kb_add(**USERS, content="why", scope="universal")
    assert (answer["tier"], answer["scope"]) == ("workstation", "universal")


def test_an_entry_without_a_category_is_this_projects_and_has_no_number(
    home: Path, repo: Repo
) -> None:
    answer = repo.kb_add(type="fact", title="FastAPI", content="why", scope="universal")
    assert answer == {"written": True, "superseded": False, "key": answer["key"]}
    assert "aliases" not in lines(repo.path)[answer["key"]]
    assert not home.exists()


def test_a_correction_stays_where_the_learning_lives(home: Path, repo: Repo) -> None:
    key = repo.kb_add(**FASTAPI, content="why")["key"]
    again = repo.kb_add(**FASTAPI, content="better")
    assert (again["key"], again["superseded"], again["tier"]) == (key, True, "workstation")
    done = repo.run("add", stdin=json.dumps({**FASTAPI, "content": "x", "scope": "project"}))
    assert done.json()["tier"] == "workstation"
    assert f"gitkb demote {key}" in done.stderr
    assert lines(home / "workstation")[key]["scope"] == "workstation"
    assert lines(repo.path) == {}
    # By key it is whole, and keeps what says where it lives.
    repo.run("add", "--key", key, "--type", "learned", "--category", "technical", "--title", "T")
    row = lines(home / "workstation")[key]
    assert (row["title"], row["scope"], row["aliases"]) == ("T", "workstation", ["WL-001"])
    assert not repo.kb_add(key=key, type="learned", category="technical", title="T")["written"]


def test_what_was_promoted_is_corrected_where_it_went(home: Path, repo: Repo) -> None:
    key = repo.kb_add(**USERS, content="why")["key"]
    repo.run("promote", key)
    for given in ({**USERS, "content": "a"}, {**USERS, "content": "b", "category": None}):
        answer = repo.kb_add(**given)
        assert (answer["key"], answer["tier"], answer["superseded"]) == (key, "workstation", True)
    assert "moved" in lines(repo.path)[key]
    row = lines(home / "workstation")[key]
    assert (row["content"], row["category"]) == ("b", "technical")
    assert Repo(home / "workstation").status() == []


def test_a_home_that_cannot_be_written_costs_nothing(
    home: Path, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.write_text("a file")
    done = repo.run("add", stdin=json.dumps({**FASTAPI, "content": "why"}))
    answer = done.json()
    assert (answer["tier"], answer["scope"], answer["alias"]) == ("project", "workstation", "L-001")
    assert "written to this project" in done.stderr
    home.unlink()
    [proposal] = repo.run("review", "--json").json()
    assert (proposal["proposal"], proposal["proposed_scope"]) == ("promote", "workstation")
    repo.run("review", "--accept")
    assert lines(home / "workstation")[answer["key"]]["scope"] == "workstation"
    assert repo.run("review", "--json").json() == []


def test_what_is_kept_by_a_person_is_not_proposed_again(home: Path, repo: Repo) -> None:
    home.write_text("a file")
    key = repo.kb_add(**FASTAPI, content="why", scope="workstation")["key"]
    home.unlink()
    repo.run("review", "--keep", key)
    assert repo.run("review", "--json").json() == []
    assert "scope" not in lines(repo.path)[key]


def test_no_project_is_needed_for_what_reaches_further(home: Path, tmp_path: Path) -> None:
    folder = tmp_path / "nowhere"
    folder.mkdir()
    words = ["add", "--type", "learned", "--content", "why"]
    gitkb = script("gitkb")
    learn = [gitkb, *words, "--category", "process", "--title", "Small changes"]
    answer = run_program(learn, cwd=folder).json()
    assert (answer["tier"], answer["scope"]) == ("workstation", "universal")
    assert "project" not in lines(home / "workstation")[answer["key"]]
    for more in ((), ("--category", "technical")):
        refused = run_program([gitkb, *words, *more, "--title", "It"], cwd=folder, exit_code=4)
        assert "no knowledge base" in refused.stderr


def test_a_learning_without_a_title_is_advised_to_have_one(home: Path, repo: Repo) -> None:
    for more in (("--content", "It was slow\nand dear"), ("--content", "x", "--key", "mine")):
        done = repo.run("add", "--type", "learned", "--category", "technical", *more)
        assert "needs a title" in done.stderr
    assert "title" not in lines(repo.path)["mine"], "who names a key gives all of an entry"


LIFESPAN = "FastAPI lifespan handlers must yield, not return — startup code runs before yield, shutdown after"


def test_a_learning_of_one_line_is_its_own_title_and_is_found_where_it_holds(
    home: Path, repo: Repo, tmp_path: Path
) -> None:
    """TC-003 in its own words, and TC-004 after it."""
    repo.write("requirements.txt", "fastapi\n")
    first = repo.kb_add(type="learned", category="technical", content=LIFESPAN)
    again = repo.kb_add(type="learned", category="technical", content=LIFESPAN)
    assert (again["key"], again["written"]) == (first["key"], False)
    row = lines(home / "workstation")[first["key"]]
    assert (row["title"], row["stack"]) == (LIFESPAN, ["fastapi"])
    found = {}
    for name, manifest in (("api", "requirements.txt"), ("parser", "Cargo.toml")):
        other = Repo.init(tmp_path / name)
        other.write(manifest, "fastapi\n" if name == "api" else '[package]\nname = "parser"\n')
        found[name] = other.run("learnings", "--for", "deploy")
    assert [line.strip() for line in found["api"].lines()[1:]] == [LIFESPAN], "it is said once"
    assert (found["parser"].stdout, found["parser"].stderr) == ("", "")


def test_a_stack_that_the_project_does_not_have_is_not_guessed(home: Path, repo: Repo) -> None:
    repo.write("requirements.txt", "fastapi\n")
    choices: tuple[dict[str, list[str]], ...] = ({}, {"stack": []})
    for given in choices:
        title = f"{'FastAPI' if given else 'git'} loses them"
        key = repo.kb_add(type="learned", category="technical", title=title, content="x", **given)[
            "key"
        ]
        assert "stack" not in lines(home / "workstation")[key]


def test_a_batch_changes_each_store_once(home: Path, repo: Repo) -> None:
    given = [
        {**FASTAPI, "content": "a"}, {**USERS, "content": "b"}, {"type": "fact", "content": "c"},
        {"type": "nonsense"}, {**METHOD, "content": "d"}, {**FASTAPI, "content": "e"},
    ]  # fmt: skip
    text = "\n".join(map(json.dumps, given))
    done = repo.run("add", "--batch", stdin=text, exit_code=3)
    answers = [json.loads(line) for line in done.lines()]
    assert [answer.get("tier") for answer in answers] == [
        "workstation", "project", None, "workstation", "workstation",
    ]  # fmt: skip
    assert [answer.get("alias") for answer in answers] == [
        "WL-001",
        "L-001",
        None,
        "WL-002",
        "WL-001",
    ]
    assert "line 4" in done.stderr
    assert len(Repo(home / "workstation").log()) == 2
    assert {row["content"] for row in lines(home / "workstation").values()} == {"d", "e"}


def test_a_number_never_means_another_entry(home: Path, repo: Repo) -> None:
    def learn(title: str) -> str:
        given = {"type": "learned", "category": "technical", "title": title, "content": "x"}
        return str(repo.kb_add(**given, scope="project")["alias"])

    assert [learn("A"), learn("B")] == ["L-001", "L-002"]
    repo.run("forget", "L-002")
    assert learn("C") == "L-003"
    repo.run("archive", "L-003")
    assert learn("D") == "L-004"
    repo.run("promote", "L-004")
    assert learn("E") == "L-005"
    assert "was forgotten" in repo.run("show", "L-002", exit_code=4).stderr
    assert repo.run("show", "L-003", "--json").json()["title"] == "C"
    given = {"type": "learned", "category": "technical", "title": "F", "aliases": ["L-040", "old"]}
    assert repo.kb_add(**given, scope="project")["alias"] == "L-040"
    assert learn("G") == "L-041"


@pytest.mark.parametrize(
    "words",
    [
        ("show", "L-001"), ("archive", "L-001"), ("restore", "L-001"), ("forget", "L-001"),
        ("supersede", "L-001", "L-002"), ("link", "L-001", "relates_to", "L-002"),
        ("why", "L-001"), ("related", "L-001"), ("blame", "L-001"), ("log", "L-001"),
        ("reject", "L-001"), ("promote", "L-001"), ("review", "--keep", "L-001"),
    ],
)  # fmt: skip
def test_every_verb_that_takes_a_key_takes_a_number(
    home: Path, repo: Repo, words: tuple[str, ...]
) -> None:
    keys = [repo.kb_add(**one, content="x", scope="project")["key"] for one in (FASTAPI, USERS)]
    repo.commit("Learn")
    if words[0] == "restore":
        repo.run("archive", keys[0])
    done = repo.run(*words)
    assert (FASTAPI["title"] if words[0] == "log" else keys[0]) in done.stdout


@pytest.mark.parametrize("with_driver", [True, False])
def test_two_branches_that_learned_something_are_healed(
    home: Path, tmp_path: Path, with_driver: bool
) -> None:
    """One merges here, one there, and then they merge each other."""
    one = Repo.init(tmp_path / "one")
    one.run("init")
    one.commit("Begin")
    other = Repo.clone(one, tmp_path / "other", person=BEN)
    if with_driver:
        other.run("install")
    else:
        one.run("uninstall")
    for repo, titles in ((one, ("A", "B")), (other, ("C", "D", "E"))):
        for title in titles:
            repo.kb_add(
                type="learned", category="technical", title=title, content="x", scope="project"
            )
        repo.commit(f"Learn {titles}")
    heads = [repo.git("rev-parse", "HEAD").stdout.strip() for repo in (one, other)]
    for repo, source, head in ((one, other, heads[1]), (other, one, heads[0])):
        repo.git("fetch", "-q", str(source.path))
        merged = repo.git("merge", "-q", "--no-edit", head)
        if with_driver:
            assert "both sides had given the same numbers" in merged.stderr
        else:
            assert "gitkb compact" in repo.run("check").stderr
            repo.run("compact")
        found = [name for names in numbers(repo.path).values() for name in names]
        assert sorted(found) == ["L-001", "L-002", "L-003", "L-004", "L-005"]
        assert "all is well" in repo.run("check").stderr
        repo.commit("Heal")
    assert one.tree() == other.tree()
    one.git("fetch", "-q", str(other.path))
    one.git("merge", "-q", "--no-edit", "FETCH_HEAD")
    assert one.tree() == other.tree()
    assert one.status() == []


def test_one_promoted_and_the_other_edited_and_nothing_is_lost(home: Path, repo: Repo) -> None:
    key = repo.kb_add(**USERS, content="old", scope="project")["key"]
    repo.commit("Learn")
    repo.git("switch", "-q", "-c", "edit")
    repo.kb_add(**USERS, content="new", tags=["db"])
    repo.commit("Edit")
    repo.git("switch", "-q", "main")
    repo.run("promote", key)
    repo.commit("Promote")
    repo.git("merge", "-q", "--no-edit", "edit")
    left = lines(repo.path)[key]
    assert left["moved"] == "workstation"
    assert {one["field"]: one["value"] for one in left["conflicts"]} == {
        "content": "new", "tags": ["db"],
    }  # fmt: skip
    said = repo.run("check")
    assert f"gitkb promote {key}" in said.stderr
    assert "finishes it" in repo.run("review").stderr
    assert repo.run("promote", key).stdout.startswith("moved")
    there = lines(home / "workstation")[key]
    assert (there["content"], there["tags"]) == ("new", ["db"])
    assert "conflicts" not in there
    assert "conflicts" not in lines(repo.path)[key]
    assert "all is well" in repo.run("check").stderr
    assert Repo(home / "workstation").status() == []
    assert repo.run("promote", key).stdout.startswith("kept")


def test_both_promoted_the_same_learning(home: Path, tmp_path: Path, repo: Repo) -> None:
    key = repo.kb_add(**USERS, content="old", scope="project")["key"]
    repo.commit("Learn")
    other = Repo.clone(repo, tmp_path / "clones" / "dossier", person=BEN)
    other.run("install")
    env = {"GITKB_HOME": str(tmp_path / "bens")}
    repo.run("promote", key)
    repo.commit("Promote")
    other.run("promote", key, env=env)
    other.commit("Promote too")
    other.git("pull", "-q", "--no-rebase", "--no-edit")
    assert lines(other.path)[key]["moved"] == "workstation"
    assert other.run("check").exit_code == 0
    assert other.run("promote", key, env=env).stdout.startswith("kept")
    for folder in (home, tmp_path / "bens"):
        assert lines(folder / "workstation")[key]["content"] == "old"


def test_two_machines_of_one_person_give_each_learning_a_number_of_its_own(
    home: Path, repo: Repo, tmp_path: Path
) -> None:
    repo.kb_add(**FASTAPI, content="x")
    remote = Repo.init(tmp_path / "remote.git", bare=True)
    work = Repo(home / "workstation")
    work.git("remote", "add", "origin", str(remote.path))
    work.git("push", "-q", "-u", "origin", "main")
    laptop = {"GITKB_HOME": str(tmp_path / "laptop")}
    (tmp_path / "laptop").mkdir()
    Repo.clone(remote, tmp_path / "laptop" / "workstation")
    second = Repo(tmp_path / "laptop" / "workstation")
    second.run("install", env=laptop)
    repo.kb_add(**METHOD, content="x")
    repo.run("add", stdin=json.dumps({**METHOD, "title": "Review small changes"}), env=laptop)
    repo.run("tier", "pull")
    repo.run("tier", "pull", env=laptop)
    found = sorted(name for names in numbers(second.path).values() for name in names)
    assert found == ["WL-001", "WL-002", "WL-003"]
    assert second.status() == []
    repo.run("tier", "pull")
    assert work.tree() == second.tree()
    assert os.listdir(home)
