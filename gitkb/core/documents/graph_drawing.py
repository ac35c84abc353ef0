"""The graph as text that other programs draw: Mermaid and DOT.

1. Whatever a title holds, it comes out as the words of one label: no quote, bracket, line end, arrow,
   tag or directive of it is ever syntax. Letters and digits of every script stay as they are.
2. Control, direction and invisible characters are spelled out, as everywhere in gitkb.
3. The same nodes and edges give the same bytes.

Sources: https://mermaid.js.org/syntax/flowchart.html (entity codes), https://graphviz.org/doc/info/lang.html.
"""

from __future__ import annotations

from typing import NamedTuple

from gitkb.core.unsafe import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gitkb.core.link import Edge

_TITLE_LENGTH = 60
_NEAREST = "project"  # the tier that goes without saying, as everywhere in text


class Node(NamedTuple):
    """One node. Without a type nothing stands at its key."""

    key: str
    type: str = ""
    title: str = ""
    status: str = ""
    tier: str = ""
    """Where it comes from; empty where there is no tier but the project."""

    @property
    def is_active(self) -> bool:
        return self.status == "active"


def draw_mermaid(nodes: Sequence[Node], edges: Iterable[Edge], left_out: int = 0) -> str:
    """Draw a Mermaid flowchart; what is not active has a dashed border, a derived edge is dashed."""
    names = {node.key: f"n{number}" for number, node in enumerate(nodes)}
    lines = ["flowchart TD"]
    if left_out:
        lines.append(f"    %% {left_out} more left out")
    lines += [f'    {names[node.key]}["{_mermaid_text(_label(node))}"]' for node in nodes]
    for edge in edges:
        arrow = "-.->" if edge.derived else "-->"
        relation = _mermaid_text(edge.relation)
        lines.append(f"    {names[edge.source]} {arrow}|{relation}| {names[edge.target]}")
    inactive = [names[node.key] for node in nodes if not node.is_active]
    if inactive:
        lines.append("    classDef inactive stroke-dasharray: 5 5")
        lines.append(f"    class {','.join(inactive)} inactive")
    return "\n".join(lines)


def draw_dot(nodes: Sequence[Node], edges: Iterable[Edge], left_out: int = 0) -> str:
    """Draw a DOT digraph for Graphviz; dashed as in `draw_mermaid`."""
    lines = ["digraph gitkb {"]
    if left_out:
        lines.append(f"    // {left_out} more left out")
    lines.append("    node [shape=box];")
    for node in nodes:
        style = "" if node.is_active else ", style=dashed"
        lines.append(f'    "{node.key}" [label="{_dot_text(_label(node))}"{style}];')
    for edge in edges:
        style = ", style=dashed" if edge.derived else ""
        label = _dot_text(edge.relation)
        lines.append(f'    "{edge.source}" -> "{edge.target}" [label="{label}"{style}];')
    lines.append("}")
    return "\n".join(lines)


def _label(node: Node) -> str:
    marks = [] if node.is_active else [node.status]
    if node.tier not in ("", _NEAREST):
        marks.append(f"tier {node.tier}")
    state = f" ({', '.join(marks)})" if marks else ""
    title = shown(" ".join(node.title.split()))
    if len(title) > _TITLE_LENGTH:
        title = title[: _TITLE_LENGTH - 1].rstrip() + "…"
    return f"{node.key}{state}{': ' if title else ''}{title}"


def _mermaid_text(text: str) -> str:
    # A number for every sign of ASCII that could be syntax somewhere: in quotes, in a directive,
    # in Markdown, in HTML. What is not ASCII is syntax nowhere.
    return "".join(
        sign if sign.isalnum() or sign in " _,.-/" or not sign.isascii() else f"#{ord(sign)};"
        for sign in text
    )


def _dot_text(text: str) -> str:
    # Graphviz reads backslashes and HTML entities also within quotes.
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")
