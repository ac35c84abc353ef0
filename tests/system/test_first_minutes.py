"""The first five minutes: what init says and offers, what the demo plays, and whom help leads where."""

from __future__ import annotations

import json
import os
import re
import subprocess
from typing import TYPE_CHECKING

import pytest

from repo_builder import Repo, run_program, script

if TYPE_CHECKING:
    from pathlib import Path

RECORD = "# {number}. {title}\n\nDate: 2026-01-02\n\n## Status\n\nAccepted\n\n## Context\n\nWhy.\n\n## Decision\n\nSo.\n"
ENTITY = '{"type":"entity","name":"%s","entityType":"service","observations":["It is slow."]}\n'
CORPUS = '{"key":"retry","type":"learned","content":"Cap it.","tags":[],"ts":1700000000}\n'


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo.init(tmp_path / "repo")


def write_records(repo: Repo, folder: str, count: int = 2) -> None:
    for number in range(1, count + 1):
        text = RECORD.format(number=number, title=f"Use tool {number}")
        repo.write(f"{folder}/000{number}-use-tool-{number}.md", text)


def offers(repo: Repo) -> dict[str, tuple[int, str]]:
    found = repo.run("init", "--json").json()["offers"]
    return {one["format"]: (one["entries"], one["command"]) for one in found}


# --- init ------------------------------------------------------------------------------------


def test_init_asks_nothing_says_what_it_did_and_ends_with_three_commands(repo: Repo) -> None:
    done = repo.run("init")
    lines = done.lines()
    assert done.stderr == ""
    assert len(lines) <= 12
    assert lines[0] == f"store    {repo.path}/.gitkb"
    assert any("6 hooks" in line for line in lines)
    assert lines[-4] == "Try next:"
    for line in lines[-3:]:
        path = os.pathsep.join([os.path.dirname(script("gitkb")), os.environ["PATH"]])
        run_program(["sh", "-c", line], cwd=repo.path, env={"PATH": path})
    assert repo.status() == []


@pytest.mark.parametrize(
    "folder", ["docs/decisions", "docs/adr", "doc/adr", "adr", "docs/architecture/decisions"]
)
def test_decision_records_are_offered_with_the_command_that_brings_them(
    repo: Repo, folder: str
) -> None:
    write_records(repo, folder)
    done = repo.run("init")
    assert f"  gitkb import --from adr {folder}\n" in done.stdout
    assert f"decision records in {folder}: 2 entries" in done.stdout
    assert repo.run("list", "--json").json() == []
    repo.run("import", "--from", "adr", folder)
    assert len(repo.run("list", "--json").json()) == 2
    assert "import" not in repo.run("init").stdout


def test_the_folder_that_adr_tools_name_is_asked(repo: Repo) -> None:
    write_records(repo, "records of ours", 1)
    repo.write(".adr-dir", "records of ours\n")
    assert offers(repo) == {"adr": (1, "gitkb import --from adr 'records of ours'")}


def test_files_of_other_tools_are_offered_and_the_commands_bring_as_many(
    repo: Repo, tmp_path: Path
) -> None:
    repo.write(".drawbar/memory/knowledge.jsonl", CORPUS)
    observation = {"id": 7, "sync_id": "obs-1", "session_id": "s", "type": "bugfix", "title": "One"}
    observation |= {"content": "Two", "created_at": "2026-02-27 20:43:49", "scope": "project"}
    export = {"version": "0.1.0", "sessions": [], "observations": [observation], "prompts": []}
    repo.write(".engram/export.json", json.dumps(export))
    learning: dict[str, object] = {
        "id": "L-001",
        "title": "Cap it",
        "body": "Why.",
        "severity": "high",
        "date": "2026-01-02",
    }
    learning |= {
        "scope": "project",
        "category": "technical",
        "stack": [],
        "source": "x",
        "classified_by": "agent",
    }
    repo.write(
        ".add/learnings.json",
        json.dumps({"$schema": "x", "project": "p", "version": "1", "entries": [learning]}),
    )
    repo.write("memory.jsonl", ENTITY % "clock")
    found = offers(repo)
    assert {"drawbar", "add", "mcp-memory"} <= found.keys()
    for entries, command in found.values():
        before = len(repo.run("list", "--all", "--json").json())
        words = command.split()
        answer = repo.run(*words[1:], "--json").json()
        assert answer["added"] + answer["updated"] == entries
        assert len(repo.run("list", "--all", "--json").json()) == before + entries
    assert offers(repo) == {}


@pytest.mark.parametrize("name", [".mcp.json", ".cursor/mcp.json", ".vscode/mcp.json"])
def test_the_memory_that_an_agent_was_given_is_found(repo: Repo, name: str) -> None:
    repo.write("notes/brain.json", ENTITY % "clock" + ENTITY % "queue")
    server = {"command": "npx", "env": {"MEMORY_FILE_PATH": "${workspaceFolder}/notes/brain.json"}}
    repo.write(name, json.dumps({"mcpServers": {"memory": server}}))
    assert offers(repo) == {"mcp-memory": (2, "gitkb import --from mcp-memory notes/brain.json")}


