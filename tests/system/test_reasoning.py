"""Reasoning as a user writes and reads it, through the command line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from repo_builder import ADA, Repo

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    repo = Repo.init(tmp_path / "repo")
    repo.run("init")
    for key, title in (("one", "Use one queue"), ("two", "Use two queues"), ("kafka", "Use Kafka")):
        repo.kb_add(key=key, type_="decision", title=title, content=f"Because of {key}.", ts=1)
    repo.kb_add(key="pg", type_="fact", title='PG "16" --> <b>\u202e', aliases=["L-001"], ts=1)
    repo.commit("Begin")
    return repo


def test_a_change_of_mind_from_beginning_to_end(repo: Repo) -> None:
    done = repo.run("supersede", "one", "two")
    assert done.stdout == "two supersedes one\n"
    assert "hint: undo with gitkb unlink two supersedes one" in done.stderr
    repo.run("reject", "kafka", "--because", "two")
    repo.run("link", "two", "depends_on", "L-001")
    found = [hit["key"] for hit in repo.run("recall", "queue", "--json").json()]
    assert found == ["two", "pg"]  # what was replaced is not found; what is linked is

    story = repo.run("why", "not", "kafka").stdout
    assert story.index("one  decision · superseded") < story.index("two  decision")
    for words in (
        "- replaced by two",
        "- replaces one",
        "- rejected because of two",
        "<- asked for",
    ):
        assert words in story
    assert f"  {ADA.name}\n" in story
    steps = repo.run("why", "one", "--json").json()["steps"]
    assert {step["author"]["author"] for step in steps} == {ADA.name}
    assert [step["status"] for step in steps] == ["superseded", "active", "rejected"]

    repo.run("reject", "pg")
    page = repo.run("show", "two").stdout
    assert "in doubt:   depends on pg, which is rejected: PG" in page
    assert "superseded by: two: Use two queues" in repo.run("show", "one").stdout
    shown = repo.run("show", "one", "--json").json()
    assert shown["superseded_by"] == ["two"]
    assert repo.run("show", "two", "--json").json()["in_doubt"] == ["pg"]

    refused = repo.run("restore", "one", exit_code=5)
    assert "hint: gitkb unlink two supersedes one" in refused.stderr
    undone = repo.run("unlink", "two", "supersedes", "one")
    assert "one is no longer superseded" in undone.stderr
    repo.run("restore", "kafka", "pg")
    assert "all is well" in repo.run("check").stderr


def test_rejecting_what_replaced_another_tells_that_nothing_replaces_it_now(repo: Repo) -> None:
    repo.run("supersede", "one", "two")
    repo.run("supersede", "one", "kafka")
    assert "stays superseded" not in repo.run("reject", "kafka").stderr
    done = repo.run("reject", "two")
    assert "note: 'one' stays superseded" in done.stderr
    assert "hint: gitkb unlink two supersedes one" in done.stderr
    again = repo.run("reject", "two", "--json").json()
    assert (again["written"], again["left_superseded"]) == (False, ["one"])
    repo.run("unlink", "two", "supersedes", "one")
    assert repo.run("reject", "two", "--json").json()["left_superseded"] == []


def test_a_reason_in_words_is_told_to_be_an_entry(repo: Repo) -> None:
    before = repo.tree()
    done = repo.run("reject", "two", "--because", "it costs too much", exit_code=4)
    assert "--because takes no text" in done.stderr
    assert "gitkb add" in done.stderr
    assert "--because takes no text" not in (
        repo.run("reject", "two", "--because", "nope", exit_code=4).stderr
    )
    assert repo.tree() == before


def test_mistakes_are_answered_with_what_helps(repo: Repo) -> None:
    before = repo.tree()
    assert (
        "'one' cannot supersede itself" in repo.run("supersede", "one", "one", exit_code=5).stderr
    )
    assert "no entry 'nope'" in repo.run("supersede", "one", "nope", exit_code=4).stderr
    refused = repo.run("link", "one", "replaces", "two", exit_code=2).stderr
    assert "relates_to, depends_on, implements, supersedes" in refused
    assert "at least 1" in repo.run("related", "one", "--depth", "0", exit_code=2).stderr
    assert "no entry 'nope'" in repo.run("graph", "nope", exit_code=4).stderr
    assert repo.run("unlink", "one", "part_of", "two").exit_code == 0
    assert repo.run("why", "zebra").stderr.startswith("nothing found")
    assert repo.tree() == before
    repo.run("supersede", "one", "two")
    assert repo.run("supersede", "one", "two").stdout == "two superseded one before\n"
    assert (
        "hint: gitkb unlink two supersedes one"
        in repo.run("supersede", "two", "one", exit_code=5).stderr
    )
    assert (
        "hint: gitkb supersede kafka two"
        in repo.run("supersede", "kafka", "one", exit_code=5).stderr
    )


def test_the_same_call_gives_the_same_bytes(repo: Repo) -> None:
    repo.run("supersede", "one", "two")
    repo.run("link", "kafka", "relates_to", "one")
    for call in (
        ("why", "one", "--json"),
        ("related", "one", "--depth", "3", "--json"),
        ("graph", "--json"),
        ("graph", "--format", "dot"),
        ("graph", "one"),
    ):
        first = repo.run(*call).stdout
        assert first == repo.run(*call).stdout
        repo.run("reindex")
        assert first == repo.run(*call).stdout


def test_drawings_hold_no_character_that_cannot_be_seen(repo: Repo) -> None:
    repo.run("link", "one", "relates_to", "pg")
    for form in ("mermaid", "dot", "json"):
        text = repo.run("graph", "--format", form).stdout
        assert "\u202e" not in text
        assert "202e" in text
    graph = json.loads(repo.run("graph", "--json").stdout)
    assert [node["key"] for node in graph["nodes"]] == ["one", "pg"]


def test_a_cut_is_said(repo: Repo) -> None:
    for key in ("two", "kafka", "pg"):
        repo.run("link", "one", "relates_to", key)
    done = repo.run("related", "one", "--limit", "2")
    assert "1 more left out: --limit 3 shows all" in done.stderr
    assert repo.run("related", "one", "--limit", "2", "--json").json()["left_out"] == 1
    drawn = repo.run("graph", "--limit", "3")
    assert "1 more left out: --limit 4 shows all" in drawn.stderr
    assert "%% 1 more left out" in drawn.stdout


def test_the_story_is_told_outside_git_and_without_the_git_program(
    repo: Repo, tmp_path: Path
) -> None:
    plain = Repo(tmp_path / "plain")
    plain.path.mkdir()
    plain.run("init")
    for key in "ab":
        plain.kb_add(key=key, type_="decision", title=key, ts=1)
    plain.run("supersede", "a", "b")
    steps = plain.run("why", "a", "--json").json()["steps"]
    assert [(step["key"], step["author"]) for step in steps] == [("a", None), ("b", None)]
    nowhere = {"PATH": "/nonexistent"}
    repo.run("supersede", "one", "two", env=nowhere)
    told = repo.run("why", "one", "--json", env=nowhere).json()["steps"]
    assert [step["key"] for step in told] == ["one", "two"]


def test_show_works_on_a_damaged_index(repo: Repo) -> None:
    repo.run("supersede", "one", "two")
    repo.run("recall", "queue")
    index = repo.path / ".git" / "gitkb" / "index.sqlite"
    index.write_bytes(b"\0" * 4096 + index.read_bytes()[4096:])
    assert repo.run("show", "one", "--json").json()["superseded_by"] == ["two"]
