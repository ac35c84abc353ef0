"""From the lines of a file to rows in the tables, for full builds and updates alike."""

from __future__ import annotations

import sqlite3

from gitkb.core.entry import Entry, parse_record
from gitkb.core.identity import ARCHIVE
from gitkb.core.jsonl import BYTE_ORDER_MARK, BadLineError
from gitkb.core.problem import Problem, problem_of
from gitkb.index.database import check_deadline
from gitkb.index.document import age_of, entry_row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.core.entry import Record
    from gitkb.index.blocks import Blocks
    from gitkb.index.document import LineRow
    from gitkb.index.freshness import Reading

BATCH = 256
"""Rows written at once at least: few enough to look at the clock in between."""

INSERT_LINE = "INSERT INTO line VALUES (?, ?, ?, ?, ?, ?)"
INSERT_ENTRY = "INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
INSERT_WORDS = (
    "INSERT INTO words (rowid, title, tags, content, files, names)"
    " SELECT id, title, tags, content, files, names FROM entry WHERE id BETWEEN ? AND ?"
)
_DELETE_WORDS = (
    "INSERT INTO words (words, rowid, title, tags, content, files, names)"
    " SELECT 'delete', id, title, tags, content, files, names FROM entry WHERE id = ?"
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


def insert_file(connection: sqlite3.Connection, file: int, reading: Reading) -> None:
    """Record a file that is new."""
    connection.execute(
        "INSERT INTO file VALUES (?, ?, ?, ?)",
        (file, reading.name, reading.signature, reading.digest),
    )


def write_content(
    connection: sqlite3.Connection, file: int, blocks: Blocks, problems: list[Problem]
) -> None:
    """Record what a file holds, and what is wrong with some of its lines."""
    connection.execute(
        "INSERT OR REPLACE INTO content VALUES (?, ?, ?, ?, ?, ?)", (file, *blocks.encode())
    )
    connection.execute("DELETE FROM problem WHERE file = ?", (file,))
    connection.executemany(
        "INSERT INTO problem VALUES (?, ?, ?, ?, ?)",
        [(file, problem.line, problem.code, problem.message, problem.hint) for problem in problems],
    )


def settle(connection: sqlite3.Connection, keys: set[str], deadline: float | None) -> None:
    """Let each of the keys show the line that stands for it, and no other.

    In the order of their ids, and what is no longer shown first: full text writes itself out
    whenever a row comes before the last one.
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
    for row in sorted(losers):
        drop_entry(connection, row[0])
        connection.execute(INSERT_LINE, row)
    for row in sorted(winners):
        check_deadline(deadline)
        record = parse_record(row[5])
        if isinstance(record, Entry):
            connection.execute("DELETE FROM line WHERE id = ?", (row[0],))
            connection.execute(INSERT_ENTRY, entry_row(row, record))
            connection.execute(INSERT_WORDS, (row[0], row[0]))


def drop_entry(connection: sqlite3.Connection, id_: int) -> None:
    """Take an entry out, its words first: they are found by what it says."""
    connection.execute(_DELETE_WORDS, (id_,))
    connection.execute("DELETE FROM entry WHERE id = ?", (id_,))


def drop_line(connection: sqlite3.Connection, id_: int) -> str:
    """Take a line out, shown or not; answer its key."""
    for table in ("entry", "line"):
        found = connection.execute(f"SELECT key FROM {table} WHERE id = ?", (id_,)).fetchone()
        if found is not None:
            if table == "entry":
                drop_entry(connection, id_)
            else:
                connection.execute("DELETE FROM line WHERE id = ?", (id_,))
            return str(found[0])
    raise sqlite3.DatabaseError("a line that is recorded does not exist")


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
