"""The ADD learning library comes in and goes back, as its users do it.

The user's home and gitkb's own folder are each test's own.
"""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from fault_builder import data_lines, fault_at
from repo_builder import BEN, Repo, team

if TYPE_CHECKING:
    from collections.abc import Sequence

FREEFORM = """\
# Project Learnings — dossier

## Anti-Patterns

- **[critical] pymysql is not thread-safe** (2026-02-07)
  Use aiomysql.
- 2026-02-08: The users table has a composite primary key. Join on both columns.

## Agent Checkpoints

### Checkpoint: Post-deploy — 2026-02-09
- The staging site needs two restarts
"""
LIBRARY = {
    "version": "1.0.0",
    "entries": [
        {
            "id": "WL-004",
            "title": "Spec before code",
            "body": "Or lose credibility.",
            "scope": "universal",
            "stack": [],
            "category": "process",
            "severity": "high",
            "source": "dossier",
            "date": "2026-02-01",
        }
    ],
}


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    repo = Repo.init(tmp_path / "dossier")
    repo.run("init", "--shards", "1")
    return repo


@pytest.fixture
def library() -> Path:
    """The user's `~/.claude/add`."""
    folder = Path(os.environ["HOME"]) / ".claude" / "add"
    folder.mkdir(parents=True)
    return folder


def bring(repo: Repo, *arguments: str | Path) -> dict[str, Any]:
    answer: dict[str, Any] = repo.run("import", "--from", "add", *arguments, "--json").json()
    assert answer["total"] == answer["imported"] + len(answer["dropped"])
    return answer


def everything(repo: Repo) -> dict[str, bytes]:
    """All files of the project, of the user's home and of gitkb in it."""
    home = Path(os.environ["HOME"])
    files = [path for path in home.rglob("*") if path.is_file() and ".git/" not in path.as_posix()]
    ours = {f"~/{path.relative_to(home)}": path.read_bytes() for path in files}
    return {
        **repo.tree(),
        **{f".add/{name}": data for name, data in repo.tree(".add").items()},
        **ours,
    }


def messages(answer: dict[str, Any]) -> list[str]:
    return [item["message"] for item in answer["noticed"]]


