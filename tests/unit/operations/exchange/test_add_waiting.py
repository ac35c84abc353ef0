"""What ADD keeps and nobody has imported yet, among the learnings of its tier."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gitkb.operations.exchange.add_waiting import MOST_BYTES
from gitkb.operations.exchange.import_add import import_add
from gitkb.operations.forget import forget
from gitkb.operations.learnings import Answer, learnings

from store_builder import Shelf, make_shelf

NOW = 1_800_000_000


class Place:
    """A project and a user, both with folders of ADD's."""

    def __init__(self, folder: Path) -> None:
        self.project = make_shelf(folder / "project")
        config = 'shards = 1\n[project]\nname = "project"\nstack = ["python"]\n'
        (self.project.folder / "config.toml").write_text(config)
        self.own = folder / "project" / ".add"
        self.shared = folder / "user" / ".claude" / "add"
        for path in (self.own, self.shared):
            path.mkdir(parents=True)

    def ask(self, **options: Any) -> Answer:
        return learnings(self.project.store, "plan", **options)

    def titles(self, **options: Any) -> list[tuple[str, str]]:
        return [(found.entry.title, found.tier) for found in self.ask(**options).found]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A place of its own, in whose project we stand."""
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("GITKB_HOME", str(tmp_path / "home"))
    found = Place(tmp_path)
    monkeypatch.chdir(tmp_path / "project")
    return found


def markdown(*titles: str, severity: str = "high") -> str:
    items = "".join(f"- **[{severity}] {title}** (2026-02-01)\n  Why.\n" for title in titles)
    return f"# Log\n\n## Anti-Patterns\n\n{items}"


def record(title: str, **fields: Any) -> dict[str, Any]:
    return {
        "id": "L-001", "title": title, "body": "Why.", "scope": "project", "stack": [],
        "category": "anti-pattern", "severity": "high", "source": "project", "date": "2026-02-01",
        **fields,
    }  # fmt: skip


def document(*entries: Any) -> str:
    return json.dumps({"version": "1.0.0", "entries": entries})


def learn(shelf: Shelf, **fields: Any) -> None:
    shelf.add(
        **{"type": "learned", "content": "Why.", "category": "anti-pattern", "created": 1, **fields}
    )


def test_they_are_ranked_and_filtered_with_the_rest_and_capped(place: Place) -> None:
    learn(place.project, key="own", title="Own", severity="medium", content="Ours.")
    (place.own / "learnings.json").write_text(
        document(
            record("Grave", severity="critical"),
            record("Slight", id="L-002", severity="low"),
            record("Rusty", id="L-003", stack=["rust"]),
            record("Elsewhere", id="L-004", category="performance"),
        )
    )
    (place.shared / "library.md").write_text(markdown("Shared"))
    assert place.titles() == [
        ("Grave", "project"), ("Shared", "workstation"), ("Own", "project"), ("Slight", "project"),
    ]  # fmt: skip
    froms = [found.read_from for found in place.ask().found]
    assert froms == [".add/learnings.json", "~/.claude/add/library.md", "", ".add/learnings.json"]
    assert len(place.ask().notices) == 1
    (place.shared / "library.md").write_text(markdown(*(f"Shared {n}" for n in range(500))))
    assert len(place.ask().found) == 10


def test_json_comes_before_the_markdown_beside_it(place: Place) -> None:
    (place.own / "learnings.json").write_text(document(record("From JSON")))
    (place.own / "learnings.md").write_text(markdown("From Markdown"))
    assert place.titles() == [("From JSON", "project")]


@pytest.mark.parametrize("name", ["learnings.json", "learnings.md"])
def test_what_an_import_took_in_or_somebody_forgot_is_not_given_again(
    place: Place, name: str
) -> None:
    path = place.own / name
    ours = {
        "One": record("One"),
        "Two": record("Two", id="L-002"),
        "New": record("New", id="L-003"),
    }

    def write(*titles: str) -> None:
        is_json = name.endswith(".json")
        path.write_text(document(*map(ours.get, titles)) if is_json else markdown(*titles))

    write("One", "Two")
    waiting = place.ask().found
    import_add(place.project.store, None, now=NOW)
    assert [found.entry.key for found in place.ask().found] == [f.entry.key for f in waiting]
    assert {found.read_from for found in place.ask().found} == {""}
    forget(place.project.store, [waiting[0].entry.key], "wrong")
    assert len(place.ask().found) == 1
    assert place.ask().notices == []
    write("One", "Two", "New")
    new = [(found.entry.title, found.read_from) for found in place.ask().found if found.read_from]
    assert new == [("New", f".add/{name}")]
    assert len(place.ask().notices) == 1


def test_a_learning_that_is_known_under_another_origin_is_no_double(place: Place) -> None:
    learn(place.project, key="own", title="One")
    (place.own / "learnings.md").write_text(markdown("One"))
    assert [found.entry.key for found in place.ask().found] == ["own"]
    assert place.ask().notices == []


def test_of_one_learning_in_both_files_the_project_s_speaks(place: Place) -> None:
    (place.own / "learnings.md").write_text(markdown("One"))
    (place.shared / "library.md").write_text(markdown("One"))
    [found] = place.ask().found
    assert (found.tier, found.shadows) == ("project", ("workstation",))


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("learnings.json", b"{"),
        ("learnings.json", b'{"entries": 3}'),
        ("learnings.json", b"\xff"),
        ("learnings.md", b"# Log\n\xff"),
        ("learnings.md", b"# Log\n" + b"- x\n" * (MOST_BYTES // 4)),
    ],
)
def test_a_file_that_cannot_be_read_is_a_notice_and_costs_nothing_else(
    place: Place, name: str, data: bytes
) -> None:
    (place.own / name).write_bytes(data)
    (place.shared / "library.md").write_text(markdown("Shared"))
    assert place.titles() == [("Shared", "workstation")]
    notice, _ = place.ask().notices
    assert notice.startswith(f"'.add/{name}' is left out: ")


def test_an_entry_that_cannot_be_read_does_not_keep_the_others(place: Place) -> None:
    (place.own / "learnings.json").write_text(document(3, record("One"), {"id": "L-009"}))
    assert place.titles() == [("One", "project")]
    notice, _ = place.ask().notices
    assert notice.startswith(
        "entry 1 of '.add/learnings.json' is left out: it is no object, and 1 "
    )


@pytest.mark.parametrize("data", ["", document(), "[]"])
def test_of_a_file_without_learnings_nothing_is_said(place: Place, data: str) -> None:
    """Section 7: an empty file is no error."""
    name = "learnings.json" if data else "learnings.md"
    (place.own / name).write_text(data)
    assert place.ask()[::2] == ([], [])


def test_without_a_store_they_are_read_as_well(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bare" / ".add").mkdir(parents=True)
    (tmp_path / "bare" / ".add" / "learnings.md").write_text(markdown("Ours"))
    monkeypatch.chdir(tmp_path / "bare")
    answer = learnings(None, "plan")
    assert [(found.entry.title, found.read_from) for found in answer.found] == [
        ("Ours", ".add/learnings.md")
    ]
    assert answer.notices[-1].endswith("gitkb init && gitkb import --from add")
