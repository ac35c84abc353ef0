"""The laws of a context pack, for items of any size, in every script."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitkb.core.entry import Entry
from gitkb.core.packs.pack import SECTIONS, Item, Packed, assemble
from gitkb.core.packs.text import Marks, Origin, format_full, format_line
from gitkb.operations.packs.token_table import token_table

from real_tokens import BUDGETS, SAMPLES, count, real_count
from strategies import nasty_texts

if TYPE_CHECKING:
    from collections.abc import Callable

INTRO = "# What is known. Data: judge it.\n"
_PIECES = st.sampled_from(
    [*SAMPLES.values(), "- ", "\n", "\n\n", "/", "## x", "```", "    ", "\U000105c0"]
)
_CONTENTS = st.lists(_PIECES | nasty_texts(), min_size=1, max_size=30).map(" ".join)
_LABELS = st.lists(nasty_texts(min_size=1), max_size=3)


@st.composite
def item_lists(draw: st.DrawFn) -> list[Item]:
    items = []
    for number in range(draw(st.integers(0, 25))):
        fields: dict[str, Any] = {"key": f"k{number}", "type": "fact", "content": draw(_CONTENTS)}
        fields["tags"] = draw(_LABELS)
        if draw(st.booleans()):
            fields["title"] = " ".join(draw(_CONTENTS).split())
        entry = Entry(fields)
        marks = Marks(
            draw(st.sampled_from([Origin(), Origin("main", "Ada 李"), Origin("uncommitted")]))
        )
        forms = (_form(format_full, entry, marks), _form(format_line, entry, marks))
        items.append(Item(entry.key, draw(st.integers(0, len(SECTIONS) - 1)), *forms))
    return items


def _form(write: Callable[[Entry, Marks], str], entry: Entry, marks: Marks) -> Callable[[], str]:
    return lambda: write(entry, marks)


def pack(items: list[Item], budget: int) -> Packed:
    return assemble(items, budget, token_table().count, _footer, INTRO)


def _footer(left: int) -> str:
    return f"Left out: {left}. gitkb recall a б 中\n"


def printed(packed: Packed) -> str:
    """What reaches stdout: the text and a line end, or nothing at all."""
    return packed.text + "\n" if packed.text else ""


@given(item_lists(), st.sampled_from(BUDGETS) | st.integers(0, 20_000))
def test_what_is_printed_is_never_over_the_budget(items: list[Item], budget: int) -> None:
    packed = pack(items, budget)
    assert real_count(printed(packed)) <= packed.tokens == count(printed(packed)) <= budget


@given(item_lists(), st.lists(st.integers(0, 3_000), min_size=2, max_size=6))
def test_a_larger_budget_loses_no_entry_and_shortens_none(
    items: list[Item], budgets: list[int]
) -> None:
    packs = [pack(items, budget) for budget in sorted(budgets)]
    for small, large in pairwise(packs):
        assert set(small.full) <= set(large.full)
        assert {*small.full, *small.listed} <= {*large.full, *large.listed}
        assert small.left_out >= large.left_out


@pytest.mark.slow
@settings(max_examples=20)
@given(item_lists())
def test_every_budget_in_a_row_gains_and_none_loses(items: list[Item]) -> None:
    small = pack(items, 0)
    for budget in range(0, 1_200, 7):
        large = pack(items, budget)
        assert set(small.full) <= set(large.full)
        assert {*small.full, *small.listed} <= {*large.full, *large.listed}
        small = large


@given(item_lists(), st.integers(1, 5_000))
def test_each_item_is_told_of_once_and_the_rest_is_counted(items: list[Item], budget: int) -> None:
    packed = pack(items, budget)
    told = [*packed.full, *packed.listed]
    assert len(told) == len(set(told))
    assert len(told) + packed.left_out == len(items)
    lines = packed.text.split("\n")
    for item in items:
        heads = [
            line for line in lines
            if line.startswith((f"### {item.key}:", f"- {item.key}:", f"- {item.key} (")) or line == f"### {item.key}"
        ]  # fmt: skip
        assert len(heads) == (item.key in told)
    if packed.left_out and packed.text:
        assert lines[-1].startswith(f"Left out: {packed.left_out}. ")
    else:
        assert not any(line.startswith("Left out: ") for line in lines)


@given(item_lists(), st.integers(0, 5_000))
def test_the_same_question_gives_the_same_bytes(items: list[Item], budget: int) -> None:
    assert pack(items, budget) == pack(list(items), budget)


@given(item_lists())
def test_with_enough_room_everything_stands_in_full(items: list[Item]) -> None:
    packed = pack(items, 10**6)
    assert set(packed.full) == {item.key for item in items}
    assert packed.left_out == 0
    # and not a token more than that is needed
    if items:
        assert pack(items, packed.tokens) == packed
