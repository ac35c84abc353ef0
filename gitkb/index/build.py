"""A full build: every line of every file into empty tables.

1. It ends in the same rows as any series of updates, but for their numbers (a property test).
2. Full text is a third of the work and none of it is Python's: another thread has SQLite do it for
   one batch while this one reads and stems the next. Only one of the two is in SQLite at any time.
3. Three batches, each half as large again as the one before, because that much is parsed meanwhile.
   Every batch is a segment of full text, and from four segments on FTS5 spends time on merging them
   (https://www.sqlite.org/fts5.html, 6.2).
"""

from __future__ import annotations

import gc
import os
import sqlite3
import sys
import threading
import time
from bisect import bisect_right
from collections import Counter

from gitkb.core.entry import Entry
from gitkb.core.jsonl import split_lines
from gitkb.core.progress import begin, is_watched
from gitkb.index.blocks import empty_blocks
from gitkb.index.database import check_deadline, create_schema, new_token
from gitkb.index.document import age_of, entry_row, line_row
from gitkb.index.freshness import iter_readings
from gitkb.index.plain import CHUNK, plain_rows
from gitkb.index.rows import (
    BATCH,
    INSERT_CONTENT,
    INSERT_EDGE,
    INSERT_ENTRY,
    INSERT_FILE,
    INSERT_LINE,
    INSERT_PROBLEM,
    data_of,
    file_row,
    is_archive,
    iter_edges,
    parse_line,
    problem_rows,
    settle,
)
from gitkb.index.stems import stem_rows
from gitkb.index.vocabulary import fill_words, vocabulary_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitkb.core.entry import Record
    from gitkb.core.problem import Problem
    from gitkb.core.progress import Advance
    from gitkb.core.search.words import Analyser
    from gitkb.index.blocks import Blocks
    from gitkb.index.document import LineRow, Shown
    from gitkb.index.freshness import DataFile, Reading
    from gitkb.index.stems import StemRow

_LARGEST_BATCH = 50_000
"""Rows: they are in memory until they are written, about one kilobyte each."""
# Stems wait here until one statement takes them all: were they its parameters, it would need Python
# for every row.
_CREATE_WAITING = (
    "CREATE TEMP TABLE waiting (id INTEGER PRIMARY KEY, title, tags, content, files, names)"
)
_INSERT_WAITING = "INSERT INTO waiting VALUES (?, ?, ?, ?, ?, ?)"
_TAKE_WAITING = (
    "INSERT INTO words (rowid, title, tags, content, files, names)"
    " SELECT id, title, tags, content, files, names FROM waiting ORDER BY id"
)
_SWITCH_INTERVAL = 0.0001
"""Seconds; Python's own fifty times as much is what SQLite takes for a batch of a small build."""


def build(
    connection: sqlite3.Connection,
    files: Sequence[DataFile],
    readings: dict[str, Reading],
    analyser: Analyser,
    version: str,
    deadline: float | None = None,
) -> str:
    """Fill an empty database, in one transaction; answer its token.

    `version` is that of `database.version_of`. `readings` holds what was read already, and takes the rest. `connection` may be used by several threads (one at a time).
    """
    token = new_token()
    # Millions of small objects and no cycle among them: looking for some is a fifth of the time.
    collecting = gc.isenabled()
    gc.disable()
    # The other thread needs Python for a moment before SQLite can begin.
    interval = sys.getswitchinterval()
    sys.setswitchinterval(_SWITCH_INTERVAL)
    try:
        connection.execute("PRAGMA temp_store = MEMORY")
        connection.execute("BEGIN")
        create_schema(connection, token, version)
        connection.execute(_CREATE_WAITING)
        advance = begin("indexing", "MB", _size_of(files) if is_watched() else None)
        tables = _Tables(connection, len(files), analyser, deadline, advance)
        try:
            # The archive last: there the versions of keys that are live need no look, and a line
            # that moves there meanwhile is found.
            for reading in iter_readings(sorted(files, key=_archive_last), readings):
                tables.add_file(reading)
            tables.end()
        finally:
            tables.finish()
        connection.execute("DROP TABLE waiting")
        connection.execute("CREATE INDEX entry_key ON entry (key)")
        connection.execute("CREATE INDEX entry_ts ON entry (ts)")
        connection.execute("CREATE INDEX line_key ON line (key)")
        settle(connection, tables.unsettled, analyser, deadline)
        connection.execute("COMMIT")
    finally:
        sys.setswitchinterval(interval)
        if collecting:
            gc.enable()
    return token


def _size_of(files: Sequence[DataFile]) -> int | None:
    """Add up the bytes of the files; None where that is not to be known."""
    try:
        return sum(os.stat(file.path).st_size for file in files)
    except OSError:
        return None


def _archive_last(file: DataFile) -> tuple[bool, str]:
    return is_archive(file.name), file.name


class _File:
    """A file whose lines are being added; each has the id that follows the one before it."""

    def __init__(self, reading: Reading, first: int) -> None:
        self.reading = reading
        self.first = first
        self.problems: list[Problem] = []
        self.data = data_of(reading, self.problems)
        self.lines = split_lines(self.data)
        self.ids = list(range(first, first + len(self.lines)))
        """0 for those that are nothing to be found."""

    def blocks(self) -> Blocks:
        blocks = empty_blocks()
        blocks.add_file(self.data, self.lines, self.ids)
        return blocks


