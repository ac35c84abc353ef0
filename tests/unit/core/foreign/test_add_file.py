"""The JSON of ADD: what is a document, and what becomes of an entry that is broken."""

from __future__ import annotations

import json

import pytest

from gitkb.core.foreign.add_file import format_markdown, parse_document
from gitkb.core.jsonl import BadLineError


@pytest.mark.parametrize(
    "text",
    [
        '{"project":"p","entries":[{"id":"L-001"}]}',
        '\ufeff{"entries":[{"id":"L-001"}],"project":"p"}\r\n',
        '{"project":"p","entries":{"any":{"id":"L-001"}}}',
    ],
)
def test_a_document_is_read_however_it_is_written(text: str) -> None:
    document = parse_document(text.encode())
    assert (document.project, document.entries) == ("p", [{"id": "L-001"}])


def test_a_bare_list_is_one_too() -> None:
    assert parse_document(b"[]") == ("", [])


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        ("7", "it is no object"),
        ('{"a":1,"a":2}', "the name 'a' stands in it twice"),
        ('{"a":{"b":1,"b":2}}', "the name 'b' stands in it twice"),
        ('{"a":[NaN]}', "NaN is no JSON"),
        ('{"a":"\\ud800"}', "it holds what is no text, or is nested too deep"),
        ('{"a":"\\u0000"}', ""),
    ],
)
def test_a_broken_entry_says_why_and_leaves_the_others_alone(item: str, reason: str) -> None:
    document = parse_document(f'{{"entries":[{item},{{"id":"L-001"}}]}}'.encode())
    broken, fine = document.entries
    assert fine == {"id": "L-001"}
    assert isinstance(broken, str)
    assert broken == reason or not reason


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "it is not JSON"),
        (b'{"entries":[', "at line 1"),
        (b"\xff", "it is not UTF-8"),
        (b"{}", "it has no list 'entries'"),
        (b"[" * 100_000, "too deep"),
    ],
)
def test_what_is_no_document_says_why(data: bytes, reason: str) -> None:
    with pytest.raises(BadLineError, match=reason):
        parse_document(data)


def test_a_view_groups_by_category_the_newest_first() -> None:
    found = [
        {"id": "L-002", "title": "b", "category": "technical", "date": "2026-01-02", "severity": "low"},
        {"id": "L-001", "title": "a", "category": "ci-cd", "date": "2026-01-01", "severity": "high"},
        {"id": "L-003", "title": "c", "category": "technical", "date": "2026-01-03", "severity": "low"},
        {"id": "L-004", "title": "d\ne", "category": "anti-pattern", "body": "# x\n<!--\n\n- y"},
    ]  # fmt: skip
    text = format_markdown(found, "dossier")
    assert text.split("\n")[6:-1] == [
        "## Anti-Patterns", "", "- **[medium] d e** (L-004)", "  # x", "  <!--", "", "  - y", "",
        "## Technical", "", "- **[low] c** (L-003, 2026-01-03)", "", "- **[low] b** (L-002, 2026-01-02)", "",
        "## Ci Cd", "", "- **[high] a** (L-001, 2026-01-01)", "",
        "---", "*4 entries. Last updated: 2026-01-03. Source: .add/learnings.json*",
    ]  # fmt: skip
    assert json.dumps(text) == json.dumps(format_markdown(reversed(found), "dossier"))
