"""Words as they are written: counted, completed, and found by their neighbours."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitkb.index.database import create_schema
from gitkb.index.vocabulary import begun_by, change_words, fill_words, number_of, vocabulary_of

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    with closing(_empty()) as connection:
        yield connection


def _empty() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    create_schema(connection, "token", "version")
    return connection


def _tables(connection: sqlite3.Connection) -> list[Any]:
    words = dict(connection.execute("SELECT id, word FROM word").fetchall())
    grams = connection.execute("SELECT gram, ids FROM gram ORDER BY 1").fetchall()
    return [
        connection.execute("SELECT word, number FROM word ORDER BY 1").fetchall(),
        [(gram, sorted(words[id_] for id_ in memoryview(ids).cast("I"))) for gram, ids in grams],
    ]


_numbers = st.dictionaries(
    st.sampled_from(["auth", "oauth", "größe", "деплой", "k8s", "x", "中文", "deployment"]),
    st.integers(1, 3),
)


@given(_numbers, _numbers)
def test_words_that_come_and_go_leave_what_a_full_build_makes(
    kept: dict[str, int], gone: dict[str, int]
) -> None:
    with closing(_empty()) as changed, closing(_empty()) as built:
        change_words(changed, gone)
        change_words(changed, kept)
        change_words(changed, gone, -1)
        fill_words(built, vocabulary_of(kept))
        assert _tables(changed) == _tables(built)
        assert {word: number_of(changed, word) for word in kept} == kept


def test_a_longer_beginning_loses_only_what_does_not_begin_with_it(
    connection: sqlite3.Connection,
) -> None:
    words = {f"auth{ending}": number for number, ending in enumerate("abcdefgh", 1)}
    numbers = {**words, "authabc": 20, "autumn": 30, "auth": 1}
    fill_words(connection, vocabulary_of(numbers))
    assert begun_by(connection, "auth", 3) == ["authabc", "authh", "authg"]
    assert begun_by(connection, "autha", 3) == ["authabc"]
    for word in begun_by(connection, "au", 4):
        for length in range(3, len(word)):
            assert word in begun_by(connection, word[:length], 4)
