"""What stands for a key as a merge would see it, and what is contested in it.

1. Several lines of one key, as a text merge lets through, are folded as `compact` folds them: what
   they disagree on is contested, though no `conflicts` says so yet.
2. A line that the archive has as an older version is not asked.
"""

from __future__ import annotations

from typing import NamedTuple

from gitkb.core.conflicts.contest import contests_of
from gitkb.core.entry import TOMBSTONE_FIELDS, Entry, Tombstone, is_tombstone
from gitkb.core.merge.record import fold_records
from gitkb.core.merge.rules import KNOWLEDGE as RULES
from gitkb.store.reader import read_store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from gitkb.core.conflicts.contest import Contest
    from gitkb.core.entry import Record
    from gitkb.core.snapshot import Located
    from gitkb.store.layout import Store


class Contested(NamedTuple):
    """A record with something in it that nobody has settled."""

    record: Record
    """With several lines of the key, what they fold into."""
    contests: tuple[Contest, ...]
    lines: int
    """How many lines the key has."""

    @property
    def key(self) -> str:
        return self.record.key

    def is_kept_change(self, contest: Contest) -> bool:
        """Whether it is a change that waits in a redirect for `promote`: nothing here shows the field."""
        return isinstance(self.record, Tombstone) and contest.field not in TOMBSTONE_FIELDS


def read_contested(store: Store, keys: Collection[str] | None = None) -> list[Contested]:
    """Read all that is contested in a store, or of these keys, sorted by key. O(its size)."""
    snapshot = read_store(store)
    lines: dict[str, list[Located]] = {}
    for at in (*snapshot.current.values(), *snapshot.duplicates):
        if (keys is None or at.record.key in keys) and (
            "conflicts" in at.record.fields or at is not snapshot.current[at.record.key]
        ):
            lines.setdefault(at.record.key, [])
    for at in (*snapshot.current.values(), *snapshot.duplicates):
        if at.record.key in lines:
            lines[at.record.key].append(at)
    found = []
    for key, own in sorted(lines.items()):
        contested = contested_in(own, snapshot.archived.get(key, ()))
        if contested.contests:
            found.append(contested)
    return found


def contested_in(lines: Sequence[Located], archived: Sequence[Located]) -> Contested:
    """Say what is contested in the lines of one key; `archived` are its older versions."""
    older = {at.line for at in archived}
    newest = max((at.age[0] for at in lines if at.line not in older), default=-1)
    asked = [at for at in lines if at.line not in older or at.age[0] > newest]
    if len(asked) == 1:
        record = asked[0].record
    else:
        oldest_first = sorted(asked, key=lambda at: at.age)
        fields = fold_records([at.record.fields for at in oldest_first], RULES)
        record = Tombstone(fields) if is_tombstone(fields) else Entry(fields)
    return Contested(record, tuple(contests_of(record.fields)), len(lines))
