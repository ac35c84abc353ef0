"""gitkb graph"""

from __future__ import annotations

from gitkb.cli.arguments import Argument, Option, Verb
from gitkb.cli.render_reasons import edge_value
from gitkb.core.documents.graph_drawing import draw_dot, draw_mermaid
from gitkb.operations.graph import graph

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gitkb.cli.call import Call
    from gitkb.core.canonical import Json
    from gitkb.core.documents.graph_drawing import Node
    from gitkb.operations.graph import Graph

_DEPTH = 2
_LIMIT = 200


def run(call: Call) -> int:
    """Print the graph, or a part of it, in a form that other programs draw."""
    depth = _DEPTH if call["depth"] is None else call["depth"]
    limit = _LIMIT if call["limit"] is None else call["limit"]
    notices: list[str] = []
    found = graph(call.readable, call["key"], depth, limit, notices)
    for notice in notices:
        call.notice(f"note: {notice}")
    if call.as_json or call["format"] == "json":
        call.answer(_value(found))
    elif call["format"] == "dot":
        call.write(draw_dot(*found))
    else:
        call.write(draw_mermaid(*found))
    if found.left_out:
        everything = limit + found.left_out
        call.notice(f"note: {found.left_out} more left out: --limit {everything} shows all")
    return 0


def _value(found: Graph) -> Json:
    return {
        "nodes": [_node_value(node) for node in found.nodes],
        "edges": [edge_value(edge) for edge in found.edges],
        "left_out": found.left_out,
    }


def _node_value(node: Node) -> dict[str, Any]:
    value = node._asdict()
    if not node.tier:
        del value["tier"]
    return value


VERB = Verb(
    "graph",
    "Draw the graph as Mermaid, DOT or JSON.",
    run,
    (Argument("KEY", required=False),),
    (
        Option(
            "format",
            "Mermaid unless told.",
            "choice",
            choices=("mermaid", "dot", "json"),
            default="mermaid",
        ),
        Option("depth", f"How many edges away from KEY; {_DEPTH} unless told.", "number", "N"),
        Option("limit", f"At most so many entries; {_LIMIT} unless told.", "number", "N"),
    ),
    """
Without a KEY, every entry that has an edge; beyond the limit those with the most edges stay. What is not
active has a dashed border, and an edge that a content implies by [[key]] is dashed. A key at which
nothing stands, because it was forgotten for instance, is drawn as missing. Entries of other tiers are among
them and say so.

Mermaid is what GitHub, GitLab and many editors draw in Markdown; DOT is for Graphviz.

$ gitkb graph dec_k3x9q2mf
$ gitkb graph --format dot | dot -Tsvg > graph.svg
""",
)