def entries_of(text: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(text)["entries"]
    return found


# --- AC-021 to AC-024 and TC-005 ---------------------------------------------------------------


def test_freeform_learnings_become_entries_and_the_original_is_kept(repo: Repo) -> None:
    repo.write(".add/learnings.md", FREEFORM)
    answer = bring(repo)
    assert (answer["imported"], answer["added"], answer["dropped"]) == (3, 3, [])
    assert repo.read(".add/learnings.md.bak") == FREEFORM.encode()
    assert repo.read(".add/learnings.md") == FREEFORM.encode()
    first, second, third = (repo.run("show", f"L-00{n}", "--json").json() for n in (1, 2, 3))
    assert first["title"] == "pymysql is not thread-safe"
    assert (first["importance"], first["category"], first["type"]) == (5, "anti-pattern", "pitfall")
    assert (first["stack"], first["scope"]) == (["aiomysql", "pymysql"], "workstation")
    assert (first["project"], first["classified_by"]) == ("dossier", "agent")
    # What cannot be inferred: scope project, severity medium.
    assert second["title"] == "The users table has a composite primary key"
    assert "scope" not in second
    assert "importance" not in second
    assert second["content"].endswith("Join on both columns.")
    assert (third["checkpoint"], third["category"]) == ("post-deploy", "process")
    view = repo.read(".gitkb/views/learnings.md").decode()
    for title in ("pymysql is not thread-safe", "composite primary key", "Post-deploy"):
        assert title in view
    assert any("has no severity: medium (2 of 3)" in message for message in messages(answer))


def test_the_same_import_again_changes_no_byte(repo: Repo, library: Path) -> None:
    repo.write(".add/learnings.md", FREEFORM)
    (library / "library.json").write_text(json.dumps(LIBRARY))
    assert bring(repo)["added"] == 4
    before = everything(repo)
    again = bring(repo)
    assert (again["unchanged"], again["added"], again["updated"]) == (4, 0, 0)
    assert everything(repo) == before


def test_a_dry_run_writes_nothing_and_counts_the_same(repo: Repo, library: Path) -> None:
    repo.write(".add/learnings.md", FREEFORM)
    (library / "library.json").write_text(json.dumps(LIBRARY))
    before = everything(repo)
    dry = bring(repo, "--dry-run")
    assert everything(repo) == before
    wet = bring(repo)
    assert {name: dry[name] for name in dry if name != "noticed"} == {
        name: wet[name] for name in wet if name != "noticed"
    }


def test_a_backup_is_never_written_over(repo: Repo) -> None:
    repo.write(".add/learnings.md", FREEFORM)
    repo.write(".add/learnings.md.bak", "somebody's own\n")
    bring(repo)
    bring(repo)
    repo.write(".add/learnings.md", FREEFORM + "- 2026-02-10: one more thing\n")
    bring(repo)
    assert repo.read(".add/learnings.md.bak") == b"somebody's own\n"
    assert repo.read(".add/learnings.md.bak.1") == FREEFORM.encode()
    assert repo.read(".add/learnings.md.bak.2").endswith(b"one more thing\n")
    assert sorted(repo.tree(".add")) == [
        "learnings.md", "learnings.md.bak", "learnings.md.bak.1", "learnings.md.bak.2",
    ]  # fmt: skip


def test_files_elsewhere_are_read_and_nothing_is_left_beside_them(
    repo: Repo, tmp_path: Path
) -> None:
    (tmp_path / "else").mkdir()
    path = tmp_path / "else" / "notes.md"
    path.write_text(FREEFORM)
    assert bring(repo, path)["added"] == 3
    assert [child.name for child in path.parent.iterdir()] == ["notes.md"]


# --- two tiers ---------------------------------------------------------------------------------


def test_a_library_goes_to_the_workstation_and_learnings_to_the_project(
    repo: Repo, library: Path
) -> None:
    repo.write(".add/learnings.md", FREEFORM)
    (library / "library.json").write_text(json.dumps(LIBRARY))
    bring(repo)
    shown = repo.run("show", "WL-004", "--json", exit_code=None)
    assert b"WL-004" not in repo.read(".gitkb/knowledge/all.jsonl")
    found = repo.run("learnings", "--for", "verify", "--json").stdout
    assert "Spec before code" in found
    assert "workstation" in found
    assert shown.exit_code in (0, 4)


def test_without_its_json_a_library_is_read_as_markdown(repo: Repo, library: Path) -> None:
    (library / "library.md").write_text("## Anti-patterns\n\n- **[high] No globals**: they leak.\n")
    answer = bring(repo)
    assert answer["added"] == 1
    assert (library / "library.md.bak").is_file()
    (library / "library.json").write_text(json.dumps(LIBRARY))
    answer = bring(repo)
    assert answer["added"] == 1
    assert any("is no view of it and was not read" in message for message in messages(answer))


def test_a_broken_library_keeps_nothing_from_the_project(repo: Repo, library: Path) -> None:
    repo.write(".add/learnings.md", FREEFORM)
    (library / "library.json").write_text('{"entries": [')
    answer = bring(repo)
    assert (answer["added"], len(answer["dropped"])) == (3, 1)
    assert answer["dropped"][0]["file"] == "~/.claude/add/library.json"
    assert "it is not JSON" in answer["dropped"][0]["reason"]


def test_where_add_never_was_there_is_nothing_to_import(repo: Repo) -> None:
    done = repo.run("import", "--from", "add", exit_code=4)
    assert "no learnings of ADD" in done.stderr
    assert "gitkb import --from add PATH" in done.stderr
    repo.write(".add/learnings.json", '{"entries":[]}')
    assert bring(repo)["total"] == 0


def test_two_who_import_the_same_files_write_the_same_lines(tmp_path: Path) -> None:
    ada, ben = (pair := team(tmp_path, "--shards", "16")).ada, pair.ben
    ada.write(".add/learnings.md", FREEFORM)
    ada.commit("Log")
    ada.push()
    ben.pull()
    for person in (ada, ben):
        bring(person)
    assert ada.tree() == ben.tree()


def test_another_format_still_needs_a_path(repo: Repo) -> None:
    done = repo.run("import", "--from", "adr", exit_code=2)
    assert "gitkb import --from adr PATH" in done.stderr


# --- what the files say, and what was changed since ----------------------------------------------


def test_what_is_changed_here_stays_until_the_file_says_something_else(repo: Repo) -> None:
    record = {**LIBRARY["entries"][0], "id": "L-001", "scope": "project"}  # type: ignore[dict-item]
    repo.write(".add/learnings.json", json.dumps({"entries": [record]}))
    bring(repo)
    key = repo.run("show", "L-001", "--json").json()["key"]
    shown = repo.run("show", "L-001", "--json").json()
    fields = {name: shown[name] for name in ("type", "title", "category")}
    repo.kb_add(key=key, **fields, content="Here we know better.", aliases=["L-001"], importance=4)
    answer = bring(repo)
    assert answer["unchanged"] == 1
    assert repo.run("show", "L-001", "--json").json()["content"] == "Here we know better."
    record["body"] = "There too, now."
    repo.write(".add/learnings.json", json.dumps({"entries": [record]}))
    answer = bring(repo)
    assert answer["updated"] == 1
    assert repo.run("show", "L-001", "--json").json()["content"] == "There too, now."
    assert b"Here we know better." in repo.read(".gitkb/archive/all.jsonl")


def test_a_record_may_say_but_a_part_of_what_is_known_here(repo: Repo) -> None:
    repo.kb_add(key="mine", type_="learned", title="Mine", content="x", aliases=["L-004"])
    repo.write(".add/learnings.json", json.dumps({"entries": [{"id": "L-004", "title": "Mine"}]}))
    answer = bring(repo)
    assert (answer["imported"], answer["dropped"]) == (1, [])
    assert repo.run("show", "mine", "--json").json()["content"] == "x"


def test_a_number_that_another_has_is_not_taken(repo: Repo) -> None:
    repo.kb_add(key="mine", type_="learned", title="Mine", content="x", aliases=["L-004"])
    record = {**LIBRARY["entries"][0], "id": "L-004"}  # type: ignore[dict-item]
    repo.write(".add/learnings.json", json.dumps({"entries": [record]}))
    answer = bring(repo)
    assert any("'L-004' is another's number here: it is L-005" in m for m in messages(answer))
    assert repo.run("show", "L-004", "--json").json()["key"] == "mine"
    assert repo.run("show", "L-005", "--json").json()["title"] == "Spec before code"
    assert bring(repo)["unchanged"] == 1


def test_what_was_forgotten_or_moved_away_does_not_come_back(repo: Repo) -> None:
    repo.write(".add/learnings.md", FREEFORM)
    bring(repo)
    repo.run("forget", "L-002", "--reason", "wrong", exit_code=None)
    repo.run("promote", "L-001")
    answer = bring(repo)
    assert (answer["imported"], len(answer["dropped"])) == (1, 2)
    reasons = " ".join(item["reason"] for item in answer["dropped"])
    assert "was forgotten" in reasons
    assert "has moved to 'workstation'" in reasons


# --- the real files --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["learnings.json", "learnings-migrated.json"])
def test_every_entry_of_the_real_files_arrives_and_comes_back_as_it_was(
    repo: Repo, shared_data: Path, name: str
) -> None:
    data = (shared_data / "corpora" / "add" / name).read_bytes()
    repo.write(".add/learnings.json", data)
    given = json.loads(data)["entries"]
    answer = bring(repo)
    assert (answer["imported"], answer["dropped"]) == (len(given), [])
    assert not any("an export" in message for message in messages(answer))
    assert entries_of(repo.run("export", "--to", "add").stdout) == given
    assert repo.run("check").exit_code == 0
    before = everything(repo)
    assert bring(repo)["unchanged"] == len(given)
    assert everything(repo) == before


def test_entries_that_break_their_own_schema_are_named_with_what_was_inferred(
    repo: Repo, shared_data: Path
) -> None:
    answer = bring(repo, shared_data / "corpora" / "add" / "learnings.json")
    said = "\n".join(messages(answer))
    for name in ("L-050", "L-051", "L-052", "L-053", "L-054"):
        assert f"({name}): has no category" in said
    assert "scope 'global' is none of ours: universal" in said
    shown = repo.run("show", "L-052", "--json").json()
    assert shown["category"] == "process"
    assert shown["add"]["scope"]["said"] == "process"
    assert '"ci-cd", "security", "testing"' in said


def test_the_real_log_and_the_view_made_of_it_arrive(repo: Repo, shared_data: Path) -> None:
    folder = shared_data / "corpora" / "add"
    assert bring(repo, folder / "learnings-migrated-view.md")["added"] == 28
    # The JSON of which the view was made knows more, and is the same learnings.
    answer = bring(repo, folder / "learnings-migrated.json")
    assert (answer["added"], answer["imported"]) == (0, 28)
    assert bring(repo, folder / "learnings-freeform.md")["imported"] == 28
    assert repo.run("check").exit_code == 0


# --- and back -----------------------------------------------------------------------------------------


def test_an_export_is_a_folder_of_files_that_import_reads_back(
    repo: Repo, library: Path, tmp_path: Path
) -> None:
    repo.write(".add/learnings.md", FREEFORM)
    (library / "library.json").write_text(json.dumps(LIBRARY))
    bring(repo)
    repo.kb_add(type_="decision", title="Mine", content="x", category="security", importance=1)
    repo.kb_add(type_="fact", title="No learning", content="x")
    before = repo.tree()
    repo.run("export", "--to", "add", "--output", "out")
    assert sorted(repo.tree("out")) == [
        "learnings.json", "learnings.md", "library.json", "library.md",
    ]  # fmt: skip
    assert entries_of(repo.read("out/library.json").decode()) == LIBRARY["entries"]
    assert len(entries_of(repo.read("out/learnings.json").decode())) == 4
    assert bring(repo, "out")["unchanged"] == 5
    assert {name: data for name, data in repo.tree().items() if "views" not in name} == {
        name: data for name, data in before.items() if "views" not in name
    }
    first = repo.tree("out")
    repo.run("export", "--to", "add", "--output", "out")
    assert repo.tree("out") == first

    other = Repo.init(tmp_path / "other", person=BEN)
    other.run("init", "--shards", "1")
    other.run("import", "--from", "add", repo.path / "out" / "learnings.json")
    text = other.run("export", "--to", "add").stdout
    assert entries_of(text) == entries_of(repo.read("out/learnings.json").decode())


def test_an_export_to_adds_own_folder_keeps_what_it_replaces(repo: Repo) -> None:
    repo.write(".add/learnings.md", FREEFORM)
    bring(repo)
    repo.run("export", "--to", "add", "--output", ".add")
    assert repo.read(".add/learnings.md.bak") == FREEFORM.encode()
    assert b"Generated from" in repo.read(".add/learnings.md")
    # From here on the JSON is read, and says the same.
    answer = bring(repo)
    assert (answer["unchanged"], answer["imported"]) == (3, 3)
    assert not any("learnings.md" in message for message in messages(answer))
    assert sorted(repo.tree(".add")) == [
        "learnings.json", "learnings.json.bak", "learnings.md", "learnings.md.bak",
    ]  # fmt: skip


# --- cut short ------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("number", [1, 4, 9, 16, 30, 45, 70, 100])
def test_a_killed_import_is_finished_by_the_same_import(
    repo: Repo, library: Path, tmp_path: Path, number: int
) -> None:
    repo.write(".add/learnings.md", FREEFORM)
    (library / "library.json").write_text(json.dumps(LIBRARY))
    environment = fault_at(tmp_path / "fault", number, "kill")
    killed = repo.run("import", "--from", "add", env=environment, exit_code=None)
    assert killed.exit_code in (-signal.SIGKILL, 0)
    data_lines(repo)
    assert bring(repo)["imported"] == 4
    found = worth_keeping(everything(repo))

    os.environ["HOME"] = str(tmp_path / "home")
    os.environ["XDG_DATA_HOME"] = str(tmp_path / "home" / ".local" / "share")
    other = Path(os.environ["HOME"]) / ".claude" / "add"
    other.mkdir(parents=True)
    (other / "library.json").write_text(json.dumps(LIBRARY))
    whole = Repo.init(tmp_path / "once" / "dossier")
    whole.run("init", "--shards", "1")
    whole.write(".add/learnings.md", FREEFORM)
    bring(whole)
    assert found == worth_keeping(everything(whole))


def worth_keeping(files: dict[str, bytes]) -> dict[str, bytes]:
    """The data, views and originals; not locks and caches, nor the files of a store that are empty."""
    kept: Sequence[str] = (".jsonl", ".md", ".bak", ".toml", "library.json")
    return {name: data for name, data in files.items() if data and name.endswith(tuple(kept))}
