"""Edges in words, for people and in JSON."""

from __future__ import annotations

from gitkb.cli.render_text import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from gitkb.core.link import Edge
    from gitkb.operations.show import Neighbour, Shown

_WORDS = {
    "relates_to": ("relates to", "related to by"),
    "depends_on": ("depends on", "needed by"),
    "implements": ("implements", "implemented by"),
    "supersedes": ("replaces", "replaced by"),
    "rejected_because": ("rejected because of", "the reason to reject"),
    "caused_by": ("caused by", "the cause of"),
    "part_of": ("part of", "consists of"),
}
"""What an edge says of its source, and what it says of its target."""


def in_words(edge: Edge, key: str) -> str:
    """Say what an edge means for one of its ends: ``replaced by dec_7p2m4x8a``."""
    outgoing, incoming = _WORDS[edge.relation]
    return f"{outgoing} {edge.target}" if edge.source == key else f"{incoming} {edge.source}"


def edge_value(edge: Edge) -> dict[str, Any]:
    """The JSON form of an edge."""
    value: dict[str, Any] = {"from": edge.source, "rel": edge.relation, "to": edge.target}
    if edge.derived:
        value["derived"] = True
    return value


def link_facts(shown: Shown) -> Iterator[tuple[str, str]] | None:
    """What an entry's page says of its edges; None where nothing is known of them."""
    return None if shown.neighbours is None else _link_facts(shown, shown.neighbours)


def _link_facts(shown: Shown, neighbours: tuple[Neighbour, ...]) -> Iterator[tuple[str, str]]:
    for at in shown.superseded_by:
        yield "superseded by", _with_title(at)
    for doubt in shown.in_doubt:
        direct = any(at.key == doubt.key and at.edge.relation == "depends_on" for at in neighbours)
        way = "depends on" if direct else "depends, through others, on"
        title = f": {one_line(doubt.title, 80)}" if doubt.title else ""
        yield "in doubt", f"{way} {doubt.key}, which is {doubt.status}{title}"
    for at in neighbours:
        if at.is_outgoing:
            named = "content names" if at.edge.derived else at.edge.relation
            yield "links", f"{named} {_with_title(at)}"
        elif at not in shown.superseded_by:
            yield "linked by", f"{at.edge.relation}, {_with_title(at)}"


def _with_title(at: Neighbour) -> str:
    state = "" if at.status == "active" else f" ({at.status})"
    title = f": {one_line(at.title, 80)}" if at.title else ""
    return f"{at.key}{state}{title}"


def link_values(shown: Shown) -> dict[str, Any]:
    """What an entry's JSON says of its edges beside those it stores."""
    value: dict[str, Any] = {}
    if shown.superseded_by:
        value["superseded_by"] = [at.key for at in shown.superseded_by]
    if shown.in_doubt:
        value["in_doubt"] = [doubt.key for doubt in shown.in_doubt]
        value["in_doubt_because"] = [doubt._asdict() for doubt in shown.in_doubt]
    if shown.neighbours:
        value["edges"] = [
            {**edge_value(at.edge), "title": at.title, "status": at.status}
            for at in shown.neighbours
        ]
    return value
