"""Which entries could stand in a context pack, and how much each is worth there.

1. Only active entries, each once, in the first section that it belongs to.
2. What an entry is worth comes from what it is for, how well it matches in relation to the best
   match, and its importance; never from the clock.
3. All tiers offer what they have, but a session, which is the nearest one's alone. What a nearer tier
   holds is offered by no farther one.
4. What a judge leaves out is offered by none, takes nobody's place among the best matches, hides nothing
   in a farther tier, and is counted.
"""

from __future__ import annotations

from typing import NamedTuple

from gitkb.core.concern import CLOSE, FAR, NOT_AT_ALL, concern_of, is_unbounded
from gitkb.core.entry import MUST_CHECK_TYPES, Entry
from gitkb.core.jsonl import parse_again
from gitkb.core.packs.pack import DECISIONS, LAST_SESSION, MATCHING, PITFALLS, RULES
from gitkb.index.search import Filters, WordlessQueryError
from gitkb.store.home_path import PROJECT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from gitkb.core.concern import Scope
    from gitkb.index.search import Hit, Index
    from gitkb.operations.reading.trust_rule import Judge
    from gitkb.operations.tiers.chain import Chain, Link

MOST_MATCHES = 200
_MOST_JUDGED = 2_000
_MOST_SESSIONS = 50
KEY_IMPORTANCE = 4

_RULES = Filters(types=("principle",)), Filters(types=MUST_CHECK_TYPES, must_check=True)
_KEY_DECISIONS = Filters(types=("decision",), least_importance=KEY_IMPORTANCE)


class Candidate(NamedTuple):
    """An entry that could stand in the pack."""

    value: float
    entry: Entry
    section: int
    in_doubt: tuple[str, ...]
    tier: str = PROJECT

    @property
    def order(self) -> tuple[float, int, str]:
        """What candidates are sorted by: the most valuable first, of equals the last changed."""
        return (-self.value, -self.entry.ts, self.entry.key)


class Chosen(NamedTuple):
    """What could stand in the pack, and what could have."""

    candidates: list[Candidate]
    """The most valuable first."""
    at_least: bool
    """There are more matches than were looked at."""
    untrusted: int
    """How many more there would be, had somebody trusted written them."""


def choose(
    chain: Chain, task: str, scope: Scope, judges: Mapping[str, Judge | None] | None = None
) -> Chosen:
    """Give every candidate; `judges` by tier say which are none, None where all of a tier's are."""
    judges = {} if judges is None else judges
    untrusted: set[str] = set()
    matches = []
    for link in chain.links:
        found, bad = _trusted(_search(link.opened, task, judges.get(link.name)), judges, link)
        matches.append(found)
        untrusted |= bad
    best = max((found[0].score for found in matches if found), default=0.0) or 1.0
    chosen: dict[str, Candidate] = {}
    doubtful: dict[str, Hit] = {}
    for place, (link, found) in enumerate(zip(chain.links, matches, strict=True)):
        judge = judges.get(link.name)
        offers = _iter_offers(link.opened, found[:MOST_MATCHES], best, scope)
        if not place:
            offers = _with_session(link.opened, offers, judge)
        if judge is not None:
            offered = list(offers)
            bad = judge.left_out(entry.key for _, _, entry, _ in offered)
            untrusted |= bad
            offers = iter([offer for offer in offered if offer[2].key not in bad])
        own: dict[str, Candidate] = {}
        for value, hit, entry, section in offers:
            if entry.key not in own and entry.key not in chosen:
                own[entry.key] = Candidate(value, entry, section, hit.in_doubt, link.name)
                if hit.in_doubt:
                    doubtful[entry.key] = hit
        for key in _held_nearer(chain, place, own.keys(), judges):
            del own[key]
        chosen.update(own)
    if doubtful and len(chain.links) > 1:
        # What its own tier does not hold, another may vouch for.
        for key, hit in zip(doubtful, chain.marked(list(doubtful.items())), strict=True):
            if key in chosen:
                chosen[key] = chosen[key]._replace(in_doubt=hit.in_doubt)
    ranked = sorted(chosen.values(), key=lambda candidate: candidate.order)
    at_least = any(len(found) > MOST_MATCHES for found in matches)
    return Chosen(ranked, at_least, len(untrusted - chosen.keys()))


