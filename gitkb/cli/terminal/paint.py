"""Draw lines on a screen: folded to its width, each part in the colour of its role.

1. Texts are made safe (`core.unsafe`) as whole lines and before any colour is added: the only escape
   sequences are those of the roles below, and no text can ask for one.
2. Colours are the sixteen that a person has chosen for the terminal, so they go with its background.
3. Without colour there is no escape sequence at all.
"""

from __future__ import annotations

from functools import cache

from gitkb.cli.terminal.line import Span, parts_of
from gitkb.cli.terminal.width import fold, hang_of
from gitkb.core.unsafe import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rich.style import Style

    from gitkb.cli.terminal.screen import Screen

ROLES = {
    "key": "cyan",
    "title": "bold",
    "tag": "blue",
    "author": "green",
    "age": "dim",
    "commit": "yellow",
    "label": "dim",
    "alarm": "bold red",
    "warning": "yellow",
    "gone": "dim",
    "hint": "cyan",
    "match": "bold black on yellow",
    "plus": "green",
    "minus": "red",
    "prose": "",
}
"""What each role looks like, in the words of `rich.style`."""
_TAB = "    "


def paint(lines: Iterable[str], screen: Screen) -> str:
    """Draw lines. One that has line ends in it is several, and has no parts."""
    return "\n".join(
        row
        for line in lines
        for one in (line.split("\n") if "\n" in line else (line,))
        for row in _rows(one, screen)
    )


def count_rows(text: str, screen: Screen) -> int:
    """Count the rows that a text takes which `paint` or nobody has folded."""
    if screen.width is None:
        return text.count("\n") + 1
    return sum(max(1, -(-len(line) // screen.width)) for line in text.split("\n"))


def _rows(line: str, screen: Screen) -> Iterator[str]:
    spans = _safe(line, screen)
    if screen.width is None:
        yield _drawn(spans, screen)
        return
    text = "".join([span.text for span in spans])
    is_prose = any(span.role == "prose" for span in spans)
    width = (screen.prose if is_prose else None) or screen.width
    told = getattr(line, "hang", None)
    hang = min(hang_of(text) if told is None else told, width // 4)
    for number, (start, end) in enumerate(fold(text, width, hang)):
        row = _drawn(_cut(spans, start, end), screen)
        yield " " * hang + row if number else row


def _safe(line: str, screen: Screen) -> Sequence[Span]:
    text = shown(line)
    spans = parts_of(line) if text == line else (Span(text),)
    if screen.is_terminal and "\t" in text:  # it would stand at a stop, wherever that is
        return [Span(span.text.replace("\t", _TAB), span.role) for span in spans]
    return spans


def _cut(spans: Sequence[Span], start: int, end: int) -> Iterator[Span]:
    at = 0
    for text, role in spans:
        first, last = max(start - at, 0), min(end - at, len(text))
        if first < last:
            yield Span(text[first:last], role)
        at += len(text)


def _drawn(spans: Iterable[Span], screen: Screen) -> str:
    if not screen.has_colour:
        return "".join([span.text for span in spans])
    return "".join([_coloured(span) for span in spans])


def _coloured(span: Span) -> str:
    if not ROLES.get(span.role) or not span.text:
        return span.text
    from rich.color import ColorSystem

    return _style(span.role).render(span.text, color_system=ColorSystem.STANDARD)


@cache
def _style(role: str) -> Style:
    from rich.style import Style

    return Style.parse(ROLES[role])
