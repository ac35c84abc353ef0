"""Which entries could stand in a context pack, and how much each is worth there.

1. Only active entries, each once, in the first section that it belongs to.
2. What an entry is worth comes from what it is for, how well it matches in relation to the best
   match, and its importance; never from the clock.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from gitkb.core.concern import CLOSE, FAR, NOT_AT_ALL, concern_of, is_about, is_unbounded
from gitkb.core.entry import Entry
from gitkb.core.jsonl import parse_object
from gitkb.core.pack import DECISIONS, LAST_SESSION, MATCHING, PITFALLS, RULES
from gitkb.index.search import Filters, WordlessQueryError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitkb.core.concern import Scope
    from gitkb.index.search import Hit, Index

MOST_MATCHES = 200
KEY_IMPORTANCE = 4

# Any importance that could make a decision a key one, in whatever way it is spelt.
_may_be_key = re.compile(rb'"importance"\s*:\s*[45]|\\u').search


class Candidate(NamedTuple):
    """An entry that could stand in the pack."""

    value: float
    entry: Entry
    section: int
    in_doubt: tuple[str, ...]

    @property
    def order(self) -> tuple[float, int, str]:
        """What candidates are sorted by: the most valuable first, of equals the last changed."""
        return (-self.value, -self.entry.ts, self.entry.key)


def choose(index: Index, task: str, scope: Scope) -> list[Candidate]:
    """Give every candidate, the most valuable first."""
    chosen: dict[str, Candidate] = {}
    for value, hit, entry, section in _iter_offers(index, task, scope):
        if entry.key not in chosen:
            chosen[entry.key] = Candidate(value, entry, section, hit.in_doubt)
    return sorted(chosen.values(), key=lambda candidate: candidate.order)


def _iter_offers(index: Index, task: str, scope: Scope) -> Iterator[tuple[float, Hit, Entry, int]]:
    """Give entries for sections; the first offer of an entry counts."""
    for hit in index.list(Filters(types=("session",), limit=1)):
        yield 2.0, hit, _entry(hit), LAST_SESSION
    matches = _search(index, task)
    best = matches[0].score if matches else 1.0
    found = [(hit, _entry(hit), hit.score / best) for hit in matches]
    shares = {entry.key: share for _, entry, share in found}
    for hit in (*index.list(Filters(must_check=True)), *index.list(Filters(types=("principle",)))):
        entry = _entry(hit)
        share = shares.get(entry.key, 0.0)
        base = _worth_of_rule(entry, scope, share)
        if base:
            yield base + 0.3 * share + 0.02 * entry.importance, hit, entry, RULES
    about = [(hit, entry, shares.get(entry.key, 0.0)) for hit, entry in _about(index, scope)]
    for hit, entry, share in about:
        if entry.type == "pitfall":
            yield 0.5 + 0.5 * share, hit, entry, PITFALLS
    for hit, entry, share in found:
        if entry.type == "pitfall":
            yield share, hit, entry, PITFALLS
    for hit, entry, share in about:
        yield 0.3 + 0.6 * share, hit, entry, MATCHING
    for hit, entry, share in found:
        yield 0.9 * share, hit, entry, MATCHING
    for hit in index.list(Filters(types=("decision",))):
        if _may_be_key(hit.line):
            entry = _entry(hit)
            if entry.importance >= KEY_IMPORTANCE:
                yield 0.15 + 0.03 * entry.importance, hit, entry, DECISIONS


def _worth_of_rule(entry: Entry, scope: Scope, share: float) -> float:
    """What a must-check or principle is worth before relevance; nothing if it does not concern."""
    concern = concern_of(entry, scope)
    if concern == NOT_AT_ALL:
        if not is_unbounded(entry):
            return 0.0
        # A principle without bounds holds everywhere; such a must-check where it matches.
        concern = FAR if share or not entry.is_must_check else NOT_AT_ALL
    if concern == NOT_AT_ALL:
        return 0.0
    if entry.is_must_check:
        return 0.95 if concern == CLOSE else 0.45
    return 0.6 if concern == CLOSE else 0.4


def _entry(hit: Hit) -> Entry:
    return Entry(parse_object(hit.line))


def _search(index: Index, task: str) -> list[Hit]:
    try:
        return index.search(task, Filters(limit=MOST_MATCHES))
    except WordlessQueryError:
        return []


def _about(index: Index, scope: Scope) -> Iterator[tuple[Hit, Entry]]:
    """What is said about the files at hand; of pitfalls also what is said about a folder of theirs."""
    if not scope.paths:
        return
    for hit in index.list(Filters(files=scope.paths, limit=MOST_MATCHES)):
        yield hit, _entry(hit)
    for hit in index.list(Filters(types=("pitfall", "file"))):
        if b'"files"' in hit.line:
            entry = _entry(hit)
            if is_about(entry, scope):
                yield hit, entry
