"""Delete entries so that the deletion reaches every clone, and clean up after a long time."""

from __future__ import annotations

from typing import NamedTuple

from gitkb.core.alias import parse_alias
from gitkb.core.entry import Entry, Tombstone
from gitkb.core.identity import KNOWLEDGE
from gitkb.git.identity import user_name
from gitkb.operations.supersede import left_superseded
from gitkb.operations.writing.absent import gone
from gitkb.operations.writing.clock import SECONDS_A_DAY, later_than, now
from gitkb.operations.writing.naming import key_of
from gitkb.store.confirmation import drop_confirmations
from gitkb.store.reader import read_store
from gitkb.store.writer import changing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitkb.core.entry import Record
    from gitkb.store.layout import Store


IN_ARCHIVE = "the archive"


class Forgotten(NamedTuple):
    """An entry that became a tombstone; not `written` where it was one already."""

    key: str
    title: str
    written: bool
    left_superseded: tuple[str, ...] = ()
    """What it had replaced, and nothing that is in force replaces now that it is gone."""


def forget(store: Store, keys: Sequence[str], reason: str = "") -> list[Forgotten]:
    """Put a tombstone in the place of each entry, named by key or alias; the archive keeps older versions out of sight.

    All are forgotten or, when a key is not there, none. The tombstone names git's user.

    Raises:
        NotFoundError: when a key is not there, or its entry was moved to another tier.
    """
    by = user_name(store.worktree)
    forgotten = []
    olds: dict[str, Record] = {}
    with changing(store) as change:
        for key in dict.fromkeys(key_of(change, name) for name in keys):
            at = change.find(key)
            old = at.record if at is not None else change.find_archived(key)[-1].record
            if isinstance(old, Tombstone):
                if old.moved:
                    raise gone(old)
                forgotten.append(Forgotten(key, "", False))
                continue
            fields = {"key": key, "deleted": True, "ts": later_than(old)}
            fields.update({name: text for name, text in (("by", by), ("reason", reason)) if text})
            # A number that was given never means another entry.
            numbers = [name for name in old.fields.get("aliases", ()) if parse_alias(name)]
            if numbers:
                fields["aliases"] = numbers
            change.put(Tombstone(fields), keep_old=False)
            forgotten.append(Forgotten(key, old.display_title, True))
            olds[key] = old
        # When all are gone: one may have been replaced by another of them.
        left = {key: left_superseded(change, old) for key, old in olds.items()}
    return [one._replace(left_superseded=left.get(one.key, ())) for one in forgotten]


class Swept(NamedTuple):
    """What `gc` did: the tombstones it removed, and those that are still needed."""

    removed: list[str]
    needed: dict[str, list[str]]
    """Key to where the entry would come back from: branches, and `IN_ARCHIVE`."""


def gc(store: Store, days: int, *, dry_run: bool = False) -> Swept:
    """Remove tombstones older than so many days, except those that something has not seen.

    A branch on which the entry is alive would bring it back at its next merge, and versions of it in
    the archive would be an archived entry once more.
    """
    moment = now() - days * SECONDS_A_DAY
    snapshot = read_store(store)
    old = {
        key
        for key, at in snapshot.current.items()
        if isinstance(at.record, Tombstone) and at.record.ts <= moment
    }
    needed = _alive_elsewhere(store, old)
    for key in old & snapshot.archived.keys():
        needed.setdefault(key, []).append(IN_ARCHIVE)
    removable = sorted(old - needed.keys())
    if not dry_run and removable:
        with changing(store) as change:
            for key in removable:
                # Looked at again under the lock.
                at = change.find(key)
                is_old = (
                    at is not None and isinstance(at.record, Tombstone) and at.record.ts <= moment
                )
                if is_old and not change.find_archived(key):
                    change.drop(key)
        drop_confirmations(store, removable)
    return Swept(removable, needed)


def _alive_elsewhere(store: Store, keys: set[str]) -> dict[str, list[str]]:
    if store.worktree is None or not keys:
        return {}
    from gitkb.core.snapshot import read_snapshot
    from gitkb.git.branches import read_branches

    needed: dict[str, list[str]] = {}
    for branch, files in read_branches(store.worktree, f"{store.prefix}/{KNOWLEDGE}"):
        current = read_snapshot((f"{KNOWLEDGE}/{name}", data) for name, data in files).current
        for key in keys & current.keys():
            if isinstance(current[key].record, Entry):
                needed.setdefault(key, []).append(branch)
    return needed
