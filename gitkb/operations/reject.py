"""Keep an option that was weighed and turned down, so that "why not X?" has an answer."""

from __future__ import annotations

from typing import NamedTuple

from gitkb.errors import StateError
from gitkb.operations.naming import live_entry
from gitkb.operations.supersede import has_link, put_changed
from gitkb.store.writer import changing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.core.canonical import Json
    from gitkb.store.layout import Store

REJECTED_BECAUSE = "rejected_because"


class Rejected(NamedTuple):
    """The entry that was turned down; not `written` where it was so already."""

    key: str
    title: str
    because: str
    written: bool


def reject(store: Store, name: str, because: str = "") -> Rejected:
    """Mark an entry as rejected and, if that is said, link it to the entry that is the reason.

    Raises:
        NotFoundError: when one is not there, or was forgotten.
        StateError: when one is archived, the entry is superseded, or it would be its own reason.
    """
    with changing(store) as change:
        entry = live_entry(change, name)
        reason = live_entry(change, because) if because else None
        if reason is not None and reason.key == entry.key:
            raise StateError(
                f"'{entry.key}' cannot be the reason for its own rejection",
                f"name the entry that decided it, or nothing: gitkb reject {entry.key}",
            )
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
        return Rejected(entry.key, entry.display_title, key, bool(new))
