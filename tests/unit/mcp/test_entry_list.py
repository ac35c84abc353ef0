"""A list costs little, loses nothing that marks an entry, and no entry can speak for another."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitkb.core.entry import Entry
from gitkb.mcp.answer import ROOM, Answer
from gitkb.mcp.entry_list import FEW, SNIPPET, show_list
from gitkb.mcp.entry_view import View, show_entries
from gitkb.mcp.place import Place
from gitkb.operations.packs.token_table import token_table
from gitkb.store.layout import Store

from strategies import entries, nasty_texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitkb.mcp.answer import Reply

STORE = Store("/p/.gitkb", None, "/p/derived", "made here")
PLACE = Place(STORE, "main")


def listed(views: Sequence[View]) -> Reply:
    answer = Answer(PLACE)
    show_list(answer, STORE, views)
    return answer.reply()


def view(number: int, content: str = "", **fields: Any) -> View:
    marks = fields.pop("marks", {})
    entry = {"key": f"k{number}", "type": "fact", "title": f"Title {number}", "content": content}
    return View(Entry({**entry, **fields}), marks)


def values(reply: Reply) -> list[dict[str, Any]]:
    assert reply.values is not None
    found: list[dict[str, Any]] = reply.values["entries"]
    return found


def test_a_few_are_shown_with_their_contents() -> None:
    views = [view(number, "x" * 900, tags=["a"]) for number in range(FEW)]
    answer = Answer(PLACE)
    show_entries(answer, STORE, views)
    assert listed(views) == answer.reply()


def test_many_are_listed_with_title_and_marks() -> None:
    marks = {"score": 0.5, "superseded_by": ["k9"], "commit": "a" * 10, "author": "Ann"}
    reply = listed([view(n, "Because.", importance=5, marks=marks) for n in range(FEW + 1)])
    assert '[k0] fact · importance 5 · superseded by k9 · by "Ann" in aaaaaaaaaa\n' in reply.text
    assert "\n    Title 0\n    Because.\n[k1] " in reply.text
    assert values(reply)[0] == {
        "key": "k0",
        "type": "fact",
        "importance": 5,
        "title": "Title 0",
        "content": "Because.",
        **marks,
    }


def test_what_is_cut_is_counted_and_the_next_step_named() -> None:
    reply = listed([view(number, "x" * 500) for number in range(FEW + 1)])
    lost = (500 - SNIPPET) * (FEW + 1)
    assert f"{lost} characters cut: gitkb_get KEY has more" in reply.text
    assert reply.values is not None
    assert reply.values["cut"] == lost


def test_a_must_check_is_said_whole_and_a_contested_entry_with_both_values() -> None:
    rule = "MUST-CHECK: " + "round once, when the order is closed; " * 8
    conflict = {"field": "title", "value": "Another title", "ts": 1}
    views = [
        view(0, rule, type="pitfall"),
        view(1, conflicts=[conflict], marks={"contested": True}),
        *(view(number) for number in range(2, FEW + 1)),
    ]
    reply = listed(views)
    assert values(reply)[0]["content"] == rule.strip()
    assert "contested: a merge left two values" in reply.text
    assert "or else: Another title" in reply.text
    assert "Another title" in values(reply)[1]["or_else"]


def test_a_list_costs_a_third_of_what_its_contents_would() -> None:
    views = [view(number, "Floats lost a cent in each invoice. " * 40) for number in range(10)]
    answer = Answer(PLACE)
    show_entries(answer, STORE, views)
    count = token_table().count
    assert count(listed(views).text) * 3 < count(answer.reply().text)


@given(st.lists(st.tuples(nasty_texts(), nasty_texts()), min_size=FEW + 1, max_size=8))
def test_no_entry_begins_a_line_or_closes_the_fence(texts: list[tuple[str, str]]) -> None:
    views = [view(n, content, title=title) for n, (title, content) in enumerate(texts)]
    text = listed(views).text
    name = re.search(r"^<(data-[0-9a-f]+)>$", text, re.M)
    assert name is not None
    assert text.count(f"</{name[1]}>") == 1
    inside = text.split(f"<{name[1]}>\n")[1].split(f"\n</{name[1]}>")[0]
    begun = [line for line in inside.split("\n") if not line.startswith("    ")]
    assert [line.split("]")[0] for line in begun] == [f"[k{n}" for n in range(len(views))]


@given(st.lists(entries(), min_size=3, max_size=4).map(lambda few: few * 13))
def test_a_list_has_a_bound_and_counts_what_it_leaves_out(found: list[Entry]) -> None:
    reply = listed([View(entry, {}) for entry in found])
    assert len(reply.text.encode()) < ROOM + 2_000
    assert reply.values is not None
    assert len(values(reply)) + reply.values["left_out"] == len(found)


@pytest.mark.parametrize("content", ["ё" * 500, "😀" * 100, "a\u202eb" * 90])
def test_a_snippet_is_bounded_in_bytes_and_shows_what_is_hidden(content: str) -> None:
    reply = listed([view(number, content) for number in range(FEW + 1)])
    snippet = values(reply)[0]["content"]
    assert len(snippet.encode()) <= SNIPPET + len("…".encode())
    assert "\u202e" not in reply.text
