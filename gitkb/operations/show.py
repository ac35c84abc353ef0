"""Show one entry by its key or by another name it answers to."""

from __future__ import annotations

from typing import NamedTuple

from gitkb.core.entry import Entry, Tombstone
from gitkb.core.identity import ARCHIVE, shard_of
from gitkb.core.snapshot import iter_records
from gitkb.errors import NotFoundError
from gitkb.store.config import read_shards
from gitkb.store.reader import read_current, read_store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.core.entry import Record
    from gitkb.core.snapshot import Located, Snapshot
    from gitkb.store.layout import Store


class Shown(NamedTuple):
    """An entry, and whether it stands only in the archive."""

    entry: Entry
    archived: bool
    older: int
    """How many older versions the archive holds."""


def show(store: Store, name: str) -> Shown:
    """Find an entry by key or alias; one that is archived is found too.

    Raises:
        NotFoundError: when there is none, or it was forgotten.
    """
    shards = read_shards(store)
    at = read_current(store, name, shards)
    if at is not None and isinstance(at.record, Entry):
        return Shown(at.record, False, _count_archived(store, name, shards))
    snapshot = read_store(store)
    at = snapshot.find(name)
    if at is not None and isinstance(at.record, Entry):
        return Shown(at.record, False, len(snapshot.archived.get(at.record.key, ())))
    if at is not None:
        raise _gone(at.record)
    archived = _find_archived(snapshot, name)
    if archived is None:
        raise not_found(name)
    older = len(snapshot.archived[archived.record.key]) - 1
    return Shown(Entry(archived.record.fields), True, older)


def _find_archived(snapshot: Snapshot, name: str) -> Located | None:
    found = snapshot.latest_archived(name)
    if found is not None:
        return found
    owners = [
        key
        for key, versions in snapshot.archived.items()
        if key not in snapshot.current and name in versions[-1].record.fields.get("aliases", ())
    ]
    return snapshot.latest_archived(min(owners)) if owners else None


def _count_archived(store: Store, key: str, shards: int) -> int:
    """Count the versions of a key in the one archive file they belong to."""
    name = f"{ARCHIVE}/{shard_of(key, shards)}"
    try:
        with open(store.path_of(name), "rb") as file:
            data = file.read()
    except OSError:
        return 0
    return sum(at.record.key == key for at in iter_records(name, data, []))


def not_found(name: str) -> NotFoundError:
    """The error for a key or alias that the store does not know."""
    return NotFoundError(f"no entry '{name}'", f"gitkb recall {name}, or gitkb list --all")


def _gone(record: Record) -> NotFoundError:
    tombstone = Tombstone(record.fields)
    if tombstone.moved:
        return NotFoundError(
            f"'{tombstone.key}' has moved to the tier '{tombstone.moved}'",
            f"gitkb log {tombstone.key} shows what it said, if it was ever committed",
        )
    reason = f": {tombstone.reason}" if tombstone.reason else ""
    by = f" by {tombstone.by}" if tombstone.by else ""
    hint = f"gitkb log {tombstone.key} shows what it said, if it was ever committed"
    return NotFoundError(f"'{tombstone.key}' was forgotten{by}{reason}", hint)
