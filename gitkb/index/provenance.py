"""What was found about commits, kept in SQLite: who changed which keys, and whole answers.

1. Everything here can be found again from git. A database that is damaged, locked, read-only or of
   another version is put aside, never an error: the work is then done in memory.
2. What is kept about a commit is true whatever branch is checked out; only a change of the history
   itself under one id (a shallow clone that is deepened) voids it, which is what `world` tells.
3. The commits that are kept are closed under parenthood: with a commit come all its ancestors.
4. No content of any entry is kept, so that what is scrubbed from a store is not found here.
"""

from __future__ import annotations

import json
import os
import sqlite3

from gitkb.core.lineage import Commit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from gitkb.core.lineage import Changes, Origins

DATABASE_NAME = "provenance.sqlite"
_VERSION = "3"
_ANSWERS_KEPT = 8
_MOST_VARIABLES = 500  # SQLite before 3.32 takes 999 in a statement
_WAIT = 0.25  # seconds for another process; past that, memory is quicker

_PASSING = (
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_AUTH,
)

_SCHEMA = """
CREATE TABLE world (name TEXT NOT NULL);
CREATE TABLE walked (
    id      TEXT PRIMARY KEY,
    rank    INTEGER NOT NULL,
    body    TEXT NOT NULL       -- [parents, time, name, mail, subject, {key: [mask, lines]}]
);
CREATE TABLE answer (
    head    TEXT PRIMARY KEY,
    used    INTEGER NOT NULL,   -- larger is later
    body    TEXT NOT NULL       -- {"commits": […], "keys": […], "last": […], "first": […], "lines": […]}
);
CREATE TABLE touched (          -- see `staleness`
    id      TEXT PRIMARY KEY,
    body    TEXT NOT NULL       -- [[[path, added, removed, source], …], [key confirmed, …]]
);
CREATE TABLE told (
    number  INTEGER PRIMARY KEY, -- larger is later
    head    TEXT NOT NULL UNIQUE,
    body    TEXT NOT NULL       -- {key: [version, commit that wrote it, [file, …]], …}
);
CREATE TABLE stale (
    told    INTEGER NOT NULL,
    key     TEXT NOT NULL,
    version INTEGER NOT NULL,   -- of the entry at that commit
    clock   INTEGER NOT NULL,   -- of its last confirmation there
    body    TEXT NOT NULL,      -- [[file, kind, commits, share, moved_to], …]
    PRIMARY KEY (told, key)
) WITHOUT ROWID;
"""


