"""Who wrote what, and what became of it, through all tiers: each tier's history is its repository's.

1. A name means the entry of the nearest tier that holds it. Where a nearer one has forgotten it or has
   given it away, what that one's history says of it follows.
2. Without a name every tier answers for the keys that no nearer one holds.
3. A tier whose history cannot be read is left out with a notice; only where none is left is that an
   error.
"""

from __future__ import annotations

from typing import NamedTuple

from gitkb.errors import GitkbError, NotFoundError
from gitkb.operations.blame import blame
from gitkb.operations.log import log
from gitkb.operations.tiers.across import check_tier_names
from gitkb.operations.tiers.chain import find_chain, left_out, open_chain
from gitkb.operations.tiers.lookup import Found, find_across, look
from gitkb.store.home_path import PROJECT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    from gitkb.operations.blame import Provenance
    from gitkb.operations.log import Version
    from gitkb.store.layout import Store

    T = TypeVar("T")


class Written(NamedTuple):
    """Where the record of one key comes from, in one tier."""

    provenance: Provenance
    tier: str
    """Empty where there is no tier but the project."""


class Told(NamedTuple):
    """A version of an entry, in the history of one tier."""

    version: Version
    tier: str
    """Empty where there is no tier but the project."""


class _Place(NamedTuple):
    name: str
    store: Store


def blame_across(
    store: Store,
    names: Sequence[str] = (),
    notices: list[str] | None = None,
    *,
    tiers: Sequence[str] = (),
) -> list[Written]:
    """Say who wrote each of the entries named, in their order, or each entry there is, by key.

    Args:
        names: keys or aliases.
        notices: what is left out is added here.
        tiers: only these, whether or not a nearer one hides what they say.

    Raises:
        GitError: as `blame`, where no tier's history can be read.
        NotFoundError: for a name that no tier knows.
        UsageError, StateError: as `recall_across`, for a tier that was named.
    """
    told = [] if notices is None else notices
    if not names:
        return _blame_all(store, told, tiers)
    if len(places := _chosen(store, told, tiers)) == 1:
        return [Written(item, places[0].name) for item in blame(places[0].store, names)]
    found = []
    for name in names:
        found += _of_places(
            _places_of(store, name, told, tiers), lambda place, key: blame(place, [key]), told
        )
    return [Written(provenance, tier) for provenance, tier in found]


def log_across(
    store: Store, name: str, notices: list[str] | None = None, *, tiers: Sequence[str] = ()
) -> list[Told]:
    """Give every version of a key or alias, the newest first. Arguments and errors as `blame_across`."""
    told = [] if notices is None else notices
    found = _of_places(_places_of(store, name, told, tiers), log, told)
    return [Told(version, tier) for version, tier in found]


def _blame_all(store: Store, notices: list[str], tiers: Sequence[str]) -> list[Written]:
    places = _chosen(store, notices, tiers)
    answers = _of_places([(place, "") for place in places], lambda place, _: blame(place), notices)
    if not tiers and len(places) > 1:
        with open_chain(store) as chain:
            names = [link.name for link in chain.links]
            speaker = {
                key: holders[0]
                for key, holders in chain.holders(
                    chain.links, {item.key for item, _ in answers}
                ).items()
            }
        answers = [
            (item, tier)
            for item, tier in answers
            # A tombstone speaks for nothing, but says who forgot it.
            if tier not in names
            or item.key not in speaker
            or names.index(tier) <= names.index(speaker[item.key])
        ]
    return sorted(
        (Written(item, tier) for item, tier in answers), key=lambda one: one.provenance.key
    )


def _chosen(store: Store, notices: list[str], tiers: Sequence[str]) -> list[_Place]:
    if tiers:
        check_tier_names(store, tiers)
    chain = [_Place(name, place) for name, place in find_chain(store, notices)]
    if len(chain) == 1 and chain[0].name == PROJECT:
        return [_Place("", store)] if not tiers or PROJECT in tiers else []
    return [place for place in chain if not tiers or place.name in tiers]


def _places_of(
    store: Store, name: str, notices: list[str], tiers: Sequence[str]
) -> list[tuple[_Place, str]]:
    """Say in which tiers' histories to look for a name, and under which key."""
    places = _chosen(store, notices, tiers)
    if tiers:
        return [(place, name) for place in places]
    own = look(store, name)
    if isinstance(own, Found) or len(places) == 1:
        return [(places[0], name)]
    try:
        located = find_across(store, name, [])
    except NotFoundError:
        return [(places[0], name)]  # history may still know it
    key = located.found.entry.key
    spoken = [(place, key) for place in places if place.store == located.store]
    return spoken if own is None or located.moved else [*spoken, (places[0], own.key)]


def _of_places(
    places: Sequence[tuple[_Place, str]],
    ask: Callable[[Store, str], Sequence[T]],
    notices: list[str],
) -> list[tuple[T, str]]:
    """Ask the history of each place; what cannot be read is left out, unless that is all there is."""
    found: list[tuple[T, str]] = []
    failures = []
    for place, key in places:
        try:
            found += [(one, place.name) for one in ask(place.store, key)]
        except (GitkbError, OSError) as error:
            failures.append((place, error))
    if failures and not found and len(failures) == len(places):
        raise failures[0][1]
    for place, failure in failures:
        if not isinstance(failure, NotFoundError):
            notices.append(left_out(place.name, place.store, failure))
    return found
