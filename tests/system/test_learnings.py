"""`gitkb learnings` as an agent meets it at the start of its work."""

from __future__ import annotations

import json
import os
import sys
import time
from typing import TYPE_CHECKING

import pytest

from repo_builder import Repo, run_program, script

if TYPE_CHECKING:
    from pathlib import Path

PYMYSQL = {
    "key": "pymysql",
    "type": "pitfall",
    "title": "pymysql is not thread-safe",
    "content": "asyncio.to_thread() with pymysql corrupts packets.\nUse aiomysql.",
    "category": "anti-pattern",
    "severity": "critical",
    "stack": ["python", "pymysql"],
    "scope": "project",
}


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A project of Python and FastAPI, as ADD describes it."""
    repo = Repo.init(tmp_path / "repo")
    repo.run("init", "--shards", "16")
    config = {
        "architecture": {"languages": [{"name": "Python"}], "backend": {"framework": "FastAPI"}}
    }
    repo.write(".add/config.json", json.dumps(config))
    return repo


def test_a_plan_is_told_of_the_threads_of_pymysql(repo: Repo) -> None:
    """TC-001."""
    repo.kb_add(**PYMYSQL)
    done = repo.run("learnings", "--for", "/add:plan")
    assert done.lines()[0].startswith(
        "pymysql  critical · anti-pattern · project · pymysql, python · "
    )
    assert done.lines()[1:] == [
        "    pymysql is not thread-safe",
        "    asyncio.to_thread() with pymysql corrupts packets.",
        "    Use aiomysql.",
    ]
    assert done.stderr == ""
    [value] = repo.run("learnings", "--for", "plan", "--json").json()
    assert (value["key"], value["tier"], value["severity"]) == ("pymysql", "project", "critical")
    assert value["content"] == PYMYSQL["content"]


@pytest.mark.parametrize(
    "words", [("learnings", "--for", "tdd-cycle"), ("learnings", "--for", "/add:deploy")]
)
def test_where_nothing_matches_not_a_word_is_said(repo: Repo, words: tuple[str, ...]) -> None:
    """TC-004, AC-013 and AC-014."""
    repo.kb_add(**{**PYMYSQL, "stack": ["haskell"]})
    repo.run("learnings", "--for", "plan")
    for where in (repo.path, repo.path.parent):
        done = run_program([script("gitkb"), *words], cwd=where)
        assert (done.stdout, done.stderr) == ("", "")
        assert run_program([script("gitkb"), *words, "--json"], cwd=where).stdout == "[]\n"


def test_words_that_make_no_sense_are_refused(repo: Repo) -> None:
    for words in (
        ("--for", "dance"),
        (),
        ("--for", "plan", "--limit", "0"),
        ("--for", "plan", "--limit", "11"),
    ):
        done = repo.run("learnings", *words, exit_code=2)
        assert done.stdout == ""
        assert done.stderr.startswith("error: ")
    assert "tdd-cycle" in repo.run("learnings", "--for", "dance", exit_code=2).stderr
    assert repo.run("learnings", "--for", "plan", "--dir", "nowhere", exit_code=4).stdout == ""


def test_warnings_name_the_key_and_go_to_stderr(repo: Repo) -> None:
    repo.kb_add(**PYMYSQL)
    repo.kb_add(key="bare", type="learned", content="no title", category="technical")
    done = repo.run("learnings", "--for", "plan", "--json")
    assert [value["key"] for value in done.json()] == ["pymysql"]
    assert done.stderr.startswith("warning: the learning 'bare' at 'knowledge/")
    assert "no 'title'" in done.stderr


def test_what_add_keeps_and_nobody_brought_in_is_read_where_it_is(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("GITKB_HOME", str(tmp_path / "user" / "gitkb"))
    log = "# Log\n\n## Anti-Patterns\n\n- **[high] {} leaks** (2026-02-01)\n"
    library = tmp_path / "user" / ".claude" / "add" / "library.md"
    library.parent.mkdir(parents=True)
    library.write_text(log.format("FastAPI").replace("high", "medium"))
    repo.write(".add/learnings.md", log.format("Ours"))
    before = repo.status()
    done = repo.run("learnings", "--for", "plan")
    [notice] = done.stderr.splitlines()
    assert notice == (
        "warning: what ADD keeps in '.add/learnings.md' and '~/.claude/add/library.md' "
        "is not imported yet: gitkb import --from add"
    )
    heads = [line for line in done.lines() if not line.startswith(" ")]
    assert [line.split(" · ")[2] for line in heads] == [
        "project (.add/learnings.md)", "workstation (~/.claude/add/library.md)",
    ]  # fmt: skip
    assert "    Ours leaks" in done.lines()
    waiting = repo.run("learnings", "--for", "plan", "--json").json()
    assert [value["read_from"] for value in waiting] == [
        ".add/learnings.md", "~/.claude/add/library.md",
    ]  # fmt: skip
    assert repo.status() == before
    assert not (tmp_path / "user" / "gitkb" / "workstation").exists()
    assert os.listdir(library.parent) == ["library.md"]
    repo.run("import", "--from", "add")
    done = repo.run("learnings", "--for", "plan", "--json")
    assert done.stderr == ""
    imported = done.json()
    assert [(value["key"], value["tier"]) for value in imported] == [
        (value["key"], value["tier"]) for value in waiting
    ]
    assert not any("read_from" in value for value in imported)
    # Neither does it come twice where no copy says that it was imported.
    for copy in (repo.path / ".add" / "learnings.md.bak", library.with_name("library.md.bak")):
        copy.unlink()
    done = repo.run("learnings", "--for", "plan", "--json")
    assert (done.json(), done.stderr) == (imported, "")


def test_what_an_entry_says_cannot_pass_for_a_line_of_ours(repo: Repo) -> None:
    repo.kb_add(**{**PYMYSQL, "content": "x\npymysql  critical\n\x1b[2J\n" + "long " * 500})
    lines = repo.run("learnings", "--for", "plan").lines()
    assert [line for line in lines[1:] if not line.startswith("    ")] == []
    assert "\x1b" not in "".join(lines)
    assert lines[-1].endswith("…")
    assert len("".join(lines)) < 1500


def test_an_entry_says_where_it_was_learned_and_whether_it_is_contested(
    repo: Repo, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    env = {"GITKB_HOME": str(home)}
    work = Repo.init(home / "workstation")
    work.run("init", "--shards", "1")
    conflicts = [{"field": "title", "value": "other", "ts": 1}]
    work.kb_add(**PYMYSQL, project="dossier", conflicts=conflicts)
    done = repo.run("learnings", "--for", "plan", env=env)
    assert " · workstation · pymysql, python · from dossier · " in done.lines()[0]
    assert done.lines()[0].endswith(" · contested")
    [value] = repo.run("learnings", "--for", "plan", "--json", env=env).json()
    assert (value["project"], value["contested"]) == ("dossier", True)


def test_nothing_is_written_into_the_project(repo: Repo) -> None:
    repo.kb_add(**PYMYSQL)
    repo.commit("Begin")
    repo.run("learnings", "--for", "plan")
    repo.run("learnings", "--for", "plan", "--across")
    assert repo.status() == []


def test_the_user_sees_the_projects_of_this_workstation(repo: Repo, tmp_path: Path) -> None:
    repo.kb_add(**PYMYSQL)
    other = Repo.init(tmp_path / "other")
    other.run("init", "--shards", "1")
    other.write("pyproject.toml", "[project]\n")
    assert other.run("learnings", "--for", "plan").stdout == ""
    repo.run("learnings", "--for", "plan")
    assert other.run("learnings", "--for", "plan").stdout == ""
    found = other.run("learnings", "--for", "plan", "--across", "--json").json()
    assert [(value["key"], value["tier"]) for value in found] == [("pymysql", "project repo")]
    listed = other.run("tier", "list", "--projects", "--json").json()["projects"]
    assert [(seen["name"], seen["learnings"]) for seen in listed] == [("other", 0), ("repo", 1)]
    assert "1 learning, fastapi, python" in other.run("tier", "list", "--projects").stdout


def test_five_thousand_are_answered_within_a_second(repo: Repo) -> None:
    lines = [
        json.dumps(
            {
                **PYMYSQL,
                "key": f"k{at}",
                "title": f"title {at}",
                "content": "why " * 60,
                "ts": 1000 + at,
            }
        )
        for at in range(5000)
    ]
    repo.run("add", "--batch", stdin="\n".join(lines))
    starts, times = [], []
    for _ in range(3):
        before = time.perf_counter()
        run_program([sys.executable, "-c", "pass"], cwd=repo.path)
        begun = time.perf_counter()
        found = repo.run("learnings", "--for", "plan", "--json").json()
        starts.append(begun - before)
        times.append(time.perf_counter() - begun)
    assert [value["key"] for value in found] == [f"k{at}" for at in range(4999, 4989, -1)]
    # A second is ninety starts of Python where one takes eleven thousandths; nine were measured.
    assert min(times) < 45 * min(starts)


def test_learnings_of_add_itself_are_filtered(repo: Repo, shared_data: Path) -> None:
    """The corpus as an import would write it: those without a category are named, all others count."""
    entries = json.loads((shared_data / "corpora" / "add" / "learnings.json").read_bytes())[
        "entries"
    ]
    lines = []
    for at, entry in enumerate(entries):
        line = {
            "key": entry["id"], "type": "learned", "title": entry["title"], "content": entry["body"],
            "severity": entry["severity"], "stack": entry["stack"], "aliases": [entry["id"]],
            "ts": 1000 + at,
        }  # fmt: skip
        lines.append(
            json.dumps({**line, **({"category": entry["category"]} if "category" in entry else {})})
        )
    repo.run("add", "--batch", stdin="\n".join(lines))
    lacking = {entry["id"] for entry in entries if "category" not in entry}
    done = repo.run("learnings", "--for", "plan", "--json")
    assert {key for key in lacking if f"'{key}'" in done.stderr} == lacking
    wanted = {"architecture", "anti-pattern", "collaboration"}
    matching = [
        entry for entry in entries
        if entry.get("category") in wanted and (not entry["stack"] or set(entry["stack"]) & {"python", "fastapi"})
    ]  # fmt: skip
    found = done.json()
    assert len(found) == min(10, len(matching))
    assert found[0]["severity"] == "critical"
    assert {value["key"] for value in found} <= {entry["id"] for entry in matching}
    # Categories that ADD does not know are kept, and asked for by operations of one's own.
    with (repo.path / ".gitkb" / "config.toml").open("a") as file:
        file.write('[operations]\nharden = ["security"]\n')
    found = repo.run("learnings", "--for", "harden", "--json").json()
    assert {value["category"] for value in found} == {"security"}


def test_a_home_that_cannot_be_written_costs_no_answer(repo: Repo, tmp_path: Path) -> None:
    repo.kb_add(**PYMYSQL)
    (tmp_path / "file").write_bytes(b"")
    done = repo.run("learnings", "--for", "plan", env={"GITKB_HOME": str(tmp_path / "file" / "x")})
    assert done.stdout.startswith("pymysql")
    assert done.stderr.count("\n") == 1
    assert "tiers.json" in done.stderr


def test_a_linked_worktree_is_the_same_project(repo: Repo, tmp_path: Path) -> None:
    repo.kb_add(**PYMYSQL)
    repo.commit("Begin")
    linked = repo.worktree(tmp_path / "linked", "side")
    found = linked.run("learnings", "--for", "plan", "--across", "--json").json()
    assert [value["tier"] for value in found] == ["project"]
    assert os.path.isdir(linked.path)
