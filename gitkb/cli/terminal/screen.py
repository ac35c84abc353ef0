"""What a stream shows its text on: a terminal of some size, with colour or without.

The conventions, in this order: NO_COLOR (https://no-color.org) takes colour away, FORCE_COLOR and
CLICOLOR_FORCE (https://bixense.com/clicolors) give it even to a pipe, and TERM=dumb or CLICOLOR=0 take it
from a terminal. COLUMNS and LINES say its size where they are set.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from gitkb.cli.terminal.width import NARROWEST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TextIO

FORCING = ("FORCE_COLOR", "CLICOLOR_FORCE")
_USUAL = (80, 24)
_PROSE = 100
"""Cells: longer lines of running text are hard to read."""


class Screen(NamedTuple):
    """What text is drawn for."""

    width: int | None
    """Cells; None where lines may be as long as they are."""
    height: int
    has_colour: bool

    @property
    def is_terminal(self) -> bool:
        return self.width is not None

    @property
    def prose(self) -> int | None:
        """How wide running text is."""
        return None if self.width is None else min(self.width, _PROSE)


def is_colour_forced(environ: Mapping[str, str]) -> bool:
    """Say whether colour is wanted where no terminal is."""
    if environ.get("NO_COLOR"):
        return False
    return any(environ.get(name, "") not in ("", "0") for name in FORCING)


def read_screen(stream: TextIO, environ: Mapping[str, str]) -> Screen:
    """Find out what a stream is drawn on."""
    forced = is_colour_forced(environ)
    if not stream.isatty():
        return Screen(None, _USUAL[1], forced)
    width, height = _size(stream, environ)
    return Screen(max(width, NARROWEST), height, forced or _takes_colour(environ))


def _takes_colour(environ: Mapping[str, str]) -> bool:
    if environ.get("NO_COLOR") or environ.get("CLICOLOR") == "0":
        return False
    if os.name == "nt" and not any(name in environ for name in ("WT_SESSION", "TERM", "ANSICON")):
        return False  # an old console prints the codes
    return environ.get("TERM", "dumb" if os.name != "nt" else "") != "dumb"


def _size(stream: TextIO, environ: Mapping[str, str]) -> tuple[int, int]:
    try:
        size: tuple[int, int] = os.get_terminal_size(stream.fileno())
    except (OSError, ValueError):
        size = (0, 0)
    said = (environ.get("COLUMNS", ""), environ.get("LINES", ""))
    width, height = (
        int(text) if text.isascii() and text.isdigit() and len(text) < 5 else 0 for text in said
    )
    return width or size[0] or _USUAL[0], height or size[1] or _USUAL[1]
