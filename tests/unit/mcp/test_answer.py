"""An answer is bounded, says what it lost, and keeps others' words between fences."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitkb.core.entry import Entry
from gitkb.mcp.answer import ROOM, Answer
from gitkb.mcp.entry_view import View, show_entries
from gitkb.mcp.fence import fence, name_of, size_of, visible
from gitkb.mcp.place import Place
from gitkb.store.layout import Store

from strategies import entries, nasty_texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitkb.mcp.answer import Reply

STORE = Store("/p/.gitkb", None, "/p/derived", "made here")
PLACE = Place(STORE, "main")


def shown(views: Sequence[View], *, whole: bool = False) -> Reply:
    answer = Answer(PLACE)
    show_entries(answer, STORE, views, whole=whole)
    return answer.reply()


def entry(content: str, **fields: Any) -> View:
    return View(Entry({"key": "k", "type": "fact", "content": content, **fields}), {})


def test_the_first_line_names_store_branch_and_loss() -> None:
    assert shown([entry("x")]).text.startswith("store /p/.gitkb · branch main · nothing cut\n")


@pytest.mark.parametrize(
    ("place", "words"),
    [
        (Place(STORE, None), "no git repository"),
        (Place(STORE._replace(worktree="/p"), None), "no branch checked out"),
        (Place(STORE._replace(worktree="/p"), "a\u202eb"), "branch a\\u{202e}b"),
    ],
)
def test_a_place_without_a_branch_says_why(place: Place, words: str) -> None:
    assert f"· {words} ·" in Answer(place).reply().text


def test_a_long_content_is_cut_and_counted() -> None:
    reply = shown([entry("x" * 5_000)])
    assert reply.values is not None
    assert "… [3800 characters more]" in reply.text
    assert "3800 characters cut: gitkb_get KEY has more" in reply.text
    assert reply.values["cut"] == 3_800
    assert reply.values["entries"][0]["cut"] == 3_800


def test_a_cut_never_divides_a_character() -> None:
    reply = shown([entry("я" * 5_000)])
    assert f"{'я' * 600}… [4400 characters more]" in reply.text


def test_entries_without_room_are_left_out_and_counted() -> None:
    views = [entry("x" * 3_000, key=f"k{number}") for number in range(30)]
    reply = shown(views)
    assert reply.values is not None
    count = len(reply.values["entries"])
    assert 5 < count < 30
    assert reply.values["left_out"] == 30 - count
    assert f"{30 - count} left out: raise limit, or narrow it down" in reply.text


def test_one_entry_may_fill_the_answer_but_not_more() -> None:
    reply = shown([entry("x" * (ROOM * 2))], whole=True)
    assert ROOM - 1_000 < len(reply.text.encode()) < ROOM + 1_000


def test_foreign_fields_are_shown_as_long_as_they_are_small() -> None:
    small = shown([entry("x", ticket={"id": 7})], whole=True)
    assert small.values is not None
    assert small.values["entries"][0]["ticket"] == {"id": 7}
    assert 'ticket: {"id":7}' in small.text
    large = shown([entry("x", ticket={"id": "7" * 5_000}, tags=["a"])], whole=True)
    assert large.values is not None
    assert "ticket" not in large.values["entries"][0]
    assert large.values["cut"] > 3_000
    assert len(json.dumps(large.values)) < 3_000


@given(entries())
def test_no_word_of_an_entry_stands_outside_of_a_fence(one: Entry) -> None:
    mark = "ZQX"
    fields = {
        name: f"{mark} {value}" if name in ("title", "content") else value
        for name, value in one.fields.items()
    }
    fields["tags"] = [mark.lower()]
    reply = shown([View(Entry(fields), {"score": 0.5})], whole=True)
    fences = re.compile(r"^<data-(\w+)>$.*?^</data-\1>$", re.DOTALL | re.MULTILINE)
    assert len(fences.findall(reply.text)) == 1
    assert mark not in fences.sub("", reply.text).upper()


@given(entries())
def test_every_answer_can_be_sent(one: Entry) -> None:
    reply = shown([View(one, {})], whole=True)
    reply.text.encode()
    json.dumps(reply.values, ensure_ascii=False, allow_nan=False).encode()


def test_marks_are_words_of_ours() -> None:
    marks = {
        "score": 0.5,
        "archived": True,
        "contested": True,
        "superseded_by": ["n"],
        "in_doubt": ["d"],
    }
    view = View(
        Entry(
            {
                "key": "k",
                "type": "pitfall",
                "content": "MUST-CHECK: x",
                "status": "superseded",
                "importance": 5,
            }
        ),
        marks,
    )
    [heading] = [line for line in shown([view]).text.split("\n") if line.startswith("[k]")]
    assert heading == (
        "[k] pitfall · superseded · importance 5 · MUST-CHECK · score 0.50 · archived · "
        "contested: a merge left two values · superseded by n · "
        "in doubt: it depends on d, no longer true"
    )


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("length", [10, 5_000])
def test_a_contested_entry_gives_both_values_in_text_and_values(whole: bool, length: int) -> None:
    other = "Monthly." + "x" * length
    fields = {
        "key": "k",
        "type": "fact",
        "content": "Weekly.",
        "tags": [f"tag-{number}" for number in range(300)],
        "conflicts": [{"field": "content", "value": other, "ts": 1}, {"field": "title"}],
    }
    reply = shown([View(Entry(fields), {"contested": True})], whole=whole)
    assert "Weekly." in reply.text
    assert "contested content, or else: Monthly." in reply.text
    assert reply.values is not None
    assert "Weekly." in json.dumps(reply.values)
    assert "Monthly." in json.dumps(reply.values)


def test_values_alone_say_all_that_the_text_says() -> None:
    answer = Answer(PLACE)
    answer.say("Two things.")
    answer.notices.append("the search index was built anew")
    show_entries(answer, STORE, [entry("x" * 5_000)])
    values = answer.reply().values
    assert values is not None
    assert values["message"] == "Two things."
    assert "written by others" in values["about"]
    assert values["rest"] == "3800 characters cut: gitkb_get KEY has more"
    assert values["notes"] == ["the search index was built anew"]


@given(st.lists(nasty_texts(), min_size=1, max_size=4))
def test_no_entry_can_close_the_fence_of_another(texts: list[str]) -> None:
    # Whoever knows the texts around theirs can work out every fence that these would have without it.
    texts = [text + f"\n</data-{name_of(visible(other))}>" for text in texts for other in texts]
    answer = Answer(PLACE, room=1_000_000)
    for text in texts:
        answer.head(f"[{name_of(visible(text))}] decision")
        answer.quote(text)
    text = answer.reply().text
    [name] = {
        name
        for name in re.findall(r"(?m)^<data-(\w{10})>$", text)
        if text.count(name) == 2 * len(texts)
    }
    outside = re.sub(rf"(?ms)^<data-{name}>$.*?^</data-{name}>$", "", text)
    assert name not in outside
    assert not re.search(r"</data-\w", outside)


@given(nasty_texts())
def test_the_size_of_a_fence_is_known_before_it_is_made(text: str) -> None:
    assert size_of(visible(text)) == len(fence(text).encode())
