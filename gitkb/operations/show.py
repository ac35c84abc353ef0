"""Show one entry by its key or by another name it answers to, and what it is linked to.

What an entry says itself is read from its file. What others say of it comes from the search index;
where that cannot be had, the entry is shown without.
"""

from __future__ import annotations

from typing import NamedTuple

from gitkb.core.entry import Entry, Tombstone
from gitkb.core.identity import ARCHIVE, shard_of
from gitkb.core.snapshot import iter_records
from gitkb.operations.naming import find_archived, gone, not_found
from gitkb.store.config import read_shards
from gitkb.store.reader import read_current, read_store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.core.link import Edge
    from gitkb.operations.linked import Linked
    from gitkb.store.layout import Store

MISSING = "missing"


class Found(NamedTuple):
    """An entry, and whether it stands only in the archive."""

    entry: Entry
    archived: bool
    older: int
    """How many older versions the archive holds."""


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


def show(store: Store, name: str) -> Shown:
    """Find an entry by key or alias, with what it is linked to; one that is archived is found too.

    Raises:
        NotFoundError: when there is none, or it was forgotten.
    """
    from gitkb.errors import SearchIndexError
    from gitkb.operations.linked import Linked
    from gitkb.operations.search_index import open_index

    found = find_entry(store, name)
    try:
        with open_index(store) as index:
            linked = Linked(index)
            neighbours = [
                _neighbour(linked, found.entry.key, edge)
                for edge in linked.edges([found.entry.key])
            ]
            known = linked.find(found.entry.key)
            doubts = [_doubt(linked, key) for key in (known.in_doubt if known else ())]
    except SearchIndexError:
        return Shown(*found, neighbours=None)
    neighbours.sort(key=lambda at: (not at.is_outgoing, at.edge.derived, at.edge))
    later = [at for at in neighbours if at.edge.relation == "supersedes" and not at.is_outgoing]
    if found.entry.status != "superseded":
        # One that was put away replaces nothing; one that lives does, whatever the status says.
        later = [at for at in later if at.status != "archived"]
    return Shown(*found, tuple(later), tuple(doubts), tuple(neighbours))


def find_entry(store: Store, name: str) -> Found:
    """Find an entry by key or alias; one that is archived is found too. A live key is found at once.

    Raises:
        NotFoundError: when there is none, or it was forgotten.
    """
    shards = read_shards(store)
    at = read_current(store, name, shards)
    if at is not None and isinstance(at.record, Entry):
        return Found(at.record, False, _count_archived(store, name, shards))
    snapshot = read_store(store)
    at = snapshot.find(name)
    if at is not None and isinstance(at.record, Entry):
        return Found(at.record, False, len(snapshot.archived.get(at.record.key, ())))
    if at is not None:
        raise gone(Tombstone(at.record.fields))
    archived = find_archived(snapshot, name)
    if archived is None:
        raise not_found(name)
    older = len(snapshot.archived[archived.record.key]) - 1
    return Found(Entry(archived.record.fields), True, older)


def _neighbour(linked: Linked, key: str, edge: Edge) -> Neighbour:
    other = edge.target if edge.source == key else edge.source
    return Neighbour(edge, other, *_title_and_status(linked, other))


def _doubt(linked: Linked, key: str) -> Doubt:
    return Doubt(key, *_title_and_status(linked, key))


def _title_and_status(linked: Linked, key: str) -> tuple[str, str]:
    at = linked.find(key)
    return ("", MISSING) if at is None else (at.entry.display_title, at.status)


def _count_archived(store: Store, key: str, shards: int) -> int:
    """Count the versions of a key in the one archive file they belong to."""
    name = f"{ARCHIVE}/{shard_of(key, shards)}"
    try:
        with open(store.path_of(name), "rb") as file:
            data = file.read()
    except OSError:
        return 0
    return sum(at.record.key == key for at in iter_records(name, data, []))
