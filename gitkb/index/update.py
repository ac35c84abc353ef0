"""An update in place: only the lines that changed.

1. A change of k lines costs work in proportion to k, besides reading and hashing the files it is in.
2. Files are compared before anything is written.
"""

from __future__ import annotations

from array import array

from gitkb.index.blocks import compare_blocks, decode_blocks, empty_blocks, split_kept
from gitkb.index.database import check_deadline, new_token
from gitkb.index.document import line_row
from gitkb.index.rows import (
    INSERT_CONTENT,
    INSERT_FILE,
    INSERT_LINE,
    INSERT_PROBLEM,
    data_of,
    drop_lines,
    file_row,
    is_archive,
    last_id,
    parse_line,
    problem_rows,
    settle,
    text_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3

    from gitkb.core.problem import Problem
    from gitkb.core.search.words import Analyser
    from gitkb.index.blocks import Blocks, Region
    from gitkb.index.freshness import Delta, Reading

_LEAST_REBUILD = 2000
"""With fewer new lines than this an update in place is always cheaper than a full build."""


class TooMuchChangedError(Exception):
    """So many lines are new that a full build is cheaper."""


def update(
    connection: sqlite3.Connection,
    delta: Delta,
    analyser: Analyser,
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
    new = sum(change.new for change in changes)
    if limited and new > _LEAST_REBUILD:
        if new > connection.execute("SELECT count(*) FROM entry").fetchone()[0] // 2:
            connection.execute("ROLLBACK")
            raise TooMuchChangedError
    gone = [id_ for change in changes for id_ in change.gone]
    for name in delta.gone:
        gone += _drop_file(connection, ids[name])
    touched = drop_lines(connection, gone, analyser)
    for change in changes:
        check_deadline(deadline)
        change.apply(touched)
    for name, signature in delta.resigned:
        connection.execute("UPDATE file SET signature = ? WHERE name = ?", (signature, name))
    settle(connection, touched, analyser, deadline)
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
        self.gone: list[int] = []
        self.new = 0
        old = empty_blocks()
        if file is not None:
            row = connection.execute(
                "SELECT hashes, sizes, lines, goods, ids FROM content WHERE file = ?", (file,)
            ).fetchone()
            old = decode_blocks(*row)
        self._old = old
        data = data_of(reading, self._problems)
        self._regions: list[tuple[Region, list[bytes], list[int]]] = []
        for region in compare_blocks(old, data, lambda id_: text_of(connection, id_)):
            lines = [] if region.is_kept else split_kept(data[region.start : region.end])
            ids = [] if region.is_kept else self._match(region, lines)
            self._regions.append((region, lines, ids))

    def _match(self, region: Region, lines: list[bytes]) -> list[int]:
        """Give the ids of the lines that stood there already, 0 for those that are new."""
        stock: dict[bytes, list[int]] = {}
        for ids in self._old.ids[region.first : region.last]:
            for id_ in ids:
                stock.setdefault(text_of(self._connection, id_), []).append(id_)
        matched = []
        for line in lines:
            same = stock.get(line.removesuffix(b"\n"))
            matched.append(same.pop(0) if same else 0)
        self.new += matched.count(0)
        self.gone += [id_ for ids in stock.values() for id_ in ids]
        return matched

    def apply(self, touched: set[str]) -> None:
        """Write what is new; `touched` gathers the keys that have to be settled."""
        connection, name, old = self._connection, self._reading.name, self._old
        next_id = last_id(connection)
        rows = []
        blocks = empty_blocks()
        number = 0
        for region, lines, ids in self._regions:
            if region.is_kept:
                blocks.add_block(old, region.first)
                number += old.lines[region.first]
            for at, line in enumerate(lines):
                number += 1
                if ids[at]:
                    continue
                text = line.removesuffix(b"\n")
                record = parse_line(text, name, number, self._problems)
                if record is not None:
                    next_id += 1
                    ids[at] = next_id
                    rows.append(line_row(next_id, record, text, archive=is_archive(name)))
                    touched.add(record.key)
            blocks.add_lines(lines, ids)  # none, if it is kept
        connection.executemany(INSERT_LINE, rows)
        self._record(blocks)

    def _record(self, blocks: Blocks) -> None:
        connection, reading = self._connection, self._reading
        if self._file is None:
            self._file = connection.execute("SELECT max(id) FROM file").fetchone()[0] or 0
            self._file += 1
            connection.execute(INSERT_FILE, file_row(self._file, reading))
        else:
            connection.execute(
                "UPDATE file SET signature = ?, digest = ? WHERE id = ?",
                (reading.signature, reading.digest, self._file),
            )
        connection.execute(INSERT_CONTENT, (self._file, *blocks.encode()))
        connection.execute("DELETE FROM problem WHERE file = ?", (self._file,))
        connection.executemany(INSERT_PROBLEM, problem_rows(self._file, self._problems))


def _drop_file(connection: sqlite3.Connection, file: int) -> array[int]:
    """Forget a file; answer the ids of its lines."""
    row = connection.execute("SELECT ids FROM content WHERE file = ?", (file,)).fetchone()
    for statement in (
        "DELETE FROM content WHERE file = ?",
        "DELETE FROM problem WHERE file = ?",
        "DELETE FROM file WHERE id = ?",
    ):
        connection.execute(statement, (file,))
    return array("q", row[0])
