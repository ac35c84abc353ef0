"""Replace an entry by a newer one: the status of the old and the edge of the new, together.

1. An entry that a live one supersedes says so by its status, and one that says so is superseded by
   something; both lines are written in one change or not at all.
2. Nothing supersedes itself, directly or through others.
3. Each version that is replaced moves to the archive, as with any correction.
4. An entry that is no longer superseded by anything is what it was before.
"""

from __future__ import annotations

from typing import NamedTuple

from gitkb.core.entry import Entry
from gitkb.errors import StateError
from gitkb.operations.writing.clock import later_than
from gitkb.operations.writing.naming import live_entry
from gitkb.store.writer import changing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.core.canonical import Json
    from gitkb.core.entry import Record
    from gitkb.core.snapshot import Snapshot
    from gitkb.store.layout import Store
    from gitkb.store.writer import Change

SUPERSEDES = "supersedes"


class Superseded(NamedTuple):
    """Which entry took the place of which; not `written` where it had it already."""

    old: str
    new: str
    written: bool
    also: tuple[str, ...] = ()
    """Other entries that supersede the old one."""


def supersede(store: Store, old: str, new: str) -> Superseded:
    """Say that an entry replaces another; both by key or alias.

    Raises:
        NotFoundError: when one is not there, or was forgotten.
        StateError: when one is archived, the new one is not active, or it would supersede itself.
    """
    with changing(store) as change:
        return put_supersession(change, live_entry(change, old), live_entry(change, new))


def put_supersession(change: Change, old: Entry, new: Entry) -> Superseded:
    """Mark the old entry and add the edge to the new one. Errors as `supersede`."""
    is_linked = has_link(new, SUPERSEDES, old.key)
    also: tuple[str, ...] = ()
    if old.status == "superseded":
        others = successors(change.read_all(), old.key)
        also = tuple(key for key in others if key != new.key)
        if is_linked:
            return Superseded(old.key, new.key, False, also)
    if not is_linked:  # else half of it is there, and is made whole
        _refuse_circle(change, new.key, old.key)
        if not new.is_active:
            _refuse_inactive(change, old, new)
        put_changed(change, new, links=[*new.links, {"rel": SUPERSEDES, "to": old.key}])
    if old.status != "superseded":
        put_changed(change, old, status="superseded")
    return Superseded(old.key, new.key, True, also)


def apply_supersedes(change: Change, entry: Entry, before: Entry | None = None) -> tuple[str, ...]:
    """Bring other entries in line with the supersedes links of one that is about to be put.

    `before` is what its key says now. What it newly supersedes is marked, what it no longer does is
    what it was before, unless something else supersedes it. Gives the keys of all that changed. A
    link to what is not there changes nothing. Call it before `change.put(entry)`: if it raises, the
    change is as it was.

    Raises:
        StateError: when the entry would supersede itself, directly or through others.
    """
    now, then = (_superseded_by(one) for one in (entry, before))
    for key in sorted(now - then):
        _refuse_circle(change, entry.key, key)
    changed = []
    for key in sorted(now - then):
        at = change.find(key)
        if at is not None and isinstance(at.record, Entry) and at.record.status != "superseded":
            put_changed(change, at.record, status="superseded")
            changed.append(key)
    for key in sorted(then - now):
        if reactivate(change, key, without=entry.key):
            changed.append(key)
    return tuple(changed)


def reactivate(change: Change, key: str, *, without: str = "") -> bool:
    """Make a superseded entry what it was before, if nothing but `without` supersedes it."""
    at = change.find(key)
    if at is None or not isinstance(at.record, Entry) or at.record.status != "superseded":
        return False
    if set(successors(change.read_all(), key)) - {without}:
        return False
    put_changed(change, at.record, status=status_before(change, key))
    return True


def successors(snapshot: Snapshot, key: str) -> list[str]:
    """Give the keys of the live entries that supersede an entry, whatever their status, sorted."""
    return sorted(
        other
        for other, at in snapshot.current.items()
        if other != key and isinstance(at.record, Entry) and has_link(at.record, SUPERSEDES, key)
    )


def status_before(change: Change, key: str) -> str:
    """Give what an entry was before it was superseded, by its versions in the archive."""
    for at in reversed(change.find_archived(key)):
        status = str(at.record.fields.get("status", "active"))
        if status not in ("superseded", "archived"):
            return status
    return "active"


def has_link(entry: Entry, relation: str, target: str) -> bool:
    """Say whether an entry stores this edge."""
    return any(link["rel"] == relation and link["to"] == target for link in entry.links)


def put_changed(change: Change, entry: Entry, **fields: Json) -> None:
    """Write an entry with some fields changed; the version before goes to the archive."""
    change.put(Entry({**entry.fields, **fields, "ts": later_than(entry)}), keep_old=True)


def _superseded_by(entry: Entry | None) -> set[str]:
    links = entry.links if entry is not None else []
    return {link["to"] for link in links if link["rel"] == SUPERSEDES}


def _refuse_circle(change: Change, new: str, old: str) -> None:
    if new == old:
        raise StateError(f"'{new}' cannot supersede itself", f"gitkb show {new}")
    came_from = {old: ""}
    waiting = [old]
    while waiting and new not in came_from:
        key = waiting.pop()
        for target in sorted(_superseded_by(_latest(change, key))):
            if target not in came_from:
                came_from[target] = key
                waiting.append(target)
    if new not in came_from:
        return
    chain = [new]
    while came_from[chain[-1]]:
        chain.append(came_from[chain[-1]])
    through = "".join(f" through '{key}'" for key in reversed(chain[1:-1]))
    raise StateError(
        f"'{new}' cannot supersede '{old}': '{old}' supersedes it already{through}",
        f"gitkb unlink {chain[1]} supersedes {new}, if it is the other way round",
    )


def _latest(change: Change, key: str) -> Entry | None:
    at = change.find(key)
    if at is not None:
        return at.record if isinstance(at.record, Entry) else None
    versions = change.find_archived(key)
    return Entry(versions[-1].record.fields) if versions else None


def _refuse_inactive(change: Change, old: Entry, new: Entry) -> None:
    by = successors(change.read_all(), new.key) if new.status == "superseded" else []
    if by:
        names = " and ".join(f"'{key}'" for key in by)
        hint = f"gitkb supersede {old.key} {by[0]}" if old.key not in by else f"gitkb why {new.key}"
        raise StateError(f"'{new.key}' is superseded itself, by {names}", hint)
    raise StateError(f"'{new.key}' is {new.status}, not active", f"gitkb restore {new.key}")


def left_superseded(change: Change, entry: Record) -> tuple[str, ...]:
    """Give what only this entry had replaced, which is no longer in force; it comes back by no status of its own."""
    links = entry.fields.get("links", ())
    replaced = sorted(link["to"] for link in links if link["rel"] == SUPERSEDES)
    if not replaced:
        return ()
    snapshot = change.read_all()
    status = {key: at.record.fields.get("status", "active") for key, at in snapshot.current.items()}
    return tuple(
        key
        for key in replaced
        if status.get(key) == "superseded"
        and not any(
            status[other] == "active" for other in successors(snapshot, key) if other != entry.key
        )
    )
