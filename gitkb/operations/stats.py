"""Count what a store holds, and each of the tiers behind it."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from gitkb.core.entry import Entry
from gitkb.errors import GitkbError
from gitkb.operations.tiers.chain import find_chain, left_out
from gitkb.store.home_path import PROJECT
from gitkb.store.reader import read_store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.core.problem import Problem
    from gitkb.store.layout import Store


class Stats(NamedTuple):
    """Counts of keys, not of lines."""

    by_type: dict[str, int]
    by_status: dict[str, int]
    archived: int
    """Keys that stand only in the archive."""
    versions: int
    """Lines in the archive."""
    tombstones: int
    duplicate_keys: int
    """Keys with more than one line in the knowledge files; always 0 in good health."""
    contested: int
    """Entries with a conflict that nobody has settled."""
    must_checks: int
    bad_lines: int
    """Lines that are no record, conflict markers among them."""
    problems: list[Problem]
    """Those, and what else is wrong with the files."""

    @property
    def active(self) -> int:
        return self.by_status.get("active", 0)


def stats(store: Store) -> Stats:
    """Count a store from its files: O(its size), and right whatever the index says."""
    snapshot = read_store(store)
    entries = [at.record for at in snapshot.current.values() if isinstance(at.record, Entry)]
    return Stats(
        by_type=dict(sorted(Counter(entry.type for entry in entries).items())),
        by_status=dict(sorted(Counter(entry.status for entry in entries).items())),
        archived=len(snapshot.archived.keys() - snapshot.current.keys()),
        versions=sum(map(len, snapshot.archived.values())),
        tombstones=len(snapshot.current) - len(entries),
        duplicate_keys=len({at.record.key for at in snapshot.duplicates}),
        contested=sum(bool(entry.conflicts) for entry in entries),
        must_checks=sum(entry.is_must_check and entry.is_active for entry in entries),
        bad_lines=sum(problem.code in ("bad-line", "marker") for problem in snapshot.problems),
        problems=snapshot.problems,
    )


def stats_across(store: Store, notices: list[str] | None = None) -> list[tuple[str, Stats]]:
    """Count every tier, the nearest first, each by itself and under its name.

    A tier that cannot be read is left out, which is added to `notices`. Of a project alone the name
    is empty.
    """
    told = [] if notices is None else notices
    tiers = find_chain(store, told)
    found = [("" if len(tiers) == 1 and tiers[0][0] == PROJECT else tiers[0][0], stats(store))]
    for name, place in tiers[1:]:
        try:
            found.append((name, stats(place)))
        except (GitkbError, OSError) as error:
            told.append(left_out(name, place, error))
    return found
