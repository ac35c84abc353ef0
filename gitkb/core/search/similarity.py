"""How much two entries say the same, by their words alone.

1. A likeness lies between 0 and 1, is the same both ways, and 1 where both have the same words.
2. It is the mean of two cosines, of the titles and of the bodies, in which a word counts as often as
   it stands there and as much as it is rare. Where one has no body, the titles alone decide.
3. No threshold over words tells duplicates from neighbours: of those that agents wrote twice, a
   quarter lie below the first that is warned of, and some neighbours above. So a likeness is shown
   and warned of, and decides nothing.
"""

from __future__ import annotations

from math import log, sqrt
from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

WORTH_SHOWING, WORTH_A_WARNING, ALMOST_CERTAIN = 0.3, 0.55, 0.75


class Profile(NamedTuple):
    """The words of an entry as directions of length 1, or of none."""

    title: Mapping[str, float]
    body: Mapping[str, float]


def rarity(entries: int, holders: int) -> float:
    """Say what a word counts that some of the entries hold (the idf of BM25)."""
    return log(1 + (entries - min(holders, entries) + 0.5) / (holders + 0.5))


def profile_of(title: Iterable[str], body: Iterable[str], weigh: Callable[[str], float]) -> Profile:
    """Make the profile of an entry from the stems of its title and of its body."""
    return Profile(_direction(title, weigh), _direction(body, weigh))


def likeness(one: Profile, other: Profile) -> float:
    """Say how much two entries say the same."""
    titles = _cosine(one.title, other.title)
    if not one.body or not other.body:
        return titles
    return (titles + _cosine(one.body, other.body)) / 2


def _direction(stems: Iterable[str], weigh: Callable[[str], float]) -> dict[str, float]:
    amounts: dict[str, float] = {}
    for stem in stems:
        amounts[stem] = amounts.get(stem, 0.0) + 1.0
    weighed = {stem: amount * weigh(stem) for stem, amount in sorted(amounts.items())}
    length = sqrt(sum([amount * amount for amount in weighed.values()]))
    return {stem: amount / length for stem, amount in weighed.items()} if length else {}


def _cosine(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    shared = sorted(one.keys() & other.keys())
    return min(sum([one[stem] * other[stem] for stem in shared]), 1.0)
