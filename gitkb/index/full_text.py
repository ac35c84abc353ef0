"""What full text answers to a query: entries, the best first, and why.

1. The order is whole: relevance times what type, importance, status and age make of it, then the
   later change, then the smaller key. It depends on what the entries say, not on how they came into
   the index.
2. The best are the best of all that match: candidates are looked at in the order of relevance until
   none that is left could still come in, whatever its type and age.
3. "Nothing found" is an answer only if full text is seen to be sound: damaged, it says the same.
"""

# No deferred annotations here: see `core.problem`.
import sqlite3
from bisect import insort
from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from gitkb.core.search.ranking import (
    LARGEST_FACTOR,
    LARGEST_USAGE,
    WEIGHTS,
    age_factor,
    factors,
    prior,
    score,
)
from gitkb.index.lift import LIFTING, has_edges, lifts_of
from gitkb.index.query import any_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.core.search.words import Analyser
    from gitkb.index.query import Part, Question

NO_USAGE: Mapping[str, float] = {}
LINKED = "linked"
"""What an entry is lifted by, beside the names of the parts."""
_LINE = "SELECT id, key, archive, 0, ts, text FROM entry"


class Match(NamedTuple):
    """An entry that was found."""

    id: int
    relevance: float
    """With all factors."""


class FoundWord(NamedTuple):
    """A word of an entry that a query finds."""

    word: str
    how: str
    """``exact`` (in any of its forms), ``prefix`` or ``near``."""
    typed: str
    """The word of the query."""


class Explanation(NamedTuple):
    """Why an entry was found, and what its score is made of."""

    words: dict[str, list[FoundWord]]
    """By the field that they stand in."""
    relevance: dict[str, float]
    """What each part of the query adds, bm25 times the weight of the part, and what links add."""
    factors: dict[str, float]
    """What the sum of those is multiplied by."""
    score: float


def best_matches(
    connection: sqlite3.Connection,
    question: "Question",
    conditions: Sequence[str],
    values: Sequence[int | str],
    limit: int | None,
    usage: Mapping[str, float] = NO_USAGE,
) -> list[Match]:
    """Give the entries that answer a question and pass the conditions, the best first.

    `usage` has by key what else an entry is multiplied by, from 1 to `LARGEST_USAGE`.

    Cost: in proportion to the entries that match; few of them are looked at.
    """
    relevances = _own_relevances(question)
    for id_, lift in _lifts(connection, relevances).items():
        relevances[id_] = relevances.get(id_, 0.0) + lift
    return [
        Match(id_, -relevance)
        for relevance, _, _, id_ in _best(connection, relevances, conditions, values, limit, usage)
    ]


def _best(
    connection: sqlite3.Connection,
    relevances: Mapping[int, float],
    conditions: Sequence[str],
    values: Sequence[int | str],
    limit: int | None,
    usage: Mapping[str, float] = NO_USAGE,
) -> list[tuple[float, int, str, int]]:
    """Give what orders them (relevance and time, both turned round, and key) with their ids."""
    where = " AND ".join(["e.id = ?", *conditions])
    sql = f"SELECT e.key, e.ts, e.type, e.importance, e.status FROM entry AS e WHERE {where}"
    newest = newest_ts(connection)
    largest = LARGEST_FACTOR * LARGEST_USAGE if usage else LARGEST_FACTOR
    found: list[tuple[float, int, str, int]] = []
    for id_ in sorted(relevances, key=relevances.__getitem__, reverse=True):
        relevance = -relevances[id_]
        if limit is not None and len(found) >= limit:
            if relevance * largest > found[-1][0]:
                break
        row = connection.execute(sql, (id_, *values)).fetchone()
        if row is not None:
            key, ts, type_, importance, status = row
            factor = prior(type_, importance, status) * age_factor(ts, newest) * usage.get(key, 1.0)
            insort(found, (relevance * factor, -ts, key, id_))
            if limit is not None:
                del found[limit:]
    return found


def _own_relevances(question: "Question") -> dict[int, float]:
    """Add up what entries answer to the parts of a question."""
    relevances: dict[int, float] = {}
    for _, parts in groupby(question.parts, key=_standing_for):
        for id_, amount in _best_of(list(parts)).items():
            relevances[id_] = relevances.get(id_, 0.0) + amount
    return relevances


