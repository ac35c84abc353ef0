"""The freeform logs of ADD: what is a learning in them, and what it says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from gitkb.core.foreign.add_markdown import parse_learnings

if TYPE_CHECKING:
    from pathlib import Path

LOG = """\
# Project Learnings — dossier

> Read by agents.

## Anti-Patterns

- **[critical] pymysql is not thread-safe** (L-001, 2026-02-07)
  Use `aiomysql`.

  ```python
  # not a heading
  - not an item
  ```
  - nested [link](https://example.org)
- 2026-02-08: Never share a cursor. It is not yours.

## Technical Discoveries

A plain paragraph
of two lines.

## Testing

* [high] **Golden files**: compare bytes
  and all of them.

### Checkpoint: Post-TDD of parser — 2026-03-01

- one
- two

<!-- a comment
- of two lines -->
"""


def records(text: str) -> list[dict[str, Any]]:
    return [found.record for found in parse_learnings(text).found]


def only(text: str) -> dict[str, Any]:
    [record] = records(text)
    return record


def test_items_paragraphs_and_checkpoints_are_learnings_and_the_rest_is_named() -> None:
    log = parse_learnings(LOG)
    assert log.project == "dossier"
    assert not log.is_view
    assert [found.line for found in log.found] == [7, 15, 19, 24, 27]
    assert log.skipped == [(3, "a quotation"), (32, "a comment")]
    first, second, third, fourth, fifth = (found.record for found in log.found)
    assert first == {
        "id": "L-001",
        "title": "pymysql is not thread-safe",
        "body": "Use `aiomysql`.\n\n```python\n# not a heading\n- not an item\n```\n"
        "- nested [link](https://example.org)",
        "category": "anti-pattern",
        "severity": "critical",
        "date": "2026-02-07",
    }
    assert (second["title"], second["date"]) == ("Never share a cursor", "2026-02-08")
    assert second["body"] == "Never share a cursor. It is not yours."
    assert (third["category"], third["body"]) == (
        "technical",
        "A plain paragraph\nof two lines.",
    )
    assert (fourth["title"], fourth["category"], fourth["severity"]) == (
        "Golden files",
        "testing",
        "high",
    )
    assert fourth["body"] == "compare bytes\nand all of them."
    assert (fifth["title"], fifth["checkpoint_type"]) == ("Post-TDD of parser", "post-tdd")
    assert fifth["body"] == "- one\n- two"


@pytest.mark.parametrize(
    "line",
    [
        "- **[high] T** (L-002, 2026-02-08)",
        "- **[high] T** (2026-02-08, L-002)",
        "- [high] **T** (L-002, 2026-02-08)",
        "- 2026-02-08 [high] L-002: **T**",
        "* (2026-02-08) **T** [high] (L-002)",
        "1. **2026-02-08** — **L-002** `[high]` **T**",
        "- 🟠 L-002 **T** (2026-02-08)",
        "+ [2026-02-08] **[high]** **L-002: T:**",
        "- [2026-02-08] **HIGH** — **T** (L-002)",
        "- **High:** **T** (L-002, 2026-02-08)",
        "- T (severity: high, L-002, 2026-02-08)",
        "- 2026-02-08: T [L-002, high]",
        "- **T** (L-002, 2026-02-08)\n  - **Severity:** high",
        "### [high] L-002: T (2026-02-08)",
        "### L-002 — T — 2026-02-08\nSeverity: high",
    ],
)
def test_number_date_severity_and_title_may_stand_in_any_order(line: str) -> None:
    record = only(line + "\n")
    found = {name: record.get(name) for name in ("id", "date", "severity", "title", "body")}
    assert found == {
        "id": "L-002",
        "date": "2026-02-08",
        "severity": "high",
        "title": "T",
        "body": "T",
    }


@pytest.mark.parametrize(
    "text",
    [
        "**High** availability needs two nodes",
        "Call it (twice) and wait (see the log)",
        "[see](https://example.org) for more",
        "The high one",
        "2026 was a good year",
        "L-00 is no number",
    ],
)
def test_what_only_looks_so_is_text(text: str) -> None:
    record = only(f"- {text}\n")
    assert "severity" not in record
    assert "id" not in record
    assert "date" not in record


@pytest.mark.parametrize(
    ("heading", "category"),
    [
        ("Technical Discoveries", "technical"),
        ("Architecture Decisions (continued)", "architecture"),
        ("What Worked", "process"),
        ("What Didn't Work", "anti-pattern"),
        ("What didn’t work", "anti-pattern"),
        ("Performance", "performance"),
        ("Collaboration", "collaboration"),
        ("CI/CD", "ci-cd"),
        ("Security", "security"),
        ("Notes", None),
        ("Profile Update Candidates", None),
    ],
)
def test_a_heading_is_a_category(heading: str, category: str | None) -> None:
    assert only(f"# Log\n\n## {heading}\n\n- x is so\n").get("category") == category


def test_lines_that_say_a_field_are_taken_and_those_that_say_a_sentence_stay() -> None:
    record = only(
        "- **T**\n  - Scope: universal\n  - Stack: Python, FastAPI\n  - Category: ci-cd\n"
        "  - Source: dossier\n  - Classified by: human\n  - Checkpoint: retro\n"
        "  - Date: soon, when there is time.\n  text\n"
    )
    assert record == {
        "title": "T",
        "scope": "universal",
        "stack": ["python", "fastapi"],
        "category": "ci-cd",
        "source": "dossier",
        "classified_by": "human",
        "checkpoint_type": "retro",
        "body": "- Date: soon, when there is time.\ntext",
    }


def test_one_without_a_date_stands_beside_one_that_has_it() -> None:
    log = parse_learnings("- a\n- 2026-02-08: b\n- c\n- 2026-02-09: d\n")
    assert [found.around for found in log.found] == [
        "2026-02-08",
        "2026-02-08",
        "2026-02-08",
        "2026-02-09",
    ]
    assert "date" not in log.found[0].record


def test_a_heading_that_is_a_day_dates_what_is_under_it() -> None:
    found = records("# Log\n\n## 2026-02-08\n\n- a\n- 2026-02-09: b\n")
    assert [record["date"] for record in found] == ["2026-02-08", "2026-02-09"]


def test_a_section_below_a_category_is_one_learning() -> None:
    record = only(
        "## Anti-patterns\n\n### pymysql is not thread-safe\n\n**Severity:** critical\n\nUse aiomysql.\n"
        "\n#### Why\n\n- packets\n"
    )
    assert record["title"] == "pymysql is not thread-safe"
    assert (record["category"], record["severity"]) == ("anti-pattern", "critical")
    assert record["body"].endswith("Use aiomysql.\n\n#### Why\n\n- packets")


def test_code_and_lists_that_a_learning_announces_belong_to_it() -> None:
    first, second = records("Do this:\n\n- a\n- b\n\n```\ncode\n```\n\nAnother one.\n")
    assert first["body"] == "Do this:\n\n- a\n- b\n\n```\ncode\n```"
    assert second["body"] == "Another one."


@pytest.mark.parametrize(
    "text", ["", "\n", "# T\n", "---\na: b\n---\n", "> q\n", "<!-- c", "---\n"]
)
def test_what_holds_no_learning_gives_none(text: str) -> None:
    assert records(text) == []


def test_the_real_log_has_what_its_own_tool_found_in_it(shared_data: Path) -> None:
    folder = shared_data / "corpora" / "add"
    log = parse_learnings((folder / "learnings-freeform.md").read_text("utf-8"))
    assert (log.project, len(log.found)) == ("ADD", 28)
    assert {found.record.get("category") for found in log.found} == {
        "technical",
        "architecture",
        "process",
        "anti-pattern",
    }
    text = "\n".join(found.record["title"] + found.record["body"] for found in log.found)
    source = (folder / "learnings-freeform.md").read_text("utf-8")
    skipped = {line for line, _ in log.skipped}
    for number, line in enumerate(source.split("\n"), 1):
        words = line.strip().lstrip("-> #").removeprefix("Checkpoint: ")
        words = words.partition(" — 2026")[0] if line.startswith("#") else words
        words = words.partition(": ")[2] if words[:4] == "2026" else words
        if number > 16 and not line.startswith(("## ", ">", "<!--")) and number not in skipped:
            assert words in text, number


@pytest.mark.parametrize("text", ["-\n", "- \n", "## Learnings\n\n-\n"])
def test_an_item_that_says_nothing_is_named_and_is_no_learning(text: str) -> None:
    log = parse_learnings(text)
    assert (log.found, [what for _, what in log.skipped]) == ([], ["an item that says nothing"])
