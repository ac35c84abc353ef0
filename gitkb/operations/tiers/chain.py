"""The search indexes of all tiers, opened together and answering as one.

1. The nearest tier that holds a key speaks for it, whatever its status there. What a farther one says
   under that key, its edges included, does not count.
2. A tier whose index or files cannot be read is left out with a notice that names it and the cure;
   only where none is left is that an error.
3. A project alone pays one look at the file system beside its own index.
"""

from __future__ import annotations

import os
from contextlib import ExitStack, contextmanager
from typing import NamedTuple

from gitkb.core.jsonl import parse_again
from gitkb.errors import GitkbError, NotFoundError
from gitkb.operations.reading.search_index import open_index
from gitkb.operations.recall import note_problems
from gitkb.store.home_path import PROJECT, home_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from gitkb.core.link import Edge
    from gitkb.index.search import Hit, Index
    from gitkb.store.layout import Store

_PLENTY = 64
"""From so many keys on, all edges of an index are read at once."""


class Link(NamedTuple):
    """One tier of the chain, open."""

    name: str
    store: Store
    opened: Index


def find_readable(directory: str | None) -> Store:
    """Find the store that a reader begins with: the project's, else the nearest tier's.

    Raises:
        NotFoundError: when there is neither, or somebody named a store that is not there.
    """
    from gitkb.store.discover import find_store

    try:
        return find_store(directory)
    except NotFoundError:
        if directory or os.environ.get("GITKB_DIR") or not os.path.isdir(home_folder()):
            raise
        from gitkb.operations.tier import read_tiers

        tiers = read_tiers(None)
        if not tiers:
            raise
        return tiers[0].store


def find_chain(store: Store, notices: list[str] | None = None) -> list[tuple[str, Store]]:
    """Give name and store of each tier that a reader looks through, the nearest first."""
    if not os.path.isdir(home_folder()):
        return [(PROJECT, store)]
    from gitkb.operations.tier import read_tiers

    return [(tier.name, tier.store) for tier in read_tiers(store, notices)]


@contextmanager
def open_chain(store: Store, notices: list[str] | None = None) -> Iterator[Chain]:
    """Open the search index of each tier, up to date. `notices` as in `open_index`; lines that cannot be
    read are told of in them too.

    Raises:
        GitkbError, OSError: when none can be opened; the nearest one's.
    """
    told = [] if notices is None else notices
    tiers = find_chain(store, told)
    failures = []
    with ExitStack() as stack:
        links = []
        for name, place in tiers:
            own: list[str] = []
            try:
                index = stack.enter_context(open_index(place, notices=own))
            except (GitkbError, OSError) as error:
                failures.append(error)
                told.append(left_out(name, place, error))
                continue
            links.append(Link(name, place, index))
            if notices is not None:
                own_check = "gitkb check" if place is store else f"gitkb check --dir '{place.root}'"
                note_problems(index, own, own_check)
            told += own if place is store else [f"in the tier '{name}': {one}" for one in own]
        if not links:
            del told[-len(failures) :]
            raise failures[0]
        yield Chain(links)


def left_out(name: str, store: Store, error: GitkbError | OSError) -> str:
    """Say that a tier cannot be read, and where to see why."""
    reason = error.message if isinstance(error, GitkbError) else error.strerror or str(error)
    return f"the tier '{name}' is left out: {reason}; gitkb doctor --dir '{store.root}'"


class Chain:
    """Open indexes, the nearest first."""

    def __init__(self, links: Sequence[Link]) -> None:
        self.links = tuple(links)

    @property
    def is_project_alone(self) -> bool:
        """Whether there is nothing to tell apart."""
        return len(self.links) == 1 and self.links[0].name == PROJECT

    def link_of(self, key: str) -> Link | None:
        """Give the tier that speaks for a key; None where no tier holds it."""
        return next((link for link in self.links if link.opened.holds((key,))), None)

    def name_of(self, key: str) -> str:
        """Name the tier that speaks for a key; empty where there is nothing to tell apart."""
        link = None if self.is_project_alone else self.link_of(key)
        return link.name if link is not None else ""

    def holders(self, links: Sequence[Link], keys: Collection[str]) -> dict[str, tuple[str, ...]]:
        """Name for each of the keys those of the tiers that hold it; absent where none does."""
        found: dict[str, tuple[str, ...]] = {}
        for link in links:
            for key in link.opened.holds(keys):
                found[key] = (*found.get(key, ()), link.name)
        return found

    def edges(self, keys: Collection[str]) -> list[Edge]:
        """Give the edges that leave or reach any of the keys; of many keys perhaps others too."""
        if len(self.links) == 1:
            return self.links[0].opened.edges(keys)
        if len(keys) > _PLENTY:
            return self.all_edges()
        return self._spoken([link.opened.edges(keys) for link in self.links])

    def all_edges(self) -> list[Edge]:
        """Give every edge."""
        return self._spoken([link.opened.all_edges() for link in self.links])

    def get(self, key: str) -> Hit | None:
        """Give what a key shows in the tier that speaks for it."""
        link = self.link_of(key)
        hit = link.opened.get(key) if link is not None else None
        return hit and self.marked([(key, hit)])[0]

    def peek(self, key: str) -> Hit | None:
        """As `get`, without a walk for what supersedes it and what puts it in doubt."""
        link = self.link_of(key)
        return link.opened.peek(key) if link is not None else None

    def marked(self, hits: Sequence[tuple[str, Hit]]) -> list[Hit]:
        """Give hits with what supersedes them, and what puts them in doubt, by what all tiers say."""
        if len(self.links) == 1:
            return [hit for _, hit in hits]
        keys = {key for key, _ in hits}
        later: dict[str, set[str]] = {}
        for edge in self.edges(keys):
            if edge.relation == "supersedes" and edge.target in keys and edge.source != edge.target:
                later.setdefault(edge.target, set()).add(edge.source)
        # Only what its own tier cannot vouch for can be vouched for by another.
        unsure = [key for key, hit in hits if hit.in_doubt]
        reasons: dict[str, tuple[str, ...]] = {}
        if unsure:
            from gitkb.core.graph import doubts  # hardly ever

            reasons = doubts(unsure, self.edges, self._active)
        return [
            hit._replace(
                superseded_by=tuple(sorted(later.get(key, ()))), in_doubt=reasons.get(key, ())
            )
            for key, hit in hits
        ]

    def _active(self, keys: Collection[str]) -> set[str]:
        found = set()
        for key in keys:
            hit = self.peek(key)
            if hit is not None and not hit.archived:
                if parse_again(hit.line).get("status", "active") == "active":
                    found.add(key)
        return found

    def _spoken(self, found: Sequence[list[Edge]]) -> list[Edge]:
        """Leave out the edges of entries for which a nearer tier speaks."""
        edges = list(found[0])
        for place, more in enumerate(found[1:], 1):
            shadowed = self.holders(self.links[:place], {edge.source for edge in more})
            edges += [edge for edge in more if edge.source not in shadowed]
        return sorted(set(edges))
