"""How many cells of a terminal a text takes, and where it is broken so that it fits.

1. No text is taken for narrower than any terminal shows it: a picture that a selector makes wide counts as
   wide, and each sign of a joined one by itself. So a text that is said to fit does not wrap.
2. What follows a break stands under its text, never in the first column, where our own lines begin.
"""

from __future__ import annotations

from unicodedata import category, east_asian_width

NARROWEST = 8
"""Cells: on less than that nothing can be read, and a sign with its indentation would not fit."""
_SELECTS_PICTURE = "\ufe0f"
_BETWEEN_FACTS = " · "
_JOINER = "\u200d"
_NO_START = " 、。，．！？：；」』）】〉》〕］｝ー…々ゝゞ"
"""What begins no row in Chinese and Japanese, and a blank."""
_NO_END = "（「『【〈《〔［｛"
_ZERO = ("Mn", "Me", "Cf")


def cells(text: str) -> int:
    """Count the cells that a text takes; tabs and line ends are not meant to be in it."""
    if text.isascii():
        return len(text)
    return sum(map(_cells_of, text))


def _cells_of(sign: str) -> int:
    if sign < "\u0300":
        return 1
    if sign == _SELECTS_PICTURE:
        return 1  # it makes the narrow sign before it wide
    if category(sign) in _ZERO:
        return 0
    if "\U0001f1e6" <= sign <= "\U0001f1ff":
        return 2  # half of a flag, where a terminal does not join the two
    return 2 if east_asian_width(sign) in "WF" else 1


def fit(text: str, room: int) -> str:
    """Cut a text to so many cells, with an ellipsis where something was cut off."""
    if cells(text) <= room:
        return text
    return text[: _end_of(text, 0, room - 1)].rstrip() + "…"


def pad(text: str, room: int) -> str:
    """Fill a text with blanks up to so many cells."""
    return text + " " * (room - cells(text))


def hang_of(text: str) -> int:
    """Say how far what follows a break in a line is set in: as its text is, and never not at all."""
    indent = len(text) - len(text.lstrip(" "))
    return indent or 4


def fold(text: str, width: int, hang: int) -> list[tuple[int, int]]:
    """Say where the rows of a line begin and end: the first in `width` cells, the others in `hang` fewer.

    Broken at blanks, which are dropped there; a word that is too long is broken anywhere but
    before a mark.
    """
    if cells(text) <= width:
        return [(0, len(text))]
    rows: list[tuple[int, int]] = []
    start, room = 0, width
    while True:
        end = _end_of(text, start, room)
        if end == len(text):
            return [*rows, (start, end)]
        end = _break_before(text, start, end, room)
        rows.append((start, start + len(text[start:end].rstrip(" "))))
        start, room = end, width - hang
        while start < len(text) and text[start] == " ":
            start += 1
        if start == len(text):
            return rows


def _break_before(text: str, start: int, end: int, room: int) -> int:
    """Move the end of a row back to where a reader expects it, if that is not too far."""
    between = text.rfind(_BETWEEN_FACTS, start, end)
    if between > start + room // 2:  # facts stay whole
        return between
    least = start + max(1, (end - start) // 3)
    for at in range(end, least, -1):
        if text[at] == " " and text[start:at].strip():
            return at
        if _is_between_signs(text, at):
            return at
    return end


def _is_between_signs(text: str, at: int) -> bool:
    """Whether a script that does not part words lets a row end there."""
    if text[at] in _NO_START or text[at - 1] in _NO_END or _belongs_to_last(text, at):
        return False
    return _cells_of(text[at]) == 2 or _cells_of(text[at - 1]) == 2


def _end_of(text: str, start: int, room: int) -> int:
    """Say where a row that begins at `start` ends at the latest; it takes one sign at least."""
    end, used = start, 0
    while end < len(text):
        used += _cells_of(text[end])
        if used > room:
            break
        end += 1
    while start + 1 < end < len(text) and _belongs_to_last(text, end):
        end -= 1
    return max(end, start + 1)


def _belongs_to_last(text: str, at: int) -> bool:
    sign = text[at]
    return (
        sign == _SELECTS_PICTURE
        or text[at - 1] == _JOINER
        or (sign >= "\u0300" and category(sign) in _ZERO)
    )
