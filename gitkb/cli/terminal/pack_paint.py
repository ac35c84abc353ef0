"""A context pack with its parts told apart: where a part begins, the keys, and what to know of an entry.

What an entry says stands set in (`core.packs.text`), so no line of it is taken for one of ours.
"""

from __future__ import annotations

from gitkb.cli.render_text import mark
from gitkb.cli.terminal.line import Span, joined, line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitkb.cli.terminal.line import Line

_MARKS = ("contested", "in doubt", "stale")


def pack_lines(text: str) -> Iterator[Line]:
    """Give the lines of a pack with the roles of their parts."""
    is_below_heading = False
    for row in text.split("\n"):
        if row.startswith("### "):
            key, colon, title = row[4:].partition(": ")
            yield line("### ", Span(key, "key"), colon, Span(title, "title"))
        elif row.startswith("## "):
            yield line(Span(row, "title"))
        elif row.startswith("- "):
            key = row[2:].partition(" ")[0].removesuffix(":")
            yield line("- ", Span(key, "key"), row[2 + len(key) :])
        elif row.startswith("    "):
            yield line(Span(row, "prose"))
        elif is_below_heading:
            yield joined(" · ", map(_fact, row.split(" · ")))
        else:
            yield line(Span(row, "label"))
        is_below_heading = row.startswith("### ")


def _fact(text: str) -> Span:
    return mark(text) if text in _MARKS else Span(text, "label")
