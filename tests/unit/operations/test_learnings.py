"""What an operation is told, from all tiers: the acceptance criteria of the read path."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from gitkb.errors import UsageError
from gitkb.operations.learnings import learnings, seen_projects

from store_builder import Shelf, make_shelf


class Place:
    """A workstation with a project on it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = folder / "home"
        self.project = self.make_project("project", "python", "fastapi")
        self._number = 0

    def make_project(self, name: str, *stack: str) -> Shelf:
        shelf = make_shelf(self.folder / name)
        lines = f'shards = 1\n[project]\nname = "{name}"\nstack = {json.dumps(stack)}\n'
        (shelf.folder / "config.toml").write_text(lines)
        return shelf

    def make_tier(self, name: str) -> Shelf:
        if name == "workstation":
            return make_shelf(self.home / "workstation")
        shelf = make_shelf(self.home / "tiers" / name)
        path = self.home / "tiers.json"
        rows = json.loads(path.read_text())["tiers"] if path.exists() else []
        rows.append({"name": name, "url": "/url"})
        path.write_text(json.dumps({"tiers": rows}))
        return shelf

    def learn(self, shelf: Shelf, key: str = "", **fields: Any) -> str:
        self._number += 1
        key = key or f"k{self._number}"
        shelf.add(
            **{
                "key": key,
                "type": "learned",
                "title": f"title of {key}",
                "content": "because",
                "category": "anti-pattern",
                "created": 1000 + self._number,
                **fields,
            }
        )
        return key

    def ask(self, operation: str = "plan", **options: Any) -> list[tuple[str, str]]:
        answer = learnings(self.project.store, operation, **options)
        return [(found.entry.key, found.tier) for found in answer.found]

    def notices(self, operation: str = "plan", **options: Any) -> list[str]:
        return learnings(self.project.store, operation, **options).notices


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A workstation of its own."""
    monkeypatch.setenv("GITKB_HOME", str(tmp_path / "home"))
    return Place(tmp_path)


def test_both_tiers_are_read_and_stack_and_category_have_to_fit(place: Place) -> None:
    """AC-009, AC-010 and TC-001."""
    workstation = place.make_tier("workstation")
    place.learn(place.project, "own", category="architecture")
    place.learn(workstation, "pymysql", stack=["python", "pymysql"], severity="critical")
    place.learn(workstation, "rusty", stack=["rust"], severity="critical")
    place.learn(workstation, "deploying", category="performance", severity="critical")
    assert place.ask() == [("pymysql", "workstation"), ("own", "project")]
    assert place.ask("/add:deploy") == [("deploying", "workstation")]


def test_severity_then_date_then_key(place: Place) -> None:
    """AC-011."""
    place.learn(place.project, "old-high", severity="high")
    place.learn(place.project, "new-high", severity="high")
    place.learn(place.project, "low", severity="low")
    place.learn(place.project, "critical", severity="critical", created=1)
    place.learn(place.project, "b-medium", created=500)
    place.learn(place.project, "a-medium", created=500)
    keys = [key for key, _ in place.ask()]
    assert keys == ["critical", "new-high", "old-high", "a-medium", "b-medium", "low"]


def test_ten_at_most_and_those_the_best(place: Place) -> None:
    """AC-012 and TC-007: 50 entries, 30 of which match."""
    workstation = place.make_tier("workstation")
    for number in range(30):
        severity = "critical" if number % 5 == 0 else "medium"
        place.learn(workstation, f"match{number:02}", severity=severity)
    for _ in range(20):
        place.learn(workstation, category="process", severity="critical")
    found = [key for key, _ in place.ask()]
    assert len(found) == 10
    assert found[:6] == ["match25", "match20", "match15", "match10", "match05", "match00"]
    assert found[6:] == ["match29", "match28", "match27", "match26"]
    assert len(place.ask(limit=3)) == 3
    for limit in (0, 11):
        with pytest.raises(UsageError, match="--limit"):
            place.ask(limit=limit)


def test_nothing_that_matches_is_an_answer_without_a_word(place: Place) -> None:
    """AC-013, AC-014 and TC-004."""
    assert learnings(place.project.store, "plan")[::2] == ([], [])
    place.learn(place.make_tier("workstation"), stack=["haskell"])
    assert learnings(place.project.store, "plan")[::2] == ([], [])


def test_without_a_project_the_other_tiers_speak_for_the_folder(place: Place) -> None:
    """AC-014: the first project."""
    folder = place.folder / "bare"
    folder.mkdir()
    assert learnings(None, "plan", cwd=str(folder))[::2] == ([], [])
    workstation = place.make_tier("workstation")
    place.learn(workstation, "go", stack=["go"])
    place.learn(workstation, "any")
    (folder / "go.mod").write_bytes(b"module x\n")
    found = learnings(None, "plan", cwd=str(folder)).found
    assert [one.entry.key for one in found] == ["any", "go"]
    assert seen_projects() == []


def test_an_empty_stack_always_passes(place: Place) -> None:
    """AC-015, and the edge case of a stack that nothing matches."""
    workstation = place.make_tier("workstation")
    place.learn(workstation, "any")
    place.learn(workstation, "rust", stack=["rust"])
    (place.project.folder / "config.toml").write_text("shards = 1\n[project]\nstack = []\n")
    assert place.ask() == [("any", "workstation")]


def test_the_nearer_tier_wins_and_says_whom_it_shadows(place: Place) -> None:
    workstation, org = place.make_tier("workstation"), place.make_tier("org")
    for shelf in (place.project, workstation, org):
        place.learn(shelf, "same", title=shelf.folder.parent.name)
    place.learn(org, "far")
    answer = learnings(place.project.store, "plan")
    assert [(one.entry.title, one.tier, one.shadows) for one in answer.found] == [
        ("title of far", "org", ()),
        ("project", "project", ("workstation", "org")),
    ]


def test_what_the_nearer_tier_has_put_aside_stays_aside(place: Place) -> None:
    workstation = place.make_tier("workstation")
    place.learn(place.project, "rejected", status="rejected")
    place.learn(workstation, "rejected")
    place.learn(place.project, "no-learning", category=None)
    place.learn(workstation, "no-learning")
    assert place.ask() == []


def test_what_was_forgotten_or_moved_here_is_still_known_there(place: Place) -> None:
    workstation = place.make_tier("workstation")
    place.learn(workstation, "gone")
    place.learn(workstation, "went")
    place.project.write(
        b'{"key":"gone","deleted":true,"ts":1}', b'{"key":"went","moved":"workstation","ts":1}'
    )
    assert place.ask() == [("went", "workstation"), ("gone", "workstation")]


def test_an_unknown_operation_names_those_that_are_known(place: Place) -> None:
    with pytest.raises(UsageError) as refusal:
        place.ask("dance")
    for name in ("plan", "tdd-cycle", "test-writer", "implementer", "deploy", "verify"):
        assert name in str(refusal.value.hint)


def test_a_project_has_operations_and_categories_of_its_own(place: Place) -> None:
    place.learn(place.project, "ci", category="ci-cd")
    assert place.ask() == []
    with (place.project.folder / "config.toml").open("a") as file:
        file.write('[operations]\nrelease = ["ci-cd"]\nplan = ["ci-cd", "process"]\n')
    assert place.ask("release") == place.ask("/add:release") == place.ask() == [("ci", "project")]


def test_a_malformed_entry_is_named_and_skipped(place: Place) -> None:
    workstation = place.make_tier("workstation")
    place.learn(workstation, "good")
    path = workstation.folder / "knowledge" / "all.jsonl"
    with path.open("ab") as file:
        file.write(
            b'{"key":"bad","type":"learned","content":"x","category":"anti-pattern","ts":1}\n'
        )
        file.write(b'{"key":"torn","type":"learned","category":"anti-pa\n')
    assert place.ask() == [("good", "workstation")]
    first, second = place.notices()
    assert "'bad'" in first
    assert "no 'title'" in first
    assert "'workstation'" in first
    assert "gitkb add --key bad" in first
    assert "'torn'" in second
    assert f"gitkb check --dir '{workstation.folder}'" in second
    place.project.write(b'{"key":"own","type":"fact","category":"process","title":"t","ts":1}')
    assert "gitkb add --key own" in place.notices()[0]
    org = place.make_tier("org")
    org.write(b'{"key":"far","type":"fact","category":"process","title":"t","ts":1}')
    assert "those who write there" in place.notices()[-1]


def test_many_malformed_entries_are_counted(place: Place) -> None:
    lines = [b'{"key":"k%d","type":"fact","category":"process","ts":1}' % at for at in range(9)]
    place.project.write(*lines)
    notices = place.notices()
    assert len(notices) == 6
    assert "4 more" in notices[-1]
    assert [note.count(f"'k{at}'") for at in range(9) for note in ["".join(notices)]] == [1] * 9


def test_broken_settings_and_manifests_cost_only_what_they_say(place: Place) -> None:
    place.learn(place.project, "own")
    (place.project.folder / "config.toml").write_text("[project\n")
    (place.folder / "project" / "package.json").write_text("{")
    assert place.ask() == [("own", "project")]
    assert [
        word for note in place.notices() for word in ("config.toml", "package.json") if word in note
    ]


def test_a_tier_that_cannot_be_listed_costs_only_itself(place: Place) -> None:
    workstation = place.make_tier("workstation")
    place.learn(place.project, "own")
    for path in (workstation.folder / "knowledge").iterdir():
        path.unlink()
    (workstation.folder / "knowledge").rmdir()
    os.symlink("knowledge", workstation.folder / "knowledge")  # a link to itself
    assert place.ask() == [("own", "project")]
    assert any("'workstation' is left out" in notice for notice in place.notices())


def test_a_tier_whose_folder_is_a_file_costs_only_itself(place: Place) -> None:
    workstation = place.make_tier("workstation")
    place.learn(place.project, "own")
    (workstation.folder / "knowledge" / "all.jsonl").unlink()
    (workstation.folder / "knowledge" / "all.jsonl").mkdir()
    assert place.ask() == [("own", "project")]
    assert any("cannot read" in notice for notice in place.notices())


def test_no_project_sees_another_unless_it_asks(place: Place) -> None:
    other = place.make_project("other", "fastapi", "mysql")
    rusty = place.make_project("rusty", "rust")
    place.learn(place.project, "own")
    place.learn(other, "theirs", severity="high")
    place.learn(other, "theirs-in-rust", stack=["rust"])
    place.learn(other, "own", title="theirs too")
    place.learn(rusty, "foreign")
    for shelf in (other, rusty):
        learnings(shelf.store, "plan")
    assert place.ask() == [("own", "project")]
    assert place.ask(across=True) == [("theirs", "project other"), ("own", "project")]


def test_the_projects_seen_are_counted_when_asked(place: Place) -> None:
    place.ask()
    place.learn(place.project)
    [seen] = seen_projects()
    assert seen == ("project", str(place.folder / "project"), ("fastapi", "python"), 1)
    place.learn(place.project)
    assert seen_projects()[0].learnings == 2
    assert "learnings" not in (place.home / "projects.json").read_text()


def test_projects_of_one_name_are_told_apart(place: Place) -> None:
    for folder in ("a", "b"):
        twin = make_shelf(place.folder / folder / "twin")
        (twin.folder / "config.toml").write_text('shards = 1\n[project]\nstack = ["python"]\n')
        place.learn(twin, f"of-{folder}")
        learnings(twin.store, "plan")
    tiers = dict(place.ask(across=True))
    assert tiers["of-a"] == "project twin"
    assert tiers["of-b"] == f"project twin ({place.folder / 'b' / 'twin'})"


def test_the_workstation_itself_is_no_project(place: Place) -> None:
    workstation = place.make_tier("workstation")
    place.learn(workstation, "k")
    found = learnings(workstation.store, "plan").found
    assert [(one.entry.key, one.tier) for one in found] == [("k", "workstation")]
    assert seen_projects() == []
