"""Which entry is meant by a name, under the lock of a change: a key, or another name it answers to.

Only the store that is changed is meant. What a farther tier holds is named, and left alone.
"""

from __future__ import annotations

from gitkb.core.entry import Tombstone
from gitkb.errors import NotFoundError, StateError
from gitkb.operations.writing.absent import find_archived, gone, not_found

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.core.entry import Entry
    from gitkb.core.snapshot import Snapshot
    from gitkb.store.layout import Store
    from gitkb.store.writer import Change


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
        raise _unknown(change.store, name, snapshot)
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


def _unknown(store: Store, name: str, snapshot: Snapshot) -> NotFoundError:
    from gitkb.operations.tier import find_tier
    from gitkb.operations.tiers.lookup import find_elsewhere  # only an error needs them

    located = find_elsewhere(store, name)
    if located is None or not located.tier:
        return not_found(name, snapshot)
    key, tier = located.found.entry.key, find_tier(located.tier)
    hint = f"gitkb add --key {key} … says something else here, and shadows it"
    if tier is not None and tier.writable:
        hint = f"gitkb demote {key} takes it in; or do it there: gitkb --dir '{tier.path}' …"
    return NotFoundError(f"'{key}' is in the tier '{located.tier}', not here", hint)
