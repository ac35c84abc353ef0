"""What became of each entry between two states of a knowledge base.

1. Records are compared by key, wherever their lines stand: another layout, order or spelling, and a
   line that moved to another file, is no change.
2. Versions that say the same and differ only in their time count as changed only where nothing else
   did.
3. The same two states give the same changes in the same order: what needs a person first (must-checks
   and contested entries), then by kind, importance and key.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from gitkb.core.canonical import encode_sorted
from gitkb.core.diff.record import FieldChange, diff_fields, normal_fields
from gitkb.core.entry import Entry, Tombstone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from gitkb.core.entry import Record
    from gitkb.core.snapshot import Located, Snapshot

Kind = Literal[
    "added",
    "changed",
    "superseded",
    "rejected",
    "archived",
    "restored",  # back from the archive, or active again
    "revived",  # an entry took the place of a tombstone or redirect
    "moved",  # to another tier; a redirect took its place
    "forgotten",
    "removed",  # gone without a trace: gc, or a hand
    "rewritten",  # of its older versions in the archive, some are no longer as they were
    "confirmed",  # said to be still true; nothing of it changed
]
KINDS: tuple[Kind, ...] = (
    "added",
    "changed",
    "superseded",
    "rejected",
    "archived",
    "restored",
    "revived",
    "moved",
    "forgotten",
    "removed",
    "rewritten",
    "confirmed",
)
_BY_STATUS: dict[str, Kind] = {
    "superseded": "superseded",
    "rejected": "rejected",
    "archived": "archived",
    "active": "restored",
}


class EntryChange(NamedTuple):
    """What became of one entry."""

    kind: Kind
    key: str
    before: Record | None
    after: Record | None
    """What stands under the key now; for an archived entry, its version in the archive."""
    fields: tuple[FieldChange, ...] = ()
    """For every kind in which an entry or tombstone stands on both sides."""
    successors: tuple[str, ...] = ()
    """The keys of the entries that supersede it now."""
    lost_versions: int = 0
    """How many versions in the archive are no longer there as they were."""

    @property
    def entry(self) -> Entry | None:
        """The entry as it is, or as it was last."""
        return next((one for one in (self.after, self.before) if isinstance(one, Entry)), None)

    @property
    def is_must_check(self) -> bool:
        """Whether it is, or was, a lesson that has to be looked at."""
        return any(
            isinstance(one, Entry) and one.is_must_check for one in (self.before, self.after)
        )

    @property
    def is_contested(self) -> bool:
        """Whether a person has to settle it now."""
        return isinstance(self.after, Entry) and bool(self.after.conflicts)

    @property
    def names(self) -> set[str]:
        """Its key and every alias that it has or had."""
        found = {self.key}
        for record in (self.before, self.after):
            aliases = () if record is None else record.fields.get("aliases", ())
            found.update(name for name in aliases if isinstance(name, str))
        return found


def diff_snapshots(
    old: Snapshot, new: Snapshot, keys: Iterable[str], confirmed: Collection[str] = ()
) -> list[EntryChange]:
    """Compare what two snapshots hold of some keys, some of which were confirmed in between."""
    successors = _successors(new)
    changes = []
    for key in keys:
        change = _diff_key(old, new, key)
        if change is None and key in confirmed and isinstance(after := _current(new, key), Entry):
            change = EntryChange("confirmed", key, _current(old, key), after)
        if change is not None:
            changes.append(change._replace(successors=tuple(successors.get(key, ()))))
    return sorted(changes, key=_place)


def count_kinds(changes: Collection[EntryChange]) -> dict[str, int]:
    """How many entries each kind of change befell, in the order of the kinds; no noughts."""
    counts = {kind: sum(change.kind == kind for change in changes) for kind in KINDS}
    return {kind: count for kind, count in counts.items() if count}


def _place(change: EntryChange) -> tuple[bool, int, int, str]:
    needs_a_person = change.is_must_check or change.is_contested
    weight = change.entry.importance if change.entry is not None else 0
    return not needs_a_person, KINDS.index(change.kind), -weight, change.key


def _successors(snapshot: Snapshot) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for key, at in sorted(snapshot.current.items()):
        if isinstance(at.record, Entry):
            for link in at.record.links:
                if link["rel"] == "supersedes":
                    found.setdefault(link["to"], []).append(key)
    return found


def _diff_key(old: Snapshot, new: Snapshot, key: str) -> EntryChange | None:
    before, after = _current(old, key), _current(new, key)
    lost = _lost_versions(old, new, key)
    if before is None and after is None:
        return _diff_archives(old, new, key, lost)
    if after is None:
        return _gone(new, key, before, lost)
    if before is None:
        kind: Kind = "restored" if old.archived.get(key) else "added"
        if isinstance(after, Tombstone):
            kind = "moved" if after.moved else "forgotten"
            before = _archived(old, key)
        return EntryChange(kind, key, before, after, lost_versions=lost)
    fields = tuple(diff_fields(before.fields, after.fields))
    if not fields:
        return EntryChange("rewritten", key, before, after, (), (), lost) if lost else None
    return EntryChange(_kind(before, after), key, before, after, fields, lost_versions=lost)


def _kind(before: Record, after: Record) -> Kind:
    if isinstance(after, Tombstone):
        if isinstance(before, Tombstone) and bool(before.moved) == bool(after.moved):
            return "changed"
        return "moved" if after.moved else "forgotten"
    if isinstance(before, Tombstone):
        return "revived"
    if before.status != after.status:
        return _BY_STATUS.get(after.status, "changed")
    return "changed"


def _gone(new: Snapshot, key: str, before: Record | None, lost: int) -> EntryChange:
    kept = _archived(new, key)
    # The archive holds older versions of a living entry too; the one that left is the newest there.
    if isinstance(before, Entry) and kept is not None and kept.ts >= before.ts:
        fields = tuple(diff_fields(before.fields, kept.fields))
        return EntryChange("archived", key, before, kept, fields, lost_versions=lost)
    return EntryChange("removed", key, before, None, lost_versions=lost)


def _diff_archives(old: Snapshot, new: Snapshot, key: str, lost: int) -> EntryChange | None:
    before, after = _archived(old, key), _archived(new, key)
    if before is None and after is not None:  # added and put away since
        return EntryChange("archived", key, None, after)
    if before is not None and after is None:
        return EntryChange("removed", key, before, None, lost_versions=lost)
    if before is None or after is None:
        return None
    if lost:
        fields = tuple(diff_fields(before.fields, after.fields))
        return EntryChange("rewritten", key, before, after, fields, (), lost)
    fields = tuple(diff_fields(before.fields, after.fields))
    return EntryChange("changed", key, before, after, fields) if fields else None


def _current(snapshot: Snapshot, key: str) -> Record | None:
    at = snapshot.current.get(key)
    return None if at is None else at.record


def _archived(snapshot: Snapshot, key: str) -> Entry | None:
    at = snapshot.latest_archived(key)
    return at.record if at is not None and isinstance(at.record, Entry) else None


def _lost_versions(old: Snapshot, new: Snapshot, key: str) -> int:
    """Count the versions that the archive held and neither it nor the knowledge holds any more."""
    if key not in old.archived:
        return 0
    kept = {_form(at) for at in new.archived.get(key, ())}
    if key in new.current:
        kept.add(_form(new.current[key]))
    return sum(form not in kept for form in {_form(at) for at in old.archived[key]})


def _form(at: Located) -> bytes:
    return encode_sorted(normal_fields(at.record.fields))
