"""What a query found in one entry, marked where it stands."""

from __future__ import annotations

from gitkb.cli.terminal.line import Span
from gitkb.core.search.snippet import Match, cut_snippet, find_matches
from gitkb.core.unsafe import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitkb.index.full_text import Explanation


class Found:
    """The words of one entry that a query found."""

    def __init__(self, why: Explanation | None) -> None:
        self._words = {
            field: frozenset(word.word for word in words)
            for field, words in (why.words if why else {}).items()
        }

    def marked(self, text: str, role: str, field: str = "title") -> tuple[Span, ...]:
        """Mark the words in a text of one line."""
        return _spans(text, find_matches(text, self._words.get(field, frozenset())), role)

    def snippet(self, content: str, length: int) -> tuple[Span, ...]:
        """Give the piece of a content that holds the words, on one line, with the words marked."""
        # First safe, then searched: what makes it safe changes where the words stand.
        text = shown(" ".join(content.split()))
        cut = cut_snippet(text, self._words.get("content", frozenset()), length)
        return _spans(cut.text, cut.matches, "prose")


def _spans(text: str, matches: Sequence[Match], role: str) -> tuple[Span, ...]:
    spans, at = [], 0
    for match in matches:
        spans += [Span(text[at : match.start], role)]
        spans += [Span(text[match.start : match.end], "match")]
        at = match.end
    return (*spans, Span(text[at:], role))
