"""Several versions of one record become one.

The rules are numbered as in docs/explanation/merging.md:

1. Equal sides: that. One side equal to base: the other.
2. A tombstone beats a change, unless the entry revives it; it beats a redirect. A redirect beats a
   change as well, and keeps what was changed in its `conflicts`: to move is not to delete.
3. Nothing against a change: the change. A change of clocks or derived fields alone is none.
4. Both changed: field by field (`core.merge.field`); sets by element, clocks by their kind, objects to any depth.
5. Both gave a field another value: the later version's is shown, the other goes into `conflicts`.
   Where no clock decides, one side wins for the whole record: the one whose list of clashing
   fields and values is the larger in bytes. No hash and no size of a whole version decides, for
   the merged record is a version too.
6. What one side scrubbed, unknown to the other, stays scrubbed (`core.merge.redacted`).
7. Without a base, another title and another creation are two things under one key: one is shown
   whole, the other stands whole in `conflicts`.

Swapping ours and theirs changes nothing, and neither does merging the result again.
"""

from __future__ import annotations

from gitkb.core.canonical import encode_sorted
from gitkb.core.clock import instant_of
from gitkb.core.conflicts.value import keep_change
from gitkb.core.entry import is_tombstone
from gitkb.core.merge.field import FieldMerge
from gitkb.core.merge.form import is_unchanged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitkb.core.canonical import Fields
    from gitkb.core.merge.rules import Rules


def merge_records(
    base: Fields | None, ours: Fields | None, theirs: Fields | None, rules: Rules
) -> Fields | None:
    """Merge three versions of one record, each an object or None where it does not exist.

    Raises:
        NoListError: when `conflicts` of a record is no list of objects.
    """
    versions = [None if side is None else rules.prepare(side) for side in (base, ours, theirs)]
    merged = merge_prepared(versions[0], versions[1], versions[2], rules)
    return None if merged is None else rules.arrange(merged, base or ())


def fold_records(records: Iterable[Fields], rules: Rules) -> Fields:
    """Fold the versions of one key that stand on one side into one record, oldest first.

    There is no base: what an older version said and a younger one does not say is kept.
    """
    oldest_first = sorted(map(rules.prepare, records), key=lambda fields: _age(fields, rules))
    folded = oldest_first[0]
    for fields in oldest_first[1:]:
        merged = merge_prepared(None, folded, fields, rules)
        folded = folded if merged is None else dict(merged)
    return rules.arrange(folded, ())


def merge_prepared(
    base: Fields | None, ours: Fields | None, theirs: Fields | None, rules: Rules
) -> Fields | None:
    """Merge as `merge_records` does, records that `rules.prepare` has gone over."""
    form, our_form, their_form = (
        None if side is None else encode_sorted(side) for side in (base, ours, theirs)
    )
    if our_form == their_form or form == their_form:
        return ours
    if form == our_form:
        return theirs
    if ours is None or theirs is None:
        left = theirs if ours is None else ours
        if base is not None and left is not None and is_unchanged(base, left, rules):
            return None
        return left
    if rules.is_gitkb:
        if "redacted" in ours or "redacted" in theirs:
            from gitkb.core.merge.redacted import make_known  # few records were ever scrubbed

            base, ours, theirs = make_known(base, ours, theirs)
        if is_tombstone(ours) != is_tombstone(theirs):
            entry, tombstone = (theirs, ours) if is_tombstone(ours) else (ours, theirs)
            if _is_revived(entry, tombstone):
                return entry
            return tombstone if _is_deleted(tombstone) else keep_change(base, tombstone, entry)
        if is_tombstone(ours) and _is_deleted(ours) != _is_deleted(theirs):
            return ours if _is_deleted(ours) else theirs
    return _merge_fields(base, ours, theirs, rules)


def _is_deleted(fields: Fields) -> bool:
    return fields.get("deleted") is True


def _is_revived(entry: Fields, tombstone: Fields) -> bool:
    known, deleted = instant_of(entry.get("revives")), instant_of(tombstone.get("ts"))
    return known is not None and (deleted is None or known >= deleted)


def _merge_fields(base: Fields | None, ours: Fields, theirs: Fields, rules: Rules) -> Fields:
    is_ours_later = _is_later(ours, theirs, rules)
    merge = FieldMerge(base, ours, theirs, rules, is_ours_later is not False)
    merged = merge.run()
    if is_ours_later is None and not merge.is_ours_larger():
        merged = FieldMerge(base, ours, theirs, rules, False).run()
    return merged


def _is_later(ours: Fields, theirs: Fields, rules: Rules) -> bool | None:
    """Say whether ours is the later version; None where no clock decides."""
    for name in rules.deciders:
        our_time, their_time = instant_of(ours.get(name)), instant_of(theirs.get(name))
        if our_time is not None and their_time is not None and our_time != their_time:
            return our_time > their_time
    return None


def _age(fields: Fields, rules: Rules) -> tuple[object, ...]:
    times = [instant_of(fields.get(name)) for name in rules.deciders]
    return *((time is not None, time or (0, "")) for time in times), encode_sorted(fields)
