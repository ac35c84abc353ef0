"""Drawings stay drawings, whatever a title holds."""

from __future__ import annotations

import re

import pytest

from gitkb.core.documents.graph_drawing import Node, draw_dot, draw_mermaid
from gitkb.core.link import Edge

from strategies import NASTY_TEXTS

NASTY = (
    *NASTY_TEXTS,
    'x"] --> n9["y',
    "%%{init: {'securityLevel': 'loose'}}%%",
    "<script>alert(1)</script><br/>",
    "`code` and **bold** 1. list",
    "style: see:#foo; classDef x:#a;",
    "end\nsubgraph x\nclick n0 call f()",
    "\\N \\G \\l &lt; &amp; \\",
    "-->|x|",
    "#quot; #35; #",
)
_MERMAID = (
    r"flowchart TD",
    r"    %% \d+ more left out",
    r'    n\d+\["(?:[^\x00-\x2f\x3a-\x40\x5b-\x5e\x60\x7b-\x7f]|[ _,./-]|#\d+;)*"\]',
    r"    n\d+ (?:-->|-\.->)\|[a-z_]+\| n\d+",
    r"    classDef inactive stroke-dasharray: 5 5",
    r"    class n\d+(?:,n\d+)* inactive",
)
_DOT_TEXT = r'"(?:[^"\\&\x00-\x1f]|\\\\|\\"|&amp;)*"'
_DOT = (
    r"digraph gitkb \{",
    r"    // \d+ more left out",
    r"    node \[shape=box\];",
    rf"    {_DOT_TEXT} \[label={_DOT_TEXT}(?:, style=dashed)?\];",
    rf"    {_DOT_TEXT} -> {_DOT_TEXT} \[label={_DOT_TEXT}(?:, style=dashed)?\];",
    r"\}",
)


def shape(text: str, forms: tuple[str, ...]) -> list[int]:
    """Which form each line has; a line that has none is an injection."""
    found = []
    for line in text.split("\n"):
        [number] = [at for at, form in enumerate(forms) if re.fullmatch(form, line)]
        found.append(number)
    return found


@pytest.mark.parametrize("title", NASTY)
def test_no_title_is_syntax(title: str) -> None:
    nodes = [Node("a.b-c", "fact", title, "active"), Node("end", "fact", "plain", "rejected")]
    edges = [Edge("a.b-c", "part_of", "end"), Edge("end", "relates_to", "a.b-c", derived=True)]
    assert shape(draw_mermaid(nodes, edges, 3), _MERMAID) == [0, 1, 2, 2, 3, 3, 4, 5]
    assert shape(draw_dot(nodes, edges, 3), _DOT) == [0, 1, 2, 3, 3, 4, 4, 5]


@pytest.mark.parametrize("title", NASTY)
def test_what_cannot_be_seen_is_spelled_out(title: str) -> None:
    for draw in (draw_mermaid, draw_dot):
        text = draw([Node("k", "fact", title, "active")], [])
        assert not re.search(
            "[\u202a-\u202e\u2066-\u2069\u200b\ufeff\x00-\x09\x0b-\x1f\x7f\x80-\x9f]", text
        )


def test_a_drawing_of_each() -> None:
    nodes = [Node("a", "fact", 'Say "hi"', "superseded"), Node("b", status="missing")]
    edges = [Edge("a", "depends_on", "b")]
    assert draw_mermaid(nodes, edges).split("\n") == [
        "flowchart TD",
        '    n0["a #40;superseded#41;#58; Say #34;hi#34;"]',
        '    n1["b #40;missing#41;"]',
        "    n0 -->|depends_on| n1",
        "    classDef inactive stroke-dasharray: 5 5",
        "    class n0,n1 inactive",
    ]
    assert draw_dot(nodes, edges).split("\n") == [
        "digraph gitkb {",
        "    node [shape=box];",
        '    "a" [label="a (superseded): Say \\"hi\\"", style=dashed];',
        '    "b" [label="b (missing)", style=dashed];',
        '    "a" -> "b" [label="depends_on"];',
        "}",
    ]


def test_an_empty_graph_is_a_graph() -> None:
    assert draw_mermaid([], []) == "flowchart TD"
    assert draw_dot([], []).startswith("digraph gitkb {")


def test_a_long_title_is_cut_and_scripts_stay() -> None:
    text = draw_mermaid([Node("k", "fact", "знание 知识 می‌خواهم " * 9, "active")], [])
    assert "знание 知识 می‌خواهم" in text
    assert "…" in text
