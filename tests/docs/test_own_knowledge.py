"""gitkb's own knowledge base: in order, and with the glossary that the documents show."""

from __future__ import annotations

import re
from pathlib import Path

from gitkb.core.entry import Entry
from gitkb.operations.check import check_store
from gitkb.store.discover import store_at
from gitkb.store.reader import read_store

PROJECT = Path(__file__).parents[2]
STORE = store_at(str(PROJECT / ".gitkb"))
TERM = re.compile(r"\| \*\*(.+?)\*\* \| (.+) \|")


def entries() -> list[Entry]:
    records = [at.record for at in read_store(STORE).current.values()]
    return [record for record in records if isinstance(record, Entry)]


def test_our_own_store_is_in_order() -> None:
    result = check_store(STORE, with_head=False)

    assert result.problems == []
    assert result.records > 0


def test_every_file_that_our_store_names_is_there() -> None:
    named = {(entry.key, file) for entry in entries() for file in entry.fields.get("files", ())}

    assert named
    assert {(key, file) for key, file in named if not any(PROJECT.glob(file))} == set()


def test_the_glossary_is_what_our_store_says() -> None:
    page = (PROJECT / "docs" / "glossary.md").read_text("utf-8")
    shown = {match[1]: match[2] for match in TERM.finditer(page)}

    kept = {entry.title: entry.content for entry in entries() if "glossary" in entry.tags}

    assert kept == shown


def test_every_decision_on_record_stands_in_our_store() -> None:
    pages = {f"adr:docs/decisions/{path.name}" for path in PROJECT.glob("docs/decisions/*.md")}

    assert pages == {str(entry.fields["source"]) for entry in entries() if entry.type == "decision"}
