"""Progress of long work on stderr of a terminal: a bar, how far it is, and how fast it goes.

1. Nothing is shown before half a second, and nothing of it is left behind.
2. It is drawn when a step is done, by no thread: whatever else is said finds the line empty after `end`.
3. Without colour it is one line of text that is written over.
"""

from __future__ import annotations

import time

from gitkb.cli.terminal.width import fit, pad

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

    from rich.progress import Progress, TaskID

    from gitkb.cli.terminal.screen import Screen
    from gitkb.core.progress import Advance

QUIET_SECONDS = 0.5
_BETWEEN_SECONDS = 0.1
_BYTES = "MB"
_MILLION = 1_000_000


class Bar:
    """What shows one piece of work after the other."""

    def __init__(self, stream: TextIO, screen: Screen) -> None:
        self._stream = stream
        self._screen = screen
        self._name = self._unit = ""
        self._total: int | None = None
        self._done = 0
        self._began = self._drawn = 0.0
        self._progress: Progress | None = None
        self._task: TaskID | None = None
        self._has_text = False

    def begin(self, name: str, unit: str, total: int | None) -> Advance:
        """Show another piece of work."""
        self.end()
        self._name, self._unit, self._total, self._done = name, unit, total, 0
        self._began = time.monotonic()
        return self._advance

    def end(self) -> None:
        """Take away what is shown."""
        if self._progress is not None:
            self._progress.stop()
            self._progress = None
        self._drawn = 0.0
        if self._has_text:
            self._write(" " * (self._width) + "\r")
            self._has_text = False

    def _advance(self, count: int) -> None:
        self._done += count
        if self._total is not None and self._done >= self._total:
            self.end()
            return
        now = time.monotonic()
        if now - self._began < QUIET_SECONDS or now - self._drawn < _BETWEEN_SECONDS:
            return
        self._drawn = now
        if self._screen.has_colour:
            self._draw(self._rate(now))
        else:
            self._has_text = True
            self._write(pad(fit(self._text(self._rate(now)), self._width), self._width) + "\r")

    @property
    def _width(self) -> int:
        return (self._screen.width or 80) - 1

    def _rate(self, now: float) -> str:
        speed = self._done / (now - self._began)
        if self._unit == _BYTES:
            return f"{speed / _MILLION:.1f} MB/s"
        return f"{speed:,.0f} {self._unit}/s"

    def _text(self, rate: str) -> str:
        if not self._total:
            return f"{self._name}: {self._done:,}, {rate}"
        return f"{self._name}: {100 * self._done // self._total} %, {rate}"

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except OSError:
            pass  # nobody is left who could see it

    def _draw(self, rate: str) -> None:
        if self._progress is None:
            self._progress = _progress_on(self._stream, self._width)
            self._task = self._progress.add_task(self._name, total=self._total, rate=rate)
            self._progress.start()
        if self._task is not None:
            self._progress.update(self._task, completed=self._done, rate=rate)
            self._progress.refresh()


def _progress_on(stream: TextIO, width: int) -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

    console = Console(
        file=stream,
        width=width,
        color_system="standard",
        force_terminal=True,
        legacy_windows=False,
        _environ={},
    )
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=max(min(width - 45, 40), 8)),
        TaskProgressColumn(),
        TextColumn("{task.fields[rate]}", markup=False),
        console=console,
        transient=True,
        auto_refresh=False,
    )
