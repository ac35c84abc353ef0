"""The laws of an entry as a draft: what nobody touched is as it was, and what was typed is what is read."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from gitkb.core.canonical import encode_sorted
from gitkb.core.entry import Entry, encode_record
from gitkb.core.entry_draft import DraftError, format_draft, mark_fault, parse_draft

from strategies import entries, json_values

texts = st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"], exclude_characters="\x85"),
    min_size=1,
)


def read(text: str, opened: dict[str, Any]) -> dict[str, Any]:
    draft = parse_draft(text, opened)
    assert draft is not None
    return draft.fields


@given(entries())
def test_a_draft_that_nobody_changed_says_what_the_entry_says(entry: Entry) -> None:
    fields = dict(entry.fields)
    again = read(format_draft(fields), fields)
    assert encode_record(Entry(again)) == encode_record(entry)


@given(st.text(min_size=1), json_values())
def test_what_gitkb_does_not_know_survives_a_change_beside_it(name: str, value: Any) -> None:
    fields = {"key": "k", "type": "fact", "content": "Old.", f"x-{name}": value}
    text = format_draft(fields).replace("Old.", "New.")
    again = read(text, fields)
    assert again["content"] == "New." or "Old." in f"{name}{value}"
    assert encode_sorted(again[f"x-{name}"]) == encode_sorted(value)


@given(st.text(min_size=1), json_values())
def test_what_gitkb_does_not_know_can_be_typed_as_it_is_shown(name: str, value: Any) -> None:
    opened = {"key": "k", "type": "fact", "content": "x"}
    shown = {**opened, f"x-{name}": value}
    again = read(format_draft(shown), opened)
    assert encode_sorted(again.get(f"x-{name}", "")) == encode_sorted(value)


@given(texts, st.lists(texts), st.lists(texts.map(str.strip).filter(bool)))
def test_titles_and_lists_can_be_typed_as_they_are_shown(
    title: str, tags: list[str], done: list[str]
) -> None:
    opened = {"key": "k", "type": "fact", "content": "x"}
    again = read(format_draft({**opened, "title": title, "tags": tags, "done": done}), opened)
    assert (again["title"], again.get("tags", []), again.get("done", [])) == (title, tags, done)


@given(entries(), st.text(), st.integers(0, 30))
def test_a_fault_that_is_marked_changes_nothing_and_stands_there_once(
    entry: Entry, reason: str, line: int
) -> None:
    fields = dict(entry.fields)
    text = format_draft(fields)
    once = mark_fault(text, reason, line)
    twice = mark_fault(once, reason, line and line + 1)
    assert twice == once
    assert read(once, fields) == read(text, fields)


def fault_of(text: str, opened: dict[str, Any]) -> DraftError | None:
    try:
        parse_draft(text, opened)
    except DraftError as error:
        return error
    return None


@given(st.text(max_size=300))
def test_whatever_was_saved_is_an_entry_or_a_fault_with_its_line(text: str) -> None:
    opened = {"key": "k", "type": "fact", "content": "x"}
    fault = fault_of(text, opened)
    if fault is not None:
        assert fault.reason
        assert 0 <= fault.line <= text.count("\n") + 1
        assert fault_of(mark_fault(text, fault.reason, fault.line), opened) is not None


@given(st.text("ab:-#\"'[]{}, \n", max_size=60))
def test_whatever_stands_between_the_fences_is_read_or_named(head: str) -> None:
    opened = {"key": "k", "type": "fact", "content": "x"}
    fault = fault_of(f"---\n{head}\n---\n\nx\n", opened)
    assert fault is None or fault.line >= 1
