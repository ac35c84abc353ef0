"""Show one entry by its key or by another name it answers to, and what it is linked to.

What an entry says itself is read from its file. What others say of it comes from the search index;
where that cannot be had, the entry is shown without.
"""

from __future__ import annotations

from typing import NamedTuple

from gitkb.operations.tiers.lookup import find_across
from gitkb.store.confirmation import read_confirmed
from gitkb.store.home_path import PROJECT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.core.entry import Entry
    from gitkb.core.link import Edge
    from gitkb.index.search import Hit
    from gitkb.operations.reading.linked import Linked
    from gitkb.operations.tiers.chain import Chain
    from gitkb.store.layout import Store

MISSING = "missing"


class Neighbour(NamedTuple):
    """What stands at the other end of an edge."""

    edge: Edge
    key: str
    title: str
    status: str
    """A status, or `MISSING` where no entry stands."""

    @property
    def is_outgoing(self) -> bool:
        """Whether the edge leads to it, rather than from it."""
        return self.edge.target == self.key


class Doubt(NamedTuple):
    """What an entry rests on, directly or not, and that is no longer true."""

    key: str
    title: str
    status: str


class Shown(NamedTuple):
    """An entry, what it is linked to, and what follows from that."""

    entry: Entry
    archived: bool
    older: int
    """How many older versions the archive holds."""
    superseded_by: tuple[Neighbour, ...] = ()
    in_doubt: tuple[Doubt, ...] = ()
    neighbours: tuple[Neighbour, ...] | None = ()
    """The other ends of all edges, those it stores first; None without a search index."""
    tier: str = ""
    """Where it comes from; empty where there is no tier but the project."""
    shadows: tuple[str, ...] = ()
    """The farther tiers that say something else under its key."""
    moved: str = ""
    """The tier it went to, if only its last version before that can be seen from here."""
    stale: tuple[str, ...] = ()
    """Why it may no longer be true, in a few words a reason."""
    confirmed: int = 0
    """When it was last said to be still true, in Unix seconds; 0 where that was never, or of an older text."""


def show(store: Store, name: str, notices: list[str] | None = None) -> Shown:
    """Find an entry by key or alias in the nearest tier that holds it, with what it is linked to.

    One that is archived is found too. What is left out is added to `notices`.

    Raises:
        NotFoundError: when there is none, or it was forgotten.
    """
    from gitkb.errors import SearchIndexError
    from gitkb.operations.reading.linked import Linked
    from gitkb.operations.tiers.chain import open_chain

    told: list[str] = []
    located = find_across(store, name, told)
    found, key = located.found, located.found.entry.key
    try:
        with open_chain(store, told) as chain:
            linked = Linked(chain)
            neighbours = [_neighbour(linked, key, edge) for edge in linked.edges([key])]
            hit = chain.get(key)
            doubts = [_doubt(linked, reason) for reason in (hit.in_doubt if hit else ())]
            tier = _tier(chain, located.store)
            shadows = chain.holders(chain.links, (key,)).get(key, ())
    except SearchIndexError:
        return Shown(*found, neighbours=None, tier=located.tier, moved=located.moved)
    finally:
        if notices is not None:
            notices += [notice for notice in dict.fromkeys(told) if notice not in notices]
    neighbours.sort(key=lambda at: (not at.is_outgoing, at.edge.derived, at.edge))
    later = [at for at in neighbours if at.edge.relation == "supersedes" and not at.is_outgoing]
    if found.entry.status != "superseded":
        # One that was put away replaces nothing; one that lives does, whatever the status says.
        later = [at for at in later if at.status != "archived"]
    shadows = () if located.moved else tuple(name for name in shadows if name != tier and tier)
    stale: tuple[str, ...] = ()
    if not found.archived and (hit is None or hit.in_doubt or _may_age(found.entry)):
        stale = _stale(located.store, found.entry, hit, tier in ("", PROJECT), notices)
    confirmed = read_confirmed(located.store, [key]).get(key, 0)
    return Shown(
        *found,
        tuple(later),
        tuple(doubts),
        tuple(neighbours),
        tier,
        shadows,
        located.moved,
        stale,
        confirmed if confirmed > found.entry.ts else 0,
    )


def _may_age(entry: Entry) -> bool:
    return bool(entry.files) or "review_by" in entry.fields


def _stale(
    store: Store, entry: Entry, hit: Hit | None, has_files: bool, notices: list[str] | None
) -> tuple[str, ...]:
    from gitkb.operations.history.staleness import stale_of  # not for those who name no file

    doubts = {entry.key: hit.in_doubt} if hit is not None else {}
    found = stale_of(store, [entry], doubts, notices, has_files=has_files)
    return found[entry.key].words if entry.key in found else ()


def _tier(chain: Chain, store: Store) -> str:
    if chain.is_project_alone:
        return ""
    return next((link.name for link in chain.links if link.store == store), "")


def _neighbour(linked: Linked, key: str, edge: Edge) -> Neighbour:
    other = edge.target if edge.source == key else edge.source
    return Neighbour(edge, other, *_title_and_status(linked, other))


def _doubt(linked: Linked, key: str) -> Doubt:
    return Doubt(key, *_title_and_status(linked, key))


def _title_and_status(linked: Linked, key: str) -> tuple[str, str]:
    at = linked.find(key)
    return ("", MISSING) if at is None else (at.entry.display_title, at.status)
