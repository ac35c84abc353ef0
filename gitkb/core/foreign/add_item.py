"""One learning of a freeform log: what its first words and its lines say about it.

``- 2026-02-08: text``, ``- **[high] Title** (L-017, 2026-02-08)`` and the many forms between them.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from gitkb.core.entry import SCOPES, derived_title
from gitkb.core.foreign.add_words import BADGES, badge_of, find_severity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_DAY = r"\d{4}-\d{2}-\d{2}(?:T[\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?"
_SEPARATOR = r"[ \t]*(?:[:—–|]|-(?=\s|$))*[ \t]*"
_date = re.compile(rf"[\[(*_`]{{0,3}}(?P<day>{_DAY})(?![\w-])[\])*_`:]{{0,4}}{_SEPARATOR}").match
_badge = re.compile(
    rf"[*_`]{{0,3}}(?:[\[(](?P<word>critical|high|medium|low)[\])]|(?P<sign>[{''.join(BADGES)}]))"
    rf"[*_`]{{0,3}}{_SEPARATOR}",
    re.IGNORECASE,
).match
_bold_badge = re.compile(
    r"(?:\*\*|__)(?:(?P<loud>(?-i:CRITICAL|HIGH|MEDIUM|LOW))[:!]?(?:\*\*|__)"
    r"|(?P<word>critical|high|medium|low)(?:[:!](?:\*\*|__)|(?:\*\*|__)[ \t]*(?=[:—–]|- )))"
    rf"{_SEPARATOR}",
    re.IGNORECASE,
).match
_number = re.compile(
    rf"[*_`\[(]{{0,4}}(?P<number>W?L-\d{{3,9}})(?![\w-])[\])*_`]{{0,4}}{_SEPARATOR}"
).match
_of_view = re.compile(
    r"\*\*\[(?P<word>[^\]\s]+)\] (?P<title>.+)\*\*(?: \((?P<names>[^()]*)\))?[ \t]*(?:\n|$)"
).match
_bold = re.compile(
    r"\*\*(?!\s)(?P<stars>(?:(?!\n[ \t]*\n|\*\*).)+?)(?<!\s)\*\*|__(?!\s)(?P<lines>(?:(?!\n[ \t]*\n|__).)+?)(?<!\s)__",
    re.DOTALL,
).match
_names = re.compile(rf"[ \t]*\(([^()\n]*)\){_SEPARATOR}").match
_names_at_end = re.compile(r"(?<=\S)[ \t]+[\[(]([^()\[\]]*)[\])][ \t]*$").search
_after = re.compile(_SEPARATOR).match
_from = re.compile(r"(?:from|source:?)[ \t]+(\S.*)", re.IGNORECASE).fullmatch
_is_day = re.compile(_DAY).fullmatch
_is_number = re.compile(r"W?L-\d{3,9}").fullmatch
_checkpoint = re.compile(r"checkpoint\b[ \t]*(?:[:—–-][ \t]*)?", re.IGNORECASE).match
_heading_date = re.compile(rf"[ \t]*(?:[—–|:-]|\bon\b)*[ \t]*[\[(]?({_DAY})[\])]?[ \t]*$").search
_sentence = re.compile(r"(\S.{8,98}?[.!?])(?=\s|$)").match
_statement = re.compile(
    r"(?:[-*+][ \t]+)?[*_]{0,2}(?P<name>severity|scope|stack|category|source|date|checkpoint(?:[ _]type)?"
    r"|classified[ _]by|id)[*_]{0,2}[ \t]*:[*_]{0,2}[ \t]*(?P<value>\S.*?)[ \t]*",
    re.IGNORECASE,
).fullmatch
_is_name = re.compile(r"[\w.+#/-]{1,40}(?: [\w.+#/-]{1,40}){0,3}").fullmatch

CHECKPOINTS: Mapping[str, str] = {
    "retro": r"retro(?:spective)?s?\b", "post-away": r"away\b", "post-tdd": r"(?:post-?)?tdd\b",
    "post-deploy": r"(?:post-?)?deploy\w*", "post-verify": r"(?:post-?)?verif\w+",
    "feature-complete": r"feature\b|complete\b|initial build\b|release\b",
}  # fmt: skip
_checkpoints = [
    (name, re.compile(rf"\b{words}", re.IGNORECASE)) for name, words in CHECKPOINTS.items()
]


class Item(NamedTuple):
    """What a learning says; an empty text where it says nothing of it."""

    title: str = ""
    body: str = ""
    number: str = ""
    date: str = ""
    severity: str = ""
    severity_badge: str = ""
    """The severity, if a badge gives it."""
    category: str = ""
    scope: str = ""
    stack: tuple[str, ...] = ()
    source: str = ""
    classified_by: str = ""
    checkpoint: str = ""
    is_checkpoint: bool = False

    def with_body(self, text: str) -> Item:
        """Give a learning whose title stands in a heading the text under that."""
        item = _stated(self._replace(body=text.strip("\n")))
        item = item._replace(severity=item.severity or find_severity(item.body))
        return item._replace(body=item.body or item.title)


def checkpoint_of(text: str) -> str:
    """Say which trigger a heading names; empty where none."""
    return next((name for name, words in _checkpoints if words.search(text)), "")


def parse_heading(text: str) -> Item:
    """Read the heading of a section: ``Checkpoint: Initial build — 2026-02-07``, ``[high] L-003: Title``."""
    item, rest = _opening(" ".join(text.split()))
    is_checkpoint = False
    named = _checkpoint(rest)
    if named and rest[named.end() :].strip():
        is_checkpoint = True
        more, rest = _opening(rest[named.end() :])
        item = _first_of(item, more)
    names = re.search(r"[ \t]*\(([^()]*)\)$", rest)
    if names and (inside := _named(names[1])):
        item, rest = _first_of(item, inside), rest[: names.start()]
    day = _heading_date(rest)
    if day:
        item, rest = item._replace(date=item.date or day[1]), rest[: day.start()]
    title = rest.strip().strip("*_").strip()
    kind = checkpoint_of(title) if is_checkpoint else ""
    return item._replace(title=title, checkpoint=kind, is_checkpoint=is_checkpoint)


def parse_item(text: str) -> Item:
    """Read an item of a list, without its marker, or a paragraph."""
    text = text.strip("\n")
    view = _of_view(text)
    if view:
        item = _named(view["names"] or "") or Item()
        if view["names"] and item == Item():
            view = None
        else:
            word = view["word"]
            item = item._replace(
                severity=word.lower() if badge_of(word) else word, severity_badge=word
            )
            item = item._replace(title=_line(view["title"]), body=text[view.end() :].strip("\n"))
            return item._replace(body=item.body or item.title)
    item, rest = _opening(text)
    bold = _bold(rest)
    if bold:
        more, title = _opening(_line(bold["stars"] or bold["lines"]))
        item = _first_of(item, more)
        after, item = _closing(rest[bold.end() :], item)
        title = title.rstrip(" :—–").rstrip() if not title.endswith("...") else title
        if title:
            item = _stated(item._replace(title=title, body=after.strip("\n").strip(" ")))
            severity = item.severity or find_severity(f"{bold[0]}{after}")
            return item._replace(body=item.body or item.title, severity=severity)
    first, end, later = rest.partition("\n")
    names = _names_at_end(first)
    if names and (inside := _named(names[1])):
        item, rest = _first_of(item, inside), f"{first[: names.start()]}{end}{later}"
    item = _stated(item._replace(body=rest))
    item = item._replace(severity=item.severity or find_severity(item.body))
    return item._replace(title=_title_of(item.body), body=item.body)


def _opening(text: str) -> tuple[Item, str]:
    """Take dates, badges and numbers from the beginning of a text, in any order."""
    item = Item()
    while True:
        day, badge, number = _date(text), _badge(text), _number(text)
        loud = _bold_badge(text)
        if loud and not item.severity:
            word = (loud["loud"] or loud["word"]).lower()
            item = item._replace(severity=word, severity_badge=word)
            text = text[loud.end() :]
        elif day and not item.date:
            item, text = item._replace(date=day["day"]), text[day.end() :]
        elif badge and not item.severity:
            word = badge["word"].lower() if badge["word"] else BADGES[badge["sign"]]
            # The marks of a bold title may begin before its badge: `**[high] Title**`.
            opened = re.match(r"[*_]{2}", badge[0])
            closed = badge[0].rstrip().endswith(("**", "__", "`"))
            mark = opened[0] if opened and not closed else ""
            item = item._replace(severity=word, severity_badge=word)
            text = mark + text[badge.end() :]
        elif number and not item.number:
            opened = re.match(r"[*_]{2}", number[0])
            closed = re.search(r"[*_]{2}[^*_]*$", number[0][2:]) is not None
            mark = opened[0] if opened and not closed else ""
            item, text = item._replace(number=number["number"]), mark + text[number.end() :]
        else:
            return item, text


def _closing(text: str, item: Item) -> tuple[str, Item]:
    """Take what stands after a bold title: names in brackets, badges, what separates it from the text."""
    while True:
        names, badge = _names(text), _badge(text.lstrip(" \t"))
        if names and (inside := _named(names[1])):
            item, text = _first_of(item, inside), text[names.end() :]
        elif badge and not item.severity:
            more, text = _opening(text.lstrip(" \t"))
            item = _first_of(item, more)
        else:
            break
    after = _after(text)
    text = text[after.end() :] if after else text
    return text, item


def _named(text: str) -> Item | None:
    """Read ``L-017, 2026-02-08, project``; None where anything else stands among it."""
    item = Item()
    for name in text.split(","):
        name = name.strip().strip("`*_")
        origin = _from(name)
        what, stated, value = name.partition(":")
        more = (
            _with_statement(item, what.lower(), value.strip()) if stated and value.strip() else None
        )
        if _is_number(name) and not item.number:
            item = item._replace(number=name)
        elif _is_day(name) and not item.date:
            item = item._replace(date=name)
        elif badge_of(name) and not item.severity:
            item = item._replace(severity=badge_of(name), severity_badge=name)
        elif name.lower() in SCOPES and not item.scope:
            item = item._replace(scope=name.lower())
        elif origin and not item.source:
            item = item._replace(source=origin[1])
        elif more is not None:
            item = more
        else:
            return None
    return item


def _stated(item: Item) -> Item:
    """Take lines such as ``Severity: high`` out of a body; those that say nothing certain stay."""
    kept: list[str] = []
    in_code = False
    for line in item.body.split("\n"):
        if line.lstrip().startswith(("```", "~~~")):
            in_code = not in_code
        stated = None if in_code else _statement(line.strip())
        new = _with_statement(item, stated["name"].lower(), stated["value"]) if stated else None
        if new is None:
            kept.append(line)
        else:
            item = new
    if len(kept) == len(item.body.split("\n")):
        return item
    return item._replace(body="\n".join(kept).strip("\n"))


def _with_statement(item: Item, name: str, value: str) -> Item | None:
    plain = value.strip("`*_[] ")
    if name == "severity" and badge_of(plain) and not item.severity:
        return item._replace(severity=badge_of(plain), severity_badge=plain)
    if name == "scope" and plain.lower() in SCOPES and not item.scope:
        return item._replace(scope=plain.lower())
    if name == "stack" and not item.stack:
        words = [word.strip(" `\"'").lower() for word in plain.split(",")]
        if all(_is_name(word) for word in words):
            return item._replace(stack=tuple(words))
    if name == "date" and _is_day(plain) and not item.date:
        return item._replace(date=plain)
    if name == "id" and _is_number(plain) and not item.number:
        return item._replace(number=plain)
    if name == "category" and _is_name(plain) and not item.category:
        return item._replace(category=plain.lower())
    if name == "source" and _is_name(plain) and not item.source:
        return item._replace(source=plain)
    if name.startswith("checkpoint") and _is_name(plain) and not item.checkpoint:
        return item._replace(checkpoint=plain.lower())
    if name.startswith("classified") and plain.lower() in ("agent", "human"):
        return item._replace(classified_by=plain.lower()) if not item.classified_by else None
    return None


def _first_of(one: Item, other: Item) -> Item:
    """Fill what the first does not say with what the other does."""
    said = {name: value for name, value in one._asdict().items() if value}
    return other._replace(**said)


def _title_of(body: str) -> str:
    first = next((line.strip() for line in body.split("\n") if line.strip()), "")
    if first.startswith(("```", "~~~", "|")):
        return ""
    sentence = _sentence(first)
    # A full stop within code, or of an abbreviation, ends no sentence that is a title.
    if sentence and sentence[1].count("`") % 2 == 0 and len(sentence[1]) <= 80:
        return sentence[1].rstrip(".")
    return derived_title(first)


def _line(text: str) -> str:
    return " ".join(text.split())
