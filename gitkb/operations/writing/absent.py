"""What is said of a name at which no entry stands, or only an archived one."""

from __future__ import annotations

from gitkb.errors import NotFoundError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.core.entry import Tombstone
    from gitkb.core.snapshot import Located, Snapshot

MOVED_HOME = "project "
"""Before the name of the project that an entry was moved home to; no other looks there."""


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


def not_found(name: str) -> NotFoundError:
    """The error for a key or alias that nobody knows."""
    from shlex import quote  # only an error needs it

    return NotFoundError(f"no entry '{name}'", f"gitkb recall {quote(name)}, or gitkb list --all")


def gone(tombstone: Tombstone) -> NotFoundError:
    """The error for a key that was forgotten, or moved to another tier."""
    if tombstone.moved:
        hint = f"gitkb demote {tombstone.key} brings it back; gitkb tier list shows which tiers are here"
        if tombstone.moved.startswith(MOVED_HOME):
            hint = "it is that project's alone; gitkb promote there shares it again"
        return NotFoundError(f"'{tombstone.key}' has moved to the tier '{tombstone.moved}'", hint)
    hint = f"gitkb log {tombstone.key} shows what it said, if it was ever committed"
    reason = f": {tombstone.reason}" if tombstone.reason else ""
    by = f" by {tombstone.by}" if tombstone.by else ""
    return NotFoundError(f"'{tombstone.key}' was forgotten{by}{reason}", hint)
