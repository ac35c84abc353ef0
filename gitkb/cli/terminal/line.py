"""A line of text that knows what its parts are, so that a terminal can tell them apart.

1. It is the text: in a pipe, in a test and in a search nothing but the text of it is seen.
2. A role (``key``, ``age``) says what a part is, never how it looks; `paint` knows that.
"""

# No deferred annotations here: see `core.problem`.
from collections.abc import Iterable
from typing import NamedTuple


class Span(NamedTuple):
    """A part of a line."""

    text: str
    role: str = ""


class Line(str):
    """A text with its parts; made by `line`."""

    parts: tuple[Span, ...]
    hang: int | None
    """How far its further rows are set in where it is folded; None: as it is itself."""


def line(*parts: str | Span, hang: int | None = None) -> Line:
    """Join the parts of a line. A line among them keeps its own."""
    spans: list[Span] = []
    for part in parts:
        if isinstance(part, Span):
            spans.append(part)
        else:
            spans += parts_of(part)
    made = Line("".join([span.text for span in spans]))
    made.hang = hang
    made.parts = tuple(span for span in spans if span.text)
    return made


def parts_of(text: str) -> tuple[Span, ...]:
    """Give the parts of a text; one that is no line is one part."""
    return text.parts if isinstance(text, Line) else (Span(text),)


def joined(separator: str, parts: Iterable[str | Span]) -> Line:
    """Join parts with a text between each two."""
    found: list[str | Span] = []
    for part in parts:
        found += [separator, part] if found else [part]
    return line(*found)
