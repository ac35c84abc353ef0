"""The edges of the graph: the links that an entry stores, and those that its content implies.

1. `[[key]]` in a content is a `relates_to` edge. It is derived, never stored: it lives and dies with
   the words around it.
2. An edge that is stored is not derived a second time, and no content relates an entry to itself.
"""

# No deferred annotations here: see `core.problem`.
from typing import NamedTuple

from gitkb.core.identity import KEY_FORM
from gitkb.core.late_pattern import LatePattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.core.canonical import Fields

DERIVED_RELATION = "relates_to"

_mentions = LatePattern(rf"\[\[({KEY_FORM})\]\]").finditer


class Edge(NamedTuple):
    """One directed edge between two keys; whether anything stands at either is not said here."""

    source: str
    relation: str
    target: str
    derived: bool = False


def edges_of(fields: "Fields") -> list[Edge]:
    """Give the edges that leave a valid entry: the stored ones, then those of its content."""
    key = fields["key"]
    edges = [Edge(key, link["rel"], link["to"]) for link in fields.get("links", ())]
    if "[[" in fields.get("content", ""):
        related = {edge.target for edge in edges if edge.relation == DERIVED_RELATION} | {key}
        for target in dict.fromkeys(found[1] for found in _mentions(fields["content"])):
            if target not in related:
                edges.append(Edge(key, DERIVED_RELATION, target, derived=True))
    return edges
