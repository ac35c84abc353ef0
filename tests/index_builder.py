"""Data files and their search index for tests.

1. The files are real and so is the database; what is compared are rows and answers, never bytes of
   the database or numbers of its rows.
"""

from __future__ import annotations

import json
import sqlite3
from array import array
from contextlib import closing
from typing import TYPE_CHECKING, Any, NamedTuple

from gitkb.index.search import Filters, Hit
from gitkb.index.sync import DataFile, open_synced

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

ALL = Filters(include_all=True)

# What the tables say, without the numbers of lines and files, in an order of its own.
_ROWS = (
    "SELECT key, archive, deleted, ts, text FROM line ORDER BY 1, 2, 3, 4, 5",
    (
        "SELECT key, archive, hidden, ts, type, status, importance, facets, text"
        " FROM entry ORDER BY 1"
    ),
    "SELECT source, relation, target, derived FROM edge ORDER BY 1, 2, 3",
    "SELECT word, number FROM word ORDER BY 1",
    "SELECT gram, words_of(ids) FROM gram ORDER BY 1",
    # Every word of full text, in which column of which entry, and where.
    (
        "SELECT v.term, e.key, v.col, v.offset FROM temp.instance AS v"
        " LEFT JOIN entry AS e ON e.id = v.doc ORDER BY 1, 2, 3, 4"
    ),
    "SELECT e.key, s.sz FROM words_docsize AS s LEFT JOIN entry AS e ON e.id = s.id ORDER BY 1",
    "SELECT count(*) FROM entry",
    # How many words there are by column, of which the average length of an entry is made.
    "SELECT rtrim(hex(block), '0') FROM words_data WHERE id = 1",
    ("SELECT f.name, length(c.ids) FROM file AS f JOIN content AS c ON c.file = f.id ORDER BY 1"),
    (
        "SELECT f.name, p.line, p.code, p.message FROM problem AS p JOIN file AS f ON f.id = p.file"
        " ORDER BY 1, 2"
    ),
)


def entry_line(key: str, content: str = "", **fields: Any) -> bytes:
    """A line of a valid entry, with a fact as its type unless another is given."""
    body = {"content": content} if content else {}
    record = {"key": key, "type": "fact", **body, "ts": 1, **fields}
    return json.dumps(record, ensure_ascii=False).encode()


class World(NamedTuple):
    """A folder of data files with a database beside them."""

    folder: Path

    @property
    def database(self) -> Path:
        return self.folder / "derived" / "index.sqlite"

    def path(self, name: str) -> Path:
        return self.folder / name

    def write(self, name: str, *lines: bytes) -> None:
        """Write a data file of these lines."""
        self.write_bytes(name, b"".join(line + b"\n" for line in lines))

    def write_bytes(self, name: str, data: bytes) -> None:
        self.path(name).parent.mkdir(parents=True, exist_ok=True)
        self.path(name).write_bytes(data)

    def files(self) -> list[DataFile]:
        """The data files there are, as the store lists them."""
        found = [*self.folder.glob("knowledge/*.jsonl"), *self.folder.glob("archive/*.jsonl")]
        return [DataFile(path.relative_to(self.folder).as_posix(), str(path)) for path in found]

    def ask(
        self, query: str, filters: Filters = ALL, *, notices: list[str] | None = None
    ) -> list[Hit]:
        """Search, as one command does."""
        index = open_synced(str(self.database), self.files(), notices=notices)
        with closing(index):
            return index.search(query, filters)

    def found(
        self, query: str, filters: Filters = ALL, *, notices: list[str] | None = None
    ) -> list[str]:
        """Search and give the keys."""
        return keys_of(self.ask(query, filters, notices=notices))

    def rows(self) -> list[list[tuple[Any, ...]]]:
        """What the tables of the database say, whose full text agrees with its own index."""
        with closing(sqlite3.connect(self.database)) as connection:
            connection.execute("INSERT INTO words (words) VALUES ('integrity-check')")
            connection.execute(
                "CREATE VIRTUAL TABLE temp.instance USING fts5vocab(main, words, instance)"
            )
            words = dict(connection.execute("SELECT id, word FROM word").fetchall())
            connection.create_function(
                "words_of", 1, lambda ids: " ".join(sorted(words[id_] for id_ in array("I", ids)))
            )
            return [connection.execute(sql).fetchall() for sql in _ROWS]


def keys_of(hits: Iterable[Hit]) -> list[str]:
    """The keys of hits, in their order."""
    return [json.loads(hit.line)["key"] for hit in hits]
