"""What a person types, as what is asked of the index."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from gitkb.core.search.words import Analyser
from gitkb.index.database import create_schema
from gitkb.index.query import BEGUN, EXACT, NEAR, TOGETHER, WORD_LIMIT, Question, pose
from gitkb.index.vocabulary import change_words

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    """An empty index, but for a few words in its vocabulary."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        create_schema(connection, "token", "version")
        change_words(connection, {"auth": 1, "authentication": 3, "authors": 2, "deployment": 5})
        yield connection


def _asked(question: Question) -> dict[str, str]:
    asked: dict[str, str] = {}
    for part in question.parts:
        before = f"{asked[part.name]} OR " if part.name in asked else ""
        asked[part.name] = before + part.expression
    return asked


def test_any_word_will_do_in_any_of_its_forms(connection: sqlite3.Connection) -> None:
    asked = _asked(pose(connection, Analyser(), "Connected pools"))
    assert asked[EXACT] == '"pool" OR "connect"'


def test_words_like_the_and_of_are_left_out_unless_there_are_no_others(
    connection: sqlite3.Connection,
) -> None:
    assert _asked(pose(connection, Analyser(), "the auth of"))[EXACT] == '"auth"'
    assert _asked(pose(connection, Analyser(), "to be"))[EXACT] == '"be" OR "to"'


def test_a_word_is_taken_for_the_beginning_of_others_too(connection: sqlite3.Connection) -> None:
    question = pose(connection, Analyser(), "auth")
    asked = _asked(question)
    assert (asked[EXACT], asked[BEGUN]) == ('"auth"', '"authent" OR "author"')
    assert question.stems == {
        "auth": (EXACT, "auth"),
        "authent": (BEGUN, "auth"),
        "author": (BEGUN, "auth"),
    }
    assert BEGUN in _asked(pose(connection, Analyser(), "aut"))
    assert BEGUN not in _asked(pose(connection, Analyser(), "au"))


def test_what_stands_in_for_a_word_counts_less_than_the_word(
    connection: sqlite3.Connection,
) -> None:
    for typed in ("auth", "deploymnet", "autho"):
        for part in pose(connection, Analyser(), typed).parts:
            assert part.weight < 1 or part.name == EXACT


def test_words_side_by_side_count_once_more_side_by_side(connection: sqlite3.Connection) -> None:
    assert _asked(pose(connection, Analyser(), "mx-57"))[TOGETHER] == '"mx 57"'


def test_operators_are_words_like_others(connection: sqlite3.Connection) -> None:
    asked = _asked(pose(connection, Analyser(), 'a AND NOT NEAR("b*")'))
    assert set(asked[EXACT].split(" OR ")) >= {'"b"'}
    assert "AND" not in asked[EXACT].replace('"and"', "")


@pytest.mark.parametrize("query", ["", " \t\n", "-- 🚀", "?! ** \"' \0 \udcff"])
def test_a_query_without_a_word_asks_nothing(connection: sqlite3.Connection, query: str) -> None:
    assert pose(connection, Analyser(), query).parts == []


def test_a_pasted_text_is_cut(connection: sqlite3.Connection) -> None:
    for text in (" ".join(f"w{n}" for n in range(10_000)), "x-" * 10_000):
        for part in pose(connection, Analyser(), text).parts:
            assert part.expression.count("OR") < WORD_LIMIT


def test_an_unknown_word_finds_its_neighbours(connection: sqlite3.Connection) -> None:
    assert _asked(pose(connection, Analyser(), "deploymnet"))[NEAR] == '"deploy"'
    assert NEAR not in _asked(pose(connection, Analyser(), "kubernetes"))
