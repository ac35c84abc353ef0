"""Search and list through all tiers: the nearer wins, and each answer says where it comes from.

1. What a nearer tier holds hides what a farther one says under the same key, whether or not it fits
   the question. It is shown, and marked, with `include_all` and where its tier was asked for by name.
2. Searching: by score, then the nearer, then by key. Listing: the last changed first, then the same.
   Scores of different stores are on one scale (`core.ranking`, 2).
3. A larger limit only adds hits at the end.
4. What may no longer be true is marked, and neither left out nor put elsewhere.
5. What was opened in this clone before comes a little closer (`core.usage`), unless that is switched off.
"""

from __future__ import annotations

from typing import NamedTuple

from gitkb.core.jsonl import parse_again
from gitkb.errors import StateError, UsageError
from gitkb.index.search import WordlessQueryError
from gitkb.operations.recall import check_filters
from gitkb.operations.tiers.chain import open_chain
from gitkb.operations.usage_log.record import factors_of_tier, usage_factors
from gitkb.store.home_path import PROJECT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import TypeAlias

    from gitkb.index.full_text import Explanation
    from gitkb.index.search import Filters, Hit
    from gitkb.operations.tiers.chain import Chain, Link
    from gitkb.store.layout import Store

    Ask: TypeAlias = Callable[[Link, Filters], list[Hit]]


class Found(NamedTuple):
    """One hit, and the tier that it comes from."""

    hit: Hit
    tier: str = ""
    """Empty where there is no tier but the project."""
    shadows: tuple[str, ...] = ()
    """The farther tiers that say something else under its key."""
    shadowed_by: str = ""
    """The nearer tier that speaks for its key."""
    stale: tuple[str, ...] = ()
    """Why it may no longer be true, in a few words a reason."""


class _Candidate(NamedTuple):
    order: tuple[float, int, str]
    key: str
    hit: Hit
    place: int
    shadowed_by: str


def recall_across(
    store: Store,
    query: str,
    filters: Filters,
    notices: list[str] | None = None,
    *,
    tiers: Sequence[str] = (),
) -> list[Found]:
    """Find what matches a query in any tier, or in those named, best first.

    Raises:
        UsageError: as `recall`, and when there is no tier of a name.
        StateError: when a tier that was named cannot be read.
    """
    check_filters(filters)
    wordless: list[str] = []
    usage = usage_factors(store)

    def ask(link: Link, filters: Filters) -> list[Hit]:
        try:
            return link.opened.search(query, filters, factors_of_tier(usage, link.name))
        except WordlessQueryError as error:
            wordless.append(error.message)
            return []

    found = _find(store, ask, filters, notices, tiers, by_score=True)
    if wordless and notices is not None:
        notices.append(wordless[0])
    return found


def list_across(
    store: Store,
    filters: Filters,
    notices: list[str] | None = None,
    *,
    tiers: Sequence[str] = (),
) -> list[Found]:
    """List what passes the filters in any tier, or in those named. Errors as `recall_across`."""
    check_filters(filters)

    def ask(link: Link, filters: Filters) -> list[Hit]:
        return link.opened.list(filters)

    return _find(store, ask, filters, notices, tiers, by_score=False)


def explain_across(
    store: Store, query: str, found: Sequence[tuple[str, str]]
) -> list[Explanation | None]:
    """Say of each key, with the name of its tier, why a query finds it there; None where it does not."""
    with open_chain(store) as chain:
        links = {"": chain.links[0], **{link.name: link for link in chain.links}}
        usage = usage_factors(store)
        reasons: dict[tuple[str, str], Explanation | None] = {}
        for tier in dict.fromkeys(tier for _, tier in found):
            if tier not in links:
                continue
            keys = [key for key, at in found if at == tier]
            link = links[tier]  # asked of all its keys at once, because the search is made anew
            told = link.opened.explain(query, keys, factors_of_tier(usage, link.name))
            reasons |= zip([(key, tier) for key in keys], told, strict=True)
        return [reasons.get(one) for one in found]


def keys_of(found: Iterable[Found]) -> list[tuple[str, str]]:
    """Give tier and key of each hit."""
    return [(one.tier, str(parse_again(one.hit.line)["key"])) for one in found]


def _find(
    store: Store,
    ask: Ask,
    filters: Filters,
    notices: list[str] | None,
    tiers: Sequence[str],
    *,
    by_score: bool,
) -> list[Found]:
    if tiers:
        check_tier_names(store, tiers)
    with open_chain(store, notices) as chain:
        stores = {link.name: link.store for link in chain.links}
        found = _ask_all(chain, ask, filters, tiers, by_score=by_score)
    # Behind the search, which keeps others from writing.
    return with_stale(store, stores, found, notices)


