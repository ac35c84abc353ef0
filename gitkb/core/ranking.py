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
