"""Move an entry from one tier to another, and leave a redirect where it was.

1. The other tier is written first, and the redirect after it: a kill in between leaves the entry in
   both, where the nearer one speaks for it, and the same call again finishes the move.
2. The line that goes is kept in the archive of its old store, whose people may not have the other tier.
3. What changed between reading and writing is not moved: the move is refused.
4. What a branch changed before it heard of the move, the redirect keeps through the merge; the same
   call again takes it along.
5. A move is a person's decision, and the entry says so (`classified_by`).
"""

from __future__ import annotations

from typing import NamedTuple

from gitkb.core.alias import (
    PROJECT_PREFIX,
    TIER_PREFIX,
    format_alias,
    highest_number,
    with_alias,
)
from gitkb.core.conflicts.value import conflicts_of
from gitkb.core.entry import TOMBSTONE_FIELDS, Entry, Tombstone
from gitkb.core.move import has_number, moved_entry, redirect, says_the_same, take_changes
from gitkb.errors import NotFoundError, StateError, UsageError
from gitkb.git.identity import user_name
from gitkb.operations.reading.stack import project_folder, project_name
from gitkb.operations.tier import Tier, list_tiers, read_tiers
from gitkb.operations.tiers.setup import begin_tier, no_tier, save_tier
from gitkb.operations.writing.clock import later_than
from gitkb.store.config import read_config
from gitkb.store.home import PROJECT, UNIVERSAL, WORKSTATION
from gitkb.store.reader import iter_files, read_store
from gitkb.store.writer import changing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitkb.core.entry import Record
    from gitkb.store.layout import Store
    from gitkb.store.writer import Change


class Moved(NamedTuple):
    """Where an entry went; `written` is false where it is there already."""

    key: str
    title: str
    source: str
    target: str
    alias: str
    """The number it got in the other tier, or an empty text."""
    united: bool
    """The other tier knew something else under its key, and holds both now."""
    written: bool


def promote(
    store: Store,
    name: str,
    target: str = WORKSTATION,
    notices: list[str] | None = None,
    *,
    universal: bool = False,
) -> Moved:
    """Move an entry to a farther tier. `name` is a key or an alias.

    `universal` says that it concerns every project, whatever that is built with.

    Raises:
        NotFoundError: when no nearer tier has it, or there is no such tier.
        StateError: when one may not write one of the two, or one is locked.
    """
    if target == PROJECT:
        raise UsageError("an entry is promoted to a farther tier", f"gitkb demote {name}")
    return _move(store, name, target, notices, farther=True, universal=universal)


def demote(
    store: Store, name: str, target: str = PROJECT, notices: list[str] | None = None
) -> Moved:
    """Move an entry to a nearer tier, this project's unless said. Errors as `promote`."""
    return _move(store, name, target, notices, farther=False)


def _move(
    store: Store,
    name: str,
    to: str,
    notices: list[str] | None,
    *,
    farther: bool,
    universal: bool = False,
) -> Moved:
    order = [tier.name for tier in list_tiers(store)]
    if to not in order:
        raise no_tier(to)
    place = order.index(to)
    wanted = order[:place] if farther else order[place + 1 :]
    chain = read_tiers(store, notices)
    name = _key_of(chain, name)
    found = next(_find([tier for tier in chain if tier.name in wanted], name), None)
    if found is None:
        there = [tier for tier in chain if tier.name == to]
        for tier in (*there, *(tier for tier in chain if tier.name in wanted)):
            # What a call that was cut short wrote, but did not commit.
            save_tier(tier, f"Move {name}", notices)
        known = _already_there(there, name, wanted, to)
        if not _take_along(chain[0], there[0], known.key, notices):
            return known
        return known._replace(source=chain[0].name, written=True)
    source, entry = found
    if not source.writable:
        raise StateError(
            f"'{entry.key}' is in the tier '{source.name}', which is only read",
            "ask those who write there",
        )
    target = chain[0] if to == PROJECT else begin_tier(to)
    home = project_name(project_folder(store), read_config(store).values)
    if universal:
        entry = Entry({**entry.fields, "scope": UNIVERSAL})
    origin = str(entry.fields.get("project", home))
    if to == PROJECT and origin != home and notices is not None:
        notices.append(f"'{entry.key}' was learned in '{origin}', and is in '{home}' now")
    came_home = to == PROJECT and origin == home
    new, united = _put(target, entry, "" if came_home else origin)
    save_tier(target, f"Move {entry.key} here from {_called(source, home)}", notices)
    with changing(source.store) as change:
        at = change.find(entry.key)
        if at is None or at.record != found[1]:
            raise StateError(
                f"'{entry.key}' was changed in the tier '{source.name}' while it was moved",
                "nothing is lost, both tiers have it; do it again",
            )
        by = user_name(source.store.worktree)
        left = redirect(entry, _called(target, home), by, later_than(new, later_than(entry)))
        change.put(left, keep_old=True)
    save_tier(source, f"Move {entry.key} to {_called(target, home)}", notices)
    alias = next((one for one in new.aliases if one not in entry.aliases), "")
    return Moved(entry.key, entry.display_title, source.name, to, alias, united, True)


