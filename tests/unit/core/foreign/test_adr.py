"""Decision records in the forms in which people write them."""

from __future__ import annotations

import pytest

from gitkb.core.foreign.adr import parse_adr
from gitkb.core.foreign.adr_folder import Folder, fields_of_folder
from gitkb.core.foreign.adr_words import Reference, read_references, status_of

NYGARD = """# 3. Use Postgres

Date: 2026-01-02

## Status

Accepted

Amends [1. Record decisions](0001-record-decisions.md)

## Context

We need a database.

## Decision

Postgres 16.

## Consequences

One more thing to run.
"""
MADR = """---
status: "superseded by [ADR-0005](0005-use-sqlite.md)"
date: 2026-03-04
decision-makers: [Ada, Grace]
tags:
  - Storage
  - "db"
---

# Use Postgres

## Context and Problem Statement

Which database?
"""
OLD_MADR = """# [short name] Use Redis

* Status: proposed
* Deciders: Ada
* Date: 2026-05-06

Technical Story: #12

## Decision Outcome

Redis, because it is there.

## Links

* Supersedes [ADR-0002](0002-use-memcached.md)
* Background: ADR-0001 is of interest
"""


def test_nygards_form() -> None:
    adr = parse_adr(NYGARD, "0003-use-postgres.md")
    assert (adr.number, adr.title) == ("0003", "Use Postgres")
    assert adr.status == "Accepted\nAmends [1. Record decisions](0001-record-decisions.md)"
    assert adr.day == (2026, 1, 2)
    assert adr.content == (
        "## Context\n\nWe need a database.\n\n## Decision\n\nPostgres 16.\n\n"
        "## Consequences\n\nOne more thing to run."
    )
    assert adr.references == (Reference("relates_to", "0001-record-decisions.md", "1"),)
    assert adr.more == {}


def test_madr_with_front_matter() -> None:
    adr = parse_adr(MADR, "0003-use-postgres.md")
    assert adr.title == "Use Postgres"
    assert status_of(adr.status) == ("superseded", "")
    assert adr.day == (2026, 3, 4)
    assert adr.tags == ("Storage", "db")
    assert adr.references == (Reference("superseded_by", "0005-use-sqlite.md", "0005"),)
    assert adr.more == {"decision-makers": ["Ada", "Grace"]}


def test_madr_with_a_list_at_its_head() -> None:
    adr = parse_adr(OLD_MADR, "adr-7-use-redis.md")
    assert (adr.number, adr.status, adr.day) == ("7", "proposed", (2026, 5, 6))
    assert adr.references == (Reference("supersedes", "0002-use-memcached.md", "0002"),)
    assert adr.content.startswith("* Deciders: Ada\n\nTechnical Story: #12\n\n## Decision Outcome")
    assert "Background: ADR-0001" in adr.content


@pytest.mark.parametrize(
    ("heading", "title"),
    [
        ("# 1. Use X", "Use X"),
        ("# ADR-0001: Use X", "Use X"),
        ("# ADR 1 \u2013 Use X #", "Use X"),
        ("1. Use X\n=======", "Use X"),
        ("# 2026 is the year of X", "2026 is the year of X"),
        ("# Использовать `X`", "Использовать `X`"),
        ("no heading", "use x"),
    ],
)
def test_a_title_is_that_of_the_heading_without_its_number(heading: str, title: str) -> None:
    assert parse_adr(f"{heading}\n\nStatus: Accepted\n", "0001-use-x.md").title == title


@pytest.mark.parametrize(
    "text",
    [
        "Status: Accepted",
        "**Status:** Accepted",
        "**Status**: Accepted",
        "- Status: Accepted",
        "| Status | Accepted |",
        "## Status\n\nAccepted",
        "## Status:\n\n**Accepted**",
        "Status\n------\n\nAccepted",
        "Статус: Принято",
        "## 状态\n\n已接受",
    ],
)
def test_a_status_is_found_wherever_it_stands(text: str) -> None:
    adr = parse_adr(f"# T\n\n{text}\n\n## Context\n\nc\n", "0001-t.md")
    assert status_of(adr.status) == ("active", "")
    assert adr.content == "## Context\n\nc"


