"""A regular expression that is compiled when it is first asked.

Compiling the patterns of secrets takes a third of a start of Python, and most texts need none of them; one short
pattern takes a hundredth, which what starts at every call saves.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


class LatePattern:
    """Answers as the pattern of `re` with this text would."""

    __slots__ = ("_compiled", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._compiled: re.Pattern[str] | None = None

    @property
    def pattern(self) -> re.Pattern[str]:
        """The pattern itself."""
        if self._compiled is None:
            self._compiled = re.compile(self._text)
        return self._compiled

    def search(self, text: str) -> re.Match[str] | None:
        """Find it anywhere."""
        return self.pattern.search(text)

    def match(self, text: str, at: int = 0) -> re.Match[str] | None:
        """Find it at a place."""
        return self.pattern.match(text, at)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """Say whether a text is it, whole."""
        return self.pattern.fullmatch(text)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Find it wherever it stands."""
        return self.pattern.finditer(text)
