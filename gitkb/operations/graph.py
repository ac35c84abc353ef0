"""The graph of what all tiers know, or the part of it around one entry."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from gitkb.core.documents.graph_drawing import Node
from gitkb.core.graph import walk_near
from gitkb.errors import UsageError
from gitkb.operations.reading.linked import Linked
from gitkb.operations.tiers.chain import open_chain
from gitkb.operations.tiers.lookup import find_across

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.core.link import Edge
    from gitkb.operations.tiers.chain import Chain
    from gitkb.store.layout import Store

MISSING = "missing"


class Graph(NamedTuple):
    """Nodes sorted by key, and the edges between them, sorted."""

    nodes: list[Node]
    edges: list[Edge]
    left_out: int
    """How many more nodes there are."""


def graph(
    store: Store,
    name: str | None = None,
    depth: int = 2,
    limit: int = 200,
    notices: list[str] | None = None,
) -> Graph:
    """Give all keys that an edge leaves or reaches, or those at most `depth` edges from an entry.

    Beyond the limit those with the most edges stay, or the nearest. A key at which nothing stands is
    a node without a type whose status is `missing`. What is left out is added to `notices`.

    Raises:
        NotFoundError: when there is no such entry.
        UsageError: for a depth or limit of nought.
    """
    if depth < 1 or limit < 1:
        option = "depth" if depth < 1 else "limit"
        raise UsageError(f"--{option} must be at least 1", "leave it out for the default")
    root = find_across(store, name, []).found.entry.key if name else ""
    with open_chain(store, notices) as chain:
        linked = Linked(chain)
        edges = linked.all_edges()
        if root:
            near, left_out = walk_near(root, linked.edges, set, depth, limit)
            kept = {root, *(at.key for at in near[: limit - 1])}
            left_out += len(near[limit - 1 :])
        else:
            degrees = Counter(key for edge in edges for key in {edge.source, edge.target})
            ranked = sorted(degrees, key=lambda key: (-degrees[key], key))
            kept, left_out = set(ranked[:limit]), len(ranked[limit:])
        nodes = [_node(chain, linked, key) for key in sorted(kept)]
    return Graph(
        nodes, [edge for edge in edges if edge.source in kept and edge.target in kept], left_out
    )


def _node(chain: Chain, linked: Linked, key: str) -> Node:
    at = linked.find(key)
    if at is None:
        return Node(key, status=MISSING)
    return Node(key, at.entry.type, at.entry.display_title, at.status, chain.name_of(key))
