"""What a person types, as questions that FTS5 understands.

1. Nothing typed is ever a syntax error: stems alone reach SQLite, each in quotes.
2. A query is several questions: any of its words; its words side by side; and for each word, words
   that begin like it and words that are near it. What an entry answers to each is added up, but of
   what stands in for one word only the best counts, and only where the word itself is not found.
3. What stands in for a word never counts more than the word would: each has a weight below 1, and is
   taken for no rarer than the word.
4. Every word of three characters or more also finds the words that begin with it, known or not, so a
   longer beginning of a word never loses it.
"""

# No deferred annotations here: see `core.problem`.
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from gitkb.core.search.ranking import (
    BEGUN_WEIGHT,
    PAIR_WEIGHT,
    WEIGHTS,
    near_weight,
    plain_rarity,
    rarity,
)
from gitkb.core.search.spelling import likeness, relation
from gitkb.core.search.words import STOP_WORDS
from gitkb.index.vocabulary import begun_by, near_to

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.core.search.words import Analyser

Relevances: TypeAlias = Mapping[int, float]
EXACT, TOGETHER, BEGUN, NEAR = "exact", "together", "prefix", "near"

PREFIX_LENGTH = 3
"""Characters from which on a word is taken for the beginning of others, too."""
LONGER_WORDS = 64
"""More words than this with one beginning: the rest are the rarest, and cost time."""
NEAR_STEMS = 5
WORD_LIMIT = 128
"""More words than this are a pasted text: the rest cost time and say little."""
WIDENED_WORDS = 6
"""Of a longer query the rarest words alone are looked for in other forms."""

_FIRST_UNPARTED = "\u0e00"
"""From here on a single character may be a word, or half of one (`core.word_form`, 3)."""


_NOTHING: Relevances = {}
_ANSWERS = (
    f"SELECT rowid, -bm25(words, {', '.join(map(str, WEIGHTS.values()))})"
    " FROM words WHERE words MATCH ?"
)


class Part(NamedTuple):
    """One question to full text, and what it answered."""

    name: str
    weight: float
    expression: str
    """For MATCH. Source: https://www.sqlite.org/fts5.html, 3.1 (strings), 3.7 (operators)."""
    answers: Relevances
    """What each entry answers, before it is weighed."""
    word: str = ""
    """The word of the query that this stands in for. Of several such parts the best one counts."""
    holders: Relevances = _NOTHING
    """The entries that hold that word, and so do not need anything to stand in for it."""


class Question(NamedTuple):
    """A query as it is asked."""

    total: int
    """Of entries in the store."""

    parts: list[Part]
    """None, if it holds no word; those of one word stand together."""
    stems: dict[str, tuple[str, str]]
    """Each stem that is looked for: how it came about, and the word that was typed."""


def pose(connection: sqlite3.Connection, analyser: "Analyser", query: str) -> Question:
    """Turn a query into what is asked of the index."""
    typed = analyser.split(query)[:WORD_LIMIT]
    words = [word for word in typed if word not in STOP_WORDS] or typed
    exact = {analyser.stem(word): word for word in reversed(words)}
    if not exact:
        return Question(0, [], {})
    total = connection.execute("SELECT count(*) FROM entry").fetchone()[0]
    parts = [_ask(connection, total, EXACT, 1.0, [stem]) for stem in exact]
    holders = {stem: part.answers for stem, part in zip(exact, parts, strict=True)}
    if pairs := _pairs_of(typed, analyser):
        parts.append(_ask(connection, total, TOGETHER, PAIR_WEIGHT, pairs))
    stems: dict[str, tuple[str, str]] = {}
    rarest = sorted(exact, key=lambda stem: (len(holders[stem]), stem))
    for stem in rarest[:WIDENED_WORDS]:
        for part, found in _widen(connection, analyser, exact[stem], holders[stem], total):
            parts.append(part)
            for other in found:
                stems.setdefault(other, (part.name, part.word))
    if typed[-1] not in words and (longer := _longer(connection, analyser, typed[-1])):
        # Half a word as yet, perhaps: `where` has to find what `wher` found.
        part = _ask(connection, total, BEGUN, BEGUN_WEIGHT[True], longer)
        parts.append(part._replace(word=typed[-1]))
        stems.update({other: (BEGUN, typed[-1]) for other in longer if other not in stems})
    stems.update({stem: (EXACT, word) for stem, word in exact.items()})
    return Question(total, parts, stems)


def any_of(stems: Iterable[str]) -> str:
    """Give the expression that any of some stems, or of some runs of stems, fulfils."""
    return " OR ".join(f'"{stem}"' for stem in stems)


def _pairs_of(typed: list[str], analyser: "Analyser") -> list[str]:
    """Give the neighbouring words of a query as phrases; two stop words are none."""
    pairs = [
        f"{analyser.stem(one)} {analyser.stem(other)}"
        for one, other in pairwise(typed)
        if one not in STOP_WORDS or other not in STOP_WORDS
    ]
    return list(dict.fromkeys(pairs))


def _ask(
    connection: sqlite3.Connection, total: int, name: str, weight: float, stems: Collection[str]
) -> Part:
    """Ask for any of some stems, or runs of stems, in a store of so many entries."""
    answers: dict[int, float] = {}
    for stem in stems:
        found = connection.execute(_ANSWERS, (any_of([stem]),)).fetchall()
        if len(found) > total:
            raise sqlite3.DatabaseError("full text finds more entries than there are")
        # Each by itself, to put our rarity in the place of FTS5's.
        scale = rarity(total, len(found)) / plain_rarity(total, len(found))
        for id_, amount in found:
            answers[id_] = answers.get(id_, 0.0) + scale * amount
    return Part(name, weight, any_of(stems), answers)


def _widen(
    connection: sqlite3.Connection,
    analyser: "Analyser",
    word: str,
    holders: Relevances,
    total: int,
) -> Iterator[tuple[Part, list[str]]]:
    """Give what stands in for a word that some entries hold, each with its stems."""
    stem, own = analyser.stem(word), rarity(total, len(holders))

    def part(name: str, weight: float, stems: list[str]) -> tuple[Part, list[str]]:
        asked = _ask(connection, total, name, weight, stems)
        if holders:
            entries = len(asked.answers) if name == NEAR else 1
            asked = asked._replace(weight=weight * min(1.0, own / rarity(total, entries)))
        return asked._replace(word=word, holders=holders), stems

    if stems := _longer(connection, analyser, word):
        yield part(BEGUN, BEGUN_WEIGHT[bool(holders)], stems)

    def kin(word: str, other: str, shared: int) -> float:
        return relation(word, other, shared, (stem, analyser.stem(other)))

    near: dict[str, float] = {}
    # What stands for a word that somebody wrote begins like it (`relation`); most words do not.
    nearness, is_known = (kin, True) if holders else (likeness, False)
    for neighbour in near_to(connection, word, nearness, begun_alike=is_known):
        near.setdefault(analyser.stem(neighbour.word), neighbour.nearness)
    near.pop(stem, None)
    for other in list(near)[:NEAR_STEMS]:
        yield part(NEAR, near_weight(near[other], is_known=is_known), [other])


def _longer(connection: sqlite3.Connection, analyser: "Analyser", beginning: str) -> list[str]:
    """Give the stems of the words that begin with a word, but for its own."""
    if len(beginning) < PREFIX_LENGTH and beginning < _FIRST_UNPARTED:
        return []
    longer = map(analyser.stem, begun_by(connection, beginning, LONGER_WORDS))
    return [stem for stem in dict.fromkeys(longer) if stem != analyser.stem(beginning)]
