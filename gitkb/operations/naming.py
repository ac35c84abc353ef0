"""Which entry is meant by a name, under the lock of a change: a key, or another name it answers to."""

from __future__ import annotations

from gitkb.core.entry import Tombstone
from gitkb.errors import NotFoundError, StateError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.core.entry import Entry
    from gitkb.core.snapshot import Located, Snapshot
    from gitkb.operations.lookup import Located as LocatedEntry
    from gitkb.store.layout import Store
    from gitkb.store.writer import Change

MOVED_HOME = "project "
"""Before the name of the project that an entry was moved home to; no other looks there."""


def key_of(change: Change, name: str) -> str:
    """Give the key of what a name means: live, forgotten or archived. A key is found at once.

    Raises:
        NotFoundError: when it means nothing.
    """
    if change.find(name) is not None or change.find_archived(name):
        return name
    snapshot = change.read_all()  # an alias can stand in any file
    at = snapshot.find(name) or find_archived(snapshot, name)
    if at is None:
        raise not_found(name, change.store)
    return at.record.key


def live_entry(change: Change, name: str) -> Entry:
    """Give the live entry that a name means, whatever its status.

    Raises:
        NotFoundError: when there is none, or it was forgotten.
        StateError: when it is archived.
    """
    key = key_of(change, name)
    at = change.find(key)
    record = at.record if at is not None else None
    if isinstance(record, Tombstone):
        raise gone(record)
    if record is None or record.status == "archived":
        raise StateError(f"'{key}' is archived", f"gitkb restore {key}")
    return record


def find_archived(snapshot: Snapshot, name: str) -> Located | None:
    """Find what an archived key or alias shows."""
    found = snapshot.latest_archived(name)
    if found is not None:
        return found
    owners = [
        key
        for key, versions in snapshot.archived.items()
        if key not in snapshot.current and name in versions[-1].record.fields.get("aliases", ())
    ]
    return snapshot.latest_archived(min(owners)) if owners else None


def not_found(name: str, store: Store | None = None) -> NotFoundError:
    """The error for a key or alias that the store does not know; given the store, it is looked for in
    farther tiers, and the error says where it is."""
    if store is not None:
        from gitkb.operations.lookup import find_elsewhere

        located = find_elsewhere(store, name)
        if located is not None and located.tier:
            return _elsewhere(located)
    return NotFoundError(f"no entry '{name}'", f"gitkb recall {name}, or gitkb list --all")


def gone(tombstone: Tombstone) -> NotFoundError:
    """The error for a key that was forgotten, or moved to another tier."""
    if tombstone.moved:
        hint = f"gitkb show {tombstone.key} shows it, gitkb demote {tombstone.key} brings it back"
        if tombstone.moved.startswith(MOVED_HOME):
            hint = "it is that project's alone; gitkb promote there shares it again"
        return NotFoundError(f"'{tombstone.key}' has moved to the tier '{tombstone.moved}'", hint)
    hint = f"gitkb log {tombstone.key} shows what it said, if it was ever committed"
    reason = f": {tombstone.reason}" if tombstone.reason else ""
    by = f" by {tombstone.by}" if tombstone.by else ""
    return NotFoundError(f"'{tombstone.key}' was forgotten{by}{reason}", hint)


def _elsewhere(located: LocatedEntry) -> NotFoundError:
    from gitkb.operations.tier import find_tier

    key, tier = located.found.entry.key, find_tier(located.tier)
    hint = f"gitkb add --key {key} … says something else here, and shadows it"
    if tier is not None and tier.writable:
        hint = f"gitkb demote {key} takes it in; or do it there: gitkb --dir '{tier.path}' …"
    return NotFoundError(f"'{key}' is in the tier '{located.tier}', not here", hint)
