"""What commits did to files, and what is stale at a commit, kept beside the facts of `provenance`.

What is kept about a commit is true for ever; what is stale at a commit follows from it and its history
alone. So neither is ever wrong, and both may be gone: then they are found again.
"""

from __future__ import annotations

import json
import sqlite3
from typing import NamedTuple
from zlib import crc32

from gitkb.core.entry import encode_record
from gitkb.index.provenance import ProvenanceCache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from gitkb.core.entry import Entry
    from gitkb.core.staleness import Touch

_HEADS_KEPT = 4
_COPY = (
    "INSERT INTO stale SELECT ?, key, version, clock, body FROM stale"
    " WHERE told = (SELECT number FROM told WHERE head = ?)"
)


class Finding(NamedTuple):
    """What became of one file of an entry since the entry was last said to be true."""

    file: str
    kind: str
    """As in `core.staleness`."""
    commits: int
    share: float | None
    """The part of its lines that changed; None where lines cannot be counted."""
    moved_to: tuple[str, ...] = ()


class State(NamedTuple):
    """An entry that names files, as it is at a commit."""

    version: int
    """See `version_of`."""
    written: str
    """The commit that wrote it."""
    files: tuple[str, ...]


class Mark(NamedTuple):
    """What an entry is stale for at a commit, and which version of it that is said of."""

    version: int
    """See `version_of`."""
    clock: int
    """The `ts` of its last confirmation at that commit; 0 without."""
    findings: tuple[Finding, ...]


def version_of(entry: Entry) -> int:
    """Tell the versions of an entry apart, in whatever form they are written: CRC-32 of the canonical line."""
    return crc32(encode_record(entry))


class StalenessCache(ProvenanceCache):
    """The kept facts of one worktree, those about its files included."""

    __slots__ = ()

    def __enter__(self) -> StalenessCache:
        return self

    def touched(
        self, ids: Iterable[str] | None = None
    ) -> tuple[dict[str, list[Touch]], dict[str, list[str]]]:
        """What kept commits did to files, and which keys they confirmed. All that are kept are there."""
        from gitkb.core.staleness import Touch  # searching needs none

        query = "SELECT id, body FROM touched"
        rows = self._rows(query) if ids is None else self._rows_of(query, ids)
        touches: dict[str, list[Touch]] = {}
        confirmed: dict[str, list[str]] = {}
        try:
            bodies = json.loads("[" + ",".join(body for _, body in rows) + "]")
            for (id_, _), (files, keys) in zip(rows, bodies, strict=True):
                touches[id_] = [Touch(*file) for file in files]
                if keys:
                    confirmed[id_] = keys
        except (ValueError, TypeError):
            return {}, {}
        return touches, confirmed

    def keep_touched(
        self,
        ids: Sequence[str],
        touches: Mapping[str, Sequence[Touch]],
        confirmed: Mapping[str, Sequence[str]],
    ) -> None:
        """Keep what commits did, also of those that did nothing: all of them or none."""
        # Escaped, because a path need not be text in UTF-8, and SQLite takes no other.
        rows = [
            (id_, json.dumps([touches.get(id_, []), confirmed.get(id_, [])], separators=(",", ":")))
            for id_ in ids
        ]
        self._write("INSERT OR REPLACE INTO touched VALUES (?, ?)", rows)

    def is_told(self, head: str) -> bool:
        """Whether it is known what is stale at a commit."""
        return bool(self._rows("SELECT 1 FROM told WHERE head = ?", head))

    def heads_told(self) -> list[str]:
        """The commits of which it is known, the last first."""
        return [head for (head,) in self._rows("SELECT head FROM told ORDER BY number DESC")]

    def states(self, head: str) -> dict[str, State]:
        """The entries that name files at a commit of which it is known what is stale."""
        try:
            for (body,) in self._rows("SELECT body FROM told WHERE head = ?", head):
                found = json.loads(body)
                return {
                    key: State(version, written, tuple(files))
                    for key, (version, written, files) in found.items()
                }
        except (ValueError, TypeError, AttributeError):
            pass
        return {}

    def marks(self, head: str, keys: Iterable[str]) -> dict[str, Mark]:
        """What is stale at a commit, of some keys."""
        found = self._rows("SELECT number FROM told WHERE head = ?", head)
        if not found:
            return {}
        query = (
            f"SELECT key, version, clock, body FROM stale WHERE told = {int(found[0][0])} AND key"
        )
        marks = {}
        try:
            for key, version, clock, body in self._rows_in(query, keys):
                findings = (
                    Finding(*one)._replace(moved_to=tuple(one[4])) for one in json.loads(body)
                )
                marks[key] = Mark(version, clock, tuple(findings))
        except (ValueError, TypeError, IndexError):
            return {}
        return marks

    def keep_told(
        self,
        head: str,
        states: Mapping[str, State],
        marks: Mapping[str, Mark],
        base: str | None = None,
        judged: Collection[str] = (),
    ) -> None:
        """Keep what is stale at a commit: what was at `base`, but for the keys judged since, and `marks`.

        The oldest of too many goes. All of it is kept or, where the database cannot be written, nothing.
        """
        bodies = {
            key: json.dumps(mark.findings, separators=(",", ":")) for key, mark in marks.items()
        }
        all_states = json.dumps(states, separators=(",", ":"))

        def work(database: sqlite3.Connection) -> None:
            # Another process may have told of this commit, or of others, meanwhile.
            if database.execute("SELECT 1 FROM told WHERE head = ?", (head,)).fetchone():
                return
            (last,) = database.execute("SELECT coalesce(max(number), 0) FROM told").fetchone()
            number = last + 1
            if base is not None:
                if not database.execute("SELECT 1 FROM told WHERE head = ?", (base,)).fetchone():
                    return  # it went meanwhile
                database.execute(_COPY, (number, base))
                rows = [(number, key) for key in judged]
                database.executemany("DELETE FROM stale WHERE told = ? AND key = ?", rows)
            database.executemany(
                "INSERT OR REPLACE INTO stale VALUES (?, ?, ?, ?, ?)",
                [
                    (number, key, mark.version, mark.clock, bodies[key])
                    for key, mark in marks.items()
                ],
            )
            database.execute("INSERT INTO told VALUES (?, ?, ?)", (number, head, all_states))
            old = (number - _HEADS_KEPT,)
            database.execute("DELETE FROM stale WHERE told <= ?", old)
            database.execute("DELETE FROM told WHERE number <= ?", old)

        self._write_together(work)
