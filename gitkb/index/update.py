"""An update in place: only the lines that changed.

1. A change of k lines costs work in proportion to k, besides reading and hashing the files it is in.
2. Files are compared before anything is written.
"""

from __future__ import annotations

from array import array

from gitkb.index.database import check_deadline, new_token
from gitkb.index.document import line_row
from gitkb.index.rows import (
    INSERT_LINE,
    drop_line,
    hash_lines,
    insert_file,
    is_archive,
    last_id,
    lines_of,
    parse_line,
    settle,
    unpack_hashes,
    write_content,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3

    from gitkb.core.problem import Problem
    from gitkb.index.freshness import Delta, Reading

_LEAST_REBUILD = 2000
"""With fewer new lines than this an update in place is always cheaper than a full build."""


class TooMuchChangedError(Exception):
    """So many lines are new that a full build is cheaper."""


def update(
    connection: sqlite3.Connection,
    delta: Delta,
    deadline: float | None = None,
    *,
    limited: bool = True,
) -> str:
    """Bring a filled database up to date, in one transaction; answer its new token.

    Raises:
        TooMuchChangedError: before anything was written, unless not `limited`.
    """
    token = new_token()
    connection.execute("BEGIN IMMEDIATE")
    ids = dict(connection.execute("SELECT name, id FROM file").fetchall())
    changes = []
    for reading in delta.changed:
        check_deadline(deadline)
        changes.append(_Change(connection, reading, ids.get(reading.name)))
    new = sum(len(change.new) for change in changes)
    if limited and new > _LEAST_REBUILD:
        if new > connection.execute("SELECT count(*) FROM entry").fetchone()[0] // 2:
            connection.execute("ROLLBACK")
            raise TooMuchChangedError
    touched: set[str] = set()
    for name in delta.gone:
        _drop_file(connection, ids[name], touched)
    for change in changes:
        check_deadline(deadline)
        change.apply(touched)
    for name, signature in delta.resigned:
        connection.execute("UPDATE file SET signature = ? WHERE name = ?", (signature, name))
    settle(connection, touched, deadline)
    connection.execute("UPDATE state SET token = ?", (token,))
    connection.execute("COMMIT")
    return token


class _Change:
    """What became of one file: compared first, applied later."""

    def __init__(self, connection: sqlite3.Connection, reading: Reading, file: int | None) -> None:
        self._connection = connection
        self._reading = reading
        self._file = file
        self._problems: list[Problem] = []
        self._stock: dict[bytes, int] = {}
        if file is not None:
            packed, ids = connection.execute(
                "SELECT hashes, ids FROM content WHERE file = ?", (file,)
            ).fetchone()
            self._stock = dict(zip(unpack_hashes(packed), array("q", ids), strict=True))
        lines = lines_of(reading, self._problems)
        self._hashes = hash_lines(lines)
        self.new = [
            (at, line) for at, line in enumerate(lines) if self._hashes[at] not in self._stock
        ]

    def apply(self, touched: set[str]) -> None:
        """Write the change; `touched` gathers the keys that have to be settled."""
        stock, connection, name = self._stock, self._connection, self._reading.name
        gone = stock.keys() - set(self._hashes)
        for id_ in sorted(stock.pop(hash_) for hash_ in gone):
            touched.add(drop_line(connection, id_))
        next_id = last_id(connection)
        rows = []
        for at, line in self.new:
            record = parse_line(line, name, at + 1, self._problems)
            if record is None:
                continue
            next_id += 1
            stock[self._hashes[at]] = next_id
            rows.append(line_row(next_id, record, line, archive=is_archive(name)))
            touched.add(record.key)
        connection.executemany(INSERT_LINE, rows)
        self._sign([hash_ for hash_ in self._hashes if hash_ in stock])

    def _sign(self, hashes: list[bytes]) -> None:
        connection, reading = self._connection, self._reading
        if self._file is None:
            self._file = connection.execute("SELECT max(id) FROM file").fetchone()[0] or 0
            self._file += 1
            insert_file(connection, self._file, reading)
        else:
            connection.execute(
                "UPDATE file SET signature = ?, digest = ? WHERE id = ?",
                (reading.signature, reading.digest, self._file),
            )
        ids = array("q", [self._stock[hash_] for hash_ in hashes])
        write_content(connection, self._file, hashes, ids, self._problems)


def _drop_file(connection: sqlite3.Connection, file: int, touched: set[str]) -> None:
    row = connection.execute("SELECT ids FROM content WHERE file = ?", (file,)).fetchone()
    for id_ in array("q", row[0]):
        touched.add(drop_line(connection, id_))
    connection.execute("DELETE FROM content WHERE file = ?", (file,))
    connection.execute("DELETE FROM problem WHERE file = ?", (file,))
    connection.execute("DELETE FROM file WHERE id = ?", (file,))
