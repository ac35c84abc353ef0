"""What a person types, as an expression that FTS5 understands.

1. Nothing typed is ever a syntax error: words alone reach SQLite, each in quotes.
2. Any of the words will do. A word of four characters or more also finds what begins with it, and
   a whole word counts more than a beginning, because it is found both ways.
3. Words written together (``foo-bar``, ``mx-5771cb``, ``it's``) count once more where they stand
   together.
"""

from __future__ import annotations

import re

PREFIX_LENGTH = 4
WORD_LIMIT = 128
"""More words than this are a pasted text: the rest cost time and say little."""

# Combining accents belong to their letter, as for SQLite's tokenizer.
_words_of = re.compile(r"(?:[^\W_][\u0300-\u036f]*)+").findall


def split_words(query: str) -> list[str]:
    """Give the words of a query in lower case, each once, in their order."""
    return list(dict.fromkeys(_words_of(query.lower())))[:WORD_LIMIT]


def match_expression(query: str) -> str:
    """Give the expression for MATCH; empty if the query holds no word.

    Source: https://www.sqlite.org/fts5.html, 3.1 (strings), 3.3 (prefixes), 3.7 (operators).
    """
    terms: list[str] = []
    for word in split_words(query):
        terms.append(f'"{word}"')
        if len(word) >= PREFIX_LENGTH:
            terms.append(f'"{word}"*')
    for chunk in query.lower().split():
        parts = _words_of(chunk)
        if 1 < len(parts) <= WORD_LIMIT and len(terms) < 4 * WORD_LIMIT:
            terms.append(f'"{" ".join(parts)}"')
    return " OR ".join(dict.fromkeys(terms))