def _lifts(connection: sqlite3.Connection, relevances: Mapping[int, float]) -> dict[int, float]:
    """Give what the links of the best hits, whatever their status, add to relevances."""
    if not has_edges(connection):
        return {}
    best = _best(connection, relevances, (), (), LIFTING)
    return lifts_of(connection, {key: -relevance for relevance, _, key, _ in best}, relevances)


def _standing_for(part: "Part") -> str:
    """Of which parts the best one counts: those that stand in for the same word."""
    return part.word or part.expression


def _best_of(parts: "Sequence[Part]") -> Mapping[int, float]:
    """Give the entries that answer any of some parts, each with the most that it answers to one."""
    if parts[0].weight == 1.0 and not parts[0].word:
        return parts[0].answers  # most of all answers are those to the words themselves
    best: dict[int, float] = {}
    for part in parts:
        weight, holders = part.weight, part.holders
        for id_, amount in part.answers.items():
            if id_ not in holders and amount * weight > best.get(id_, 0.0):
                best[id_] = amount * weight
    return best


def explain_match(
    connection: sqlite3.Connection,
    analyser: "Analyser",
    question: "Question",
    key: str,
    usage: Mapping[str, float] = NO_USAGE,
) -> Explanation | None:
    """Say why a question finds an entry; None if it does not. `usage` as in `best_matches`."""
    from gitkb.index.rows import read_again  # a search that finds something reads no entry

    line = connection.execute(f"{_LINE} WHERE key = ?", (key,)).fetchone()
    if line is None:
        return None
    row, texts = read_again(line)
    parts: dict[str, float] = {}
    for _, group in groupby(question.parts, key=_standing_for):
        amounts = [
            (part.weight * part.answers[row[0]], part.name)
            for part in group
            if row[0] in part.answers and row[0] not in part.holders
        ]
        if amounts:
            amount, name = max(amounts, key=itemgetter(0))
            parts[name] = parts.get(name, 0.0) + amount
    if lift := _lifts(connection, _own_relevances(question)).get(row[0]):
        parts[LINKED] = lift
    if not parts:
        return None
    words: dict[str, list[FoundWord]] = {}
    for field, text in zip(WEIGHTS, texts, strict=True):
        for word in dict.fromkeys(analyser.split(text)):
            how = question.stems.get(analyser.stem(word))
            if how is not None:
                words.setdefault(field, []).append(FoundWord(word, *how))
    _, _, _, _, ts, type_, status, importance, _, _ = row
    newest = newest_ts(connection)
    used = usage.get(key, 1.0)
    factor = prior(type_, importance, status) * age_factor(ts, newest) * used
    total = sum(parts.values()) * factor
    said = factors(type_, importance, status, ts, newest, used)
    return Explanation(words, parts, said, score(total, question.total))


def newest_ts(connection: sqlite3.Connection) -> int:
    """Give the time of the last change in the store, or 0."""
    return connection.execute("SELECT max(ts) FROM entry").fetchone()[0] or 0


def check_full_text(connection: sqlite3.Connection, analyser: "Analyser") -> None:
    """Make sure that "nothing found" is an answer.

    The numbers of rows have to agree, and the first and last entry have to be found by their names.

    Raises:
        sqlite3.DatabaseError: full text is damaged.
    """
    from gitkb.index.rows import read_again  # a search that finds something reads no entry

    entries, texts = (
        connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        for table in ("entry", "words_docsize")
    )
    if entries != texts:
        raise sqlite3.DatabaseError("full text and entries differ in number")
    for line in connection.execute(
        f"{_LINE} WHERE id IN (SELECT min(id) FROM entry UNION SELECT max(id) FROM entry)"
    ).fetchall():
        _, (*_, names) = read_again(line)
        stem = analyser.stem(analyser.split(names)[0])
        if not connection.execute(
            "SELECT 1 FROM words WHERE words MATCH ? AND rowid = ?", (any_of([stem]), line[0])
        ).fetchone():
            raise sqlite3.DatabaseError("full text does not find an entry by its key")
