"""A briefing through MCP keeps its budget, in every script, with all that stands around it."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from gitkb.mcp.call import call_tool

from real_tokens import real_count
from store_builder import make_shelf

if TYPE_CHECKING:
    from pathlib import Path

    from store_builder import Shelf

BUDGETS = (0, 1, 60, 90, 120, 200, 400, 1_000, 2_000, 5_000, 20_000)
TEXTS = (
    "Money is kept in cents, because floats lose a cent in every thousandth invoice. ",
    "Деньги хранятся в копейках, потому что дробные числа теряют копейку. ",
    "Гроші зберігаються в копійках, бо дробові числа гублять копійку. ",
    "金额以分为单位保存，因为浮点数会丢失一分钱。",
)


def size(form: Any) -> int:
    return real_count(form if isinstance(form, str) else json.dumps(form, ensure_ascii=False))


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    shelf = make_shelf(_folder(tmp_path_factory))
    for number in range(40):
        text = TEXTS[number % 4]
        shelf.add(
            key=f"k{number:02}",
            type=("decision", "pitfall", "principle", "fact")[number % 4],
            title=f"{text[:30].strip()} {number}",
            content=f"{text * (number % 7 + 1)} money {number}",
            importance=number % 5 + 1,
        )
    return shelf


def _folder(factory: pytest.TempPathFactory) -> Path:
    return factory.mktemp("pack")


def brief(shelf: Shelf, tool: str, **given: Any) -> tuple[str, dict[str, Any]]:
    reply = call_tool(tool, given, str(shelf.folder))
    assert not reply.is_error, reply.text
    assert reply.values is not None
    return reply.text, reply.values


@pytest.mark.parametrize("task", ["money", "деньги копейки", "гроші", "金额"])
def test_no_answer_is_larger_than_its_budget(shelf: Shelf, task: str) -> None:
    bare = [size(form) for form in brief(shelf, "gitkb_context", task=task, budget=0)]
    assert max(bare) < 100
    for budget in BUDGETS:
        forms = brief(shelf, "gitkb_context", task=task, budget=budget)
        for form, least in zip(forms, bare, strict=True):
            assert size(form) <= max(budget, least), budget


def test_a_larger_budget_loses_no_entry(shelf: Shelf) -> None:
    before: set[str] = set()
    for budget in (*range(0, 2_000, 149), 5_000, 20_000):
        text, values = brief(shelf, "gitkb_context", task="money", budget=budget)
        keys = set(re.findall(r"\bk\d\d\b", values["text"]))
        assert before <= keys, budget
        assert values["text"] in text
        before = keys
    assert len(before) > 30


def test_the_start_of_a_session_keeps_its_budget_too(shelf: Shelf) -> None:
    text, values = brief(shelf, "gitkb_session_start", goal="money", budget=300)
    assert max(size(text), size(values)) <= 300
    assert f"session {values['session']} is open" in text
    assert values["text"]


def test_the_usual_budget_is_that_of_the_store(shelf: Shelf) -> None:
    text, values = brief(shelf, "gitkb_context", task="money")
    assert 1_500 < real_count(text) <= size(values) <= 2_000


def test_the_same_question_has_the_same_answer(shelf: Shelf) -> None:
    answers = {brief(shelf, "gitkb_context", task="money")[0] for _ in range(2)}
    assert len(answers) == 1
