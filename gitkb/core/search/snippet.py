"""The part of a text in which a query was found, and where its words stand there.

1. What is marked are words of the text as they are written: `retries` where `retry` was asked for, a part
   of a name in camel case, two signs of a script that does not part words.
2. A snippet is a piece of the text that holds as many of the different words as any piece of its size,
   the first of those, with an ellipsis where it was cut.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from gitkb.core.search.word_form import split_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

_BEFORE = 40
"""Characters shown before the first word, if there are so many and the piece does not begin there."""
_MOST = 300
"""Matches that are weighed against each other, which costs the square of them."""
# A run of what is no space and no other sign; apostrophes stand within words of some languages.
_find_runs = re.compile(r"[^\W_](?:[^\s!-&(-/:-@\[-`{-~]|'(?=\w))*").finditer
_find_parts = re.compile(r"[A-Z]+s(?![a-z0-9])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+").finditer
_find_words = re.compile(r"[^\W_]+").finditer
_find_ascii_words = re.compile(r"[A-Za-z0-9]+").finditer
_find_signed = re.compile(r"(?<![A-Za-z0-9_])[A-Za-z](?:\+\+|#)(?![A-Za-z0-9_+#])").finditer


class Match(NamedTuple):
    """Where a word stands, in characters, and which one it is in its folded form."""

    start: int
    end: int
    word: str


class Snippet(NamedTuple):
    """A piece of a text, and the matches in it."""

    text: str
    matches: tuple[Match, ...]


def find_matches(text: str, words: Collection[str]) -> list[Match]:
    """Find words, as `split_words` folds them, in a text: in their order, none over another."""
    if not words:
        return []
    found = [
        Match(at.start(), at.end(), word)
        for at in _find_signed(text)
        for word in split_words(at[0])[1:]
        if word in words
    ]
    for run in _find_runs(text):
        found += _in_run(run[0], run.start(), words)
    return _joined(sorted(found))


def _in_run(run: str, at: int, words: Collection[str]) -> Iterator[Match]:
    held = split_words(run)
    if not any(word in words for word in held):
        return
    if held[0] in words and (len(held) == 1 or (run.isascii() and run.isalnum())):
        yield Match(at, at + len(run), held[0])
        return
    if len(held) == 1:
        return
    find = _find_parts if run.isascii() else _find_words
    for part in find(run):
        forms = split_words(part[0])
        if forms and forms[0] in words and len(forms) == 1:
            yield Match(at + part.start(), at + part.end(), forms[0])
        elif len(forms) > 1:
            yield from _in_signs(part[0], at + part.start(), words)


def _in_signs(part: str, at: int, words: Collection[str]) -> Iterator[Match]:
    """Look for words in what a script writes without spaces, or another one runs on into."""
    for word in words:
        start = -1 if word.isascii() else part.find(word)
        while start >= 0:
            yield Match(at + start, at + start + len(word), word)
            start = part.find(word, start + 1)
    for inner in _find_ascii_words(part):
        if inner[0].lower() in words:
            yield Match(at + inner.start(), at + inner.end(), inner[0].lower())


def _joined(matches: Sequence[Match]) -> list[Match]:
    joined: list[Match] = []
    for match in matches:
        if joined and match.start < joined[-1].end:
            last = joined[-1]
            joined[-1] = last._replace(end=max(last.end, match.end))
        else:
            joined.append(match)
    return joined


def cut_snippet(text: str, words: Collection[str], length: int) -> Snippet:
    """Give the piece of a text, of at most `length` characters, that says most about some words.

    The text is one line. A text in which none of them stands is cut at its end.
    """
    matches = find_matches(text, words)
    if len(text) <= length:
        return Snippet(text, tuple(matches))
    start = _best_start(text, matches[:_MOST], length) if matches else 0
    end = min(len(text), start + length - (1 if start else 0))
    if end < len(text):
        end -= 1
        blank = text.rfind(" ", start + length // 2, end + 1)
        end = blank if blank > 0 else end
    head, tail = ("…" if start else ""), ("…" if end < len(text) else "")
    shift = len(head) - start
    kept = tuple(
        match._replace(start=match.start + shift, end=min(match.end, end) + shift)
        for match in matches
        if start <= match.start < end
    )
    return Snippet(head + text[start:end] + tail, kept)


def _best_start(text: str, matches: Sequence[Match], length: int) -> int:
    before = min(_BEFORE, length // 4)
    room = length - 2
    if matches[0].end <= room and _different(matches, 0, room) == len({m.word for m in matches}):
        return 0  # the beginning of a text is where it explains itself
    best = max(matches, key=lambda m: (_different(matches, m.start - before, room), -m.start))
    # Near the end of the text there is room for more of what is before.
    start = max(min(best.start - before, len(text) - room), 0)
    if start == 0:
        return 0
    blank = text.find(" ", start, best.start)
    return blank + 1 if blank >= 0 else best.start


def _different(matches: Sequence[Match], start: int, length: int) -> int:
    first = max(start, 0)
    return len({m.word for m in matches if m.start >= first and m.end <= first + length})
