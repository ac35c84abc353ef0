"""An answer that waits until it is known whether it fits on the screen.

1. What fits is printed as it was said, in its order.
2. What does not goes to the pager; what was said before the answer stands above it, and what was said
   after its beginning below it.
3. A reader who leaves the pager early has seen enough: that is no error.
"""

from __future__ import annotations

import os
import sys

from gitkb.cli.terminal.paint import count_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.cli.terminal.screen import Screen


class Held:
    """The parts of an answer, and the notices beside it, in their order."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._parts: list[tuple[bool, str]] = []
        """Whether it is of the answer, and the text."""

    def write(self, text: str) -> None:
        self._parts.append((True, text))

    def notice(self, text: str) -> None:
        self._parts.append((False, text))

    def show(self) -> None:
        """Print it all. OSError where stdout cannot be written."""
        rows = sum(count_rows(text, self._screen) for _, text in self._parts)
        if rows < self._screen.height or not any(is_answer for is_answer, _ in self._parts):
            self._print(self._parts)
            return
        first = next(at for at, (is_answer, _) in enumerate(self._parts) if is_answer)
        before, rest = self._parts[:first], self._parts[first:]
        answer = "\n".join(text for is_answer, text in rest if is_answer) + "\n"
        self._print(before)
        if not _page(answer):
            self._print(rest)
            return
        self._print([part for part in rest if not part[0]])

    def _print(self, parts: list[tuple[bool, str]]) -> None:
        for is_answer, text in parts:
            if is_answer:
                sys.stdout.write(text + "\n")
                continue
            sys.stdout.flush()
            try:
                sys.stderr.write(text + "\n")
                sys.stderr.flush()
            except OSError:
                pass  # nobody is left who could be told
        sys.stdout.flush()


def _page(text: str) -> bool:
    from gitkb.git.pager import find_pager, run_pager

    command = find_pager(os.getcwd())
    return bool(command) and run_pager(command, text.encode("utf-8", "backslashreplace"))
