"""What is said beside an answer: errors, hints, notes, each known by its first word."""

from __future__ import annotations

from gitkb.cli.terminal.line import Span, line
from gitkb.cli.terminal.paint import paint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.cli.terminal.screen import Screen

_ROLES = {"error": "alarm", "warning": "warning", "note": "warning", "hint": "hint"}


def paint_message(text: str, screen: Screen) -> str:
    """Draw one or more lines."""
    return paint([_told(one) for one in text.split("\n")], screen)


def _told(text: str) -> str:
    word, colon, rest = text.partition(":")
    return line(Span(word + colon, _ROLES[word]), rest) if colon and word in _ROLES else text
