"""Put entries aside without losing them, and bring them back."""

from __future__ import annotations

from typing import NamedTuple

from gitkb.core.entry import Entry
from gitkb.errors import NotFoundError, StateError, UsageError
from gitkb.operations.reject import REJECTED_BECAUSE
from gitkb.operations.supersede import (
    apply_supersedes,
    left_superseded,
    put_changed,
    reactivate,
    status_before,
    successors,
)
from gitkb.operations.writing.absent import gone
from gitkb.operations.writing.clock import SECONDS_A_DAY, later_than, now
from gitkb.operations.writing.naming import key_of
from gitkb.store.reader import read_store
from gitkb.store.writer import changing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitkb.core.canonical import Json
    from gitkb.core.entry import Record
    from gitkb.store.layout import Store
    from gitkb.store.writer import Change


class Moved(NamedTuple):
    """An entry that moved to the archive or out of it."""

    key: str
    title: str
    left_superseded: tuple[str, ...] = ()
    """What it had replaced, and nothing that is in force replaces now that it is put aside."""


def archive(store: Store, keys: Sequence[str], days: int | None = None) -> list[Moved]:
    """Move entries to the archive: those named by key or alias, or those unchanged for more than
    `days` days.

    All move or, when one of the keys is not there, none. A key that is archived already is passed.

    Raises:
        UsageError: when neither keys nor days are given, or both are.
        NotFoundError: when a key is not there.
    """
    if bool(keys) == (days is not None):
        raise UsageError(
            "say which entries to archive: keys, or --days N, not both",
            "gitkb archive KEY…, or gitkb archive --days 365",
        )
    moment = None if days is None else now() - days * SECONDS_A_DAY
    if moment is not None:
        keys = _unchanged_since(store, moment)
    moved: list[Entry] = []
    with changing(store) as change:
        for key in dict.fromkeys(keys if moment is not None else _keys_of(change, keys)):
            entry = _find_live(change, key) if moment is None else _find_old(change, key, moment)
            if entry is not None:
                _put_aside(change, entry)
                moved.append(entry)
        # When all have gone: one may have been replaced by another of them.
        return [Moved(at.key, at.display_title, left_superseded(change, at)) for at in moved]


def restore(store: Store, keys: Sequence[str]) -> list[Moved]:
    """Bring archived entries back as they were, and undo what `reject` did to rejected ones.

    One that is superseded, but by nothing that lives, is what it was before; an archived one that
    something supersedes by now comes back as superseded. What is active is passed.

    Raises:
        NotFoundError: when a key is not there, or was forgotten.
        StateError: when an entry is superseded.
    """
    moved = []
    with changing(store) as change:
        for key in _keys_of(change, keys):
            entry = _restored(change, key)
            if entry is not None:
                moved.append(Moved(key, entry.display_title))
    return moved


def _restored(change: Change, key: str) -> Entry | None:
    at = change.find(key)
    if at is None:
        entry = _as_before(change, key)
        apply_supersedes(change, entry)
        change.put(entry, keep_old=False)
        return entry
    if not isinstance(at.record, Entry):
        if at.record.moved:
            raise gone(at.record)
        raise NotFoundError(
            f"'{key}' was forgotten; its content is only in git's history",
            f"gitkb log {key} shows it, if it was ever committed; "
            "gitkb add with this very key brings it back",
        )
    if at.record.status == "superseded" and not reactivate(change, key):
        by = successors(change.read_all(), key)
        names = " and ".join(f"'{name}'" for name in by)
        raise StateError(
            f"'{key}' is superseded by {names}",
            "; ".join(f"gitkb unlink {name} supersedes {key}" for name in by),
        )
    if at.record.status == "archived":  # somebody wrote it by hand
        put_changed(change, at.record, status="active")
    if at.record.status == "rejected":
        # The reasons for what is no longer rejected would be untrue; the archive keeps them.
        links = [link for link in at.record.links if link["rel"] != REJECTED_BECAUSE]
        put_changed(change, at.record, status="active", links=links)
    return None if at.record.is_active else at.record


def _keys_of(change: Change, names: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(key_of(change, name) for name in names))


def _unchanged_since(store: Store, moment: int) -> list[str]:
    return sorted(
        key
        for key, at in read_store(store).current.items()
        if isinstance(at.record, Entry) and _is_older(at.record, moment)
    )


def _is_older(entry: Entry, moment: int) -> bool:
    # An entry that does not say when it was written is not old for that.
    return "ts" in entry.fields and entry.ts < moment


def _find_old(change: Change, key: str, moment: int) -> Entry | None:
    # Looked at again under the lock: somebody may just have changed or removed it.
    at = change.find(key)
    is_old = at is not None and isinstance(at.record, Entry) and _is_older(at.record, moment)
    return Entry(at.record.fields) if at is not None and is_old else None


def _find_live(change: Change, key: str) -> Entry | None:
    at = change.find(key)
    if at is None:
        return None  # archived already
    if not isinstance(at.record, Entry):
        raise gone(at.record)
    return at.record


def _put_aside(change: Change, entry: Entry) -> None:
    aside = _changed(entry, "archived")
    # The line itself is kept only where `restore` would not find its status without it. Putting it
    # in place first moves other lines of the key, if a text merge left any, to the archive too.
    kept = [*(at.record for at in change.find_archived(entry.key)), aside]
    change.put(aside, keep_old=_status_in(kept) != entry.status)
    change.archive(aside)
    change.drop(entry.key)


def _as_before(change: Change, key: str) -> Entry:
    versions = [at.record for at in change.find_archived(key)]
    status = _status_in(versions)
    # What became of its successors, or superseded it, while it was away counts too.
    if successors(change.read_all(), key):
        status = "superseded"
    elif status == "superseded":
        status = status_before(change, key)
    return _changed(Entry(versions[-1].fields), status)


def _status_in(versions: Sequence[Record]) -> str:
    """Give the status that an archived entry had, by its versions in the archive."""
    latest = versions[-1]
    for record in reversed(versions):
        status = str(record.fields.get("status", "active"))
        if status != "archived" and _without_status(record) == _without_status(latest):
            return status
    return "active"


def _changed(entry: Entry, status: str) -> Entry:
    return Entry({**entry.fields, "status": status, "ts": later_than(entry)})


def _without_status(record: Record) -> dict[str, Json]:
    return {name: value for name, value in record.fields.items() if name not in ("status", "ts")}
