"""Questions to a search index that is up to date.

1. One hit a key: the line that stands for it (`document`, 2).
2. Filters are exact, and applied before the limit.
3. Without `include_all`, and without statuses asked for by name, only active entries are found.
4. The order is whole: relevance, then the later change, then the key; so it never depends on how
   the index came about.
"""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from gitkb.core.problem import Problem
from gitkb.core.ranking import WEIGHTS, score
from gitkb.errors import UsageError
from gitkb.index.document import ARCHIVED, CONTESTED, FILE_FACET, MUST_CHECK, facet_text
from gitkb.index.edge import all_edges, doubts_of, edges_at, successors_of
from gitkb.index.query import match_expression, split_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from typing import Any, TypeAlias, TypeVar

    from gitkb.core.link import Edge

    Answer = TypeVar("Answer")
    Value: TypeAlias = int | str
    Rows: TypeAlias = list[tuple[Any, ...]]
    Problems: TypeAlias = list[Problem]
    Hits: TypeAlias = "list[Hit]"
    Edges: TypeAlias = "list[Edge]"
    Explanation: TypeAlias = dict[str, list[str]]

_FILES_FUNCTION = "means_a_file"
_TITLED = 50
"""More entries of one title are noise."""
_MARKS = ("\ufdd0", "\ufdd1")
"""No characters, and so in no text (Unicode 23.7)."""
_ORDER = "e.ts DESC, e.key"
_BM25 = f"bm25(words, {', '.join(map(str, WEIGHTS.values()))})"


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


NO_FILTERS = Filters()


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


class Counts(NamedTuple):
    """What the store holds, by key."""

    types: dict[str, int]
    """Live entries by type, active or not."""
    active: int
    """Live entries that recall finds."""
    inactive: int
    """Live entries that are superseded or rejected."""
    archived: int
    """Entries that stand in the archive alone, or say that they are archived."""
    versions: int
    """Lines in the archive."""
    tombstones: int
    bad_lines: int
    duplicate_keys: int
    """Keys with several lines in the knowledge files."""


