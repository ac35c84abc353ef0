"""Questions to a search index that is up to date.

1. One hit a key: the line that stands for it (`document`, 2).
2. Filters are exact, and applied before the limit.
3. Without `include_all`, and without statuses asked for by name, only active entries are found.
4. The order is whole (`full_text`, 1; a list: the later change, then the key), so it never depends
   on how the index came about, and a larger limit only adds hits at the end.
"""

from __future__ import annotations

import sqlite3
from operator import itemgetter
from typing import NamedTuple

from gitkb.core.problem import Problem
from gitkb.core.search.ranking import score
from gitkb.errors import UsageError
from gitkb.index.document import ARCHIVED, CONTESTED, facet_text
from gitkb.index.edge import all_edges, doubts_of, edges_at, successors_of
from gitkb.index.filter import conditions_of
from gitkb.index.full_text import NO_USAGE, best_matches, check_full_text, explain_match
from gitkb.index.query import pose

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from typing import TypeAlias, TypeVar

    from gitkb.core.link import Edge
    from gitkb.core.search.words import Analyser
    from gitkb.core.touch.files import Candidate, Touch
    from gitkb.core.touch.words import Terms
    from gitkb.index.count import Counts
    from gitkb.index.full_text import Explanation
    from gitkb.index.similar import Comparison, Similar
    from gitkb.index.touch import Shared

    Answer = TypeVar("Answer")
    Problems: TypeAlias = list[Problem]
    Hits: TypeAlias = "list[Hit]"
    Edges: TypeAlias = "list[Edge]"
    Explanations: TypeAlias = "list[Explanation | None]"
    Rows: TypeAlias = "list[tuple[float, str, str, bytes]]"
    Similars: TypeAlias = "list[Similar]"
    Candidates: TypeAlias = "list[Candidate]"

_PLENTY = 500
"""From so many keys on, reading all there are is cheaper than asking for each."""


class WordlessQueryError(UsageError):
    """A query in which nothing is a word; to see all entries there is `list`."""

    slug = "wordless-query"


class Filters(NamedTuple):
    """What to leave out. Of several values any will do, but of `tags` every one has to be there."""

    types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    """Paths and globs, as in `core.glob`."""
    since: int | None = None
    """Unix seconds: changed then or later."""
    limit: int | None = None
    statuses: tuple[str, ...] = ()
    stacks: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    must_check: bool = False
    include_all: bool = False
    above: tuple[str, ...] = ()
    """Paths: only what names one of them, or a folder or glob that means it."""
    least_importance: int = 0


NO_FILTERS = Filters()
_FIRST_TWO = itemgetter(0, 1)


class Hit(NamedTuple):
    """One entry found."""

    line: bytes
    """As it stands in its file."""
    score: float
    """Between 0 and 1, see `core.ranking`; 0 where nothing was searched for."""
    archived: bool
    contested: bool
    superseded_by: tuple[str, ...] = ()
    """The keys of the entries that supersede it, whatever their own status."""
    in_doubt: tuple[str, ...] = ()
    """The keys that it depends on, directly or not, and that are no longer true."""


