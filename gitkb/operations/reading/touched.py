"""What the knowledge of all tiers says about what is touched.

1. Only what is active is told, at most `limit`, the order of `core.touch.files`; what was left out is counted.
2. What a nearer tier holds under a key hides what a farther one says under it.
3. Where a trust list is in force (`trust_rule`), what nobody on it wrote is left out, hides nothing, and
   is counted. Nothing is asked of git where nothing concerns.
"""

from __future__ import annotations

from typing import NamedTuple

from gitkb.core.entry import Entry
from gitkb.core.jsonl import parse_again
from gitkb.core.touch.files import BY_STACK, BY_WORDS, Candidate, Concern
from gitkb.errors import UsageError
from gitkb.operations.tiers.across import Found, with_stale
from gitkb.operations.tiers.chain import open_chain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from gitkb.core.touch.files import Touch
    from gitkb.core.touch.words import Terms
    from gitkb.index.search import Index
    from gitkb.operations.reading.trust_rule import Judge
    from gitkb.operations.tiers.chain import Chain, Link
    from gitkb.store.layout import Store

DEFAULT_LIMIT = 5


class Concerning(NamedTuple):
    """One entry that concerns what is touched, and how."""

    found: Found
    concern: Concern
    must_check: bool

    @property
    def entry(self) -> Entry:
        return Entry(parse_again(self.found.hit.line))


class Reminder(NamedTuple):
    """What concerns, best first."""

    entries: list[Concerning]
    left_out: int = 0
    """How many more there are than the limit."""
    untrusted: int = 0


NOTHING = Reminder([])


def find_concerning(
    store: Store,
    touch: Touch,
    terms: Terms | None = None,
    *,
    limit: int = DEFAULT_LIMIT,
    unasked: bool = False,
    notices: list[str] | None = None,
) -> Reminder:
    """Find what concerns the paths of a touch, and the words of a change.

    `unasked`: of what is written in the same language only must-checks are told, and git's history is
    not read to see what is stale.

    Raises:
        UsageError: for a limit of nought.
    """
    if limit < 1:
        raise UsageError("--limit must be at least 1", "leave it out for the default")
    if not touch.paths and terms is None:
        return NOTHING
    with open_chain(store, notices) as chain:
        ranked: list[tuple[Candidate, int]] = []
        spoken: set[str] = set()
        untrusted = 0
        for place, link in enumerate(chain.links):
            own = [
                one
                for one in _candidates(link.opened, touch, terms)
                if not (unasked and one.concern.band == BY_STACK and not one.must_check)
            ]
            keys = {one.key for one in own}
            judge = _judge(link, notices) if keys else None
            bad = judge.left_out(keys) if judge is not None else frozenset()
            untrusted += len(bad - spoken)
            hidden = spoken_nearer(chain, place, keys)
            ranked += [(one, place) for one in own if one.key not in bad and one.key not in hidden]
            spoken |= keys
        ranked.sort(key=lambda pair: (pair[0].order[:-2], pair[1], pair[0].order))
        entries = list(_shown(chain, ranked[:limit]))
        stores = {link.name: link.store for link in chain.links}
    if not unasked:
        # Behind the search, which keeps others from writing.
        marked = with_stale(store, stores, [one.found for one in entries], notices)
        entries = [one._replace(found=found) for one, found in zip(entries, marked, strict=True)]
    return Reminder(entries, max(0, len(ranked) - limit), untrusted)


def _candidates(index: Index, touch: Touch, terms: Terms | None) -> list[Candidate]:
    found = index.touching(touch) if touch.paths else []
    if terms is None or not (terms.names or terms.words):
        return found
    from gitkb.core.touch.words import evidence  # a path has no words

    shared, analyser = index.sharing(terms), index.analyser
    by_words: dict[str, Candidate] = {}
    spoken_of: set[str] = set()
    for line in shared.lines:
        entry = Entry(parse_again(line))
        weighed = evidence(entry, terms, shared.rarities, analyser.split, analyser.stem)
        if weighed.is_some:
            spoken_of.add(entry.key)
        if weighed.is_enough:
            concern = Concern(BY_WORDS, 0, ", ".join(weighed.by[:_MOST_WORDS]))
            by_words[entry.key] = Candidate(
                entry.key,
                entry.ts,
                entry.importance,
                entry.is_must_check,
                bool(entry.conflicts),
                concern,
            )
    # Many entries concern a file that is long: the words say which of them this change is about.
    stronger = [
        one._replace(is_spoken_of=one.key in spoken_of)
        for one in found
        if one.concern.band < BY_WORDS or one.key not in by_words
    ]
    return stronger + [by_words[key] for key in by_words.keys() - {one.key for one in stronger}]


_MOST_WORDS = 6
"""Words that are named as the reason."""


def _judge(link: Link, notices: list[str] | None) -> Judge | None:
    from gitkb.operations.reading.trust_rule import judge_of  # not where nothing concerns

    return judge_of(link.name, link.store, notices)


def spoken_nearer(chain: Chain, place: int, keys: Collection[str]) -> set[str]:
    """Give those of the keys for which a nearer tier speaks; what is not trusted there does not."""
    held: set[str] = set()
    for link in chain.links[:place]:
        own = set(chain.holders((link,), keys))
        judge = _judge(link, None) if own else None
        held |= own - judge.left_out(own) if judge is not None else own
    return held


def _shown(chain: Chain, ranked: list[tuple[Candidate, int]]) -> Iterator[Concerning]:
    hits = []
    for one, place in ranked:
        hit = chain.links[place].opened.get(one.key)
        if hit is not None:
            hits.append((one, place, hit))
    marked = chain.marked([(one.key, hit) for one, _, hit in hits])
    holders = chain.holders(chain.links, {one.key for one, _, _ in hits}) if hits else {}
    for (one, place, _), hit in zip(hits, marked, strict=True):
        name = chain.links[place].name
        others = tuple(other for other in holders.get(one.key, ()) if other != name)
        tier = "" if chain.is_project_alone else name
        yield Concerning(Found(hit, tier, others), one.concern, one.must_check)
