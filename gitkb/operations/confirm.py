"""Say that entries are still true, without rewriting them."""

from __future__ import annotations

from typing import NamedTuple

from gitkb.errors import StateError
from gitkb.operations.history.staleness import Stale, stale_of
from gitkb.operations.reading.search_index import open_index
from gitkb.operations.tiers.lookup import find_entry
from gitkb.operations.writing.clock import later_than
from gitkb.operations.writing.numbering import is_tier
from gitkb.store.confirmation import confirm_keys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitkb.core.entry import Entry
    from gitkb.store.layout import Store

_NOTHING = Stale()


class Confirmed(NamedTuple):
    """An entry that was confirmed."""

    key: str
    title: str
    ts: int
    was: Stale
    """What it was stale for until now."""
    still: Stale
    """What confirming it does not end."""


def confirm(
    store: Store, names: Sequence[str], notices: list[str] | None = None
) -> list[Confirmed]:
    """Write that the entries, named by key or alias, are true as of now: all of them or, where one is not
    there, none.

    Raises:
        NotFoundError: when an entry is not there, or was forgotten.
        StateError: when one is archived, or the store is locked, in conflict, full or read-only.
    """
    entries = {entry.key: entry for entry in (_live(store, name) for name in names)}
    with open_index(store, notices=notices) as index:
        doubts = {key: hit.in_doubt for key in entries if (hit := index.get(key)) is not None}
    has_files = not is_tier(store)
    before = stale_of(store, entries.values(), doubts, notices, has_files=has_files)
    written = confirm_keys(store, {key: later_than(entry) for key, entry in entries.items()})
    after = stale_of(store, entries.values(), doubts, has_files=has_files)
    return [
        Confirmed(
            key,
            entry.display_title,
            written[key],
            before.get(key, _NOTHING),
            after.get(key, _NOTHING),
        )
        for key, entry in entries.items()
    ]


def _live(store: Store, name: str) -> Entry:
    found = find_entry(store, name)
    if found.archived or found.entry.status == "archived":
        key = found.entry.key
        raise StateError(f"'{key}' is archived", f"gitkb restore {key}")
    return found.entry
