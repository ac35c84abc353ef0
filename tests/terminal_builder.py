"""A terminal of a size, in which a program runs and whose screen a test can look at.

1. What is looked at is what a person sees: the bytes are interpreted by a terminal, not by the test.
2. The program has no key that is pressed: its input is the terminal, on which nobody types.
"""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import time
from typing import TYPE_CHECKING, NamedTuple

import pyte

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

SECONDS = 60


class Shown(NamedTuple):
    """What a program wrote on a terminal, and what is seen of it."""

    said: bytes
    exit_code: int
    screen: pyte.Screen

    @property
    def rows(self) -> list[str]:
        """The rows of the screen that are not empty at its end, without blanks at their ends."""
        rows = [row.rstrip() for row in self.screen.display]
        while rows and not rows[-1]:
            rows.pop()
        return rows

    @property
    def text(self) -> str:
        return "\n".join(self.rows)

    def coloured(self, colour: str) -> str:
        """All that stands in a colour, or in bold black for `match`, run by run."""
        runs, last = [], False
        for row in range(self.screen.lines):
            for column in range(self.screen.columns):
                cell = self.screen.buffer[row][column]
                is_in = cell.bg == "brown" if colour == "match" else cell.fg == colour
                if is_in:
                    runs.append(cell.data if last else f"|{cell.data}")
                last = is_in
            last = False
        return "".join(runs).removeprefix("|")


def show(
    words: Sequence[str],
    cwd: Path,
    *,
    columns: int = 80,
    lines: int = 500,
    env: Mapping[str, str] | None = None,
) -> Shown:
    """Run a program on a terminal until it ends. Colour is on unless `env` says otherwise."""
    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
    environ = {**os.environ, "TERM": "xterm-256color", "NO_COLOR": "", "PAGER": "cat"}
    child = subprocess.Popen(
        words, cwd=cwd, stdin=side, stdout=side, stderr=side, env={**environ, **(env or {})}
    )
    os.close(side)
    said = _read(main, time.monotonic() + SECONDS)
    os.close(main)
    code = child.wait(timeout=10)
    screen = pyte.Screen(columns, max(lines, 1000))
    pyte.ByteStream(screen).feed(said)
    return Shown(said, code, screen)


def _read(main: int, until: float) -> bytes:
    said = b""
    while time.monotonic() < until:
        if not select.select([main], [], [], 1)[0]:
            continue
        try:
            part = os.read(main, 65536)
        except OSError:  # what Linux says at the end
            return said
        if not part:
            return said
        said += part
    raise AssertionError(f"still running after {SECONDS} seconds: {said!r}")