class Index:
    """A search index at one moment. Close it soon: it keeps others from writing.

    `heal` gives another connection to the same content, built anew, when this one turns out to be
    damaged; it is asked once.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        analyser: Analyser,
        heal: Callable[[], sqlite3.Connection] | None = None,
    ) -> None:
        self._connection = connection
        self._analyser = analyser
        self._heal = heal

    def close(self) -> None:
        self._connection.close()

    def search(
        self, query: str, filters: Filters = NO_FILTERS, usage: Mapping[str, float] = NO_USAGE
    ) -> Hits:
        """Find the entries that hold any word of the query, the best first; `usage` as in `full_text`.

        Cost: in proportion to the entries that match.

        Raises:
            WordlessQueryError: the query holds no word.
        """
        return self._ask(lambda: self._search(query, filters, usage))

    def list(self, filters: Filters = NO_FILTERS) -> Hits:
        """List entries, the last changed first."""
        return self._ask(lambda: self._list(filters))

    def get(self, key: str) -> Hit | None:
        """Give what a key shows, whatever its status; None if nothing, or if it is forgotten."""
        found = self._ask(lambda: self._hits_of(self._rows(key)))
        return found[0] if found else None

    def peek(self, key: str) -> Hit | None:
        """As `get`, without a walk for what supersedes it and what puts it in doubt."""
        found = self._ask(lambda: self._rows(key))
        if not found:
            return None
        points, _, facets, text = found[0]
        return Hit(text, points, facet_text(ARCHIVED) in facets, facet_text(CONTESTED) in facets)

    def holds(self, keys: Collection[str]) -> set[str]:
        """Give those of the keys that show something, whatever its status."""

        def holds() -> set[str]:
            if len(keys) >= _PLENTY:
                rows = self._connection.execute("SELECT key FROM entry").fetchall()
                return {row[0] for row in rows}.intersection(keys)
            sql = "SELECT 1 FROM entry WHERE key = ?"
            return {key for key in keys if self._connection.execute(sql, (key,)).fetchone()}

        return self._ask(holds)

    def similar(self, title: str, content: str, *, limit: int = 3, without: str = "") -> Similars:
        """Find the active entries that say much the same, but for the one with the key `without`.

        Those with the same title come first, however many; others follow until there are `limit`.
        """
        return self._ask(lambda: self.comparison().nearest(title, content, limit, without))

    def comparison(self) -> Comparison:
        """Give what compares several texts with the entries; it is good while this index is open."""
        from gitkb.index.similar import Comparison  # only who writes asks this

        return Comparison(self._connection, self._analyser)

    @property
    def analyser(self) -> Analyser:
        """What words are here; it gives texts the words and stems that this index knows."""
        return self._analyser

    def touching(self, touch: Touch) -> Candidates:
        """Give the active entries that concern paths by what they name, best first."""
        from gitkb.index.touch import find_touching  # no search asks this

        return self._ask(lambda: find_touching(self._connection, touch))

    def labels(self) -> set[str]:
        """Give the files, tags and technologies by which entries concern unasked, as in `touch_filter`."""
        from gitkb.index.touch import labels

        return self._ask(lambda: labels(self._connection))

    def sharing(self, terms: Terms, statuses: Sequence[str] = ()) -> Shared:
        """Give the entries that share rare names and words with a text; active ones unless told."""
        from gitkb.index.touch import find_sharing

        return self._ask(lambda: find_sharing(self._connection, self._analyser, terms, statuses))

    def explain(
        self, query: str, keys: Sequence[str], usage: Mapping[str, float] = NO_USAGE
    ) -> Explanations:
        """Say of entries why a query finds them; None for one that it does not find."""

        def explain() -> Explanations:
            question = pose(self._connection, self._analyser, query)
            ask = self._connection, self._analyser, question
            return [explain_match(*ask, key, usage) for key in keys]

        return self._ask(explain)

    def edges(self, keys: Collection[str]) -> Edges:
        """Give the edges that leave or reach any of the keys, stored and derived, sorted.

        Those of archived entries are among them; a forgotten one has none that leave it.
        """
        return self._ask(lambda: edges_at(self._connection, keys))

    def all_edges(self) -> Edges:
        """Give every edge, sorted."""
        return self._ask(lambda: all_edges(self._connection))

    def counts(self) -> Counts:
        """Count what there is. Reads every row."""
        from gitkb.index.count import count  # no search asks this

        return self._ask(lambda: count(self._connection))

    def problems(self) -> Problems:
        """Give what could not be read, by file and line."""
        return self._ask(self._problems)

    def _ask(self, question: Callable[[], Answer]) -> Answer:
        try:
            return question()
        except sqlite3.DatabaseError:
            if self._heal is None:
                raise
        self._connection.close()
        self._connection = self._heal()
        self._heal = None
        return question()

    def _search(self, query: str, filters: Filters, usage: Mapping[str, float]) -> Hits:
        connection = self._connection
        question = pose(connection, self._analyser, query)
        if not question.parts:
            raise WordlessQueryError(
                f"the query '{query.strip()}' holds no word", "gitkb list shows every entry"
            )
        conditions, values = conditions_of(connection, filters)
        matches = best_matches(connection, question, conditions, values, filters.limit, usage)
        if not matches:
            check_full_text(connection, self._analyser)
        return self._hits((match.id, score(match.relevance, question.total)) for match in matches)

    def _list(self, filters: Filters) -> Hits:
        conditions, values = conditions_of(self._connection, filters)
        where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        if filters.limit is not None:
            # Facets and text of the hits alone: a sorter would carry those of every row.
            order = "ORDER BY e.ts DESC, e.key LIMIT ?"
            sql = f"SELECT e.id, 0.0 FROM entry AS e{where} {order}"
            return self._hits(self._connection.execute(sql, (*values, filters.limit)))
        # Sorted here: in the order of an index every row would be looked up on its own.
        sql = f"SELECT -e.ts, e.key, e.facets, e.text FROM entry AS e{where}"
        rows = self._connection.execute(sql, values).fetchall()
        rows.sort(key=_FIRST_TWO)
        return self._hits_of([(0.0, *row[1:]) for row in rows])

    def _rows(self, key: str) -> Rows:
        sql = "SELECT 0.0, key, facets, text FROM entry WHERE key = ?"
        return self._connection.execute(sql, (key,)).fetchall()

    def _hits(self, scores: Iterable[tuple[int, float]]) -> Hits:
        found = []
        for id_, points in scores:
            row = self._connection.execute(
                "SELECT key, facets, text FROM entry WHERE id = ?", (id_,)
            ).fetchone()
            if row is None:
                raise sqlite3.DatabaseError("full text finds an entry that does not exist")
            found.append((points, *row))
        return self._hits_of(found)

    def _hits_of(self, found: Sequence[tuple[float, str, str, bytes]]) -> Hits:
        """Give the hits of score, key, facets and text."""
        keys = {key for _, key, _, _ in found}
        later, doubtful = (each(self._connection, keys) for each in (successors_of, doubts_of))
        archived, contested = facet_text(ARCHIVED), facet_text(CONTESTED)
        if not (later or doubtful):
            return [
                Hit(text, points, archived in facets, contested in facets)
                for points, _, facets, text in found
            ]
        return [
            Hit(
                text,
                points,
                archived in facets,
                contested in facets,
                later.get(key, ()),
                doubtful.get(key, ()),
            )
            for points, key, facets, text in found
        ]

    def _problems(self) -> Problems:
        sql = (
            "SELECT p.code, p.message, p.hint, f.name, p.line FROM problem AS p"
            " JOIN file AS f ON f.id = p.file ORDER BY f.name, p.line"
        )
        return [Problem(*row) for row in self._connection.execute(sql)]
