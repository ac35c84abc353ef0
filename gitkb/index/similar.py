"""Which entries say much the same as a title and a content.

1. Only active entries are compared, and of those the ones that full text finds by the rarest words:
   the cost does not grow with the store beyond that of a search.
2. Entries with the same title, as titles are compared, are always among the answers.
"""

from __future__ import annotations

from typing import NamedTuple

from gitkb.core.entry import derived_title
from gitkb.core.identity import normal_title
from gitkb.core.search.similarity import WORTH_SHOWING, likeness, profile_of, rarity
from gitkb.core.search.words import STOP_WORDS
from gitkb.index.query import any_of
from gitkb.index.rows import read_again

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable
    from typing import TypeAlias

    from gitkb.core.search.similarity import Profile
    from gitkb.core.search.words import Analyser
    from gitkb.index.document import LineRow

    Texts: TypeAlias = tuple[list[str], list[str]]
    """The words of a title and of a body."""

_TITLE_WORDS, _BODY_WORDS = 20, 4
"""The rarest of so many find whom to compare with."""
_CANDIDATES = 40
_TITLED = 50
"""More entries of one title are noise."""
_LARGEST_SIZE = 127
"""Of what a varint of one byte says; titles of more words are not looked for."""
_MOST_VARIABLES = 500  # SQLite before 3.32 takes 999 in a statement
_COLUMNS = "e.id, e.key, e.archive, 0, e.ts, e.text"  # as of a LineRow


class Similar(NamedTuple):
    """Another entry that says much the same."""

    key: str
    title: str
    score: float
    """Its likeness, see `core.similarity`."""


class Comparison:
    """Compares texts with the entries of an index; remembers how rare words are in it."""

    def __init__(self, connection: sqlite3.Connection, analyser: Analyser) -> None:
        self._connection = connection
        self._analyser = analyser
        self._entries = connection.execute("SELECT count(*) FROM entry").fetchone()[0]
        self._words: set[str] = set()
        self._numbers: dict[str, int] = {}
        """Of stems: how many entries hold one of its words that were met so far."""

    def nearest(self, title: str, content: str, limit: int, without: str) -> list[Similar]:
        """Give those with the same title, then the nearest others until there are `limit`."""
        texts = [self._split(title or derived_title(content), content)]
        self._count(texts)
        lines = self._titled(title)
        if limit:
            lines.update(self._candidates(*texts[0]))
        lines = {id_: line for id_, line in lines.items() if line[1] != without}
        shown = [read_again(line) for line in lines.values()]
        texts += [self._split(other, body) for _, (other, _, body, _, _) in shown]
        self._count(texts)
        profile, *others = [self._profile(*pair) for pair in texts]
        titled, near = [], []
        for (row, (shown_title, *_)), other in zip(shown, others, strict=True):
            similar = Similar(row[1], shown_title, round(likeness(profile, other), 3))
            if title and normal_title(title) == normal_title(shown_title) and b'"title"' in row[-1]:
                titled.append(similar)
            elif similar.score >= WORTH_SHOWING:
                near.append(similar)
        for found in (titled, near):
            found.sort(key=lambda similar: (-similar.score, similar.key))
        return titled + near[: max(limit - len(titled), 0)]

    def profile(self, title: str, content: str) -> Profile:
        """Make the profile of a title and a content."""
        texts = self._split(title or derived_title(content), content)
        self._count([texts])
        return self._profile(*texts)

    def _split(self, title: str, body: str) -> Texts:
        return self._analyser.split(title), self._analyser.split(body)

    def _profile(self, title: list[str], body: list[str]) -> Profile:
        return profile_of(self._stems(title), self._stems(body), self._weigh)

    def _titled(self, title: str) -> dict[int, LineRow]:
        """Find active entries whose title has the words of a title, and no others.

        Source: a row of FTS5's table of sizes begins with the number of words of the first column,
        as a varint (ext/fts5/fts5_storage.c of SQLite).
        """
        stems = self._stems(self._analyser.split(title))
        if not 0 < len(stems) <= _LARGEST_SIZE:
            return {}
        sql = (
            f"SELECT {_COLUMNS} FROM words CROSS JOIN words_docsize AS s ON s.id = words.rowid"
            " CROSS JOIN entry AS e ON e.id = words.rowid"
            " WHERE words MATCH ? AND substr(s.sz, 1, 1) = ? AND NOT e.hidden"
            " ORDER BY e.key LIMIT ?"
        )
        values = f'title : "{" ".join(stems)}"', bytes([len(stems)]), _TITLED
        return {row[0]: row for row in self._connection.execute(sql, values)}

    def _candidates(self, title: list[str], body: list[str]) -> dict[int, LineRow]:
        """Find active entries that share a rare word."""
        rare: dict[str, None] = {}
        for words, number in ((title, _TITLE_WORDS), (body, _BODY_WORDS)):
            stems = self._stems([word for word in words if word not in STOP_WORDS] or words)
            rare.update(dict.fromkeys(sorted(set(stems), key=self._order)[:number]))
        if not rare:
            return {}
        sql = (
            f"SELECT {_COLUMNS} FROM words CROSS JOIN entry AS e ON e.id = words.rowid"
            " WHERE words MATCH ? AND NOT e.hidden ORDER BY bm25(words, 4, 0, 1, 0, 0), e.key LIMIT ?"
        )
        rows = self._connection.execute(sql, (any_of(rare), _CANDIDATES)).fetchall()
        return {row[0]: row for row in rows}

    def _order(self, stem: str) -> tuple[float, str]:
        return -self._weigh(stem), stem

    def _stems(self, words: list[str]) -> list[str]:
        return list(map(self._analyser.known.__getitem__, words))

    def _weigh(self, stem: str) -> float:
        return rarity(self._entries, self._numbers.get(stem, 0))

    def _count(self, texts: Iterable[Texts]) -> None:
        """Look up how many entries hold the words of texts."""
        met = {word for text in texts for words in text for word in words}
        new = sorted(met - self._words)
        self._words.update(new)
        for start in range(0, len(new), _MOST_VARIABLES):
            some = new[start : start + _MOST_VARIABLES]
            marks = ", ".join("?" * len(some))
            sql = f"SELECT word, number FROM word WHERE word IN ({marks})"
            for word, number in self._connection.execute(sql, some):
                stem = self._analyser.stem(word)
                self._numbers[stem] = self._numbers.get(stem, 0) + number
