"""Which recorded options a plan runs into: sentence by sentence, by how much of an option's title it says.

1. A plan runs into an option where one of its sentences, or two that follow each other, says most of what
   the option's title says; a word counts by how rare it is among the options, and what every plan says
   (`use`, `add`, `new`) hardly at all. Where little of the title is rare, what the option's text shares
   with the sentence has to make up for it.
   The names that a path is made of say where something is done, not what.
2. What a plan turns down itself (`instead of …`, `not …`, `rather than …`) it does not run into.
3. The thresholds are measured: docs/decisions/0031-remind-at-the-touch.md.
"""

from __future__ import annotations

import re
from itertools import pairwise
from math import log
from typing import NamedTuple

from gitkb.core.search.stop_words import STOP_WORDS
from gitkb.core.touch.words import WEAK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from gitkb.core.entry import Entry

THRESHOLD = 0.55
_LEAST_RARE = 2
"""So many words of a title that tell something have to be there, or all it has."""
_CONTENT_SHARE = 0.2
"""What it counts that an option's text explains the words of a sentence."""

_WEAK_WEIGHT = 0.25

_sentence_end = re.compile(r"(?<=[.!?;])\s+|\n\s*\n|\n\s*(?:[-*+•]|\d+[.)])\s+|\n#+\s*|\n\s*\|")
_turned_down = re.compile(
    r"(?:\b(?:instead of|rather than|as opposed to|in place of|not|no|never|no longer|without"
    r"|avoid(?:ing|s)?|stop(?:s|ping)?|drop(?:s|ping)?|remov(?:e|es|ing)|reject(?:s|ed|ing)?|against"
    r"|вместо|а не|не|без|отказ\w*|никогда|убрать|удалить)\b|\bkeep[^,.;:]{1,40}out of\b|n['’]t\b)"
    r"(?:(?![,;:!?\n]|\.(?:\s|$)).)*",
    re.IGNORECASE,
)


class Passage(NamedTuple):
    """A sentence of a plan, or two that follow each other."""

    text: str
    stems: frozenset[str]
    wanted: frozenset[str]
    """Without what it turns down."""


class Option(NamedTuple):
    """An entry that a plan may run into."""

    entry: Entry
    title: frozenset[str]
    text: frozenset[str]


class Match(NamedTuple):
    """How much of an option a plan says, where it says most of it."""

    score: float
    passage: str


def make_passages(
    plan: str, split: Callable[[str], Sequence[str]], stem: Callable[[str], str]
) -> list[Passage]:
    """Cut a plan into its sentences and points, and pairs of these."""
    sentences = [part.strip(" \t\n-*+•|#") for part in _sentence_end.split(f"\n{plan}")]
    sentences = [part for part in sentences if part]
    pairs = [f"{one} {other}" for one, other in pairwise(sentences)]
    said = [(text, _path.sub(" ", text)) for text in (*sentences, *pairs)]
    return [
        Passage(text, stems_of(words, split, stem), stems_of(_wanted(words), split, stem))
        for text, words in said
    ]


def make_option(
    entry: Entry, split: Callable[[str], Sequence[str]], stem: Callable[[str], str]
) -> Option:
    """Read what an entry says."""
    title = stems_of(entry.display_title, split, stem)
    return Option(entry, title, title | stems_of(entry.content, split, stem))


def stems_in(passages: Iterable[Passage]) -> frozenset[str]:
    """Give the stems of all of a plan."""
    return frozenset().union(*(passage.stems for passage in passages))


def weights_of(options: Iterable[Option]) -> Mapping[str, float]:
    """Say of each stem of the titles what it counts: the fewer options have it, the more."""
    held: dict[str, int] = {}
    total = 0
    for option in options:
        total += 1
        for stem in option.text:
            held[stem] = held.get(stem, 0) + 1
    unique = log(1 + (total + 0.5) / 1.5)
    return {
        stem: log(1 + (total - number + 1) / (number + 0.5)) / unique
        * (_WEAK_WEIGHT if stem in WEAK else 1.0)
        for stem, number in held.items()
    }  # fmt: skip


def match(
    option: Option, passages: Iterable[Passage], weights: Mapping[str, float], *, turned_down: bool
) -> Match | None:
    """Give the passage that says most of an option; None where none says enough.

    `turned_down`: what a plan turns down counts as well.
    """
    best: Match | None = None
    whole = sum(weights[stem] for stem in option.title)
    strong = [stem for stem in option.title if stem not in WEAK]
    if not whole or not strong:
        return None
    for passage in passages:
        stems = passage.stems if turned_down else passage.wanted
        shared = option.title & stems
        if len(shared.intersection(strong)) < min(_LEAST_RARE, len(strong)):
            continue
        if len(shared) < min(_LEAST_RARE, len(option.title)):
            continue
        covered = sum(weights[stem] for stem in shared) / whole
        explained = _share(stems, option.text, weights)
        score = (1 - _CONTENT_SHARE) * covered + _CONTENT_SHARE * explained
        score = max(score, covered * 0.9)
        if score >= THRESHOLD and (best is None or score > best.score):
            best = Match(round(score, 3), passage.text)
    return best


def _share(stems: frozenset[str], text: frozenset[str], weights: Mapping[str, float]) -> float:
    """Say how much of a sentence an option's text explains; a word that no option has weighs whole."""
    whole = sum(weights.get(stem, 1.0) for stem in stems)
    return sum(weights.get(stem, 1.0) for stem in stems & text) / whole if whole else 0.0


def stems_of(
    text: str, split: Callable[[str], Sequence[str]], stem: Callable[[str], str]
) -> frozenset[str]:
    """Give the stems of the words of a text that are no stop words."""
    return frozenset(
        stem(word) for word in split(text) if word not in STOP_WORDS and not word.isdigit()
    )


def _wanted(text: str) -> str:
    return _turned_down.sub(" ", text)


def paths_in(plan: str) -> Iterator[str]:
    """Give what looks like a path or the name of a file."""
    for chunk in plan.split():
        bare = chunk.strip("\"'`.,;:!?…()[]{}<>«»„“”‘’*")
        if "://" not in bare and ("/" in bare.strip("/") or _has_ending(bare)):
            yield bare


_path = re.compile(r"(?<![\w.])(?:\.{0,2}[\w@~-]+/)+[\w.@-]*\.[A-Za-z]\w{0,5}\b")
_has_ending = re.compile(r"[\w-]+\.[A-Za-z]\w{0,5}$").search
