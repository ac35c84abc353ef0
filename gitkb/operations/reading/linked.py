"""The entries at the ends of edges, read from one search index or those of a chain, each once."""

from __future__ import annotations

from typing import NamedTuple

from gitkb.core.entry import Entry
from gitkb.core.jsonl import parse_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from gitkb.core.link import Edge
    from gitkb.index.search import Index
    from gitkb.operations.tiers.chain import Chain


class Known(NamedTuple):
    """What a key shows."""

    entry: Entry
    archived: bool

    @property
    def status(self) -> str:
        return "archived" if self.archived else self.entry.status


class Linked:
    """Edges and entries of what is open; what was asked once is kept."""

    def __init__(self, index: Index | Chain) -> None:
        self._index = index
        self._known: dict[str, Known | None] = {}

    def edges(self, keys: Collection[str]) -> list[Edge]:
        """Give the edges that leave or reach any of the keys."""
        return self._index.edges(keys)

    def all_edges(self) -> list[Edge]:
        """Give every edge."""
        return self._index.all_edges()

    def find(self, key: str) -> Known | None:
        """Find what a key shows, archived entries too."""
        if key not in self._known:
            hit = self._index.peek(key)
            self._known[key] = hit and Known(Entry(parse_object(hit.line)), hit.archived)
        return self._known[key]

    def there(self, keys: Collection[str]) -> set[str]:
        """Give those of the keys at which an entry stands."""
        return {key for key in keys if self.find(key) is not None}
