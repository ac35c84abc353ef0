"""gitkb related"""

from __future__ import annotations

from gitkb.cli.arguments import Argument, Option, Verb
from gitkb.cli.render_reasons import edge_value
from gitkb.cli.render_text import one_line, plural, tier_marks
from gitkb.cli.terminal.line import Span, line
from gitkb.operations.related import DEFAULT_LIMIT, related

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gitkb.cli.call import Call
    from gitkb.cli.terminal.line import Line
    from gitkb.operations.related import Node


def run(call: Call) -> int:
    """Print what is near an entry, the nearest first."""
    limit = DEFAULT_LIMIT if call["limit"] is None else call["limit"]
    depth = 1 if call["depth"] is None else call["depth"]
    notices: list[str] = []
    found = related(call.readable, call["key"], depth, limit, notices)
    for notice in notices:
        call.notice(f"note: {notice}")
    if call.as_json:
        nodes = [_value(node) for node in found.nodes]
        tier = {"tier": found.tier} if found.tier else {}
        call.answer({"root": found.root.key, **tier, "nodes": nodes, "left_out": found.left_out})
        return 0
    marks = "".join(f" ({mark})" for mark in tier_marks(found.tier))
    title = Span(one_line(found.root.display_title), "title")
    call.write_lines([line(Span(found.root.key, "key"), f"{marks}  ", title)])
    for node in found.nodes:
        call.write_lines([_line(node)])
    if not found.nodes:
        call.notice("nothing is linked to it")
    if found.left_out:
        call.notice(f"{found.left_out} more left out: --limit {limit + found.left_out} shows all")
    elif found.nodes:
        call.notice(f"{plural(len(found.nodes), 'entry', 'entries')}")
    return 0


def _value(node: Node) -> dict[str, Any]:
    value: dict[str, Any] = {
        "key": node.entry.key,
        "type": node.entry.type,
        "title": node.entry.display_title,
        "status": node.entry.status,
        "depth": node.depth,
        "relation": node.via.relation,
        "direction": "out" if node.is_outgoing else "in",
        "via": edge_value(node.via),
    }
    if node.archived:
        value["archived"] = True
    if node.tier:
        value["tier"] = node.tier
    return value


def _line(node: Node) -> Line:
    status = "archived" if node.archived else node.entry.status
    marks = [*([] if status == "active" else [status]), *tier_marks(node.tier)]
    state = f" ({', '.join(marks)})" if marks else ""
    other = node.via.source if node.is_outgoing else node.via.target
    arrow = "->" if node.is_outgoing else "<-"
    way = (
        f"{arrow} {node.via.relation}"
        if node.depth == 1
        else f"{other} {arrow} {node.via.relation}"
    )
    return line(
        f"{'  ' * node.depth}{way} ",
        Span(node.entry.key, "key"),
        Span(state, "warning"),
        f"  {one_line(node.entry.display_title)}",
        hang=2 * node.depth + 4,
    )


VERB = Verb(
    "related",
    "Show what an entry is linked to, in both directions.",
    run,
    (Argument("KEY"),),
    (
        Option("depth", "How many edges away; 1 unless told.", "number", "N"),
        Option("limit", f"At most so many entries; {DEFAULT_LIMIT} unless told.", "number", "N"),
    ),
    """
Follows edges of every kind, those that links store and those that contents imply by [[key]]. An arrow
-> leads from the entry, <- to it. Entries that are no longer in force are among them and say so, and so
do those of other tiers.

$ gitkb related dec_k3x9q2mf --depth 2
""",
    pages=True,
)
