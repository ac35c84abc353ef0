"""What the headings and words of a learning say about it: ADD's category, severity, stack, date.

1. Rules alone, the first that fits holds; the same text gives the same answer.
2. Nothing is read into a text that does not name it: what no rule is about stays without an answer, and
   the caller takes the seed's (technical, medium).
"""

from __future__ import annotations

import re

from gitkb.core.technology import find_technologies

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# fmt: off
_HEADINGS: Mapping[str, str] = {
    "anti-pattern":
        "anti[- ]?patterns?|pitfalls?|gotchas?|mistakes?|fail(?:ures?|ed)|did ?n.?t work|did not work"
        "|what to avoid|things to avoid|don.?ts",
    "architecture": r"architectur\w*|design decisions?|decisions?|designs?",
    "performance": "performance|optimi[sz]ations?|latency|speed",
    "collaboration": "collaborations?|communication|team ?work|working with",
    "process":
        r"process\w*|method\w*|workflows?|what worked|checkpoints?|retro\w*|ways of working",
    "technical": r"technical\w*|discover\w*|technolog\w*|implementation",
}
_TEXTS: Mapping[str, str] = {
    "anti-pattern": "anti-?patterns?|never|do not|don.t|avoid|pitfall|gotcha|footgun",
    "performance":
        r"performance|latenc\w+|slow(?:er|est|ly)?|throughput|p9[59]|memory leak|n\+1",
    "architecture": r"architectur\w+|micro-?services?|monolith|layering|bounded context",
    "collaboration":
        r"collaborat\w+|pair(?:ing| programming)|stakeholders?|code reviews?|hand-?offs?",
    "process":
        "process(?:es)?|workflow|retro(?:spective)?s?|checklist|tdd|spec-before-code|sprints?",
}
# fmt: on
_heading_rules = {
    name: re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for name, words in _HEADINGS.items()
}
_text_rules = {
    name: re.compile(rf"(?<![\w-])(?:{words})(?![\w-])", re.IGNORECASE)
    for name, words in _TEXTS.items()
}
_is_one_word = re.compile(r"[^\W\d_]{2,}(?:[-/][^\W\d_]{1,})*").fullmatch
_HEADINGS_OF_NOTHING = frozenset(
    """
    learnings learning library knowledge notes note misc miscellaneous other others general entries entry
    log logs history archive overview summary introduction about todo context index contents changelog
    uncategorized lessons insights backlog references links appendix recent new old today yesterday
    """.split()  # noqa: SIM905  a table to be read and extended
)
_LONGEST = 4_000

_VIEW_HEADINGS = {"anti-pattern": "Anti-Patterns"}
BADGES = {"🔴": "critical", "🟠": "high", "🟡": "medium", "🟢": "low"}
_badge = re.compile(r"critical|high|medium|low", re.IGNORECASE)
_opening = re.compile(
    r"[\s*_`]*(?:(?P<critical>critical|danger|blocker)|(?P<high>important|warning|must-check)"
    r"|(?P<low>minor|nit|trivial))\b[\w -]{0,20}\**\s*[:!]",
    re.IGNORECASE,
)


def heading_category(heading: str) -> str:
    """Say which category a heading names; empty where it names none.

    A single word may be a category of the project's own.
    """
    for category, rule in _heading_rules.items():
        if rule.search(heading):
            return category
    word = heading.strip()
    is_own = _is_one_word(word) and word.lower() not in _HEADINGS_OF_NOTHING
    return slug_of(word) if is_own else ""


def heading_of_category(category: str) -> str:
    """Write a category as the heading of a view: ``ci-cd`` is ``Ci Cd``."""
    if category in _VIEW_HEADINGS:
        return _VIEW_HEADINGS[category]
    name = " ".join(word.capitalize() for word in category.split("-"))
    return name if slug_of(name) == category and name not in _VIEW_HEADINGS.values() else category


def category_of_heading(heading: str) -> str:
    """Read it back; what was no such word was written as it is."""
    name = slug_of(heading)
    known = next((name for name, text in _VIEW_HEADINGS.items() if text == heading), "")
    return known or (name if heading_of_category(name) == heading else heading)


def slug_of(heading: str) -> str:
    """``CI/CD`` is ``ci-cd``."""
    return re.sub(r"[\W_]+", "-", heading.lower()).strip("-")


def find_category(text: str) -> str:
    """Say which category the words of a learning speak of; empty where they speak of none."""
    head = text[:_LONGEST]
    for category, rule in _text_rules.items():
        if rule.search(head):
            return category
    return ""


def find_severity(text: str) -> str:
    """Say which severity a learning opens with, such as ``Critical:``; empty where with none."""
    found = _opening.match(text)
    if found is None:
        return ""
    return next(name for name, value in found.groupdict().items() if value)


def badge_of(text: str) -> str:
    """Read what stands in brackets as a severity; empty where it is none."""
    return text.strip().lower() if _badge.fullmatch(text.strip()) else ""


def find_stack(text: str) -> list[str]:
    """Give the known technologies that a text names."""
    return sorted(find_technologies(text[:_LONGEST]))
