"""A full build: every line of every file into empty tables.

1. It ends in the same rows as any series of updates, but for their numbers (a property test).
2. Full text is half of the work and none of it is Python's: another thread has SQLite do it for
   one batch while this one parses the next. Only one of the two is in SQLite at any time.
"""

from __future__ import annotations

import gc
import sqlite3
import threading

from gitkb.core.entry import Entry
from gitkb.core.jsonl import split_lines
from gitkb.index.blocks import empty_blocks, split_kept
from gitkb.index.database import check_deadline, create_schema, new_token
from gitkb.index.document import age_of, entry_row, line_row
from gitkb.index.rows import (
    BATCH,
    INSERT_ENTRY,
    INSERT_LINE,
    INSERT_WORDS,
    data_of,
    insert_file,
    is_archive,
    parse_line,
    settle,
    write_content,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitkb.core.entry import Record
    from gitkb.core.problem import Problem
    from gitkb.index.blocks import Blocks
    from gitkb.index.document import LineRow, Row
    from gitkb.index.freshness import Reading

_LARGEST_BATCH = 4096
"""Each batch is handed to the other thread and waited for: on a busy machine that takes time."""


def build(
    connection: sqlite3.Connection, readings: Iterable[Reading], deadline: float | None = None
) -> str:
    """Fill an empty database, in one transaction; answer its token.

    `connection` may be used by several threads (one at a time).
    """
    token = new_token()
    # Millions of small objects and no cycle among them: looking for some is a fifth of the time.
    collecting = gc.isenabled()
    gc.disable()
    try:
        connection.execute("BEGIN")
        create_schema(connection, token)
        readings = sorted(readings, key=_archive_last)
        lines = sum(reading.data.count(b"\n") for reading in readings)
        tables = _Tables(connection, max(BATCH, min(lines // 16, _LARGEST_BATCH)), deadline)
        try:
            # The archive last: there the versions of keys that are live need no look.
            for number, reading in enumerate(readings, 1):
                tables.add_file(number, reading)
            tables.write()
        finally:
            tables.finish()
        connection.execute("CREATE INDEX entry_key ON entry (key)")
        connection.execute("CREATE INDEX line_key ON line (key)")
        settle(connection, tables.unsettled, deadline)
        connection.execute("COMMIT")
    finally:
        if collecting:
            gc.enable()
    return token


def _archive_last(reading: Reading) -> tuple[bool, str]:
    return is_archive(reading.name), reading.name


class _Tables:
    """Tables that are being filled; rows come in the order of their ids, which full text needs.

    The first line of a key is shown as it comes, or the latest of several that stand together, as
    versions do in the archive. Keys with lines in several places are left in `unsettled`.
    """

    def __init__(self, connection: sqlite3.Connection, batch: int, deadline: float | None) -> None:
        self.unsettled: set[str] = set()
        self._connection = connection
        self._batch = batch
        self._deadline = deadline
        self._next_id = 1
        self._is_live: dict[str, bool] = {}
        self._entries: list[Row] = []
        self._lines: list[LineRow] = []
        self._contents: list[tuple[int, Reading, Blocks, list[Problem]]] = []
        self._writer = _Writer(connection, ())

    def finish(self) -> None:
        """Wait until nothing is on its way any more."""
        self._writer.finish()

    def add_file(self, number: int, reading: Reading) -> None:
        """Add the lines of a file."""
        name, archive = reading.name, is_archive(reading.name)
        problems: list[Problem] = []
        id_ = self._next_id
        latest: LineRow | None = None
        latest_record: Record | None = None
        data = data_of(reading, problems)
        blocks = empty_blocks()
        ids: list[int] = []
        for at, line in enumerate(split_lines(data), 1):
            record = parse_line(line, name, at, problems)
            if record is None:
                ids.append(0)
                continue
            row = line_row(id_, record, line, archive=archive)
            ids.append(id_)
            id_ += 1
            if latest is not None:
                if latest[1] != row[1]:
                    self._add(latest, latest_record)
                elif age_of(row) < age_of(latest):
                    self._lines.append(row)
                    continue
                else:
                    self._lines.append(latest)
            latest, latest_record = row, record
        if latest is not None:
            self._add(latest, latest_record)
        self._next_id = id_
        blocks.add_lines(split_kept(data), ids)
        self._contents.append((number, reading, blocks, problems))

    def _add(self, row: LineRow, record: Record | None) -> None:
        key, archive = row[1], row[2]
        is_live = self._is_live.get(key)
        if is_live is None:
            self._is_live[key] = not archive
            if isinstance(record, Entry):
                self._entries.append(entry_row(row, record))
                if len(self._entries) >= self._batch:
                    self.write()
                return
        elif not (archive and is_live):
            self.unsettled.add(key)
        self._lines.append(row)

    def write(self) -> None:
        """Write what has gathered; its words are on their way when this returns."""
        check_deadline(self._deadline)
        connection = self._connection
        self._writer.finish()
        connection.executemany(INSERT_LINE, self._lines)
        connection.executemany(INSERT_ENTRY, self._entries)
        for number, reading, blocks, problems in self._contents:
            insert_file(connection, number, reading)
            write_content(connection, number, blocks, problems)
        if self._entries:
            self._writer = _Writer(connection, (self._entries[0][0], self._entries[-1][0]))
            self._writer.start()
        self._lines, self._entries, self._contents = [], [], []


class _Writer(threading.Thread):
    """Has SQLite take entries into full text, by one statement that holds no lock of Python's."""

    def __init__(self, connection: sqlite3.Connection, span: Row) -> None:
        super().__init__(name="gitkb-words")
        self._connection = connection
        self._span = span
        self._error: sqlite3.Error | None = None

    def run(self) -> None:
        try:
            self._connection.execute(INSERT_WORDS, self._span)
        except sqlite3.Error as error:
            self._error = error

    def finish(self) -> None:
        """Wait for the end; raise here what went wrong there."""
        if self.ident is not None:
            self.join()
        if self._error is not None:
            raise self._error
