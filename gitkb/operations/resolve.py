"""`resolve` on entries: settle what a merge could not decide.

1. The value taken stands in its field, and nothing contests it any more. The line before goes to the
   archive, with the values that were not taken.
2. To keep both makes one entry more for each other value: with a key of its own, and linked to the
   first by `relates_to`.
3. What comes of it is a valid entry, or nothing is written.
4. A tombstone keeps its time: a newer one would beat who revives the entry elsewhere.
"""

from __future__ import annotations

from typing import NamedTuple

from gitkb.core.conflicts.contest import NoPlaceError, contests_of, take_value
from gitkb.core.entry import Entry, Tombstone, check_fields
from gitkb.core.identity import mint_key
from gitkb.errors import DataError, StateError, UsageError
from gitkb.operations.contests.contested import contested_in
from gitkb.operations.supersede import apply_supersedes
from gitkb.operations.writing.clock import later_than
from gitkb.operations.writing.draft import title_of
from gitkb.operations.writing.naming import key_of
from gitkb.store.writer import changing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from gitkb.core.canonical import Json
    from gitkb.core.conflicts.contest import Contest
    from gitkb.operations.contests.contested import Contested
    from gitkb.store.layout import Store
    from gitkb.store.writer import Change

_NUMBERED = frozenset({"aliases", "category"})


class Settled(NamedTuple):
    """What became of one entry; no `fields` where nothing was contested in it."""

    key: str
    fields: tuple[str, ...]
    """Those that are settled now."""
    left: tuple[str, ...] = ()
    """Those that are contested still."""
    also: tuple[str, ...] = ()
    """Keys of the entries that hold the other values now."""


def take(
    store: Store, names: Sequence[str], number: int, fields: Collection[str] = ()
) -> list[Settled]:
    """Take one of the values of each contested field, or of those named: 1 is the one shown.

    All entries are settled or, when one cannot be, none.

    Raises:
        NotFoundError: when there is no such entry here, or it was forgotten.
        UsageError: when a field has no value of this number, or is not contested.
        StateError: when an entry is archived or has moved. DataError: when it would not be valid.
    """
    return take_each(store, {name: dict.fromkeys(fields, number) for name in names}, number)


def take_each(
    store: Store, chosen: Mapping[str, Mapping[str, int]], number: int = 1
) -> list[Settled]:
    """Take a value for each field that is named, by entry; without any, `number` for all. Errors as `take`."""
    with changing(store) as change:
        return [_take(change, name, numbers, number) for name, numbers in chosen.items()]


def keep_both(store: Store, names: Sequence[str], fields: Collection[str] = ()) -> list[Settled]:
    """Make of one entry with two values two entries. Errors as `take`."""
    with changing(store) as change:
        return [_keep_both(change, name, fields) for name in names]


def _take(change: Change, name: str, numbers: Mapping[str, int], number: int) -> Settled:
    contested = find_contested(change, name)
    contests = select(contested, numbers)
    if not contests:
        return Settled(contested.key, ())
    taken: Mapping[str, Json] = contested.record.fields
    for contest in contests:
        taken = taken_by(contested.key, taken, contest, numbers.get(contest.field, number))
    return put_settled(change, contested, taken, contests)


def _keep_both(change: Change, name: str, fields: Collection[str]) -> Settled:
    contested = find_contested(change, name)
    contests = select(contested, fields)
    if not contests:
        return Settled(contested.key, ())
    if isinstance(contested.record, Tombstone):
        raise StateError(
            f"'{contested.key}' was forgotten: there is nothing to keep twice",
            f"gitkb resolve {contested.key} --take 1",
        )
    first: Mapping[str, Json] = contested.record.fields
    for contest in contests:
        first = taken_by(contested.key, first, contest, 1)
    settled = put_settled(change, contested, first, contests)
    also = [
        _put_other(change, contested, first, contests, number)
        for number in range(2, 1 + max(len(contest.choices) for contest in contests))
    ]
    return settled._replace(also=tuple(also))


