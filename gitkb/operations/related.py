"""What is near an entry: over edges of every kind, in both directions, through all tiers."""

from __future__ import annotations

from typing import NamedTuple

from gitkb.core.graph import walk_near
from gitkb.errors import UsageError
from gitkb.operations.reading.linked import Linked
from gitkb.operations.tiers.chain import open_chain
from gitkb.operations.tiers.lookup import find_across

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.core.entry import Entry
    from gitkb.core.link import Edge
    from gitkb.store.layout import Store

DEFAULT_LIMIT = 50


class Node(NamedTuple):
    """An entry that a walk came to: how many steps away, and by which edge."""

    entry: Entry
    depth: int
    via: Edge
    archived: bool
    tier: str = ""
    """Where it comes from; empty where there is no tier but the project."""

    @property
    def is_outgoing(self) -> bool:
        """Whether the edge leads to it, rather than from it."""
        return self.via.target == self.entry.key


class Related(NamedTuple):
    """What is near an entry, the nearest first."""

    root: Entry
    nodes: list[Node]
    left_out: int
    """How many more are as near but beyond the limit."""
    tier: str = ""
    """Where the root comes from; empty where there is no tier but the project."""


def related(
    store: Store,
    name: str,
    depth: int = 1,
    limit: int = DEFAULT_LIMIT,
    notices: list[str] | None = None,
) -> Related:
    """Find the entries at most `depth` edges away from one that is named by key or alias.

    Entries that are not active are among them. What is left out is added to `notices`.

    Raises:
        NotFoundError: when there is no such entry.
        UsageError: for a depth or limit of nought.
    """
    if depth < 1 or limit < 1:
        option = "depth" if depth < 1 else "limit"
        raise UsageError(f"--{option} must be at least 1", "leave it out for the default")
    root = find_across(store, name, []).found.entry
    with open_chain(store, notices) as chain:
        linked = Linked(chain)
        found, left_out = walk_near(root.key, linked.edges, linked.there, depth, limit)
        known = [(near, linked.find(near.key)) for near in found]
        nodes = [
            Node(at.entry, near.depth, near.via, at.archived, chain.name_of(near.key))
            for near, at in known
            if at is not None
        ]
        return Related(root, nodes, left_out, chain.name_of(root.key))