class Index:
    """A search index at one moment. Close it soon: it keeps others from writing.

    `heal` gives another connection to the same content, built anew, when this one turns out to be
    damaged; it is asked once.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        heal: Callable[[], sqlite3.Connection] | None = None,
    ) -> None:
        self._connection = connection
        self._heal = heal

    def close(self) -> None:
        self._connection.close()

    def search(self, query: str, filters: Filters = NO_FILTERS) -> Hits:
        """Find the entries that hold any word of the query, the most relevant first.

        Cost: in proportion to the rows that match.

        Raises:
            WordlessQueryError: the query holds no word.
        """
        expression = match_expression(query)
        if not expression:
            raise WordlessQueryError(
                f"the query '{query.strip()}' holds no word", "gitkb list shows every entry"
            )
        conditions, values = _conditions(filters)
        # CROSS JOIN: full text first, whatever the planner thinks of the filters.
        sql = (
            f"SELECT e.id, {_BM25} AS distance"
            " FROM words CROSS JOIN entry AS e ON e.id = words.rowid"
            f" WHERE {' AND '.join(['words MATCH ?', *conditions])}"
            f" ORDER BY distance, {_ORDER} LIMIT ?"
        )
        return self._ask(lambda: self._search(sql, [expression, *values], filters))

    def list(self, filters: Filters = NO_FILTERS) -> Hits:
        """List entries, the last changed first."""
        conditions, values = _conditions(filters)
        where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        sql = f"SELECT e.id, 0.0 FROM entry AS e{where} ORDER BY {_ORDER} LIMIT ?"
        return self._ask(lambda: self._hits(sql, values, filters))

    def get(self, key: str) -> Hit | None:
        """Give what a key shows, whatever its status; None if nothing, or if it is forgotten."""
        sql = "SELECT e.id, 0.0 FROM entry AS e WHERE e.key = ? LIMIT ?"
        hits = self._ask(lambda: self._hits(sql, [key], NO_FILTERS))
        return hits[0] if hits else None

    def find_titled(self, title: str) -> Hits:
        """Find the active entries whose title holds every word of a title, the shortest first."""
        words = split_words(title)
        if not words:
            return []
        expression = "title : (" + " AND ".join(f'"{word}"' for word in words) + ")"
        sql = (
            "SELECT e.id, 0.0 FROM words CROSS JOIN entry AS e ON e.id = words.rowid"
            " WHERE words MATCH ? AND NOT e.hidden ORDER BY length(e.title), e.key LIMIT ?"
        )
        filters = Filters(limit=_TITLED)
        return self._ask(lambda: self._hits(sql, [expression], filters))

    def explain(self, query: str, key: str) -> Explanation:
        """Say which words of an entry a query finds, by the field that they stand in.

        Source: https://www.sqlite.org/fts5.html, 5.1.2 (highlight).
        """
        expression = match_expression(query)
        if not expression:
            return {}
        fields = ", ".join(
            f"highlight(words, {number}, '{_MARKS[0]}', '{_MARKS[1]}')"
            for number in range(len(WEIGHTS))
        )
        sql = (
            f"SELECT {fields} FROM words CROSS JOIN entry AS e ON e.id = words.rowid"
            " WHERE words MATCH ? AND e.key = ?"
        )
        rows = self._ask(lambda: self._rows(sql, [expression, key]))
        found = {}
        for field, text in zip(WEIGHTS, rows[0] if rows else (), strict=False):
            parts = text.split(_MARKS[0])[1:]
            if parts:
                words = [part.partition(_MARKS[1])[0].lower() for part in parts]
                found[field] = list(dict.fromkeys(words))
        return found

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
        return self._ask(self._count)

    def problems(self) -> Problems:
        """Give what could not be read, by file and line."""
        sql = (
            "SELECT p.code, p.message, p.hint, f.name, p.line FROM problem AS p"
            " JOIN file AS f ON f.id = p.file ORDER BY f.name, p.line"
        )
        return [Problem(*row) for row in self._ask(lambda: self._rows(sql))]

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

    def _rows(self, sql: str, values: Sequence[Value] = ()) -> Rows:
        return self._connection.execute(sql, values).fetchall()

    def _number(self, sql: str) -> int:
        return int(self._rows(sql)[0][0])

    def _search(self, sql: str, values: Sequence[Value], filters: Filters) -> Hits:
        hits = self._hits(sql, values, filters)
        if not hits:
            self._check_full_text()
        return hits

    def _check_full_text(self) -> None:
        """Make sure that "nothing found" is an answer: damaged full text gives it without an error.

        The numbers of rows have to agree, and the first and last entry have to be found by their
        keys: those are ASCII, where SQLite and we agree on what a word is.
        """
        entries, texts = "SELECT count(*) FROM entry", "SELECT count(*) FROM words_docsize"
        if self._number(entries) != self._number(texts):
            raise sqlite3.DatabaseError("full text and entries differ in number")
        for id_, names in self._rows(
            "SELECT rowid, names FROM words WHERE rowid IN"
            " (SELECT min(id) FROM entry UNION SELECT max(id) FROM entry)"
        ):
            word = split_words(names)[0]
            if not self._rows(
                "SELECT 1 FROM words WHERE words MATCH ? AND rowid = ?", [f'"{word}"', id_]
            ):
                raise sqlite3.DatabaseError("full text does not find an entry by its key")

    def _hits(self, sql: str, values: Sequence[Value], filters: Filters) -> Hits:
        if filters.files:
            self._connection.create_function(_FILES_FUNCTION, 1, _files_test(filters.files))
        limit = -1 if filters.limit is None else filters.limit
        found = []
        # Facets and text of the hits alone: the sorter would carry those of every row that matches.
        for id_, distance in self._rows(sql, [*values, limit]):
            row = self._rows("SELECT key, facets, text FROM entry WHERE id = ?", [id_])[0]
            found.append((distance, *row))
        keys = {key for _, key, _, _ in found}
        later, doubtful = (each(self._connection, keys) for each in (successors_of, doubts_of))
        hits = []
        for distance, key, facets, text in found:
            archived, contested = (facet_text(name) in facets for name in (ARCHIVED, CONTESTED))
            graph = later.get(key, ()), doubtful.get(key, ())
            hits.append(Hit(text, score(-distance), archived, contested, *graph))
        return hits

    def _count(self) -> Counts:
        rows = self._rows(
            f"SELECT type, instr(facets, '{facet_text(ARCHIVED)}') > 0, hidden, count(*)"
            " FROM entry GROUP BY 1, 2, 3"
        )
        types: dict[str, int] = {}
        for type_, archived, _, number in rows:
            if not archived:
                types[type_] = types.get(type_, 0) + number
        return Counts(
            types=types,
            active=sum(number for _, _, hidden, number in rows if not hidden),
            inactive=sum(number for _, gone, hidden, number in rows if hidden and not gone),
            archived=sum(number for _, gone, _, number in rows if gone),
            versions=self._number(
                "SELECT (SELECT count(*) FROM line WHERE archive)"
                " + (SELECT count(*) FROM entry WHERE archive)"
            ),
            tombstones=self._number(
                "SELECT count(DISTINCT key) FROM line WHERE deleted AND NOT archive"
                " AND key NOT IN (SELECT key FROM entry)"
            ),
            bad_lines=self._number(
                "SELECT count(*) FROM problem WHERE code IN ('bad-line', 'marker')"
            ),
            duplicate_keys=self._number(
                "SELECT count(*) FROM (SELECT 1 FROM"
                " (SELECT key FROM line WHERE NOT archive"
                " UNION ALL SELECT key FROM entry WHERE NOT archive)"
                " GROUP BY key HAVING count(*) > 1)"
            ),
        )


def _conditions(filters: Filters) -> tuple[list[str], list[Value]]:
    conditions: list[str] = []
    values: list[Value] = []
    if not filters.include_all and not filters.statuses:
        conditions.append("NOT e.hidden")
    any_of = [
        [f"type {type_}" for type_ in filters.types],
        [f"status {status}" for status in filters.statuses],
        [f"category {category}" for category in filters.categories],
        [f"stack {stack.lower()}" for stack in filters.stacks],
        *[[f"tag {tag.lower()}"] for tag in filters.tags],
        [MUST_CHECK] if filters.must_check else [],
    ]
    for facets in filter(None, any_of):
        conditions.append(f"({' OR '.join(['instr(e.facets, ?)'] * len(facets))})")
        values.extend(map(facet_text, facets))
    if filters.since is not None:
        conditions.append("e.ts >= ?")
        values.append(filters.since)
    if filters.files:
        conditions.append(f"{_FILES_FUNCTION}(e.facets)")
    return conditions, values


def _files_test(patterns: tuple[str, ...]) -> Callable[[str], bool]:
    from gitkb.core.glob import compile_glob

    tests = [compile_glob(pattern) for pattern in patterns]

    def means_a_file(facets: str) -> bool:
        start = len(FILE_FACET)
        paths = [line[start:] for line in facets.split("\n") if line.startswith(FILE_FACET)]
        return any(test(path) for path in paths for test in tests)

    return means_a_file
