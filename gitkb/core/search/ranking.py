"""How well an entry answers a query, as arithmetic.

1. The order of two scores is the order of their relevances: scores never create a tie or a swap.
2. A score lies between 0 and 1 and means the same in every store: 0.5 is about one rare word found
   in the content; several words, or a word in the title, come closer to 1.
3. What an entry is (type, importance, status, age) multiplies what it says, within bounds: it decides
   between entries that say about the same, and never lifts one that hardly fits over one that does.
   In a small store relevances are small, so whatever was added would decide alone.
4. What was opened in this clone before comes a little closer, where a caller says what was: by a
   factor between 1 and `LARGEST_USAGE`. Without that nothing changes.
5. Age is counted from the newest entry of the store and not from today: an answer does not change
   while nobody writes.
"""

from __future__ import annotations

from math import exp2, log

WEIGHTS = {"title": 3.0, "tags": 2.0, "content": 1.0, "files": 0.5, "names": 3.0}
"""What a word counts in each column, in the order of the columns.

bm25 sums weight times hits over the columns of a row, f, and saturates: f / (f + 1.2) for a row of
average length. One hit so counts .71 in the title, .63 in a tag, .45 in the content, .29 in a file
name: title > tags > content > files, each step felt, while two words found anywhere in the content
(.90) still beat one in a title. Measured: from 2 to 6 for the title, 3 is best, by little.
Names (key, aliases, issue) are exact: rare words, for which weight hardly matters.
"""

PAIR_WEIGHT = 0.2
"""Of words that stand side by side as in the query, beside what they count alone."""

BEGUN_WEIGHT = {True: 0.1, False: 0.6}
"""Of words that begin like one of the query, by whether that one is itself a word of the store."""

LIFT_STEPS, _LIFT, _FEW_LINKS, MANY_LINKS = 2, 0.6, 4, 64
"""How far a hit lifts what is linked with it, over how many links, and how many of them are usual."""


def rarity(total: int, number: int) -> float:
    """Say what a word that so many of all entries hold is worth: always something, as in Lucene."""
    return log(1 + (total - number + 0.5) / (number + 0.5))


def plain_rarity(total: int, number: int) -> float:
    """Say the same as FTS5 does, to which a word of more than half the entries is worth a trifle.

    Source: `fts5_aux.c`, fts5Bm25GetData.
    """
    return max(1e-6, log((total - number + 0.5) / (number + 0.5)))


def near_weight(nearness: float, *, is_known: bool) -> float:
    """Say what a neighbour of a word counts; less, if somebody did write the word itself."""
    return nearness * (0.9 if is_known else 1.0)


def link_weight(links: int) -> float:
    """Say how far an entry is lifted towards a neighbour, of the two the more links counted."""
    return _LIFT * min(1.0, _FEW_LINKS / links)


def score(relevance: float, total: int) -> float:
    """Turn a relevance (no upper end) into a score, in a store of so many entries.

    Half is what one word is worth that stands once in the content of one of them.
    """
    return relevance / (relevance + rarity(total, 1)) if relevance > 0 else 0.0


_TYPES = {
    "principle": 1.1, "decision": 1.1, "pitfall": 1.1, "learned": 1.05, "pattern": 1.05, "file": 0.95,
    "discussion": 0.95, "note": 0.95, "session": 0.9,
}  # fmt: skip
"""What an entry of a type counts, where it is not 1."""
_IMPORTANCES = {1: 0.9, 2: 0.95, 3: 1.0, 4: 1.05, 5: 1.1}
_STATUSES = {"active": 1.0, "superseded": 0.6, "rejected": 0.8, "archived": 0.5}
_OLDEST, _HALF_LIFE = 0.9, 365 * 86_400
"""What an entry of no end of age counts, and the seconds in which half of the rest is lost."""

LARGEST_FACTOR = max(_TYPES.values()) * max(_IMPORTANCES.values()) * max(_STATUSES.values())
"""No entry is multiplied by more."""


def prior(type_: str, importance: int, status: str) -> float:
    """Say what an entry counts, whatever is looked for."""
    return _TYPES.get(type_, 1.0) * _IMPORTANCES[importance] * _STATUSES[status]


def age_factor(ts: int, newest: int) -> float:
    """Say what the age of an entry makes of it, beside the newest of its store (Unix seconds)."""
    years: float = max(newest - ts, 0) / _HALF_LIFE
    return _OLDEST + (1 - _OLDEST) * exp2(-years)


LARGEST_USAGE = 1.05
"""No entry is multiplied by more for having been opened here, however often."""
_HALF_OF_IT = 2.0


def usage_factor(openings: float) -> float:
    """Say what openings on so many days, each faded by its age, make of an entry: from 1 on, and bounded.

    Two give half of all there is to have. Being found counts nothing: it would only keep what is first.
    """
    return 1.0 + (LARGEST_USAGE - 1.0) * openings / (openings + _HALF_OF_IT)


def factors(
    type_: str, importance: int, status: str, ts: int, newest: int, usage: float = 1.0
) -> dict[str, float]:
    """Give by name what `prior` and `age_factor` are made of, and what usage adds, if it does."""
    found = {
        "type": _TYPES.get(type_, 1.0),
        "importance": _IMPORTANCES[importance],
        "status": _STATUSES[status],
        "age": age_factor(ts, newest),
    }
    return found if usage == 1.0 else {**found, "usage": usage}
