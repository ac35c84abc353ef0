"""Find one entry by a name: a key, or an alias.

1. A live key is found at once, without reading the whole store.
2. Across tiers the nearest one that holds the entry answers. A redirect is followed by its key; where
   it leads nowhere from here, the last version before the move is shown, and so said.
3. A number of the project's row (`L-007`) means nothing in other tiers.
"""

from __future__ import annotations

from typing import NamedTuple

from gitkb.core.alias import PROJECT_PREFIX, parse_alias
from gitkb.core.entry import Entry, Tombstone
from gitkb.core.identity import ARCHIVE, shard_of
from gitkb.core.snapshot import iter_records
from gitkb.errors import GitkbError
from gitkb.operations.tiers.chain import find_chain, left_out
from gitkb.operations.writing.absent import MOVED_HOME, find_archived, gone, not_found
from gitkb.store.config import read_shards
from gitkb.store.home_path import PROJECT
from gitkb.store.reader import read_current, read_named, read_store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.store.layout import Store


class Found(NamedTuple):
    """An entry, and whether it stands only in the archive."""

    entry: Entry
    archived: bool
    older: int
    """How many older versions the archive holds."""


class Located(NamedTuple):
    """An entry, and the tier that speaks for it."""

    found: Found
    tier: str
    """Empty for the store that was asked."""
    store: Store
    moved: str = ""
    """Where it went, if only its last version before that can be seen."""


def find_entry(store: Store, name: str) -> Found:
    """Find an entry of one store; one that is archived is found too.

    Raises:
        NotFoundError: when there is none, or it was forgotten or moved.
    """
    at = seek_entry(store, name)
    if at is None:
        raise not_found(name, read_store(store))
    return at


def find_across(store: Store, name: str, notices: list[str] | None = None) -> Located:
    """Find an entry of any tier. What is left out is added to `notices`.

    Raises:
        NotFoundError: when there is none, or it was forgotten.
    """
    located = seek_across(store, name, notices)
    if located is None:
        raise not_found(name, read_store(store))
    return located


def seek_entry(store: Store, name: str) -> Found | None:
    """Find an entry of one store as `find_entry` does; None where nobody gave anything this name."""
    at = look(store, name)
    if isinstance(at, Tombstone):
        raise gone(at)
    return at


def seek_across(store: Store, name: str, notices: list[str] | None = None) -> Located | None:
    """Find an entry of any tier as `find_across` does; None where nobody gave anything this name."""
    told = [] if notices is None else notices
    at = look(store, name)
    if isinstance(at, Found):
        return Located(at, "", store)
    left: tuple[Store, Tombstone] | None = None if at is None else (store, at)
    if at is None or at.key == name:
        for tier, place in find_chain(store, told):
            if place is store or (at is None and _is_of_project(name)):
                continue
            try:
                there = look(place, name)
            except (GitkbError, OSError) as error:
                told.append(left_out(tier, place, error))
                continue
            if isinstance(there, Found):
                return Located(there, tier, place)
            if left is None and there is not None:
                left = (place, there)
    if left is None:
        return None
    place, tombstone = left
    if tombstone.key != name:
        return seek_across(store, tombstone.key, told)
    if tombstone.moved and not tombstone.moved.startswith(MOVED_HOME):
        versions = read_store(place).archived.get(tombstone.key)
        if versions:
            told.append(
                f"'{tombstone.key}' has moved to the tier '{tombstone.moved}', which does not show it "
                "here; this is its last version before that"
            )
            found = Found(Entry(versions[-1].record.fields), True, len(versions) - 1)
            return Located(found, _name_of(store, place), place, tombstone.moved)
    raise gone(tombstone)


def find_elsewhere(store: Store, name: str) -> Located | None:
    """Find an entry that the store itself does not hold in a farther tier."""
    from gitkb.errors import NotFoundError

    try:
        located = seek_across(store, name)
    except NotFoundError:
        return None
    return located if located is not None and located.store is not store else None


def look(store: Store, name: str) -> Found | Tombstone | None:
    """Look what a name means in one store."""
    shards = read_shards(store)
    at = read_current(store, name, shards)
    if at is not None and isinstance(at.record, Entry):
        return Found(at.record, False, _count_archived(store, name, shards))
    snapshot = read_named(store, name)
    at = snapshot.find(name)
    if at is not None and isinstance(at.record, Entry):
        return Found(at.record, False, len(snapshot.archived.get(at.record.key, ())))
    if at is not None:
        return Tombstone(at.record.fields)
    archived = find_archived(snapshot, name)
    if archived is None:
        return None
    older = len(snapshot.archived[archived.record.key]) - 1
    return Found(Entry(archived.record.fields), True, older)


def _is_of_project(name: str) -> bool:
    parts = parse_alias(name)
    return parts is not None and parts[0] == PROJECT_PREFIX


def _name_of(store: Store, place: Store) -> str:
    if place is store:
        return ""
    return next((name for name, other in find_chain(store) if other == place), PROJECT)


def _count_archived(store: Store, key: str, shards: int) -> int:
    """Count the versions of a key in the one archive file they belong to."""
    name = f"{ARCHIVE}/{shard_of(key, shards)}"
    try:
        with open(store.path_of(name), "rb") as file:
            data = file.read()
    except OSError:
        return 0
    return sum(at.record.key == key for at in iter_records(name, data, []))
