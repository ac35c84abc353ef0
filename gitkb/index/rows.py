"""From the lines of a file to rows in the tables, for full builds and updates alike."""

from __future__ import annotations

import sqlite3
from collections import Counter

from gitkb.core.entry import Entry, parse_record
from gitkb.core.identity import ARCHIVE
from gitkb.core.jsonl import BYTE_ORDER_MARK, BadLineError, parse_object
from gitkb.core.link import edges_of
from gitkb.core.problem import Problem, problem_of
from gitkb.index.database import check_deadline
from gitkb.index.document import age_of, entry_row
from gitkb.index.stems import stem_rows
from gitkb.index.vocabulary import change_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gitkb.core.entry import Record
    from gitkb.core.link import Edge
    from gitkb.core.search.words import Analyser
    from gitkb.index.document import LineRow, Row, Shown
    from gitkb.index.freshness import Reading

BATCH = 256
"""Rows written at once at least."""

INSERT_FILE = "INSERT INTO file VALUES (?, ?, ?, ?)"
INSERT_CONTENT = "INSERT OR REPLACE INTO content VALUES (?, ?, ?, ?, ?, ?)"
INSERT_PROBLEM = "INSERT INTO problem VALUES (?, ?, ?, ?, ?)"
INSERT_LINE = "INSERT INTO line VALUES (?, ?, ?, ?, ?, ?)"
INSERT_ENTRY = "INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
# One link may stand twice in an entry that another tool wrote.
INSERT_EDGE = "INSERT OR IGNORE INTO edge VALUES (?, ?, ?, ?)"
_INSERT_WORDS = (
    "INSERT INTO words (rowid, title, tags, content, files, names) VALUES (?, ?, ?, ?, ?, ?)"
)
_DELETE_WORDS = (
    "INSERT INTO words (words, rowid, title, tags, content, files, names)"
    " VALUES ('delete', ?, ?, ?, ?, ?, ?)"
)


def is_archive(name: str) -> bool:
    """Say whether a data file belongs to the archive."""
    return name.startswith(ARCHIVE)


def data_of(reading: Reading, problems: list[Problem]) -> bytes:
    """Give the bytes of the lines of a file; what concerns it as a whole is a problem."""
    data = reading.data
    if reading.error:
        hint = "see its permissions, and what git status says"
        problems.append(Problem("unreadable", f"cannot read: {reading.error}", hint, reading.name))
    if data.startswith(BYTE_ORDER_MARK):
        message = "a byte order mark before the first line"
        problems.append(Problem("byte-order-mark", message, "gitkb fmt", reading.name, 1))
        data = data[len(BYTE_ORDER_MARK) :]
    return data


def parse_line(line: bytes, name: str, number: int, problems: list[Problem]) -> Record | None:
    """Parse a line of a file; None, and perhaps a problem, if it is nothing to be found."""
    try:
        record = parse_record(line)
    except BadLineError as error:
        problems.append(problem_of(line, error, name, number))
        return None
    if not isinstance(record, Entry) and is_archive(name):
        return None  # the archive holds versions of entries, and such a line hides none
    return record


def file_row(file: int, reading: Reading) -> tuple[int, str, str, bytes]:
    """The row in the table `file` of a file as it was read."""
    return (file, reading.name, reading.signature, reading.digest)


def problem_rows(file: int, problems: list[Problem]) -> list[tuple[int, int, str, str, str]]:
    """The rows in the table `problem` of what is wrong in a file."""
    return [(file, each.line, each.code, each.message, each.hint) for each in problems]


def iter_edges(rows: Iterable[Row]) -> Iterator[Edge]:
    """Give the edges of entries by their rows.

    A line without links nor brackets is not looked at twice: almost every line is one.
    """
    for row in rows:
        if b'"links"' in row[-1] or b"[[" in row[-1] or b"\\u" in row[-1]:
            yield from edges_of(parse_object(row[-1]))


