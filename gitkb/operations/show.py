"""Show one entry by its key or by another name it answers to."""

from __future__ import annotations

from typing import NamedTuple

from gitkb.core.entry import Entry, Tombstone
from gitkb.errors import NotFoundError
from gitkb.store.config import read_shards
from gitkb.store.reader import read_current, read_store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.core.entry import Record
    from gitkb.store.layout import Store


class Shown(NamedTuple):
    """An entry, and whether it stands only in the archive."""

    entry: Entry
    archived: bool
    older: int
    """How many older versions the archive holds; 0 where they were not counted."""


def show(store: Store, name: str) -> Shown:
    """Find an entry by key or alias; one that is archived is found too.

    Raises:
        NotFoundError: when there is none, or it was forgotten.
    """
    at = read_current(store, name, read_shards(store))
    if at is not None and isinstance(at.record, Entry):
        return Shown(at.record, False, 0)
    snapshot = read_store(store)
    at = snapshot.find(name)
    if at is not None and isinstance(at.record, Entry):
        return Shown(at.record, False, len(snapshot.archived.get(at.record.key, ())))
    if at is not None:
        raise _gone(at.record)
    archived = snapshot.latest_archived(name)
    if archived is None:
        raise not_found(name)
    return Shown(Entry(archived.record.fields), True, len(snapshot.archived[name]) - 1)


def not_found(name: str) -> NotFoundError:
    """The error for a key or alias that the store does not know."""
    return NotFoundError(f"no entry '{name}'", f"gitkb recall {name}, or gitkb list --all")


def _gone(record: Record) -> NotFoundError:
    tombstone = Tombstone(record.fields)
    if tombstone.moved:
        return NotFoundError(f"'{tombstone.key}' has moved to the tier '{tombstone.moved}'")
    reason = f": {tombstone.reason}" if tombstone.reason else ""
    by = f" by {tombstone.by}" if tombstone.by else ""
    hint = f"gitkb log {tombstone.key} shows what it said"
    return NotFoundError(f"'{tombstone.key}' was forgotten{by}{reason}", hint)
