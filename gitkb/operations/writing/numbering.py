"""The numbers of learnings (`L-007`) in one store: minted when one is written, healed after a merge.

1. A project's row is `L`, every other tier's is `WL`. Only entries with a category get a number.
2. A number that any line of the store still shows is never given again, be it in the archive, in a
   redirect or in a tombstone.
3. Numbers are minted and healed under the store's lock, and nothing is parsed where no two lines
   have one number.
4. Who heals one state of a store writes the same bytes, whatever clone it is (`core.alias`).
"""

from __future__ import annotations

import os
from typing import NamedTuple

from gitkb.core.alias import (
    PROJECT_PREFIX,
    TIER_PREFIX,
    format_alias,
    heal_aliases,
    highest_number,
    parse_alias,
    shows_a_number_twice,
    taken_numbers,
)
from gitkb.core.entry import Entry, Tombstone
from gitkb.core.identity import KNOWLEDGE
from gitkb.store.home import home_folder
from gitkb.store.reader import iter_files, read_store
from gitkb.store.writer import changing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from gitkb.core.canonical import Json
    from gitkb.core.snapshot import Snapshot
    from gitkb.store.layout import Store
    from gitkb.store.writer import Change


class Renumbered(NamedTuple):
    """A learning that had the number of an older one, and the number that it has now."""

    key: str
    old: str
    new: str


class Row:
    """The row of numbers of one store, while a change of it is under way.

    Making it heals what a merge left, and costs a look at the bytes of every file.
    """

    def __init__(self, change: Change) -> None:
        self._prefix = prefix_of(change.store)
        healed = heal(change)
        # What was put just now is not in the files yet.
        given = [parts[1] for one in healed if (parts := parse_alias(one.new))]
        files = (data for _, data in iter_files(change.store))
        self._highest = max(highest_number(self._prefix, files), *given, 0)

    def keep(self, fields: dict[str, Json], old: Mapping[str, Json]) -> None:
        """Leave a learning the number that its key had before, if it is given none."""
        names = fields.get("aliases", ())
        if not self._numbers(names) and self._numbers(old.get("aliases", ())):
            fields["aliases"] = [*names, *self._numbers(old["aliases"])]

    def give(self, fields: dict[str, Json]) -> None:
        """Give a learning that is about to be put the next number, unless it has one."""
        names = list(fields.get("aliases", ()))
        if not self._numbers(names):
            names.append(format_alias(self._prefix, self._highest + 1))
            fields["aliases"] = names
        given = taken_numbers([Entry({"aliases": names})], self._prefix)
        self._highest = max(self._highest, *given)

    def _numbers(self, names: Json) -> list[str]:
        return [name for name in names if (parse_alias(name) or ("",))[0] == self._prefix]


def is_tier(store: Store) -> bool:
    """Say whether a store is the workstation's or the copy of a further tier, not a project's."""
    home = os.path.join(os.path.realpath(home_folder()), "")
    return os.path.realpath(store.root).startswith(home)


def prefix_of(store: Store) -> str:
    """Give the prefix of a store's own row."""
    return TIER_PREFIX if is_tier(store) else PROJECT_PREFIX


def heal(change: Change) -> list[Renumbered]:
    """Give each learning that has the number of an older one the next free number."""
    found = _look_for_shared(change.store)
    if found is None:
        return []
    snapshot = change.read_all()
    healed = _healed(snapshot, *found)
    for entry in healed:
        change.put(entry, keep_old=True)
    return _renumbered(snapshot, healed)


def heal_store(store: Store, *, dry_run: bool = False) -> list[Renumbered]:
    """Heal a store; no lock is taken where nothing has to be.

    Raises:
        StateError: when the store is locked, in conflict, full or read-only.
    """
    found = _look_for_shared(store)
    if found is None:
        return []
    if dry_run:
        snapshot = read_store(store)
        return _renumbered(snapshot, _healed(snapshot, *found))
    with changing(store) as change:
        return heal(change)


def _look_for_shared(store: Store) -> tuple[str, int] | None:
    """Give prefix and highest number of a store in which two lines may have one number."""
    prefix = prefix_of(store)
    files = list(iter_files(store))
    knowledge = (data for name, data in files if name.startswith(KNOWLEDGE))
    if not shows_a_number_twice(prefix, knowledge):
        return None
    return prefix, highest_number(prefix, (data for _, data in files))


def _healed(snapshot: Snapshot, prefix: str, highest: int) -> list[Entry]:
    records = [at.record for at in snapshot.current.values()]
    gone = taken_numbers((one for one in records if isinstance(one, Tombstone)), prefix)
    entries = (record for record in records if isinstance(record, Entry))
    return heal_aliases(entries, prefix, highest, gone)


def _renumbered(snapshot: Snapshot, healed: list[Entry]) -> list[Renumbered]:
    found = []
    for entry in healed:
        before = snapshot.current[entry.key].record.fields.get("aliases", ())
        lost = [name for name in before if name not in entry.aliases]
        now = [name for name in entry.aliases if parse_alias(name)]
        found.append(Renumbered(entry.key, ", ".join(lost), now[-1]))
    return found