def settle(
    connection: sqlite3.Connection, keys: set[str], analyser: Analyser, deadline: float | None
) -> None:
    """Let each of the keys show the line that stands for it, and no other.

    In the order of their ids, and what is no longer shown first: full text writes itself out
    whenever a row comes before the last one, and before a statement that gives it several.
    """
    winners: list[LineRow] = []
    losers: list[LineRow] = []
    for key in keys:
        shown: list[LineRow] = connection.execute(
            "SELECT id, key, archive, 0, ts, text FROM entry WHERE key = ?", (key,)
        ).fetchall()
        others: list[LineRow] = connection.execute(
            "SELECT id, key, archive, deleted, ts, text FROM line WHERE key = ?", (key,)
        ).fetchall()
        winner = max(shown + others, key=age_of, default=None)
        if winner is not None and winner not in shown and not winner[3]:
            winners.append(winner)
        losers.extend(row for row in shown if row is not winner)
    drop_lines(connection, [row[0] for row in losers], analyser)
    connection.executemany(INSERT_LINE, losers)
    rows = []
    for winner in sorted(winners):
        check_deadline(deadline)
        record = parse_record(winner[5])
        if isinstance(record, Entry):
            rows.append(entry_row(winner, record))
    entries = [row for row, _ in rows]
    words: Counter[str] = Counter()
    connection.executemany("DELETE FROM line WHERE id = ?", [(row[0],) for row in entries])
    connection.executemany(INSERT_ENTRY, entries)
    connection.executemany(INSERT_EDGE, iter_edges(entries))
    connection.executemany(_INSERT_WORDS, stem_rows(analyser, rows, words))
    change_words(connection, words)


def drop_lines(connection: sqlite3.Connection, ids: Iterable[int], analyser: Analyser) -> set[str]:
    """Take lines out, shown or not; answer their keys."""
    keys = set()
    shown: list[Shown] = []
    others = []
    for id_ in sorted(ids):
        found = connection.execute(
            "SELECT id, key, archive, 0, ts, text FROM entry WHERE id = ?", (id_,)
        ).fetchone()
        if found is not None:
            shown.append(read_again(found))
        else:
            found = connection.execute("SELECT id, key FROM line WHERE id = ?", (id_,)).fetchone()
            if found is None:
                raise sqlite3.DatabaseError("a line that is recorded does not exist")
            others.append((id_,))
        keys.add(str(found[1]))
    words: Counter[str] = Counter()
    connection.executemany(_DELETE_WORDS, stem_rows(analyser, shown, words))
    change_words(connection, words, -1)
    entries = [row for row, _ in shown]
    connection.executemany("DELETE FROM entry WHERE id = ?", [(row[0],) for row in entries])
    connection.executemany("DELETE FROM edge WHERE source = ?", [(row[1],) for row in entries])
    connection.executemany("DELETE FROM line WHERE id = ?", others)
    return keys


def read_again(line: LineRow) -> Shown:
    """Give the row and the texts of an entry that is shown.

    Raises:
        sqlite3.DatabaseError: it is not what it was.
    """
    try:
        record = parse_record(line[5])
    except BadLineError as error:
        raise sqlite3.DatabaseError("an entry that is shown cannot be read") from error
    if not isinstance(record, Entry):
        raise sqlite3.DatabaseError("an entry that is shown is none")
    return entry_row(line, record)


def last_id(connection: sqlite3.Connection) -> int:
    """Give the largest id in use, or 0."""
    return int(
        connection.execute(
            "SELECT max(ifnull((SELECT max(id) FROM entry), 0), ifnull((SELECT max(id) FROM line), 0))"
        ).fetchone()[0]
    )


def text_of(connection: sqlite3.Connection, id_: int) -> bytes:
    """Give the text of a line, shown or not."""
    row = connection.execute(
        "SELECT text FROM entry WHERE id = ? UNION ALL SELECT text FROM line WHERE id = ?",
        (id_, id_),
    ).fetchone()
    if row is None:
        raise sqlite3.DatabaseError("a line that is recorded does not exist")
    return bytes(row[0])
