"""Numbered aliases are minted in a row, and mean one entry each."""

from __future__ import annotations

from typing import Any

import pytest

from gitkb.core.alias import (
    format_alias,
    heal_aliases,
    highest_number,
    parse_alias,
    with_alias,
)
from gitkb.core.entry import Entry


def entry(key: str, *aliases: str, **fields: Any) -> Entry:
    return Entry(
        {"key": key, "type": "learned", "title": "t", "aliases": list(aliases), "ts": 5, **fields}
    )


@pytest.mark.parametrize(
    ("text", "parts"),
    [("L-007", ("L", 7)), ("WL-1234", ("WL", 1234)), ("L-7", ("L", 7)), ("l-7", None), ("XL-7", None),
     ("L-", None), ("L-1x", None), ("", None), ("L-1234567890", None)],
)  # fmt: skip
def test_a_numbered_alias_is_told_from_other_names(
    text: str, parts: tuple[str, int] | None
) -> None:
    assert parse_alias(text) == parts


def test_numbers_have_three_digits_or_more() -> None:
    assert [format_alias("L", number) for number in (1, 42, 1000)] == ["L-001", "L-042", "L-1000"]


def test_the_highest_number_is_found_in_alias_lists_alone() -> None:
    files = [
        b'{"key":"a","title":"L-900","aliases":["L-007","WL-3"]}\n{"aliases" : [ "L-012", "x" ]}',
        b'{"tags":["L-800"],"aliases":["old","WL-020"]}',
        b"not json",
    ]
    assert highest_number("L", files) == 12
    assert highest_number("WL", files) == 20
    assert highest_number("L", []) == 0


def test_an_alias_is_added_beside_the_others() -> None:
    assert with_alias(entry("k", "old", "L-001"), "WL-002").aliases == ["L-001", "WL-002", "old"]


def test_the_older_keeps_a_number_and_the_other_takes_the_next_free_one() -> None:
    entries = [
        entry("new", "L-001", created=9), entry("old", "L-001", created=1), entry("x", "L-007"),
        entry("z", "L-007"),
    ]  # fmt: skip
    changed = heal_aliases(entries, "L")
    assert {one.key: one.aliases for one in changed} == {"new": ["L-008"], "z": ["L-009"]}
    assert {one.key: one.ts for one in changed} == {"new": 6, "z": 6}


def test_numbers_that_only_the_archive_knows_stay_taken() -> None:
    [changed] = heal_aliases([entry("a", "L-001"), entry("b", "L-001")], "L", 41)
    assert changed.aliases == ["L-042"]


def test_only_the_row_of_the_store_is_healed_and_given_names_are_left_alone() -> None:
    entries = [entry("a", "L-001", "same"), entry("b", "WL-001", "same")]
    assert heal_aliases(entries, "L") == []
    entries = [entry("a", "L-001", "WL-001"), entry("b", "L-001", "WL-001", "same")]
    [changed] = heal_aliases(entries, "WL")
    assert changed.aliases == ["L-001", "WL-002", "same"]
    assert changed.ts == 6


def test_two_spellings_of_one_number_are_one() -> None:
    [changed] = heal_aliases([entry("a", "L-7", "L-007"), entry("b", "L-07")], "L")
    assert (changed.key, changed.aliases) == ("b", ["L-008"])
