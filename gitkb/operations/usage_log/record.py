"""Note in this clone's log what a call showed or opened. The call never fails by it."""

from __future__ import annotations

from gitkb.core.usage import OPENED, Use, tier_key, words_to_keep
from gitkb.operations.usage_log.switch import read_switch
from gitkb.operations.writing.clock import now
from gitkb.store.usage_log import append_use, read_usage_factors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gitkb.index.search import Filters
    from gitkb.operations.context import Pack
    from gitkb.operations.learnings import Found as Learning
    from gitkb.store.layout import Store


def record_shown(
    store: Store,
    verb: str,
    shown: Iterable[tuple[str, str]],
    query: str = "",
    filters: Filters | None = None,
) -> None:
    """Note which entries a call showed (tier and key of each, best first), and what it asked for."""
    if read_switch(store).log:
        keys = tuple(tier_key(tier, key) for tier, key in shown)
        words = words_to_keep(query)
        if keys or words:
            append_use(store, Use(now(), verb, keys, words, _narrows(filters)))


def record_pack(store: Store, pack: Pack) -> None:
    """Note which entries a context pack showed. Words of the task are not kept: nobody looks for them."""
    if pack.shown:
        record_shown(store, "context", [(one.origin.tier, one.key) for one in pack.shown])


def record_learnings(store: Store | None, found: Iterable[Learning]) -> None:
    """Note which learnings were shown; what is not in a store yet is not."""
    keys = [(one.tier, one.entry.key) for one in found if not one.read_from]
    if store is not None and keys:
        record_shown(store, "learnings", keys)


def record_opened(store: Store, opened: Iterable[tuple[str, str]]) -> None:
    """Note which entries were asked for by name, and seen in full."""
    record_shown(store, OPENED, opened)


def usage_factors(store: Store) -> Mapping[str, float]:
    """Give what ranking makes of the log, by key, of other tiers by ``tier:key``; {} where it is off."""
    switch = read_switch(store)
    return read_usage_factors(store) if switch.log and switch.rank else {}


def factors_of_tier(factors: Mapping[str, float], tier: str) -> Mapping[str, float]:
    """Give those of the factors that are of one tier's entries, by key."""
    prefix = tier_key(tier, "")
    if not factors or not prefix:
        return factors
    own = {key: factor for key, factor in factors.items() if key.startswith(prefix)}
    return {key[len(prefix) :]: factor for key, factor in own.items()}


def _narrows(filters: Filters | None) -> bool:
    """Say whether a filter left entries out that a query alone would have found."""
    return (
        filters is not None and filters._replace(limit=None, include_all=False) != type(filters)()
    )
