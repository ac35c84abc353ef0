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


def not_found(name: str, snapshot: Snapshot | None = None) -> NotFoundError:
    """The error for a key or alias that nobody knows; a snapshot says which one may be meant."""
    from shlex import quote  # only an error needs it

    hint = f"gitkb recall {quote(name)}, or gitkb list --all"
    if snapshot is None:
        return NotFoundError(f"no entry '{name}'", hint)
    close = _nearest(name, snapshot)
    if close:
        hint = f"is it '{close}'? else {hint}"
    unread = len(snapshot.problems)
    if unread:
        lines = "a line" if unread == 1 else f"{unread} lines"
        hint += f"; {lines} of the store cannot be read, see gitkb check"
    return NotFoundError(f"no entry '{name}'", hint)


_MOST_NAMES = 20_000
"""Beyond so many, comparing costs more than the hint is worth."""
_NEAR = 0.75
_LEAST = 3
"""Letters of a name that another one can be almost like."""


def _nearest(name: str, snapshot: Snapshot) -> str:
    """The key or alias that is written almost as a name is, or an empty text."""
    names: dict[str, str] = {}
    for record in (
        *(at.record for at in snapshot.current.values() if at.record.fields.get("type")),
        *(versions[-1].record for versions in snapshot.archived.values()),
    ):
        for known in (record.key, *record.fields.get("aliases", ())):
            names.setdefault(known.lower(), known)
    if name.lower() in names:
        return names[name.lower()]
    if len(names) > _MOST_NAMES or len(name) < _LEAST:
        return ""
    from difflib import get_close_matches

    close = get_close_matches(name.lower(), names, 1, _NEAR)
    return names[close[0]] if close else ""


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
