"""Data files into tables: all of them at once, or the lines that changed.

1. Both ways end in the same rows, but for the numbers of the lines (a property test).
2. A change of k lines costs work in proportion to k, besides reading and hashing the files it is in.
"""

from __future__ import annotations

from array import array
from hashlib import blake2b

from gitkb.core.entry import Entry, parse_record
from gitkb.core.identity import ARCHIVE
from gitkb.core.jsonl import BYTE_ORDER_MARK, BadLineError, split_lines
from gitkb.core.problem import Problem, problem_of
from gitkb.index.database import check_deadline, create_schema, new_token
from gitkb.index.document import age_of, entry_row, line_row, words_row

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

    from gitkb.core.entry import Record
    from gitkb.index.document import LineRow, Row
    from gitkb.index.freshness import Delta, Reading

HASH_SIZE = 16
_BATCH = 1000
_LEAST_REBUILD = 2000
"""With fewer new lines than this an update in place is always cheaper than a full build."""

_INSERT_LINE = "INSERT INTO line VALUES (?, ?, ?, ?, ?, ?)"
_INSERT_ENTRY = "INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_INSERT_WORDS = (
    "INSERT INTO words (rowid, title, tags, content, files, names) VALUES (?, ?, ?, ?, ?, ?)"
)


class TooMuchChangedError(Exception):
    """So many lines are new that a full build is cheaper."""


