"""A change of `core.diff.text` with its parts told apart: what went, what came, what kind of change it is."""

from __future__ import annotations

import re

from gitkb.cli.terminal.line import Line, Span, line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_find_words = re.compile(r"\[-.*?-\]|\{\+.*?\+\}", re.DOTALL).finditer
_find_value = re.compile(r" {6}[-+] ").match
_KINDS = {
    "added": "plus",
    "restored": "plus",
    "revived": "plus",
    "changed": "title",
    "confirmed": "title",
    "moved": "title",
    "archived": "gone",
}
_OTHER_KIND = "warning"
_UNIFIED = {"+": "plus", "-": "minus", "@": "key"}


def diff_lines(lines: Sequence[str]) -> Iterator[Line]:
    """Give the lines of one change, the heading first, with the roles of their parts."""
    heading, *body = lines
    kind, blanks, rest = heading[:10], heading[10:12], heading[12:]
    key, gap, facts = rest.partition("  ")
    role = _KINDS.get(kind.strip(), _OTHER_KIND)
    yield line(Span(kind, role), blanks, Span(key, "key"), gap, *_facts(facts))
    text = "\n".join(body)
    at, spans = 0, []
    for word in _find_words(text):
        spans += [Span(text[at : word.start()])]
        spans += [Span(word[0], "minus" if word[0][0] == "[" else "plus")]
        at = word.end()
    yield from _split([*spans, Span(text[at:])]) if body else ()


def unified_lines(lines: Iterable[str]) -> Iterator[Line]:
    """Give the lines of a unified diff with the colours that git gives them."""
    for number, text in enumerate(lines):
        yield line(Span(text, "title" if number < 2 else _UNIFIED.get(text[:1], "")))


def _facts(facts: str) -> Iterator[Span]:
    for number, fact in enumerate(facts.split(" · ")):
        if number:
            yield Span(" · ")
        yield Span(fact, "alarm" if fact in ("must-check", "contested") else "")


def _split(spans: Sequence[Span]) -> Iterator[Line]:
    """Break parts into lines where their texts have line ends; a part can go on over several."""
    row: list[Span] = []
    for text, role in spans:
        first, *others = text.split("\n")
        row.append(Span(first, role))
        for other in others:
            yield _whole(row)
            row = [Span(other, role)]
    yield _whole(row)


def _whole(row: Sequence[Span]) -> Line:
    made = line(*row)
    if _find_value(made):
        return line(Span(made, "minus" if made[6] == "-" else "plus"), hang=8)
    return made
