"""List the entries that may no longer be true: their files changed, moved or vanished since, what they
depend on fell, or their review date passed."""

from __future__ import annotations

from typing import NamedTuple

from gitkb.core.entry import Entry
from gitkb.core.jsonl import parse_again
from gitkb.index.search import NO_FILTERS
from gitkb.operations.history.staleness import CUT, judge_files, stale_of
from gitkb.operations.reading.search_index import open_index
from gitkb.operations.recall import note_problems
from gitkb.operations.writing.numbering import is_tier

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitkb.operations.history.staleness import Stale
    from gitkb.store.layout import Store


class StaleEntry(NamedTuple):
    """An entry, and what it is stale for."""

    entry: Entry
    stale: Stale


def find_stale(
    store: Store, names: Sequence[str] = (), notices: list[str] | None = None
) -> list[StaleEntry]:
    """Give the active entries that are stale, the most urgent first, or those of them that are named.

    Raises:
        NotFoundError: when an entry that was named is not there.
        GitError: when git cannot say what changed; outside a repository a notice says it.
    """
    keys = {_key_of(store, name) for name in names}
    with open_index(store, notices=notices) as index:
        note_problems(index, notices)
        hits = index.list(NO_FILTERS)
    entries = {entry.key: entry for entry in (Entry(parse_again(hit.line)) for hit in hits)}
    doubts = {key: hit.in_doubt for key, hit in zip(entries, hits, strict=True)}
    if names:
        entries = {key: entry for key, entry in entries.items() if key in keys}
        doubts = {key: doubt for key, doubt in doubts.items() if key in keys}
    if store.worktree is None:
        if notices is not None:
            notices.append(
                "the store lies in no git repository: only what entries depend on and their review dates"
                " were looked at"
            )
    elif not is_tier(store):
        judged = judge_files(store, {}, notices, most=None)  # an error of git is one here
        if judged.is_cut and notices is not None:
            notices.append(CUT)
    has_files = not is_tier(store)  # whose entries name files of other projects
    found = stale_of(store, entries.values(), doubts, notices, has_files=has_files)
    stale = [StaleEntry(entries[key], one) for key, one in found.items()]
    return sorted(stale, key=_urgency)


def _key_of(store: Store, name: str) -> str:
    from gitkb.operations.tiers.lookup import find_entry

    return find_entry(store, name).entry.key


def _urgency(one: StaleEntry) -> tuple[float, int, str]:
    worst = 0.0
    for finding in one.stale.findings:
        is_gone = finding.kind != "changed"
        share = 1.0 if finding.share is None else finding.share
        worst = max(worst, (2.0 if is_gone and not finding.moved_to else 0.0) + share)
    if one.stale.in_doubt:
        worst += 2.0
    return (-worst, -one.entry.importance, one.entry.key)