class _Batch:
    """Rows on their way into the tables, in the order of their ids, which full text needs."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._lines: list[LineRow] = []
        self._entries: list[Row] = []
        self._words: list[Row] = []

    def add_line(self, row: LineRow) -> None:
        self._lines.append(row)

    def show(self, id_: int, entry: Entry, *, archive: bool) -> None:
        self._entries.append(entry_row(id_, entry, archive=archive))
        self._words.append(words_row(id_, entry))

    def write(self, deadline: float | None) -> None:
        for statement, rows in (
            (_INSERT_LINE, self._lines),
            (_INSERT_ENTRY, self._entries),
            (_INSERT_WORDS, self._words),
        ):
            for start in range(0, len(rows), _BATCH):
                check_deadline(deadline)
                self._connection.executemany(statement, rows[start : start + _BATCH])
        self._lines, self._entries, self._words = [], [], []

    def __len__(self) -> int:
        return len(self._lines)


def hash_lines(lines: list[bytes]) -> list[bytes]:
    """Hash each line of a file; of equal lines each gets another hash, by how many came before."""
    hashes = [blake2b(line, digest_size=HASH_SIZE).digest() for line in lines]
    if len(set(hashes)) < len(hashes):
        times: dict[bytes, int] = {}
        for at, line in enumerate(lines):
            before = times.get(line, 0)
            times[line] = before + 1
            if before:  # no line holds a line end, so this is no other line's hash
                twin = b"%b\n%d" % (line, before)
                hashes[at] = blake2b(twin, digest_size=HASH_SIZE).digest()
    return hashes


def build(
    connection: sqlite3.Connection, readings: Iterable[Reading], deadline: float | None = None
) -> str:
    """Fill an empty database, in one transaction; answer its token.

    Every key's first line is shown as it comes; keys with lines in several places are settled at
    the end. So knowledge is read before the archive, where versions of a live key need no look.
    """
    token = new_token()
    connection.execute("BEGIN")
    create_schema(connection, token)
    batch = _Batch(connection)
    is_live: dict[str, bool] = {}
    unsettled: set[str] = set()
    next_id = 1
    for number, reading in enumerate(sorted(readings, key=_archive_last), 1):
        check_deadline(deadline)
        archive = is_archive(reading.name)
        problems: list[Problem] = []
        hashes: list[bytes] = []
        first_id = next_id
        shown: dict[str, tuple[LineRow, Entry | None]] = {}
        lines = lines_of(reading, problems)
        for at, (line, hash_) in enumerate(zip(lines, hash_lines(lines), strict=True), 1):
            record = _parse(line, reading.name, at, problems)
            if record is None:
                continue
            row = line_row(next_id, record, line, archive=archive)
            batch.add_line(row)
            hashes.append(hash_)
            next_id += 1
            other = shown.get(row[1])
            if other is None or age_of(row) > age_of(other[0]):
                shown[row[1]] = (row, record if isinstance(record, Entry) else None)
            if not at % _BATCH:
                check_deadline(deadline)
        for key, (row, entry) in sorted(shown.items(), key=_by_id):
            if key in is_live:
                if not (archive and is_live[key]):
                    unsettled.add(key)
                continue
            is_live[key] = not archive
            if entry is not None:
                batch.show(row[0], entry, archive=archive)
        if len(batch) > _BATCH:
            batch.write(deadline)
        _insert_file(connection, number, reading)
        _write_content(connection, number, hashes, array("q", range(first_id, next_id)))
        _write_problems(connection, number, problems)
    batch.write(deadline)
    connection.execute("CREATE INDEX line_key ON line (key)")
    _settle(connection, unsettled, deadline)
    connection.execute("COMMIT")
    return token


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
        if 2 * new > connection.execute("SELECT count(*) FROM line").fetchone()[0]:
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
    _settle(connection, touched, deadline)
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
            self._stock = dict(zip(_unpack(packed), array("q", ids), strict=True))
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
            touched.add(_drop_line(connection, id_))
        # The largest id there is: an id that full text may still hold is never given again.
        last_id = connection.execute("SELECT max(id) FROM line").fetchone()[0] or 0
        rows = []
        for at, line in self.new:
            record = _parse(line, name, at + 1, self._problems)
            if record is None:
                continue
            last_id += 1
            stock[self._hashes[at]] = last_id
            rows.append(line_row(last_id, record, line, archive=is_archive(name)))
            touched.add(record.key)
        connection.executemany(_INSERT_LINE, rows)
        self._sign([hash_ for hash_ in self._hashes if hash_ in stock])

    def _sign(self, hashes: list[bytes]) -> None:
        connection, reading = self._connection, self._reading
        if self._file is None:
            self._file = connection.execute("SELECT max(id) FROM file").fetchone()[0] or 0
            self._file += 1
            _insert_file(connection, self._file, reading)
        else:
            connection.execute(
                "UPDATE file SET signature = ?, digest = ? WHERE id = ?",
                (reading.signature, reading.digest, self._file),
            )
        _write_content(
            connection, self._file, hashes, array("q", [self._stock[hash_] for hash_ in hashes])
        )
        _write_problems(connection, self._file, self._problems)


def lines_of(reading: Reading, problems: list[Problem]) -> list[bytes]:
    """Split what was read of a file; what concerns it as a whole is a problem."""
    data = reading.data
    if reading.error:
        hint = "see its permissions, and what git status says"
        problems.append(Problem("unreadable", f"cannot read: {reading.error}", hint, reading.name))
    if data.startswith(BYTE_ORDER_MARK):
        message = "a byte order mark before the first line"
        problems.append(Problem("byte-order-mark", message, "gitkb fmt", reading.name, 1))
        data = data[len(BYTE_ORDER_MARK) :]
    return split_lines(data)


def _parse(line: bytes, name: str, number: int, problems: list[Problem]) -> Record | None:
    try:
        record = parse_record(line)
    except BadLineError as error:
        problems.append(problem_of(line, error, name, number))
        return None
    if is_archive(name) and not isinstance(record, Entry):
        return None  # the archive holds versions of entries, and such a line hides none
    return record


def is_archive(name: str) -> bool:
    """Say whether a data file belongs to the archive."""
    return name.startswith(ARCHIVE)


def _archive_last(reading: Reading) -> tuple[bool, str]:
    return is_archive(reading.name), reading.name


def _by_id(item: tuple[str, tuple[LineRow, Entry | None]]) -> int:
    return item[1][0][0]


def _unpack(packed: bytes) -> list[bytes]:
    return [packed[at : at + HASH_SIZE] for at in range(0, len(packed), HASH_SIZE)]


def _settle(connection: sqlite3.Connection, keys: set[str], deadline: float | None) -> None:
    """Let each of the keys show the line that stands for it, and no other.

    In the order of their ids, and what is hidden first: full text writes itself out whenever a
    row comes before the last one.
    """
    winners: list[LineRow] = []
    losers: list[int] = []
    for key in keys:
        rows: list[LineRow] = connection.execute(
            "SELECT id, key, archive, deleted, ts, text FROM line WHERE key = ?", (key,)
        ).fetchall()
        winner = max(rows, key=age_of, default=None)
        shown = {row[0] for row in rows if _is_shown(connection, row[0])}
        if winner is not None and winner[0] not in shown and not winner[3]:
            winners.append(winner)
        losers.extend(id_ for id_ in shown if winner is None or id_ != winner[0])
    for id_ in sorted(losers):
        _hide(connection, id_)
    batch = _Batch(connection)
    for winner in sorted(winners):
        record = parse_record(winner[5])
        if isinstance(record, Entry):
            batch.show(winner[0], record, archive=bool(winner[2]))
    batch.write(deadline)


def _is_shown(connection: sqlite3.Connection, id_: int) -> bool:
    return connection.execute("SELECT 1 FROM entry WHERE id = ?", (id_,)).fetchone() is not None


def _hide(connection: sqlite3.Connection, id_: int) -> None:
    if connection.execute("DELETE FROM entry WHERE id = ?", (id_,)).rowcount:
        connection.execute("DELETE FROM words WHERE rowid = ?", (id_,))


def _drop_line(connection: sqlite3.Connection, id_: int) -> str:
    key: str = connection.execute("SELECT key FROM line WHERE id = ?", (id_,)).fetchone()[0]
    connection.execute("DELETE FROM line WHERE id = ?", (id_,))
    _hide(connection, id_)
    return key


def _drop_file(connection: sqlite3.Connection, file: int, touched: set[str]) -> None:
    row = connection.execute("SELECT ids FROM content WHERE file = ?", (file,)).fetchone()
    for id_ in array("q", row[0]):
        touched.add(_drop_line(connection, id_))
    connection.execute("DELETE FROM content WHERE file = ?", (file,))
    connection.execute("DELETE FROM problem WHERE file = ?", (file,))
    connection.execute("DELETE FROM file WHERE id = ?", (file,))


def _insert_file(connection: sqlite3.Connection, file: int, reading: Reading) -> None:
    connection.execute(
        "INSERT INTO file VALUES (?, ?, ?, ?)",
        (file, reading.name, reading.signature, reading.digest),
    )


def _write_content(
    connection: sqlite3.Connection, file: int, hashes: list[bytes], ids: array[int]
) -> None:
    connection.execute(
        "INSERT OR REPLACE INTO content VALUES (?, ?, ?)", (file, b"".join(hashes), ids.tobytes())
    )


def _write_problems(connection: sqlite3.Connection, file: int, problems: list[Problem]) -> None:
    connection.execute("DELETE FROM problem WHERE file = ?", (file,))
    connection.executemany(
        "INSERT INTO problem VALUES (?, ?, ?, ?, ?)",
        [(file, problem.line, problem.code, problem.message, problem.hint) for problem in problems],
    )