def with_stale(
    store: Store, stores: Mapping[str, Store], found: list[Found], notices: list[str] | None
) -> list[Found]:
    """Mark what may no longer be true."""
    concerned = [
        at
        for at, one in enumerate(found)
        if one.hit.in_doubt or b'"files"' in one.hit.line or b'"review_by"' in one.hit.line
    ]
    if not concerned:
        return found
    from gitkb.core.entry import Entry
    from gitkb.operations.history.staleness import stale_of  # not for those who name no file

    marked = list(found)
    by_tier: dict[str, dict[int, Entry]] = {}
    for at in concerned:
        entry = Entry(parse_again(found[at].hit.line))
        by_tier.setdefault(found[at].tier, {})[at] = entry
    for tier, entries in by_tier.items():
        stale = stale_of(
            stores.get(tier, store),
            entries.values(),
            {entry.key: found[at].hit.in_doubt for at, entry in entries.items()},
            notices,
            has_files=tier in ("", PROJECT),
        )
        for at, entry in entries.items():
            if entry.key in stale:
                marked[at] = found[at]._replace(stale=stale[entry.key].words)
    return marked


def _ask_all(
    chain: Chain, ask: Ask, filters: Filters, tiers: Sequence[str], *, by_score: bool
) -> list[Found]:
    if len(chain.links) == 1:
        [only] = chain.links
        if tiers and only.name not in tiers:
            return []
        name = "" if chain.is_project_alone else only.name
        return [Found(hit, name) for hit in ask(only, filters)]
    candidates = [
        candidate
        for place, link in enumerate(chain.links)
        if not tiers or link.name in tiers
        for candidate in _of_link(chain, place, ask, filters, bool(tiers), by_score)
    ]
    candidates.sort(key=lambda one: one.order)
    return _marked(chain, candidates[: filters.limit])


def _of_link(
    chain: Chain, place: int, ask: Ask, filters: Filters, is_named: bool, by_score: bool
) -> list[_Candidate]:
    """Ask one tier, and ask it for more where too much of its answer is hidden."""
    link, nearer = chain.links[place], chain.links[:place]
    limit = filters.limit
    while True:
        hits = ask(link, filters._replace(limit=limit))
        fields = [parse_again(hit.line) for hit in hits]
        keys = [str(each["key"]) for each in fields]
        hidden = chain.holders(nearer, keys)
        kept = []
        for key, each, hit in zip(keys, fields, hits, strict=True):
            above = hidden.get(key, ("",))[0]
            if not above or filters.include_all or is_named:
                first = -hit.score if by_score else -_moment(each.get("ts"))
                kept.append(_Candidate((first, place, key), key, hit, place, above))
        if limit is None or filters.limit is None or len(hits) < limit:
            return kept
        if len(kept) >= filters.limit:
            return kept[: filters.limit]
        limit *= 2


def _marked(chain: Chain, candidates: Sequence[_Candidate]) -> list[Found]:
    hits = chain.marked([(one.key, one.hit) for one in candidates])
    holders = chain.holders(chain.links, {one.key for one in candidates})
    found = []
    for one, hit in zip(candidates, hits, strict=True):
        name = chain.links[one.place].name
        if one.shadowed_by:
            # What is said of its key is said of the one that hides it.
            found.append(Found(one.hit, name, (), one.shadowed_by))
        else:
            others = tuple(other for other in holders.get(one.key, ()) if other != name)
            found.append(Found(hit, name, others))
    return found


def check_tier_names(store: Store, tiers: Sequence[str]) -> None:
    """Refuse names of tiers that there are not (UsageError), or that cannot be read (StateError)."""
    from gitkb.operations.tier import EMPTY, READY, UNMADE, list_tiers, trouble_of

    listed = {tier.name: tier for tier in list_tiers(store)}
    for name in tiers:
        tier = listed.get(name)
        if tier is None and name != PROJECT:
            raise UsageError(f"no tier '{name}'", f"one of {', '.join(listed)}")
        is_begun = tier is None or tier.state not in (UNMADE, EMPTY) or not tier.writable
        if tier is not None and tier.state != READY and is_begun:
            raise StateError(trouble_of(tier), "gitkb tier list shows all of them")


def _moment(value: object) -> int:
    return value if isinstance(value, int) else 0
