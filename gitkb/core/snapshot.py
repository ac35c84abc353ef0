"""A knowledge base as a whole, read from the bytes of its files.

1. The good lines are served, each bad one is a `Problem` with file, line and cure.
2. One record a key: of two lines with one key a tombstone stands over an entry that does not revive
   it, else the later (by `ts`, then by bytes); the other is kept as a duplicate and reported.
3. It does not matter where the bytes come from: the work tree, a commit or the staging area.
"""

from __future__ import annotations

from typing import NamedTuple

from gitkb.core.entry import Entry, Tombstone, parse_record
from gitkb.core.identity import ARCHIVE
from gitkb.core.jsonl import BYTE_ORDER_MARK, BadLineError, split_lines
from gitkb.core.problem import Problem, problem_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gitkb.core.entry import Record


class Located(NamedTuple):
    """A record with the line it was read from: `file` relative to the store, `number` from 1."""

    record: Record
    line: bytes
    file: str
    number: int

    @property
    def age(self) -> tuple[int, bytes]:
        """What orders the versions of one key, as their lines are ordered: the larger is later."""
        return (self.record.fields.get("ts", 0), self.line)

    @property
    def standing(self) -> tuple[int, bool, int, bytes]:
        """What says which of two lines of one key stands: the larger.

        A tombstone stands over an entry that does not know of it, whatever their clocks say; then
        the later one does.
        """
        is_entry = not isinstance(self.record, Tombstone)
        known = self.record.fields.get("revives", -1) if is_entry else self.age[0]
        return (known, is_entry, *self.age)


class Snapshot(NamedTuple):
    """All that stands in a store at one moment."""

    current: dict[str, Located]
    """Entries and tombstones of the knowledge files, by key."""
    archived: dict[str, list[Located]]
    """Versions in the archive files, by key, the oldest first."""
    duplicates: list[Located]
    """Lines of the knowledge files whose key a later line holds."""
    problems: list[Problem]
    """What could not be read."""

    def find(self, name: str) -> Located | None:
        """Find the record of a key, or else of an alias: of two that share it the older one, which is
        to keep it (`core.alias`)."""
        found = self.current.get(name)
        if found is not None:
            return found
        owners = (at for at in self.current.values() if name in at.record.fields.get("aliases", ()))
        return min(owners, key=_seniority, default=None)

    def latest_archived(self, key: str) -> Located | None:
        """The version that an archived key shows."""
        versions = self.archived.get(key)
        return versions[-1] if versions else None


def read_snapshot(files: Iterable[tuple[str, bytes]]) -> Snapshot:
    """Read files given as pairs of a name such as ``knowledge/3f.jsonl`` and all its bytes."""
    snapshot = Snapshot({}, {}, [], [])
    for name, data in files:
        in_archive = name.startswith(ARCHIVE)
        for at in iter_records(name, data, snapshot.problems):
            key = at.record.key
            if in_archive:
                _add_version(snapshot, at)
                continue
            other = snapshot.current.get(key)
            if other is not None:
                # Two equal lines are two places: each of them is one of the two.
                at, earlier = (other, at) if at.standing < other.standing else (at, other)
                snapshot.duplicates.append(earlier)
            snapshot.current[key] = at
    for versions in snapshot.archived.values():
        versions.sort(key=_age)
    return snapshot


def _add_version(snapshot: Snapshot, at: Located) -> None:
    if isinstance(at.record, Tombstone):
        message = "a tombstone in the archive, where only versions of entries live"
        cure = "move the line to the knowledge file of the same name, or remove it"
        problem = Problem("tombstone-in-archive", message, cure, at.file, at.number)
        snapshot.problems.append(problem)
        return
    snapshot.archived.setdefault(at.record.key, []).append(at)


def iter_records(name: str, data: bytes, problems: list[Problem]) -> Iterator[Located]:
    """Yield the records of one file in their order; add what cannot be read to `problems`."""
    if data.startswith(BYTE_ORDER_MARK):
        problems.append(
            Problem(
                "byte-order-mark", "a byte order mark before the first line", "gitkb fmt", name, 1
            )
        )
        data = data[len(BYTE_ORDER_MARK) :]
    for number, line in enumerate(split_lines(data), 1):
        try:
            record = parse_record(line)
        except BadLineError as error:
            problems.append(problem_of(line, error, name, number))
        else:
            yield Located(record, line, name, number)


def _seniority(at: Located) -> tuple[bool, int, str]:
    fields = at.record.fields
    # A tombstone or redirect keeps its number, and has no creation.
    return isinstance(at.record, Entry), fields.get("created", fields.get("ts", 0)), at.record.key


def _age(at: Located) -> tuple[int, bytes]:
    return at.age