def test_nothing_outside_of_the_repository_is_read_for_an_offer(repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "brain.json").write_text(ENTITY % "secret")
    os.mkfifo(repo.path / "memory.json")
    (repo.path / "memory.jsonl").symlink_to(tmp_path / "brain.json")
    paths = ["../brain.json", str(tmp_path / "brain.json"), "/dev/zero", "memory.json", "", "a\0b"]
    servers = {
        str(number): {"env": {"MEMORY_FILE_PATH": path}} for number, path in enumerate(paths)
    }
    repo.write(".mcp.json", json.dumps({"mcpServers": servers}))
    write_records(repo, "real")
    (repo.path / "adr").symlink_to(tmp_path)
    assert offers(repo) == {}


def test_what_only_looks_like_it_is_not_offered(repo: Repo) -> None:
    repo.write("docs/decisions/readme.txt", "nothing")
    repo.write("memory.json", "[1, 2]")
    repo.write(".mcp.json", "// comments\n{}")
    repo.write(".drawbar/readme", "x")
    (repo.path / ".add").mkdir()
    assert offers(repo) == {}


def test_outside_of_a_repository_it_works_too(tmp_path: Path) -> None:
    done = run_program([script("gitkb"), "init"], cwd=tmp_path)
    assert "no git repository here" in done.stdout
    assert "git commit" not in done.stdout


# --- the demo --------------------------------------------------------------------------------


def test_the_demo_plays_everything_and_leaves_nothing(tmp_path: Path) -> None:
    done = run_program([script("gitkb"), "demo"], cwd=tmp_path, env={"TMPDIR": str(tmp_path)})
    said = done.stdout
    numbers = [int(number) for number in re.findall(r"^(\d+)\. ", said, re.MULTILINE)]
    assert numbers == list(range(1, len(numbers) + 1))
    for part in (
        "is contested: content",
        "use Money.",
        "integers only.",
        "settled dec_r9m151bh: content",
        "first written: ",
        "'pit_ra40vayt' was forgotten by Ann: the service was replaced",
    ):
        assert part in said
    assert said.rindex("pit_ra40vayt") < said.rindex("ben$ gitkb recall money")
    assert "<<<<" not in said
    assert list(tmp_path.iterdir()) == []


def test_the_demo_leaves_the_stores_of_whoever_watches_alone(tmp_path: Path) -> None:
    mine = Repo.init(tmp_path / "mine")
    mine.run("init", "--shards", "1")
    home = tmp_path / "home"
    mine.run("add", "--type", "learned", "--title", "Round money by hand", "--content", "x",
             "--category", "technical", "--scope", "universal", env={"GITKB_HOME": str(home)})  # fmt: skip
    before = mine.tree()
    env = {"GITKB_DIR": str(mine.path / ".gitkb"), "GITKB_HOME": str(home)}
    done = run_program([script("gitkb"), "demo"], cwd=tmp_path, env=env)
    assert "settled dec_r9m151bh: content" in done.stdout
    assert "by hand" not in done.stdout
    assert mine.tree() == before


def test_every_command_of_the_demo_can_be_typed_in_what_it_keeps(tmp_path: Path) -> None:
    env = {"TMPDIR": str(tmp_path)}
    said = run_program([script("gitkb"), "demo", "--keep"], cwd=tmp_path, env=env).stdout
    [folder] = tmp_path.iterdir()
    assert f"cd {folder}/ann" in said
    assert f"rm -rf {folder}" in said
    ann, ben = Repo(folder / "ann"), Repo(folder / "ben")
    assert ann.tree() == ben.tree()
    assert ann.run("doctor").stdout.startswith("all is well")
    assert [one["key"] for one in ben.run("recall", "money", "--json").json()] == ["dec_r9m151bh"]


def test_a_demo_that_is_interrupted_leaves_nothing(tmp_path: Path) -> None:
    running = subprocess.Popen(
        [script("gitkb"), "demo"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    assert running.stdout is not None
    running.stdout.read(10)
    running.stdout.close()  # as `head` does
    running.wait(60)
    assert list(tmp_path.iterdir()) == []


# --- help ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("dem", "gitkb demo, or gitkb demote"),
        ("supercede", "gitkb supersede"),
        ("doctr", "gitkb doctor"),
        ("update", "gitkb edit"),
        ("delete", "gitkb forget"),
        ("lern", "gitkb learnings"),
        ("xyzzy", "gitkb --help lists them"),
    ],
)
def test_an_unknown_verb_leads_to_the_nearest(tmp_path: Path, word: str, hint: str) -> None:
    for words in ([word], ["help", word]):
        done = run_program([script("gitkb"), *words], cwd=tmp_path, exit_code=2)
        assert done.stderr == f"error: no such verb '{word}'\nhint: {hint}\n"


def test_help_explains_a_verb_however_it_is_asked(repo: Repo) -> None:
    path = os.pathsep.join([os.path.dirname(script("gitkb")), os.environ["PATH"]])
    pages = {
        repo.run("help", "recall").stdout,
        repo.run("recall", "--help").stdout,
        repo.run("recall", "-h").stdout,
        repo.git("kb", "help", "recall", env={"PATH": path}).stdout,
        repo.git("kb", "recall", "-h", env={"PATH": path}).stdout,
    }
    [page] = pages
    assert page.startswith("Usage: gitkb recall")