def _trusted(
    found: list[Hit], judges: Mapping[str, Judge | None], link: Link
) -> tuple[list[Hit], frozenset[str]]:
    """Cut matches to the best that are trusted; and the keys of those that came before the last."""
    judge = judges.get(link.name)
    if judge is None:
        return found, frozenset()
    keys = [_entry(hit).key for hit in found]
    bad = judge.left_out(keys)
    kept: list[Hit] = []
    passed = set()
    for key, hit in zip(keys, found, strict=True):
        if len(kept) > MOST_MATCHES:
            break
        if key in bad:
            passed.add(key)
        else:
            kept.append(hit)
    return kept, frozenset(passed)


def _held_nearer(
    chain: Chain, place: int, keys: Collection[str], judges: Mapping[str, Judge | None]
) -> set[str]:
    """Give those of the keys for which a nearer tier speaks; one that is not trusted does not."""
    held: set[str] = set()
    for link in chain.links[:place]:
        own = chain.holders((link,), keys).keys()
        judge = judges.get(link.name)
        held |= own - judge.left_out(own) if judge is not None else own
    return held


def _with_session(
    index: Index, offers: Iterable[tuple[float, Hit, Entry, int]], judge: Judge | None
) -> Iterator[tuple[float, Hit, Entry, int]]:
    """Offer the last session first: the last that is trusted, and those after it to be counted."""
    most = 1 if judge is None else _MOST_SESSIONS
    for hit in index.list(Filters(types=("session",), limit=most)):
        entry = _entry(hit)
        yield 2.0, hit, entry, LAST_SESSION
        if judge is not None and not judge.left_out((entry.key,)):
            break
    yield from offers


def _iter_offers(
    index: Index, matches: Sequence[Hit], best: float, scope: Scope
) -> Iterator[tuple[float, Hit, Entry, int]]:
    """Give entries for sections; the first offer of an entry counts."""
    found = [(hit, _entry(hit), hit.score / best) for hit in matches]
    shares = {entry.key: share for _, entry, share in found}
    about = [(hit, entry, shares.get(entry.key, 0.0)) for hit, entry in _about(index, scope)]
    for filters in _RULES:
        for hit in index.list(filters):
            entry = _entry(hit)
            share = shares.get(entry.key, 0.0)
            base = _worth_of_rule(entry, scope, share)
            if base:
                yield base + 0.3 * share + 0.02 * entry.importance, hit, entry, RULES
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
    for hit in index.list(_KEY_DECISIONS):
        entry = _entry(hit)
        yield 0.15 + 0.03 * entry.importance, hit, entry, DECISIONS


def _worth_of_rule(entry: Entry, scope: Scope, share: float) -> float:
    """What a must-check or principle is worth before relevance; nothing if it does not concern."""
    if entry.type != "principle" and not entry.is_must_check:
        return 0.0
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
    return Entry(parse_again(hit.line))


def _search(index: Index, task: str, judge: Judge | None) -> list[Hit]:
    most = MOST_MATCHES + 1 if judge is None else _MOST_JUDGED
    try:
        return index.search(task, Filters(limit=most))
    except WordlessQueryError:
        return []


def _about(index: Index, scope: Scope) -> Iterator[tuple[Hit, Entry]]:
    """What is said about the files at hand; of pitfalls also what is said about a folder of theirs."""
    if not scope.paths:
        return
    narrow = Filters(files=scope.paths), Filters(types=("pitfall",), above=scope.paths)
    for filters in narrow:
        for hit in index.list(filters):
            yield hit, _entry(hit)
