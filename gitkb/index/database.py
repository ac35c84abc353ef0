"""The file that the search index lives in: opened, locked, sealed, replaced.

1. A database is believed only with its seal, a small file beside it that names the state the
   database says it is in and the size and time the file had when that state was written. Noise
   over any part of it, a writer killed at any point, a file from elsewhere: no seal fits, and the
   index is built anew. (SQLite by itself notices damage only where it happens to read, and answers
   a search in damaged full text with nothing found.)
2. Readers open read-only and hold one transaction, so what they checked is what they search.
3. Whoever writes, in place or by replacing the file, holds the lock. A file replaced under a
   writer would meet the journal of the old one, and SQLite would roll it into the new one
   (https://www.sqlite.org/howtocorrupt.html, 2.4).
4. Journals are rollback journals: WAL needs shared memory, which network file systems lack.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import sys
import time

from gitkb.core.search.words import ANALYSER_VERSION
from gitkb.errors import SearchIndexError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType

VERSION = 8
"""Of schema.sql, document.py and stems.py together."""

PATIENCE = 1.5
"""Seconds to wait for another process, once, whether it holds our lock or SQLite's."""

_PROGRAM = f"{VERSION} {ANALYSER_VERSION}"

SEAL_SUFFIX = ".seal"
LOCK_SUFFIX = ".lock"
NEW_SUFFIX = ".new"
JOURNAL_SUFFIX = "-journal"
_PAUSE = 0.01


class LockHeldError(Exception):
    """Another process is writing the search index."""


class OutOfTimeError(SearchIndexError):
    """The deadline passed before the search index was ready; what stood there still stands."""

    slug = "out-of-time"


def check_deadline(deadline: float | None) -> None:
    """Raise OutOfTimeError once `deadline`, in seconds of time.monotonic, has passed."""
    if deadline is not None and time.monotonic() > deadline:
        raise OutOfTimeError("the search index was not ready in time", "gitkb reindex")


class Lock:
    """The right to change one database; the operating system takes it back if the process dies.

    Raises:
        LockHeldError: when others hold it for longer than `patience` seconds.
        OSError: when there can be no lock, as in a folder that is read-only.
    """

    # The store locks by filelock; importing it costs as much as this whole search.
    def __init__(self, database: str, patience: float = PATIENCE) -> None:
        self._path = database + LOCK_SUFFIX
        self._patience = patience
        self._handle = -1

    def __enter__(self) -> None:
        os.makedirs(os.path.dirname(self._path), exist_ok=True)
        self._handle = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o666)
        end = time.monotonic() + self._patience
        while not _try_lock(self._handle):
            if time.monotonic() > end:
                os.close(self._handle)
                raise LockHeldError("another process is writing the search index")
            time.sleep(_PAUSE)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        os.close(self._handle)


if sys.platform == "win32":

    def _try_lock(handle: int) -> bool:
        import msvcrt

        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:

    def _try_lock(handle: int) -> bool:
        import fcntl

        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def connect(path: str, mode: str = "rw") -> sqlite3.Connection:
    """Open a database without Python's own transactions. `mode`: ro, rw, rwc or memory.

    Raises:
        sqlite3.Error: also when something else than a file stands there: a pipe would be waited for.
    """
    if mode != "memory" and not _may_be_opened(path):
        raise sqlite3.OperationalError("not a file")
    if os.name == "nt":
        path = "/" + path.replace("\\", "/")
    quoted = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    address = f"file:{quoted}?mode={mode}"
    return sqlite3.connect(
        address, timeout=PATIENCE, isolation_level=None, check_same_thread=False, uri=True
    )


def _may_be_opened(path: str) -> bool:
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except OSError:
        return True  # what is not there may be made, and SQLite says what else is wrong


class OtherLanguagesError(Exception):
    """The database is whole, but its words are those of other languages."""


def version_of(languages: Iterable[str]) -> str:
    """Name the way in which lines are read and, in a store of these languages, words stemmed."""
    return f"{_PROGRAM} {' '.join(sorted(set(languages)))}"


def open_sealed(database: str, version: str) -> sqlite3.Connection | None:
    """Open a database read-only, in a transaction, if it is whole and of this version.

    Raises:
        OtherLanguagesError: when only the languages are others.
    """
    try:
        connection = connect(database, "ro")
    except sqlite3.Error:
        return None
    try:
        connection.execute("BEGIN")
        token, found = connection.execute("SELECT token, version FROM state").fetchone()
        if _read_seal(database) == _seal_of(database, token):
            if found == version:
                return connection
            if found.startswith(f"{_PROGRAM} "):
                raise OtherLanguagesError
    except OtherLanguagesError:
        connection.close()
        raise
    except (sqlite3.Error, OSError, TypeError, ValueError, AttributeError):
        pass  # damaged in one of the many ways there are
    connection.close()
    return None


def _seal_of(database: str, token: str) -> str:
    at = os.stat(database)
    return f"{token} {at.st_size} {at.st_mtime_ns}\n"


def _read_seal(database: str) -> str:
    with open(database + SEAL_SUFFIX, encoding="ascii") as file:
        return file.read()


def write_seal(database: str, token: str) -> None:
    """Vouch for a database that was just written and closed. The lock is held."""
    with open(database + SEAL_SUFFIX, "w", encoding="ascii") as file:
        file.write(_seal_of(database, token))


def new_token() -> str:
    """Draw what no other state of any database is called."""
    return os.urandom(16).hex()


def create_schema(connection: sqlite3.Connection, token: str, version: str) -> None:
    """Make the tables, in a transaction that the caller ends."""
    with open(os.path.join(os.path.dirname(__file__), "schema.sql"), encoding="utf-8") as file:
        script = file.read()
    # executescript would end the transaction. No statement holds a semicolon within.
    for statement in script.split(";\n"):
        connection.execute(statement)
    # Full text is gathered in memory before it is written: 1 MB by default, and a fifth slower.
    connection.execute("INSERT INTO words (words, rank) VALUES ('hashsize', 16777216)")
    connection.execute("INSERT INTO state VALUES (1, ?, ?)", (version, token))


def replace_database(database: str, token: str) -> None:
    """Put ``DATABASE.new`` in the place of the database. The lock is held, the new file closed."""
    new = database + NEW_SUFFIX
    with open(new, "rb+") as file:
        os.fsync(file.fileno())
    remove(database + SEAL_SUFFIX)
    remove(database + JOURNAL_SUFFIX)  # of a writer that was killed
    os.replace(new, database)
    write_seal(database, token)


def remove(path: str) -> None:
    """Remove a file that need not be there."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass
