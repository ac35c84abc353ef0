"""Which entries a view shows, in which order, and what it says of each."""

from __future__ import annotations

import re
from typing import Any

import pytest

from gitkb.core.documents.view import ViewSettings, format_view, read_view_settings
from gitkb.core.entry import Entry

DAY = 86_400


def entry(key: str, **fields: Any) -> Entry:
    known = {"key": key, "type": "learned", "title": key, "content": "x", "created": 0, "ts": 0}
    return Entry({**known, **fields})


def heads(name: str, *entries: Entry, **settings: Any) -> list[str]:
    text = format_view(name, entries, ViewSettings(**settings)).text
    return re.findall(r"^##+ (.*)", text, re.MULTILINE)


def test_categories_come_in_their_order_then_own_ones_then_what_has_none() -> None:
    entries = [
        entry("a", aliases=["L-001"]),
        entry("b", category="security"),
        entry("c", category="process"),
        entry("d", category="anti-pattern"),
        entry("e", category="technical"),
        entry("f", category="ci-cd"),
    ]
    assert heads("learnings", *entries) == [
        "Technical", "e: e", "Anti-patterns", "d: d", "Process", "c: c", "Ci-cd", "f: f",
        "Security", "b: b", "Other", "L-001: a",
    ]  # fmt: skip


def test_the_newest_comes_first_and_of_one_moment_the_smaller_key() -> None:
    entries = [
        entry("old", category="process", created=1, ts=9),
        entry("b", category="process", created=5),
        entry("a", category="process", created=5),
    ]
    assert heads("learnings", *entries)[1:] == ["a: a", "b: b", "old: old"]


def test_only_what_holds_is_shown() -> None:
    entries = [
        entry(status, category="process", status=status)
        for status in ("active", "superseded", "rejected", "archived")
    ]
    assert heads("learnings", *entries)[1:] == ["active: active"]


def test_the_learnings_are_what_was_written_down_as_one() -> None:
    plain = entry("plain", type="decision")
    marked = [
        entry("a", checkpoint="post-verify"),
        entry("b", classified_by="agent"),
        entry("c", aliases=["WL-004"]),
    ]
    assert heads("learnings", plain, *marked) == ["Other", "a: a", "b: b", "WL-004: c"]


def test_the_knowledge_is_everything_what_has_no_category_by_its_type() -> None:
    entries = [entry("a", type="decision"), entry("b", category="process"), entry("c", type="fact")]
    assert heads("knowledge", *entries) == [
        "Process", "b: b", "Decisions", "a: a", "Facts", "c: c",
    ]  # fmt: skip


def test_a_type_and_a_category_are_views_and_other_names_are_learnings() -> None:
    entries = [
        entry("a", type="decision"),
        entry("b", category="process"),
        entry("c", category="ours"),
    ]
    assert heads("decision", *entries) == ["Decisions", "a: a"]
    assert heads("decisions", *entries) == ["Decisions", "a: a"]
    assert heads("process", *entries) == ["Process", "b: b"]
    assert heads("anti-patterns", *entries) == []
    assert heads("ours", *entries, categories=("ours",)) == ["Ours", "c: c"]
    assert heads("LESSONS", *entries) == ["Process", "b: b", "Ours", "c: c"]


def test_an_entry_shows_number_title_severity_scope_day_and_body() -> None:
    full = entry(
        "k", title="A title", content="The body.", category="technical", importance=5,
        scope="universal", stack=["fastapi", "python"], created=3 * DAY + 5,
        aliases=["L-003", "WL-012", "WL-007"], conflicts=[{"field": "title", "value": "B"}],
    )  # fmt: skip
    assert format_view("learnings", [full], ViewSettings()).text.endswith(
        "### WL-007: A title\n\n"
        "`critical` · `universal` · 1970-01-04 · fastapi, python · **contested**\n\n"
        "The body.\n"
    )
    near = Entry({**full.fields, "scope": "project"})
    assert "### L-003: A title" in format_view("learnings", [near], ViewSettings()).text


def test_an_entry_with_little_to_say_is_shown_too() -> None:
    bare = Entry({"key": "k", "type": "fact", "content": " ", "category": " "})
    view = format_view("learnings", [bare], ViewSettings())
    assert view.text.endswith("## Other\n\n### k\n\n`medium` · `project`\n")
    assert view.entries == 1


def test_without_entries_a_view_says_so() -> None:
    assert format_view("learnings", [], ViewSettings()).text.endswith("\n\nNo entries.\n")
    assert format_view("active", [], ViewSettings()).text == "# Active learnings\n"


def test_an_active_view_ranks_by_severity_then_newest_and_counts_the_rest() -> None:
    entries = [
        entry(f"{importance}-{created}", category="process", importance=importance, created=created)
        for importance in (3, 5)
        for created in (1, 2)
    ]
    assert heads("active", *entries) == ["5-2: 5-2", "5-1: 5-1", "3-2: 3-2", "3-1: 3-1"]
    view = format_view("active", entries, ViewSettings(budget=220))
    assert (view.entries, view.left_out) == (2, 2)
    assert view.text.endswith(
        "2 more learnings are left out; `gitkb view learnings --stdout` shows all.\n"
    )


def test_an_active_view_cuts_long_entries_by_the_same_measure_at_every_budget() -> None:
    long = entry("k", title="t" * 5_000, content="word " * 5_000, category="process")
    views = [format_view("active", [long], ViewSettings(budget=size)) for size in (1_000, 90_000)]
    assert views[0] == views[1]
    assert views[0].entries == 1
    assert "…" in views[0].text


@pytest.mark.parametrize(
    ("values", "settings"),
    [
        ({}, ViewSettings()),
        ({"views": 3}, ViewSettings()),
        ({"views": {"commit": "yes", "names": 3, "budget": True}}, ViewSettings()),
        ({"views": {"names": ["../x", "", ".x", "a/b", 4]}}, ViewSettings()),
        (
            {"views": {"commit": True, "names": ["a.md", "a", "b"], "budget": 400}},
            ViewSettings(True, ("a", "b"), 400),
        ),
    ],
)
def test_settings_that_are_wrong_count_as_not_said(values: Any, settings: ViewSettings) -> None:
    assert read_view_settings(values) == settings


def test_own_categories_are_known_by_the_settings() -> None:
    settings = read_view_settings({"categories": {"extra": ["ours", "process"]}})
    assert settings.categories[-1] == "ours"
