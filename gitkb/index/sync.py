"""A search index that is right at the moment it is asked.

1. Freshness is decided by the content of the data files, whenever one asks; hooks only make the
   work happen sooner. A file called `stale` beside the database makes every file be read.
2. A user never meets an error of the search index: what cannot be written is answered from memory,
   what is damaged is built anew, once, and said so.
3. A database is changed by one process at a time, and replaced only by a complete one.
4. What a command reads to compare is what it indexes: no file is read twice.
"""

from __future__ import annotations

import os
import sqlite3

from gitkb.core.search.words import Analyser
from gitkb.errors import SearchIndexError
from gitkb.index.database import (
    NEW_SUFFIX,
    PATIENCE,
    Lock,
    LockHeldError,
    OtherLanguagesError,
    OutOfTimeError,
    connect,
    open_sealed,
    remove,
    replace_database,
    version_of,
    write_seal,
)
from gitkb.index.freshness import DataFile, compare
from gitkb.index.search import Index

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitkb.index.freshness import Delta, Reading

__all__ = ["DataFile", "open_synced"]

STALE_NAME = "stale"

# Nobody else sees the file before it is whole. With pages of 16 kB all of it is a tenth faster.
_BUILD_PRAGMAS = (
    "page_size = 16384",
    "journal_mode = OFF",
    "synchronous = OFF",
    "locking_mode = EXCLUSIVE",
)


def open_synced(
    database: str,
    files: Sequence[DataFile],
    *,
    languages: Sequence[str] = (),
    force: bool = False,
    deadline: float | None = None,
    notices: list[str] | None = None,
) -> Index:
    """Open the search index of these files, up to date. Close the answer soon.

    `database` and the paths are absolute. `languages` are those of the store, see `core.words`: an
    index of others is built anew. `force` builds everything anew. With `deadline`, in
    seconds of time.monotonic, it is meant as a preparation: it gives up rather than wait or work in
    memory, and what stood there still stands. `notices` takes what a person should know.

    Cost: a stat a file if nothing changed; reading the files that did, and work in proportion to
    the lines that did.

    Raises:
        OutOfTimeError: `deadline` passed.
        SearchIndexError: not even in memory, or with `deadline` not on disk.
    """
    told = [] if notices is None else notices
    return _Session(database, files, languages, deadline, told).open(force)


