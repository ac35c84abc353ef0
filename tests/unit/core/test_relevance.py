"""The operations of the ADD learning library, and the order of what they find."""

from __future__ import annotations

from typing import Any

import pytest

from gitkb.core.entry import Entry
from gitkb.core.relevance import (
    OPERATIONS,
    SEVERITY_NAMES,
    categories_for,
    is_relevant,
    operation_name,
    own_operations,
    rank,
)

SEED = """
/add:plan architecture, anti-pattern, collaboration
/add:tdd-cycle technical, anti-pattern, performance
/add:test-writer technical, anti-pattern
/add:implementer technical, anti-pattern, architecture
/add:deploy performance, technical, process
/add:verify technical, process
/add:optimize performance, technical
/add:reviewer architecture, anti-pattern, process
"""
ROWS = [line.split(" ", 1) for line in SEED.strip().splitlines()]


def entry(key: str = "k", **fields: Any) -> Entry:
    return Entry({"key": key, "type": "learned", "title": key, "content": "x", **fields})


@pytest.mark.parametrize(("operation", "categories"), ROWS)
def test_every_row_of_the_table_holds(operation: str, categories: str) -> None:
    wanted = tuple(categories.split(", "))
    for spelt in (operation, operation.removeprefix("/add:"), operation[1:], operation.upper()):
        assert categories_for(spelt, {}) == wanted


def test_the_table_has_no_other_rows() -> None:
    assert {operation_name(operation) for operation, _ in ROWS} == set(OPERATIONS)


def test_an_unknown_operation_is_known_as_such() -> None:
    assert categories_for("dance", {}) is None
    assert categories_for("", {}) is None


def test_a_project_names_its_own_operations_and_changes_known_ones() -> None:
    own = own_operations({"operations": {"/add:Plan": ["testing"], "release_it": [], "bad": "x"}})
    assert own == {"plan": ("testing",), "release-it": ()}
    assert categories_for("/add:plan", own) == ("testing",)
    assert categories_for("release-it", own) == ()
    assert categories_for("deploy", own) == OPERATIONS["deploy"]
    for broken in ({}, {"operations": 3}, {"operations": {"x": [1]}}):
        assert own_operations(broken) == {}


def test_category_and_stack_both_have_to_fit() -> None:
    stack = frozenset({"python"})
    assert is_relevant(entry(category="technical"), ("technical",), stack)
    assert is_relevant(entry(category="technical", stack=["python"]), ("technical",), stack)
    assert not is_relevant(entry(category="technical", stack=["rust"]), ("technical",), stack)
    assert not is_relevant(entry(category="process"), ("technical",), stack)


def test_severity_comes_first_then_the_newest_then_the_key() -> None:
    entries = [
        entry("b", importance=4, created=5),
        entry("a", importance=4, created=5),
        entry("old", importance=4, created=1, ts=100),
        entry("new", importance=4, created=9),
        entry("top", importance=5, created=0),
        entry("low", importance=2, created=99),
        entry("middle", created=99),
    ]
    keys = [one.key for one in rank(entries)]
    assert keys == ["top", "new", "a", "b", "old", "middle", "low"]


def test_no_more_than_ten_are_given() -> None:
    entries = [entry(f"k{number}") for number in range(30)]
    assert len(rank(entries)) == 10
    assert len(rank(entries, 99)) == 10
    assert len(rank(entries, 3)) == 3


def test_every_importance_has_a_severity() -> None:
    assert set(SEVERITY_NAMES) == {1, 2, 3, 4, 5}
