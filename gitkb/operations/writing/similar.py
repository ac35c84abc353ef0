"""Say which entries say much the same as one that is added.

1. What was written is compared after the writing, and never makes it fail: without a search index
   nothing is similar.
2. What is to be refused is compared before, under the lock of the store, so that nothing comes in
   between; then there has to be an index.
"""

from __future__ import annotations

from typing import NamedTuple

from gitkb.core.identity import normal_title
from gitkb.core.search.similarity import ALMOST_CERTAIN, WORTH_A_WARNING, likeness
from gitkb.errors import SearchIndexError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gitkb.core.canonical import Json
    from gitkb.core.search.similarity import Profile
    from gitkb.index.similar import Comparison, Similar
    from gitkb.store.layout import Store

SHOWN = 3
"""The nearest are named, besides those with the same title."""
_MANY = 200
"""Of so many entries written at once only the titles are compared: the rest takes 5 ms each."""


class Text(NamedTuple):
    """What an entry is compared by."""

    key: str
    title: str
    content: str


def text_of(key: str, fields: Mapping[str, Json]) -> Text:
    """Give what is compared of an entry."""
    return Text(key, fields.get("title", ""), fields.get("content", ""))


def find_similar(store: Store, written: Sequence[Text]) -> list[tuple[Similar, ...]]:
    """Find for each entry that was written the others, active ones, that say much the same."""
    from gitkb.operations.reading.search_index import open_index  # dear, and only a writer needs it

    limit = SHOWN if len(written) < _MANY else 0
    try:
        with open_index(store) as index:
            return [
                tuple(index.similar(title, content, limit=limit, without=key))
                if title or content
                else ()
                for key, title, content in written
            ]
    except SearchIndexError:
        return [()] * len(written)


def is_double(title: str, other: Similar) -> bool:
    """Say whether another entry is so near that whoever adds should look at it."""
    same_title = bool(title) and normal_title(title) == normal_title(other.title)
    return same_title or other.score >= WORTH_A_WARNING


def is_almost_certain(other: Similar) -> bool:
    """Say whether another entry says the same, as far as words can tell."""
    return other.score >= ALMOST_CERTAIN


class Gate:
    """Lets entries pass that nothing says already: neither the store nor what passed before."""

    def __init__(self, comparison: Comparison) -> None:
        self._comparison = comparison
        self._passed: dict[str, tuple[Text, Profile]] = {}

    def doubles_of(self, text: Text) -> tuple[Similar, ...]:
        """Give the entries that say it already; if there are none, it has passed."""
        key, title, content = text
        near = self._comparison.nearest(title, content, SHOWN, key)
        profile = self._comparison.profile(title, content)
        near += self._iter_passed(profile, key)
        near.sort(key=lambda other: (-other.score, other.key))
        if any(is_double(title, other) for other in near):
            return tuple(near[:SHOWN])
        self._passed[key] = text, profile
        return ()

    def _iter_passed(self, profile: Profile, key: str) -> Iterator[Similar]:
        from gitkb.index.similar import Similar

        for text, other in self._passed.values():
            score = round(likeness(profile, other), 3)
            if text.key != key and score >= WORTH_A_WARNING:
                yield Similar(text.key, text.title, score)