class ProvenanceCache:
    """The kept facts of one worktree. Close it, or use it in a `with`."""

    __slots__ = ("_database", "_folder", "_world")

    def __init__(self, folder: str, world: str) -> None:
        """Open or make the database in `folder`. What it holds of another world is dropped."""
        self._folder = folder
        # A path need not be text in UTF-8, and SQLite takes no other.
        self._world = f"{_VERSION} {world}".encode("utf-8", "backslashreplace").decode("utf-8")
        self._database = _open(folder, self._world)

    def __enter__(self) -> ProvenanceCache:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()

    def heads(self) -> list[str]:
        """The commits that have a whole answer, the latest used first."""
        return [head for (head,) in self._rows("SELECT head FROM answer ORDER BY used DESC")]

    def answer(self, head: str) -> tuple[dict[str, Commit], Origins] | None:
        """The whole answer for a HEAD, with the commits it names. Their parents are left out."""
        rows = self._rows("SELECT body FROM answer WHERE head = ?", head)
        if not rows:
            return None
        try:
            body = json.loads(rows[0][0])
            commits = [Commit(row[0], (), *row[1:]) for row in body["commits"]]
            ids = [commit.id for commit in commits] + [""]
            origins = {
                key: (ids[last], ids[first], lines)
                for key, last, first, lines in zip(
                    body["keys"], body["last"], body["first"], body["lines"], strict=True
                )
            }
        except (ValueError, TypeError, KeyError, IndexError):
            return None
        return {commit.id: commit for commit in commits}, origins

    def keep_answer(self, head: str, commits: Mapping[str, Commit], origins: Origins) -> None:
        """Keep a whole answer; the least used of too many goes."""
        named = sorted({id_ for last, first, _ in origins.values() for id_ in (last, first)} - {""})
        place = {id_: number for number, id_ in enumerate(named)}
        place[""] = -1
        rows = [
            (c.id, c.rank, c.time, c.name, c.mail, c.subject)
            for c in map(commits.__getitem__, named)
        ]
        body = {
            "commits": rows,
            "keys": list(origins),
            "last": [place[last] for last, _, _ in origins.values()],
            "first": [place[first] for _, first, _ in origins.values()],
            "lines": [lines for _, _, lines in origins.values()],
        }
        text = json.dumps(body, separators=(",", ":"))
        self._write(
            "INSERT OR REPLACE INTO answer VALUES (?, (SELECT coalesce(max(used), 0) + 1 FROM answer), ?)",
            [(head, text)],
        )
        self._write(
            "DELETE FROM answer WHERE head NOT IN (SELECT head FROM answer ORDER BY used DESC LIMIT ?)",
            [(_ANSWERS_KEPT,)],
        )

    def ranks(self, ids: Iterable[str]) -> dict[str, int]:
        """The ranks of those of some commits that are kept."""
        return dict(self._rows_of("SELECT id, rank FROM walked", ids))

    def walked(
        self, ids: Iterable[str] | None = None
    ) -> tuple[dict[str, Commit], dict[str, Changes]]:
        """The commits that are kept, or those of some, and what each changed."""
        query = "SELECT id, rank, body FROM walked"
        rows = self._rows(query) if ids is None else self._rows_of(query, ids)
        commits: dict[str, Commit] = {}
        changes: dict[str, Changes] = {}
        try:
            bodies = json.loads("[" + ",".join(body for _, _, body in rows) + "]")
            for (id_, rank, _), (parents, time, name, mail, subject, keys) in zip(
                rows, bodies, strict=True
            ):
                commits[id_] = Commit(id_, tuple(parents), rank, time, name, mail, subject)
                if keys:
                    changes[id_] = {key: (mask, lines) for key, (mask, lines) in keys.items()}
        except (ValueError, TypeError):
            return {}, {}
        return commits, changes

    def keep_walked(self, commits: Sequence[Commit], changes: Mapping[str, Changes]) -> None:
        """Keep commits, each after its parents, and what each changed: all of them or none."""
        rows = []
        for c in commits:
            body = [c.parents, c.time, c.name, c.mail, c.subject, changes.get(c.id, {})]
            rows.append((c.id, c.rank, json.dumps(body, ensure_ascii=False, separators=(",", ":"))))
        self._write("INSERT OR REPLACE INTO walked VALUES (?, ?, ?)", rows)

    def forget_all(self) -> None:
        """Drop everything, because it contradicts the repository; go on in memory."""
        self._database.close()
        _remove(self._folder)
        self._database = _made_in_memory(self._world)

    def _rows_of(self, query: str, ids: Iterable[str]) -> list[tuple[Any, ...]]:
        return self._rows_in(f"{query} WHERE id", ids)

    def _rows_in(self, query: str, ids: Iterable[str]) -> list[tuple[Any, ...]]:
        """Ask for the rows in which what the query ends with is one of some values."""
        wanted = list(ids)
        rows = []
        for start in range(0, len(wanted), _MOST_VARIABLES):
            part = wanted[start : start + _MOST_VARIABLES]
            places = ", ".join("?" * len(part))
            rows += self._rows(f"{query} IN ({places})", *part)
        return rows

    def _rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        try:
            return self._database.execute(query, values).fetchall()
        except sqlite3.Error as error:
            self._put_aside(error)
            return []

    def _write(self, query: str, rows: Sequence[tuple[object, ...]]) -> None:
        try:
            with self._database:
                self._database.executemany(query, rows)
        except sqlite3.Error as error:
            # A full disk, a read-only folder: what is not kept will be found again.
            if _is_damage(error):
                self._put_aside(error)

    def _write_together(self, work: Callable[[sqlite3.Connection], None]) -> None:
        """Write all that some work writes or, where that cannot be, nothing."""
        try:
            with self._database:
                self._database.execute("BEGIN IMMEDIATE")
                work(self._database)
        except sqlite3.Error as error:
            if _is_damage(error):
                self._put_aside(error)

    def work_in_memory(self) -> None:
        """Go on without the database, which cannot be written, but leave it where it is."""
        self._database.close()
        self._database = _made_in_memory(self._world)

    def _put_aside(self, error: sqlite3.Error) -> None:
        self._database.close()
        self._database = _made_in_memory(self._world)
        if _is_damage(error):
            _remove(self._folder)  # for the next command; this one goes on in memory


def world_of(root: str, boundary: Iterable[str]) -> str:
    """Name what is true of the kept facts of the store at `root`: where its history is cut."""
    # A commit at the edge of a shallow clone seems to have written all it holds. Once the clone is
    # deepened that is no longer so, and everything found before is void.
    return f"{os.path.realpath(root)}\n" + "\n".join(sorted(boundary))


def _open(folder: str, world: str) -> sqlite3.Connection:
    path = os.path.join(folder, DATABASE_NAME)
    for _ in range(2):
        database = None
        try:
            os.makedirs(folder, exist_ok=True)
            database = sqlite3.connect(path, timeout=_WAIT)
            # Nothing here needs to outlive a power failure; a rollback journal, unlike WAL, is safe
            # on a network file system.
            database.execute("PRAGMA synchronous = OFF")
            tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master")}
            if not tables:
                _fill(database, world)
            if database.execute("SELECT name FROM world").fetchall() == [(world,)]:
                return database
            database.close()
            _remove(folder)
        except OSError:
            break
        except sqlite3.Error as error:
            if database is not None:
                database.close()
            if not _is_damage(error):
                break
            _remove(folder)
    return _made_in_memory(world)


def _made_in_memory(world: str) -> sqlite3.Connection:
    database = sqlite3.connect(":memory:")
    _fill(database, world)
    return database


def _fill(database: sqlite3.Connection, world: str) -> None:
    with database:
        database.execute("BEGIN IMMEDIATE")
        for statement in _SCHEMA.split(";"):
            database.execute(statement)
        database.execute("INSERT INTO world VALUES (?)", (world,))


def _remove(folder: str) -> None:
    for ending in ("", "-journal"):
        try:
            os.remove(os.path.join(folder, DATABASE_NAME + ending))
        except OSError:
            pass  # gone already, or not ours to remove; memory serves


def _is_damage(error: sqlite3.Error) -> bool:
    """Tell a damaged database from one that cannot be used at the moment."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    return code not in _PASSING
