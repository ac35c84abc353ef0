"""Change a store: everything that one verb writes, under the lock, from files read anew.

1. Versions go to the archive before the knowledge files change, so that a kill in between leaves a
   copy and not a loss.
2. A version that the archive already holds is not written again: so a change that was cut short
   is simply done again.
3. Only files that a change touched are written, and none that changed after it was read.
4. A change of several knowledge files happens as a whole: see `store.journal`.
5. Views that the team commits follow before the lock is let go: see `store.view`.
6. What looks like a secret is not brought in: see `store.secret_gate`.
"""

from __future__ import annotations

from contextlib import contextmanager

from gitkb.core.entry import Entry, Tombstone, encode_record
from gitkb.core.identity import ARCHIVE, KNOWLEDGE, fits_layout, shard_of
from gitkb.core.snapshot import Located, read_snapshot
from gitkb.errors import StateError
from gitkb.store.config import read_shards
from gitkb.store.durable import remove_leftovers, replace_files
from gitkb.store.file_edit import FileEdit
from gitkb.store.git_lock import refuse_changed, wait_for_git
from gitkb.store.journal import Journal
from gitkb.store.layout import iter_data_files
from gitkb.store.lock import locked
from gitkb.store.secret_gate import SecretGate
from gitkb.store.view import refresh_views

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitkb.core.canonical import Fields
    from gitkb.core.entry import Record
    from gitkb.core.snapshot import Snapshot
    from gitkb.store.layout import Store


class Change:
    """A change under way. Nothing reaches the disk before it ends without an error."""

    def __init__(self, store: Store, shards: int) -> None:
        self.store = store
        self.shards = shards
        self._edits: dict[str, FileEdit] = {}
        self._read_data: dict[str, bytes] = {}
        self._names = {name for name, _ in iter_data_files(store.root)}
        self._strangers = self._find_strangers()
        self._gate = SecretGate(store)

    def judge(self, record: Entry) -> Entry:
        """Give an entry back as it may be written: with a leave where a secret is allowed.

        Raises:
            DataError: when it brings in what looks like a secret, or `[secrets]` is wrong.
        """
        fields = self._gate.judge(record.fields, lambda: self._known(record.key))
        return record if fields is record.fields else Entry(dict(fields))

    def find(self, key: str) -> Located | None:
        """Find the record that stands for a key: of several lines the latest."""
        found = self._find_all(KNOWLEDGE, key)
        return max(found, key=lambda at: at.standing) if found else None

    def find_lines(self, key: str) -> list[Located]:
        """Find every line of a key: more than one only where a text merge let it through."""
        return self._find_all(KNOWLEDGE, key)

    def find_archived(self, key: str) -> list[Located]:
        """Find the archived versions of a key, the oldest first."""
        return sorted(self._find_all(ARCHIVE, key), key=lambda at: at.age)

    def read_all(self) -> Snapshot:
        """Read the whole store as this change will leave it: O(its size)."""
        names = sorted(self._names | self._edits.keys())
        return read_snapshot(
            (name, self._edits[name].encode() if name in self._edits else self._read(name))
            for name in names
        )

    def put(self, record: Record, *, keep_old: bool) -> None:
        """Write the record of a key in place of what stands there.

        With `keep_old` the lines it replaces move to the archive, byte for byte; duplicates that it
        puts an end to always do.
        """
        line = encode_record(self._judged(record))
        found = sorted(self._find_all(KNOWLEDGE, record.key), key=lambda at: at.standing)
        if not found:
            self._edit(f"{KNOWLEDGE}/{shard_of(record.key, self.shards)}").insert(record, line)
            return
        *older, latest = found
        for at in older:
            self._archive_line(at)
            self._edit(at.file).remove(at)
        if keep_old:
            self._archive_line(latest)
        self._edit(latest.file).replace(latest, line)

    def archive(self, record: Record) -> None:
        """Add a version to the archive; one that stands there already is left as it is."""
        line = encode_record(self._judged(record))
        edit = self._edit(f"{ARCHIVE}/{shard_of(record.key, self.shards)}")
        if not edit.holds(line):
            edit.insert(record, line)

    def drop(self, key: str) -> None:
        """Take every line of a key out of the knowledge files."""
        for at in self._find_all(KNOWLEDGE, key):
            self._edit(at.file).remove(at)

    def write(self) -> list[str]:
        """Write what changed, the archive first, and give the names of the files."""
        changed = sorted(name for name, edit in self._edits.items() if edit.is_changed)
        changed.sort(key=lambda name: not name.startswith(ARCHIVE))
        paths = [self.store.path_to_write(name) for name in changed]
        contents = [self._edits[name].encode() for name in changed]
        if changed:
            wait_for_git(self.store)
            refuse_changed(self.store, self._read_data, changed)
        journal = None
        if sum(name.startswith(KNOWLEDGE) for name in changed) > 1:
            before = [self._read_data[name] for name in changed]
            journal = Journal(self.store, zip(changed, before, contents, strict=True))
        replace_files(list(zip(paths, contents, strict=True)), journal)
        return changed

    def _judged(self, record: Record) -> Record:
        if isinstance(record, Tombstone):
            self._gate.judge(record.fields, lambda: self._known(record.key))
            return record
        return self.judge(record)

    def _known(self, key: str) -> list[Fields]:
        return [
            at.record.fields
            for folder in (KNOWLEDGE, ARCHIVE)
            for at in self._find_all(folder, key)
        ]

    def _archive_line(self, at: Located) -> None:
        if isinstance(at.record, Tombstone):
            return  # it says nothing that could be wanted again
        edit = self._edit(f"{ARCHIVE}/{shard_of(at.record.key, self.shards)}")
        if not edit.holds(at.line):
            edit.insert(at.record, at.line)

    def _find_all(self, folder: str, key: str) -> list[Located]:
        names = {f"{folder}/{shard_of(key, self.shards)}"}
        names.update(name for name in self._strangers if name.startswith(folder))
        return [at for name in sorted(names) for at in self._edit(name).find(key)]

    def _find_strangers(self) -> list[str]:
        # After a merge of two layouts a key can stand in a file of the other one.
        return [name for name in self._names if not fits_layout(name, self.shards)]

    def _edit(self, name: str) -> FileEdit:
        edit = self._edits.get(name)
        if edit is None:
            data = self._read_data[name] = self._read(name)
            edit = self._edits[name] = FileEdit(name, data)
        return edit

    def _read(self, name: str) -> bytes:
        if name not in self._names:
            return b""
        try:
            with open(self.store.path_of(name), "rb") as file:
                return file.read()
        except OSError as error:
            message = f"cannot read '{name}': {error.strerror}"
            raise StateError(message, "nothing was written; see gitkb check") from None


@contextmanager
def changing(store: Store) -> Iterator[Change]:
    """Open a store for writing; what the change holds at the end is written, unless it raised.

    Raises:
        StateError: when the store is locked, in conflict, full or read-only.
    """
    with locked(store):
        remove_leftovers(store.root)
        change = Change(store, read_shards(store))
        yield change
        if change.write():
            refresh_views(store)
