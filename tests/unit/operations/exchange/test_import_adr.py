"""`import --from adr`: a file is an entry, and stays that entry."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gitkb.errors import DataError, NotFoundError
from gitkb.operations.exchange.import_ import import_file
from gitkb.operations.exchange.import_result import Dropped, ImportResult
from gitkb.operations.forget import forget
from gitkb.store.reader import read_store

from store_builder import Shelf, make_shelf

NOW = 1_790_000_000
A = "# 1. Use A\n\nDate: 2026-01-02\n\n## Status\n\nAccepted\n\n## Context\n\nA is there.\n"
B = "# 2. Use B\n\nDate: 2026-02-03\n\n## Status\n\nAccepted\n\nSupersedes [1](0001-a.md)\n"


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return make_shelf(tmp_path)


def write(shelf: Shelf, **texts: str) -> Path:
    folder = shelf.folder.parent / "docs" / "adr"
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name[1:].replace('_', '-')}.md").write_text(text, encoding="utf-8")
    return folder


def bring(shelf: Shelf, path: Path, now: int = NOW) -> ImportResult:
    """Import, and hold what holds for every import."""
    dry = import_file(shelf.store, "adr", str(path), now=now, dry_run=True)
    result = import_file(shelf.store, "adr", str(path), now=now)
    assert dry == result
    assert result.imported + len(result.dropped) == result.total
    before = shelf.tree()
    again = import_file(shelf.store, "adr", str(path), now=now + 1000)
    assert shelf.tree() == before
    assert again.unchanged == again.imported == result.imported
    assert (again.dropped, again.noticed) == (result.dropped, result.noticed)
    return result


def entry(shelf: Shelf, name: str) -> dict[str, Any]:
    found = read_store(shelf.store).find(name)
    assert found is not None
    return dict(found.record.fields)


def test_a_record_becomes_a_decision_of_its_day(shelf: Shelf) -> None:
    result = bring(shelf, write(shelf, _0001_a=A))
    assert (result.total, result.added) == (1, 1)
    fields = entry(shelf, "ADR-0001")
    assert fields.pop("imported")
    assert fields == {
        "key": fields["key"],
        "type": "decision",
        "title": "Use A",
        "content": "## Context\n\nA is there.",
        "files": ["docs/adr/0001-a.md"],
        "source": "adr:docs/adr/0001-a.md",
        "created": 1767312000,
        "ts": 1767312000,
        "aliases": ["ADR-0001"],
        "adr": {"status": "Accepted", "date": "2026-01-02"},
    }
    assert fields["key"].startswith("dec_")


def test_what_supersedes_becomes_an_edge_with_its_status(shelf: Shelf) -> None:
    bring(shelf, write(shelf, _0001_a=A, _0002_b=B))
    old, new = entry(shelf, "ADR-0001"), entry(shelf, "ADR-0002")
    assert old["status"] == "superseded"
    assert new["links"] == [{"rel": "supersedes", "to": old["key"]}]


def test_a_successor_alone_brings_the_old_one_along(shelf: Shelf) -> None:
    folder = write(shelf, _0001_a=A)
    bring(shelf, folder)
    write(shelf, _0002_b=B, _0003_c="# 3. C\n\nStatus: Accepted\n")
    result = bring(shelf, folder / "0002-b.md")
    assert (result.added, result.updated, result.total) == (1, 1, 2)
    assert entry(shelf, "ADR-0001")["status"] == "superseded"
    assert read_store(shelf.store).find("ADR-0003") is None


def test_an_edited_record_updates_its_entry_and_the_old_text_is_archived(shelf: Shelf) -> None:
    folder = write(shelf, _0001_a=A)
    bring(shelf, folder)
    key = entry(shelf, "ADR-0001")["key"]
    write(shelf, _0001_a=A.replace("Use A", "Use AA").replace("is there", "was there"))
    assert bring(shelf, folder).updated == 1
    fields = entry(shelf, key)
    assert (fields["title"], fields["content"]) == ("Use AA", "## Context\n\nA was there.")
    assert (fields["created"], fields["ts"]) == (1767312000, NOW)
    assert [line["title"] for line in shelf.lines("archive")] == ["Use A"]


def test_a_change_made_here_stays_when_the_file_says_something_else_elsewhere(shelf: Shelf) -> None:
    folder = write(shelf, _0001_a=A)
    bring(shelf, folder)
    fields = entry(shelf, "ADR-0001")
    link = {"rel": "relates_to", "to": "k"}
    shelf.add(**{**fields, "content": "mine", "importance": 5, "tags": ["t"], "links": [link]})
    assert bring(shelf, folder).unchanged == 1
    write(shelf, _0001_a=A.replace("Use A", "Use AA"))
    assert bring(shelf, folder, NOW + 5).updated == 1
    new = entry(shelf, "ADR-0001")
    assert (new["title"], new["content"], new["importance"]) == ("Use AA", "mine", 5)
    assert (new["tags"], new["links"]) == (["t"], [link])
    assert "conflicts" not in new


def test_where_both_changed_the_same_field_neither_is_lost(shelf: Shelf) -> None:
    folder = write(shelf, _0001_a=A)
    bring(shelf, folder)
    shelf.add(**{**entry(shelf, "ADR-0001"), "content": "mine"})
    write(shelf, _0001_a=A.replace("is there", "was there"))
    bring(shelf, folder, NOW + 5)
    fields = entry(shelf, "ADR-0001")
    assert fields["content"] == "## Context\n\nA was there."
    assert [(c["field"], c["value"]) for c in fields["conflicts"]] == [("content", "mine")]


def test_a_status_that_is_taken_back_is_taken_back(shelf: Shelf) -> None:
    folder = write(shelf, _0001_a=A, _0002_b=B)
    bring(shelf, folder)
    write(shelf, _0002_b="# 2. Use B\n\nStatus: Rejected\n")
    bring(shelf, folder)
    assert "status" not in entry(shelf, "ADR-0001")
    new = entry(shelf, "ADR-0002")
    assert (new["status"], "links" in new) == ("rejected", False)


def test_a_file_that_is_gone_is_told_and_its_entry_stays(shelf: Shelf) -> None:
    folder = write(shelf, _0001_a=A, _0002_b=B)
    bring(shelf, folder)
    (folder / "0002-b.md").unlink()
    (noticed,) = bring(shelf, folder).noticed
    assert noticed.file == "docs/adr/0002-b.md"
    assert "gitkb archive dec_" in noticed.message
    assert entry(shelf, "ADR-0002")["title"] == "Use B"


def test_a_file_that_was_renamed_keeps_its_entry(shelf: Shelf) -> None:
    folder = write(shelf, _0001_a=A)
    bring(shelf, folder)
    key = entry(shelf, "ADR-0001")["key"]
    (folder / "0001-a.md").rename(folder / "0001-use-a.md")
    result = bring(shelf, folder)
    assert (result.updated, result.added, result.noticed) == (1, 0, [])
    fields = entry(shelf, key)
    assert fields["source"] == "adr:docs/adr/0001-use-a.md"
    assert fields["files"] == ["docs/adr/0001-use-a.md"]


def test_what_is_no_record_is_dropped_with_the_reason(shelf: Shelf) -> None:
    folder = write(
        shelf,
        _0001_a=A,
        _README="# Our decisions\n",
        _adr_template="# {title}\n\nStatus: {accepted | rejected}\n",
        _0002_nul="# B\n\nStatus: Accepted\n\n\0\n",
        _notes="# Notes\n\nStatus: Accepted\n",
    )
    (folder / "0003-latin.md").write_bytes(b"# caf\xe9\n")
    result = bring(shelf, folder)
    assert result.imported == 2
    assert result.dropped == [
        Dropped(0, "a NUL character in the text", "docs/adr/0002-nul.md"),
        Dropped(0, "not UTF-8", "docs/adr/0003-latin.md"),
        Dropped(
            0,
            "no decision record: neither a number in its name nor a status in its text",
            "docs/adr/README.md",
        ),
        Dropped(0, "a template", "docs/adr/adr-template.md"),
    ]


def test_a_forgotten_record_does_not_come_back(shelf: Shelf) -> None:
    folder = write(shelf, _0001_a=A)
    bring(shelf, folder)
    forget(shelf.store, [entry(shelf, "ADR-0001")["key"]], "wrong")
    (dropped,) = bring(shelf, folder).dropped
    assert "was forgotten" in dropped.reason


def test_records_outside_of_the_repository_are_named_from_above_their_folder(
    shelf: Shelf, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("elsewhere") / "adr"
    folder.mkdir()
    (folder / "0001-a.md").write_text(A)
    bring(shelf, folder)
    fields = entry(shelf, "ADR-0001")
    assert fields["source"] == "adr:adr/0001-a.md"


def test_what_cannot_be_imported_says_why(shelf: Shelf, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(NotFoundError, match="no Markdown file"):
        import_file(shelf.store, "adr", str(tmp_path / "empty"), now=NOW)
    path = tmp_path / "memory.jsonl"
    path.write_text('{"type":"entity","name":"a","entityType":"b","observations":[]}\n')
    with pytest.raises(DataError, match="this looks like mcp-memory") as error:
        import_file(shelf.store, "adr", str(path), now=NOW)
    assert error.value.hint == f"gitkb import --from mcp-memory {path}"


def test_real_records_come_in_whole(shelf: Shelf, shared_data: Path) -> None:
    folder = shared_data / "corpora" / "adr"
    result = bring(shelf, folder)
    assert (result.added, result.dropped) == (40, [])
    current = read_store(shelf.store).current
    fields = [at.record.fields for at in current.values()]
    assert sum(entry.get("status") == "superseded" for entry in fields) == 2
    for path in sorted(folder.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        own = entry(shelf, f"ADR-{path.name[:4]}")
        rest = text.split("\n## ", 1)[1]
        assert rest.rstrip("\n").split("\n")[-1].rstrip() in own["content"]
        assert own["title"] in text


def test_this_projects_own_decisions_come_in(shelf: Shelf) -> None:
    folder = Path(__file__).parents[4] / "docs" / "decisions"
    result = bring(shelf, folder)
    assert result.dropped == []
    assert result.added == len(list(folder.glob("*.md"))) >= 9


def test_of_a_project_the_usual_folders_are_read(shelf: Shelf) -> None:
    top = shelf.folder.parent
    write(shelf, _0001_a=A)
    (top / "node").mkdir()
    (top / "node" / "0009-z.md").write_text(A)
    (top / ".git").mkdir()
    assert bring(shelf, top).total == 1
    (top / ".adr-dir").write_text("node\n")
    assert bring(shelf, top).noticed == []
    assert entry(shelf, "ADR-0009")["source"] == "adr:node/0009-z.md"


def test_two_folders_that_count_from_one_do_not_share_a_name(shelf: Shelf) -> None:
    folder = write(shelf, _0001_a=A)
    (folder / "web").mkdir()
    (folder / "web" / "0001-b.md").write_text(B)
    bring(shelf, folder)
    assert entry(shelf, "ADR-0001")["title"] == "Use A"
    (folder / "api").mkdir()
    (folder / "api" / "0001-c.md").write_text(B)
    bring(shelf, folder)
    assert entry(shelf, "ADR-0001")["title"] == "Use A"


def test_a_file_named_by_its_day_is_of_that_day(shelf: Shelf) -> None:
    bring(shelf, write(shelf, _20260131_a="# A\n", _20260131_b="# B\n"))
    lines = shelf.lines()
    assert [line["created"] for line in lines] == [1769817600] * 2
    assert not any("aliases" in line for line in lines)