class _Session:
    """One call: what it was given and what it has read so far."""

    def __init__(
        self,
        database: str,
        files: Sequence[DataFile],
        languages: Sequence[str],
        deadline: float | None,
        notices: list[str],
    ) -> None:
        self._database = database
        self._files = files
        self._analyser = Analyser(languages)
        self._version = version_of(languages)
        self._deadline = deadline
        self._notices = notices
        self._marker = os.path.join(os.path.dirname(database), STALE_NAME)
        self._marked = _inode_of(self._marker)
        self._readings: dict[str, Reading] = {}
        self._is_whole = False
        """Whether what was found is an index of the same files, in other languages."""

    def open(self, force: bool) -> Index:
        if not force:
            connection, delta = self._look()
            if connection is not None and delta is not None and delta.is_fresh:
                if not delta.resigned and self._marked is None:
                    return self._index(connection)
                connection.close()
                return self._index(self._note_unchanged())
            if connection is not None:
                connection.close()
        try:
            return self._index(self._bring_up_to_date(force))
        except (OSError, sqlite3.Error, LockHeldError) as error:
            return self._index(self._fall_back(error), healing=False)

    def _index(self, connection: sqlite3.Connection, *, healing: bool = True) -> Index:
        return Index(connection, self._analyser, self._heal if healing else None)

    def _look(self) -> tuple[sqlite3.Connection | None, Delta | None]:
        """Open what is there and compare; without a connection it cannot be believed."""
        try:
            connection = open_sealed(self._database, self._version)
        except OtherLanguagesError:
            self._is_whole = True
            return None, None
        self._is_whole = False
        if connection is None:
            return None, None
        try:
            distrust = self._marked is not None
            return connection, compare(connection, self._files, self._readings, distrust=distrust)
        except sqlite3.Error:
            connection.close()
            return None, None

    def _bring_up_to_date(self, force: bool, patience: float = PATIENCE) -> sqlite3.Connection:
        """Write what is missing, and open the result before anyone else can write."""
        from gitkb.index.update import TooMuchChangedError

        if self._deadline is not None:
            patience = 0.0
        with Lock(self._database, patience):
            # Whoever held the lock may have done the work.
            connection, delta = (None, None) if force else self._look()
            if connection is not None and delta is not None:
                if delta.is_fresh and not delta.resigned:
                    self._unmark()
                    return connection
                connection.close()
                try:
                    self._update(delta)
                except TooMuchChangedError:
                    self._rebuild()
                except sqlite3.OperationalError as error:
                    if _is_busy(error):
                        raise
                    self._rebuild()
                    self._notice_damage()
                except sqlite3.DatabaseError:
                    self._rebuild()
                    self._notice_damage()
            else:
                was_there = not (force or self._is_whole) and os.path.exists(self._database)
                self._rebuild()
                if was_there:
                    self._notice_damage()
            self._unmark()
            result = open_sealed(self._database, self._version)
        if result is None:
            raise sqlite3.DatabaseError("the search index does not hold what was just written")
        return result

    def _update(self, delta: Delta) -> None:
        from gitkb.index.update import update

        connection = connect(self._database)
        try:
            # Nothing reaches the file before the commit, so giving up leaves the seal true.
            connection.execute("PRAGMA cache_spill = OFF")
            token = update(connection, delta, self._analyser, self._deadline)
        finally:
            connection.close()  # rolls back what was not committed
        write_seal(self._database, token)

    def _rebuild(self) -> None:
        new = self._database + NEW_SUFFIX
        remove(new)
        try:
            connection = connect(new, "rwc")
            try:
                for pragma in _BUILD_PRAGMAS:
                    connection.execute(f"PRAGMA {pragma}")
                token = self._build(connection)
            finally:
                connection.close()
            replace_database(self._database, token)
        finally:
            remove(new)

    def _build(self, connection: sqlite3.Connection) -> str:
        from gitkb.index.build import build

        files, readings, analyser = self._files, self._readings, self._analyser
        return build(connection, files, readings, analyser, self._version, self._deadline)

    def _note_unchanged(self) -> sqlite3.Connection:
        """Record that files with other signatures hold the same bytes, if that is easily done."""
        try:
            return self._bring_up_to_date(force=False, patience=0.0)
        except (OSError, sqlite3.Error, LockHeldError, OutOfTimeError):
            connection, delta = self._look()
            if connection is not None and delta is not None and delta.is_fresh:
                return connection
            if connection is not None:
                connection.close()
            return self._build_in_memory()

    def _fall_back(self, error: Exception) -> sqlite3.Connection:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        if self._deadline is not None:
            raise SearchIndexError(f"the search index cannot be written: {reason}") from error
        self._notices.append(
            f"the search index cannot be written ({reason}); this answer comes from memory"
        )
        return self._build_in_memory()

    def _build_in_memory(self) -> sqlite3.Connection:
        from gitkb.index.update import update

        memory = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        try:
            connection, delta = self._look()
            if connection is not None and delta is not None:
                try:
                    connection.backup(memory)
                finally:
                    connection.close()
                update(memory, delta, self._analyser, self._deadline, limited=False)
            else:
                self._build(memory)
        except sqlite3.Error as error:
            memory.close()
            raise SearchIndexError(
                f"the search index cannot be built: {error}", "gitkb doctor"
            ) from error
        return memory

    def _heal(self) -> sqlite3.Connection:
        """Build anew what turned out to be damaged while it was asked."""
        try:
            connection = self._bring_up_to_date(force=True)
        except (OSError, sqlite3.Error, LockHeldError) as error:
            return self._fall_back(error)
        self._notice_damage()
        return connection

    def _notice_damage(self) -> None:
        self._notices.append(
            "the search index was a copy, of another version, or damaged; it was built anew"
        )

    def _unmark(self) -> None:
        """Remove the marker that this call obeyed, unless it was set again meanwhile."""
        if self._marked is not None and _inode_of(self._marker) == self._marked:
            remove(self._marker)
        self._marked = None


def _inode_of(path: str) -> tuple[int, int] | None:
    try:
        at = os.stat(path)
    except OSError:
        return None
    return at.st_ino, at.st_mtime_ns


def _is_busy(error: sqlite3.OperationalError) -> bool:
    # The low byte is the primary code: https://www.sqlite.org/rescode.html
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