@pytest.mark.parametrize(
    ("words", "status"),
    [
        ("Accepted", ("active", "")),
        ("✅ approved on Monday", ("active", "")),
        ("Proposed", ("active", "proposed")),
        ("Draft", ("active", "draft")),
        ("Rejected", ("rejected", "")),
        ("Superseded by 5", ("superseded", "")),
        ("**Superceded**", ("superseded", "")),
        ("deprecated", ("superseded", "deprecated")),
        ("Отклонено", ("rejected", "")),
        ("whatever", None),
    ],
)
def test_words_of_status(words: str, status: tuple[str, str] | None) -> None:
    assert status_of(words) == status


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("Superseded by [5. X](0005-x.md)", [("superseded_by", "5")]),
        ("Superceded by [5. X](0005-x.md)", [("superseded_by", "5")]),
        ("Supersedes ADR-3 and ADR-4, ADR-5", [("supersedes", n) for n in "345"]),
        ("**Superseded in part by [ADR-0039](0039-b.md)**", [("related_by", "0039")]),
        ("Supersedes ADR-0010's framing", [("relates_to", "0010")]),
        ("Superseded by ADR-0042 on this point.", [("related_by", "0042")]),
        ("Amended by [2. Y](0002-y.md)", [("related_by", "2")]),
        ("Depends on ADR-2", [("depends_on", "2")]),
        ("Implements ADR-2", [("implements", "2")]),
        ("Supersedes nothing; it extends the gate", []),
        ("It does not supersede ADR-0007", []),
        ("This is not superseded by ADR-7", []),
        ("It supersedes one point of ADR-0003", []),
        ("In 2026 it replaces 3 servers", []),
    ],
)
def test_a_relation_names_a_record(text: str, kinds: list[tuple[str, str]]) -> None:
    assert [(ref.kind, ref.number) for ref in read_references(text)] == kinds


def test_in_a_status_a_bare_number_is_a_record() -> None:
    assert [ref.number for ref in read_references("Superseded by 5", in_status=True)] == ["5"]
    assert list(read_references("Superseded by 5")) == []


def folder(**texts: str) -> Folder:
    """Records of the names `d/000N-x.md`, by number."""
    paths = {f"d/000{name[1:]}-x.md": text for name, text in texts.items()}
    adrs = {path: parse_adr(text, path[2:]) for path, text in paths.items()}
    return fields_of_folder(adrs, {path: f"k{path[5]}" for path in paths})


def of(found: Folder, number: int) -> tuple[str, list[tuple[str, str]]]:
    fields = found.fields[f"d/000{number}-x.md"]
    return fields["status"], [(link["rel"], link["to"]) for link in fields.get("links", ())]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Superseded by [2](0002-x.md)", "Accepted"),
        ("Accepted", "Accepted\n\nSupersedes [1](0001-x.md)"),
        ("Superseded by 2", "Accepted\n\nSupersedes ADR-1"),
    ],
)
def test_whichever_file_says_so_the_old_is_superseded_and_the_new_links(old: str, new: str) -> None:
    found = folder(n1=f"# A\n## Status\n{old}\n", n2=f"# B\n## Status\n{new}\n")
    assert of(found, 1) == ("superseded", [])
    assert of(found, 2) == ("active", [("supersedes", "k1")])


@pytest.mark.parametrize("status", ["Proposed", "Rejected", "Draft"])
def test_what_is_not_accepted_replaces_nothing_yet(status: str) -> None:
    found = folder(n1="# A\nStatus: Accepted\n", n2=f"# B\nStatus: {status}\n\nSupersedes ADR-1\n")
    assert of(found, 1) == ("active", [])
    assert of(found, 2)[1] == [("relates_to", "k1")]


def test_records_that_replace_one_another_in_a_circle_do_not() -> None:
    found = folder(
        n1="# A\nStatus: Accepted\n\nSupersedes ADR-2\n",
        n2="# B\nStatus: Accepted\n\nSupersedes ADR-1\n",
    )
    assert of(found, 1) == ("active", [("supersedes", "k2")])
    assert of(found, 2) == ("superseded", [("relates_to", "k1")])


def test_a_reference_to_what_is_not_there_is_told() -> None:
    found = folder(n1="# A\nStatus: Superseded by ADR-9\n")
    assert of(found, 1) == ("superseded", [])
    assert found.lost == [("d/0001-x.md", "9")]


def test_what_the_front_matter_says_that_is_not_understood_is_kept() -> None:
    text = "---\nstatus: accepted\nteams:\n  - name: core\nnote: |\n  long\n---\n# T\n"
    adr = parse_adr(text, "0001-t.md")
    assert adr.status == "accepted"
    assert adr.more == {"front matter": ["  - name: core", "note: |", "  long"]}


def test_a_heading_in_a_code_block_is_none() -> None:
    adr = parse_adr("# T\nStatus: Accepted\n\n```sh\n# not a title\n## Status\n```\n", "0001-t.md")
    assert adr.title == "T"
    assert "# not a title" in adr.content