class _Tables:
    """Tables that are being filled; rows come in the order of their ids, which full text needs.

    The first line of a key is shown as it comes, or the latest of several that stand together, as
    versions do in the archive. Keys with lines in several places are left in `unsettled`.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        number: int,
        analyser: Analyser,
        deadline: float | None,
        advance: Advance,
    ) -> None:
        self._advance = advance
        self.unsettled: set[str] = set()
        self._connection = connection
        self._analyser = analyser
        self._number = number
        self._batch = 0
        self._deadline = deadline
        self._is_live: dict[str, bool] = {}
        self._files: list[_File] = []
        self._firsts: list[int] = []
        self._next_id = 1
        self._waiting: list[bytes] = []
        self._entries: list[Shown] = []
        self._stems: list[StemRow] = []
        """Of the first of the entries."""
        self._lines: list[LineRow] = []
        self._numbers: Counter[str] = Counter()
        self._writer = _Writer(connection)

    def finish(self) -> None:
        """Wait until nothing is on its way any more."""
        self._writer.finish(self._deadline)

    def add_file(self, reading: Reading) -> None:
        """Add the lines of a file."""
        check_deadline(self._deadline)
        file = _File(reading, self._next_id)
        self._files.append(file)
        self._firsts.append(self._next_id)
        if self._writer.ident is None:
            # A quarter of all lines, if the other files are like those so far.
            lines = (self._next_id + len(file.lines)) * self._number // len(self._files)
            self._batch = max(BATCH, min(lines // 4, _LARGEST_BATCH))
        if is_archive(reading.name):
            self._take_waiting()
            self._next_id += len(file.lines)
            self._add_versions(file)
            self._advance(len(file.data))
            return
        # Those of several small files are parsed together.
        for start in range(0, len(file.lines), CHUNK):
            chunk = file.lines[start : start + CHUNK]
            self._waiting += chunk
            self._next_id += len(chunk)
            if len(self._waiting) >= CHUNK:
                self._take_waiting()

    def end(self) -> None:
        """Write what is left, and what is recorded of the files."""
        self._take_waiting()
        self._write()
        # Worked out while the last words are on their way.
        vocabulary = vocabulary_of(self._numbers)
        numbered = list(enumerate(self._files, 1))
        contents = [(at, *file.blocks().encode()) for at, file in numbered]
        files = [file_row(at, file.reading) for at, file in numbered]
        problems = [row for at, file in numbered for row in problem_rows(at, file.problems)]
        self.finish()
        connection = self._connection
        connection.executemany(INSERT_FILE, files)
        connection.executemany(INSERT_CONTENT, contents)
        connection.executemany(INSERT_PROBLEM, problems)
        fill_words(connection, vocabulary)

    def _take_waiting(self) -> None:
        self._advance(sum(map(len, self._waiting)))
        is_live, add = self._is_live, self._entries.append
        first = self._next_id - len(self._waiting)
        for id_, plain in enumerate(plain_rows(first, self._waiting), first):
            if plain is not None and plain[0][1] not in is_live:
                is_live[plain[0][1]] = True
                add(plain)
            else:
                self._add_odd(id_)
        self._waiting.clear()
        self._stem()
        if len(self._entries) >= self._batch:
            self._write()

    def _stem(self) -> None:
        fresh = self._entries[len(self._stems) :]
        self._stems += stem_rows(self._analyser, fresh, self._numbers)

    def _add_odd(self, id_: int) -> None:
        """Add a line of a knowledge file that is not plain, or one of several of a key."""
        file = self._files[bisect_right(self._firsts, id_) - 1]
        at = id_ - file.first
        line = file.lines[at]
        record = parse_line(line, file.reading.name, at + 1, file.problems)
        if record is None:
            file.ids[at] = 0
        else:
            self._add(line_row(id_, record, line, archive=False), record)

    def _add_versions(self, file: _File) -> None:
        """Add the lines of a file of the archive, where versions of a key stand together."""
        latest: LineRow | None = None
        latest_record: Record | None = None
        for at, line in enumerate(file.lines):
            record = parse_line(line, file.reading.name, at + 1, file.problems)
            if record is None:
                file.ids[at] = 0
                continue
            row = line_row(file.ids[at], record, line, archive=True)
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

    def _add(self, row: LineRow, record: Record | None) -> None:
        key, archive = row[1], row[2]
        is_live = self._is_live.get(key)
        if is_live is None:
            self._is_live[key] = not archive
            if isinstance(record, Entry):
                self._entries.append(entry_row(row, record))
                if len(self._entries) >= self._batch:
                    self._write()
                return
        elif not (archive and is_live):
            self.unsettled.add(key)
        self._lines.append(row)

    def _write(self) -> None:
        """Write the rows that have gathered; their words are on their way when this returns."""
        check_deadline(self._deadline)
        self._stem()
        entries = [row for row, _ in self._entries]
        self.finish()
        connection = self._connection
        connection.executemany(INSERT_LINE, self._lines)
        connection.executemany(INSERT_ENTRY, entries)
        connection.executemany(INSERT_EDGE, iter_edges(entries))
        connection.execute("DELETE FROM waiting")
        connection.executemany(_INSERT_WAITING, self._stems)
        if entries:
            self._writer = _Writer(connection)
            self._writer.start()
        self._lines.clear()
        self._entries.clear()
        self._stems.clear()
        self._batch = min(self._batch * 3 // 2, _LARGEST_BATCH)


class _Writer(threading.Thread):
    """Has SQLite take entries into full text, by one statement that holds no lock of Python's."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        super().__init__(name="gitkb-words")
        self._connection = connection
        self._error: sqlite3.Error | None = None

    def run(self) -> None:
        try:
            self._connection.execute(_TAKE_WAITING)
        except sqlite3.Error as error:
            self._error = error

    def finish(self, deadline: float | None) -> None:
        """Wait for the end, until the deadline; raise here what went wrong there."""
        if self.ident is not None:
            if deadline is not None:
                self.join(max(deadline - time.monotonic(), 0))
                if self.is_alive():
                    self._connection.interrupt()
            self.join()
            check_deadline(deadline)
        if self._error is not None:
            raise self._error
