"""Keep an option that was weighed and turned down, so that "why not X?" has an answer."""

from __future__ import annotations

from typing import NamedTuple

from gitkb.errors import NotFoundError, StateError
from gitkb.operations.supersede import has_link, left_superseded, put_changed
from gitkb.operations.writing.naming import live_entry
from gitkb.store.writer import changing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.core.canonical import Json
    from gitkb.core.entry import Entry
    from gitkb.store.layout import Store
    from gitkb.store.writer import Change

REJECTED_BECAUSE = "rejected_because"


class Rejected(NamedTuple):
    """The entry that was turned down; not `written` where it was so already."""

    key: str
    title: str
    because: str
    written: bool
    left_superseded: tuple[str, ...] = ()
    """What it had replaced, and nothing that is in force replaces now."""


def reject(store: Store, name: str, because: str = "") -> Rejected:
    """Mark an entry as rejected and, if that is said, link it to the entry that is the reason.

    Raises:
        NotFoundError: when one is not there, or was forgotten.
        StateError: when one is archived, the entry is superseded, or it would be its own reason.
    """
    with changing(store) as change:
        entry = live_entry(change, name)
        reason = _reason(change, because) if because else None
        if reason is not None and reason.key == entry.key:
            raise StateError(
                f"'{entry.key}' cannot be the reason for its own rejection",
                f"name the entry that decided it, or nothing: gitkb reject {entry.key}",
            )
        if reason is not None and reason.status == "rejected":
            _refuse_circle(entry, reason)
        if entry.status == "superseded":
            raise StateError(
                f"'{entry.key}' is superseded, so it is not in force", f"gitkb why {entry.key}"
            )
        new: dict[str, Json] = {}
        if entry.status != "rejected":
            new["status"] = "rejected"
        if reason is not None and not has_link(entry, REJECTED_BECAUSE, reason.key):
            new["links"] = [*entry.links, {"rel": REJECTED_BECAUSE, "to": reason.key}]
        if new:
            put_changed(change, entry, **new)
        key = reason.key if reason is not None else ""
        left = left_superseded(change, entry)
        return Rejected(entry.key, entry.display_title, key, bool(new), left)


def _reason(change: Change, because: str) -> Entry:
    try:
        return live_entry(change, because)
    except NotFoundError as error:
        if len(because.split()) < 2:
            raise
        hint = "it takes a key: write the reason into an entry with gitkb add, then name that one"
        raise NotFoundError(f"{error.message}, and --because takes no text", hint) from None


def _refuse_circle(entry: Entry, reason: Entry) -> None:
    """Two options cannot be turned down because of each other: one of them has to hold."""
    if has_link(reason, REJECTED_BECAUSE, entry.key):
        raise StateError(
            f"'{entry.key}' cannot be rejected because of '{reason.key}', which was rejected because of it",
            f"gitkb restore {reason.key}, if that one holds after all",
        )
