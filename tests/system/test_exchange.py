"""Import from and export to other tools, as users do it."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING

import pytest

from repo_builder import Repo, team

if TYPE_CHECKING:
    from pathlib import Path

ADR = "# 1. Use A\n\nDate: 2026-01-02\n\n## Status\n\nAccepted\n\n## Context\n\nA is there.\n"
NEXT = "# 2. Use B\n\nDate: 2026-02-03\n\n## Status\n\nAccepted\n\nSupersedes ADR-0001\n"
GRAPH = (
    '{"type":"entity","name":"a","entityType":"person","observations":["x\\u001b[31m"]}\n'
    '{"type":"entity","name":"b","entityType":"rule","observations":[]}\n'
    '{"type":"relation","from":"a","to":"b","relationType":"knows"}\n'
)


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    repo = Repo.init(tmp_path / "repo")
    repo.run("init", "--shards", "16")
    return repo


def test_two_who_import_the_same_records_write_the_same_lines(tmp_path: Path) -> None:
    ada, ben = (pair := team(tmp_path, "--shards", "16")).ada, pair.ben
    ada.write("docs/adr/0001-a.md", ADR)
    ada.commit("Decide")
    ada.push()
    ben.pull()
    for person in (ada, ben):
        person.run("import", "--from", "adr", "docs/adr")
    assert ada.tree(".gitkb/knowledge") == ben.tree(".gitkb/knowledge")
    ada.commit("Import")
    ada.push()
    ben.write("docs/adr/0002-b.md", NEXT)
    ben.run("import", "--from", "adr", "docs/adr/0002-b.md")
    ben.commit("Decide and import")
    ben.pull("--no-rebase", "--no-edit")
    assert ben.run("import", "--from", "adr", "docs/adr", "--json").json()["unchanged"] == 2
    assert ben.run("check").exit_code == 0
    shown = ben.run("show", "ADR-0001", "--json").json()
    assert (shown["status"], shown.get("conflicts")) == ("superseded", None)


def test_an_edit_on_each_branch_ends_as_the_merged_file_says(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "repo")
    repo.run("init", "--shards", "1")
    long = ADR + "".join(f"\nLine {number}.\n" for number in range(9))
    repo.write("docs/adr/0001-a.md", long)
    repo.run("import", "--from", "adr", "docs/adr")
    repo.commit("Import")
    repo.checkout("theirs", new=True)
    repo.write("docs/adr/0001-a.md", long.replace("Line 8", "Line eight"))
    repo.run("import", "--from", "adr", "docs/adr")
    repo.commit("Eight")
    repo.checkout("main")
    repo.write("docs/adr/0001-a.md", long.replace("A is there", "A was there"))
    repo.run("import", "--from", "adr", "docs/adr")
    repo.commit("Was")
    repo.merge("theirs", "--no-edit")
    repo.run("import", "--from", "adr", "docs/adr")
    shown = repo.run("show", "ADR-0001", "--json").json()
    assert "A was there" in shown["content"]
    assert "Line eight" in shown["content"]
    assert "conflicts" not in shown


def test_a_dry_run_says_what_it_would_do_and_writes_nothing(repo: Repo) -> None:
    repo.write("memory.jsonl", GRAPH)
    before = repo.tree()
    done = repo.run("import", "--from", "mcp-memory", "memory.jsonl", "--dry-run")
    assert done.stdout == (
        "3 found: 3 imported, 0 dropped (3 new, 0 updated, 0 outdated, 0 unchanged, 0 repaired)"
        ": nothing was written\n"
    )
    assert repo.tree() == before


def test_the_answer_in_json_names_everything(repo: Repo) -> None:
    repo.write("docs/adr/0001-a.md", ADR + "\nSupersedes ADR-7\n")
    repo.write("docs/adr/README.md", "# Decisions\n")
    answer = repo.run("import", "--from", "adr", "docs/adr", "--json").json()
    assert (answer["total"], answer["imported"], answer["added"]) == (2, 1, 1)
    assert answer["dropped"][0]["file"] == "docs/adr/README.md"
    assert "noticed" in answer


@pytest.mark.parametrize("form", ["json", "markdown", "mcp-memory"])
def test_a_file_and_stdout_hold_the_same_bytes_and_none_that_move_a_cursor(
    repo: Repo, form: str
) -> None:
    repo.write("memory.jsonl", GRAPH)
    repo.run("import", "--from", "mcp-memory", "memory.jsonl")
    printed = repo.run("export", "--to", form).stdout
    done = repo.run("export", "--to", form, "--output", "out")
    assert done.stdout == "2 entries and 1 link written to 'out'\n"
    assert repo.read("out").decode() == printed
    assert "\x1b" not in printed
    answer = repo.run("export", "--to", form, "--json").json()
    assert (answer["text"], answer["entries"], answer["links"]) == (printed, 2, 1)
    if form == "mcp-memory":
        assert [json.loads(line) for line in printed.splitlines()] == [
            json.loads(line) for line in GRAPH.splitlines()
        ]


def test_an_export_of_another_store_is_taken_in(repo: Repo, tmp_path: Path) -> None:
    repo.run("add", "--key", "k", "--type", "fact", "--content", "x")
    repo.run("export", "--output", "out.json")
    other = Repo.init(tmp_path / "other")
    other.run("init", "--shards", "1")
    answer = other.run("import", "--from", "gitkb", repo.path / "out.json", "--json").json()
    assert answer["added"] == 1
    assert other.run("export").stdout == repo.run("export").stdout


def test_what_cannot_be_written_is_said_and_changes_nothing(repo: Repo) -> None:
    done = repo.run("export", "--output", "none/out.json", exit_code=2)
    assert "there is no folder" in done.stderr
    done = repo.run("import", "--from", "adr", "nowhere", exit_code=4)
    assert "nothing to import at 'nowhere'" in done.stderr
    assert "mcp-memory" in repo.run("import", exit_code=2).stderr
    repo.write("memory.jsonl", GRAPH)
    done = repo.run("import", "memory.jsonl", exit_code=3)
    assert "this looks like mcp-memory" in done.stderr
    assert "gitkb import --from mcp-memory memory.jsonl" in done.stderr


def test_a_file_of_which_nothing_could_be_read_is_told_the_other_formats(repo: Repo) -> None:
    repo.write("notes.txt", "Just a note.\n")
    done = repo.run("import", "notes.txt", exit_code=3)
    assert "0 imported, 1 dropped" in done.stdout
    assert "hint: it was read as drawbar; --from names another: drawbar, engram" in done.stderr
    repo.write("notes.jsonl", '{"key":"a","type":"fact","content":"x","ts":1}\nJust a note.\n')
    assert "--from" not in repo.run("import", "notes.jsonl").stderr


@pytest.mark.parametrize("seed", range(3))
def test_mutated_records_never_break_an_import(repo: Repo, shared_data: Path, seed: int) -> None:
    rng = random.Random(seed)
    pieces = [
        b"\n---\n", b"#", b"\n# ", b"```", b"Status: ", b"Superseded by [", b"](", b"\xff", b"\0",
        b"\r", b"|", b"---\nstatus: [a, 'b\n---\n", b": ", b"<!--", "\u2028".encode(), b"ADR-99999",
    ]  # fmt: skip
    paths = sorted((shared_data / "corpora" / "adr").glob("*.md"))[:12]
    for path in paths:
        data = bytearray(path.read_bytes())
        for _ in range(rng.randint(1, 12)):
            at = rng.randrange(len(data[:900]) + 1)
            data[at : at + rng.randint(0, 40)] = rng.choice(pieces)
        repo.write(f"docs/adr/{path.name}", bytes(data))
    answer = repo.run("import", "--from", "adr", "docs/adr", "--json").json()
    assert answer["imported"] + len(answer["dropped"]) == answer["total"] == len(paths)
    before = repo.tree()
    again = repo.run("import", "--from", "adr", "docs/adr", "--json").json()
    assert again["unchanged"] == again["imported"] == answer["imported"]
    assert repo.tree() == before
    assert repo.run("check", exit_code=None).exit_code == 0


def test_an_export_from_before_undoes_neither_an_edit_nor_a_deletion(
    repo: Repo, tmp_path: Path
) -> None:
    for key in ("edited", "gone", "same"):
        repo.kb_add(key=key, type_="fact", content=f"As {key} was.")
    old = tmp_path / "old.json"
    old.write_text(repo.run("export", "--to", "json").stdout, encoding="utf-8")
    repo.kb_add(key="edited", type_="fact", content="As it is.")
    repo.run("forget", "gone")
    before = repo.tree(".gitkb")
    said = repo.run("import", "--from", "gitkb", str(old), "--json").json()
    assert repo.tree(".gitkb") == before
    assert (said["added"], said["updated"], said["unchanged"]) == (0, 0, 2)
    assert "was forgotten" in said["dropped"][0]["reason"]
