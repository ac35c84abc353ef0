"""What a person types, as questions that FTS5 understands.

1. Nothing typed is ever a syntax error: stems alone reach SQLite, each in quotes.
2. A query is a few questions, each with a weight: any of its words; its words side by side; words
   that begin like one of them; where a word is unknown, its neighbours. What an entry answers to
   each is added up.
3. Every word of four characters or more also finds the words that begin with it, so that a longer
   beginning of a word never loses it.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from gitkb.core.words import STOP_WORDS
from gitkb.index.vocabulary import begun_by, near_to

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

    from gitkb.core.words import Analyser

EXACT, TOGETHER, BEGUN, NEAR = "exact", "together", "prefix", "near"

PART_WEIGHTS = {EXACT: 1.0, TOGETHER: 0.2, BEGUN: 0.05, NEAR: 0.3}
PREFIX_LENGTH = 4
"""Characters from which on a word is taken for the beginning of others, too."""
LONGER_WORDS = 64
"""More words than this with one beginning: the rest are the rarest, and cost time."""
NEAR_WORDS = 4
WORD_LIMIT = 128
"""More words than this are a pasted text: the rest cost time and say little."""


class Part(NamedTuple):
    """One question to full text."""

    name: str
    weight: float
    expression: str
    """For MATCH. Source: https://www.sqlite.org/fts5.html, 3.1 (strings), 3.7 (operators)."""


class Question(NamedTuple):
    """A query as it is asked."""

    parts: list[Part]
    """None, if it holds no word."""
    stems: dict[str, tuple[str, str]]
    """Each stem that is looked for: how it came about, and the word that was typed."""


def pose(connection: sqlite3.Connection, analyser: Analyser, query: str) -> Question:
    """Turn a query into what is asked of the index."""
    typed = analyser.split(query)[:WORD_LIMIT]
    words = [word for word in dict.fromkeys(typed) if word not in STOP_WORDS]
    words = words or list(dict.fromkeys(typed))
    exact = {analyser.stem(word): (EXACT, word) for word in reversed(words)}
    begun: dict[str, tuple[str, str]] = {}
    near: dict[str, tuple[str, str]] = {}
    for word in words:
        longer = begun_by(connection, word, LONGER_WORDS) if len(word) >= PREFIX_LENGTH else []
        for other in longer:
            begun.setdefault(analyser.stem(other), (BEGUN, word))
        if not longer and not _is_known(connection, analyser.stem(word)):
            for neighbour in near_to(connection, word, NEAR_WORDS):
                near.setdefault(analyser.stem(neighbour.word), (NEAR, word))
    for stem in exact:
        begun.pop(stem, None)
    for stem in (*exact, *begun):
        near.pop(stem, None)
    together = [f"{analyser.stem(one)} {analyser.stem(other)}" for one, other in pairwise(typed)]
    sides = (EXACT, exact), (TOGETHER, dict.fromkeys(together)), (BEGUN, begun), (NEAR, near)
    parts = [Part(name, PART_WEIGHTS[name], any_of(stems)) for name, stems in sides if stems]
    return Question(parts, {**near, **begun, **exact})


def any_of(stems: Iterable[str]) -> str:
    """Give the expression that any of some stems, or of some runs of stems, fulfils."""
    return " OR ".join(f'"{stem}"' for stem in stems)


def _is_known(connection: sqlite3.Connection, stem: str) -> bool:
    sql = "SELECT 1 FROM words WHERE words MATCH ? LIMIT 1"
    return connection.execute(sql, (any_of([stem]),)).fetchone() is not None
