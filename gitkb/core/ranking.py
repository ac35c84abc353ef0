"""How well an entry answers a query, as arithmetic.

1. The order of two scores is the order of their relevances: scores never create a tie or a swap.
2. A score lies between 0 and 1 and means the same in every store: 0.5 is about one rare word found
   in the content; several words, or a word in the title, come closer to 1.
"""

from __future__ import annotations

WEIGHTS = {"title": 10.0, "tags": 5.0, "content": 1.0, "files": 0.5, "names": 5.0}
"""What a word counts in each column, in the order of the columns.

bm25 sums weight times hits over the columns of a row, f, and saturates: f / (f + 1.2) for a row of
average length. One hit so counts .89 in the title, .81 in a tag, .45 in the content, .29 in a file
name: title > tags > content > files, each step felt, while two words found anywhere in the content
(.90) still beat one in a title. Wider weights change little more than the order of magnitude.
Names (key, aliases, issue) are exact: rare words, for which weight hardly matters.
"""

HALF = 10.0
"""The relevance whose score is one half."""


def score(relevance: float) -> float:
    """Turn a relevance (FTS5's bm25 with its sign turned: larger is better, no upper end) into a score."""
    return relevance / (relevance + HALF) if relevance > 0 else 0.0


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
    return _OLDEST + (1 - _OLDEST) * 0.5 ** (max(newest - ts, 0) / _HALF_LIFE)


def factors(type_: str, importance: int, status: str, ts: int, newest: int) -> dict[str, float]:
    """Give by name what `prior` and `age_factor` are made of."""
    return {
        "type": _TYPES.get(type_, 1.0),
        "importance": _IMPORTANCES[importance],
        "status": _STATUSES[status],
        "age": age_factor(ts, newest),
    }