def _key_of(chain: list[Tier], name: str) -> str:
    """The key that a name means to the nearest tier that knows it, be it by a redirect."""
    for tier in chain:
        at = read_store(tier.store).find(name)
        if at is not None:
            return at.record.key
    return name


def _find(tiers: list[Tier], name: str) -> Iterator[tuple[Tier, Entry]]:
    for tier in tiers:
        at = read_store(tier.store).find(name)
        if at is not None and isinstance(at.record, Entry):
            yield tier, at.record


def _already_there(target: list[Tier], name: str, looked: list[str], to: str) -> Moved:
    found = next(_find(target, name), None)
    if found is None:
        if not looked:
            raise NotFoundError(
                f"no tier is farther than '{to}'", f"gitkb promote {name} --to {to}"
            )
        where = " or ".join(f"'{one}'" for one in looked)
        raise NotFoundError(f"no entry '{name}' in the tier {where}", f"gitkb show {name}")
    tier, entry = found
    return Moved(entry.key, entry.display_title, tier.name, tier.name, "", False, False)


def _take_along(left: Tier, target: Tier, key: str, notices: list[str] | None) -> bool:
    """Take to where an entry is what a branch changed in its old place before it heard of the move.

    A merge leaves that in the redirect. False where there is none.
    """
    snapshot = read_store(left.store)
    at = snapshot.find(key)
    if at is None or not isinstance(at.record, Tombstone) or left.name == target.name:
        return False
    kept = [one for one in conflicts_of(at.record.fields) if one["field"] not in TOMBSTONE_FIELDS]
    if not kept or not target.writable:
        return False
    archived = snapshot.latest_archived(key)
    before = archived.record if archived is not None else None
    with changing(target.store) as change:
        there = change.find(key)
        if there is None or not isinstance(there.record, Entry):
            return False
        new = take_changes(there.record, before, kept)
        if not _same_but_time(there.record, new):
            ts = later_than(there.record)
            change.put(Entry({**new.fields, "ts": ts}), keep_old=True)
    save_tier(target, f"Take along what was changed in {key}", notices)
    with changing(left.store) as change:
        now = change.find(key)
        if now is not None and now.record == at.record:
            fields = {
                name: value for name, value in at.record.fields.items() if name != "conflicts"
            }
            change.put(Tombstone({**fields, "ts": later_than(at.record)}), keep_old=False)
    save_tier(left, f"Take along what was changed in {key}", notices)
    return True


def _put(target: Tier, entry: Entry, project: str) -> tuple[Entry, bool]:
    """Write the entry to the other tier; say whether something else stood there."""
    with changing(target.store) as change:
        at = change.find(entry.key)
        there = at.record if at is not None else None
        united = isinstance(there, Entry) and not says_the_same(there, entry)
        moment = later_than(
            there, later_than(_latest_archived(change, entry.key), later_than(entry))
        )
        scope = _scope(target, entry)
        prefix = PROJECT_PREFIX if target.name == PROJECT else TIER_PREFIX
        new = moved_entry(
            entry, scope=scope, prefix=prefix, project=project, there=there, ts=moment
        )
        if new.category and not has_number(new, prefix):
            data = (data for _, data in iter_files(target.store))
            new = with_alias(new, format_alias(prefix, highest_number(prefix, data) + 1))
        if isinstance(there, Entry) and _same_but_time(there, new):
            return there, False  # a move that was cut short
        change.put(new, keep_old=True)
    return new, united


def _scope(target: Tier, entry: Entry) -> str:
    if target.name == PROJECT:
        return PROJECT
    return UNIVERSAL if entry.fields.get("scope") == UNIVERSAL else WORKSTATION


def _latest_archived(change: Change, key: str) -> Record | None:
    versions = change.find_archived(key)
    return versions[-1].record if versions else None


def _same_but_time(one: Entry, other: Entry) -> bool:
    first, second = ({**entry.fields, "ts": 0} for entry in (one, other))
    return first == second


def _called(tier: Tier, home: str) -> str:
    return f"project {home}" if tier.name == PROJECT else tier.name
