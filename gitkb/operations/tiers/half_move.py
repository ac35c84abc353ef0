"""Moves between tiers that were cut short, or that another branch did not know of.

1. An entry that stands in this project and in another tier and says the same in both is half a move:
   the other tier was written and the redirect was not. The call that was begun finishes it.
2. A redirect that keeps a change waits for somebody who has the tier to take it there.
"""

from __future__ import annotations

from typing import NamedTuple

from gitkb.core.entry import Entry, Tombstone
from gitkb.core.move import kept_changes, says_the_same
from gitkb.errors import GitkbError
from gitkb.operations.health.finding import Finding
from gitkb.operations.tier import read_tiers
from gitkb.store.home import PROJECT, WORKSTATION
from gitkb.store.reader import read_store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gitkb.store.layout import Store


class HalfMove(NamedTuple):
    """One entry whose move is not whole, what is so, and the command that makes it whole."""

    key: str
    message: str
    command: str


def half_moves(store: Store) -> list[HalfMove]:
    """Find what is to be finished between this project and the tiers that one may write."""
    tiers = read_tiers(store)
    if not tiers or tiers[0].name != PROJECT:
        return []
    here = read_store(store).current
    found = []
    for key, at in sorted(here.items()):
        if isinstance(at.record, Tombstone) and kept_changes(at.record):
            name = at.record.moved
            to = "" if name == WORKSTATION else f" --to {name}"
            message = (
                f"'{key}' was changed on a branch that did not know that it had moved to '{name}'"
            )
            found.append(HalfMove(key, message, f"gitkb promote {key}{to}"))
    for tier in tiers[1:] if any(isinstance(at.record, Entry) for at in here.values()) else ():
        if not tier.writable:
            continue
        for key, there in sorted(read_store(tier.store).current.items()):
            own = here.get(key)
            if own is None or not (
                isinstance(own.record, Entry)
                and isinstance(there.record, Entry)
                and says_the_same(own.record, there.record)
            ):
                continue
            to = "" if tier.name == WORKSTATION else f" --to {tier.name}"
            # The tier that it goes to is written first, and is the later one.
            is_promoted = there.record.ts > own.record.ts
            command = f"gitkb promote {key}{to}" if is_promoted else f"gitkb demote {key}"
            message = f"'{key}' stands in this project and in the tier '{tier.name}': half a move"
            found.append(HalfMove(key, message, command))
    return found


def check_moves(store: Store) -> Callable[[], Iterator[Finding]]:
    """Make the check of `gitkb doctor` that no move between tiers is half done."""

    def run() -> Iterator[Finding]:
        try:
            halves = half_moves(store)
        except GitkbError:
            return  # what cannot be read is told of by other checks
        for half in halves:
            why = "nothing is lost, but the two can drift apart"
            yield Finding("moves", "warning", half.message, why, half.command)
        if not halves:
            yield Finding("moves", "ok", "no move between tiers is half done")

    return run