def _put_other(
    change: Change,
    contested: Contested,
    first: Mapping[str, Json],
    contests: Sequence[Contest],
    number: int,
) -> str:
    """Write an entry of its own with the values of one number."""
    other = dict(first)
    chosen = [choice for contest in contests if (choice := contest.find(number)) is not None]
    for contest in contests:
        if contest.find(number) is not None:
            other = taken_by(contested.key, other, contest, number)
    fields = {contest.field for contest in contests}
    for name in ("conflicts", "revives", *(("aliases",) if "aliases" not in fields else ())):
        other.pop(name, None)
    times = [choice.ts for choice in chosen if type(choice.ts) is int]
    other["ts"] = later_than(contested.record)
    other["created"] = min([*times, int(first.get("created", other["ts"]))])
    other["key"] = key = _free_key(change, other)
    links = [link for link in other.get("links", ()) if link["to"] != key]
    other["links"] = [*links, {"rel": "relates_to", "to": contested.key}]
    _check(contested.key, other)
    if other.get("category"):
        from gitkb.operations.writing.numbering import Row

        Row(change).give(other)
    entry = Entry(other)
    apply_supersedes(change, entry)
    change.put(entry, keep_old=False)
    return key


def _free_key(change: Change, fields: Mapping[str, Json]) -> str:
    """Make the key that the same choice makes in every clone."""
    salt = 0
    while True:
        key = mint_key(fields["type"], title_of(fields), salt)
        if change.find(key) is None and not change.find_archived(key):
            return key
        salt += 1


def find_contested(change: Change, name: str) -> Contested:
    """Give what stands for a name in a store that is being changed. Errors as `take`."""
    key = key_of(change, name)
    lines = change.find_lines(key)
    if not lines:
        raise StateError(f"'{key}' is archived", f"gitkb restore {key}")
    return contested_in(lines, change.find_archived(key))


def select(contested: Contested, fields: Collection[str]) -> list[Contest]:
    """Give the contests that are meant: those named, or all.

    Raises:
        UsageError: when a field that is named is not contested.
        StateError: when the entry has moved, and its changes with it.
    """
    key = contested.key
    known = {contest.field: contest for contest in contested.contests}
    for field in fields:
        if field not in known:
            raise UsageError(f"'{field}' of '{key}' is not contested", f"gitkb conflicts {key}")
    chosen = [contest for contest in contested.contests if not fields or contest.field in fields]
    if isinstance(contested.record, Tombstone):
        waiting = [one.field for one in chosen if contested.is_kept_change(one)]
        if waiting:
            tier = contested.record.moved
            raise StateError(
                f"'{key}' has moved to the tier '{tier}'; what was changed here "
                f"({', '.join(waiting)}) waits for it",
                f"gitkb promote {key} takes the change along, for who has that tier",
            )
    return chosen


def taken_by(
    key: str, fields: Mapping[str, Json], contest: Contest, number: int
) -> dict[str, Json]:
    """Give the fields with one value taken. Errors as `take`."""
    choice = contest.find(number)
    if choice is None:
        raise UsageError(
            f"'{contest.field}' of '{key}' has no value {number}, only 1 to {len(contest.choices)}",
            f"gitkb conflicts {key}, then gitkb resolve {key} --field {contest.field} --take N",
        )
    try:
        return take_value(fields, contest, choice)
    except NoPlaceError:
        raise DataError(
            f"cannot take value {number} of '{contest.field}': what it belongs into is gone",
            f"gitkb resolve {key} --edit",
        ) from None


def put_settled(
    change: Change, contested: Contested, fields: Mapping[str, Json], contests: Sequence[Contest]
) -> Settled:
    """Write an entry in which some contests are settled, and say which are left."""
    key, names = contested.key, tuple(contest.field for contest in contests)
    settled = Settled(key, names, tuple(contest.field for contest in contests_of(fields)))
    if isinstance(contested.record, Tombstone):
        _check(key, fields)
        change.put(Tombstone(fields), keep_old=True)
        return settled
    new = {**fields, "ts": later_than(contested.record)}
    _check(key, new)
    if new.get("category") and _NUMBERED.intersection(names):
        from gitkb.operations.writing.numbering import Row

        Row(change).give(new)
    entry = Entry(new)
    at = change.find(key)
    before = at.record if at is not None and isinstance(at.record, Entry) else None
    apply_supersedes(change, entry, before)
    change.put(entry, keep_old=True)
    if entry.status == "archived":
        change.archive(entry)
        change.drop(key)
    return settled


def _check(key: str, fields: Mapping[str, Json]) -> None:
    faults = check_fields(fields)
    if faults:
        raise DataError(
            f"cannot settle '{key}' so: {'; '.join(faults)}", f"gitkb resolve {key} --edit"
        )
