"""An architecture decision record: what one file of Markdown says.

Read are Nygard's form and that of adr-tools, MADR with and without front matter, and their cousins: a
heading with or without a number, the status as a section, a line, a row of a table or in the front
matter.

1. The text is kept whole: what is taken out of it (the heading, the lines of status and date) is
   among the fields.
2. A relation is one only where a record is named right behind the words: "supersedes nothing" and
   "supersedes one point of it" relate nothing.
3. Nothing depends on other files; which file a reference means is found in `core.adr_folder`.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from gitkb.core.foreign.adr_words import (
    DATE_NAMES,
    STATUS_NAMES,
    TAG_NAMES,
    Reference,
    read_references,
    status_of,
)
from gitkb.core.foreign.front_matter import FrontMatter, parse_front_matter, split_front_matter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_number_of_file = re.compile(r"(?:adr[-_ ]?)?(\d+)(?=[-_. ]|$)", re.IGNORECASE).match
_number_of_title = re.compile(
    r"(?:\[?ADR[-_ #]*\d+\]?|\d+)[ \t]*[-.:)\u2013\u2014]+[ \t]+(?=\S)", re.IGNORECASE
).match
_heading = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$").match
_underline = re.compile(r" {0,3}(=+|-+)[ \t]*$").match
_fence = re.compile(r" {0,3}(`{3,}|~{3,})").match
_label = re.compile(
    r"[ \t]*(?:[-*+][ \t]+)?(?:\|[ \t]*)?[*_]{0,2}([^\W\d_][\w /-]{0,30}?)[*_]{0,2}"
    r"[ \t]*(?::|\|)[*_]{0,2}[ \t]*(.*?)[ \t]*\|?[ \t]*$"
).match
_date = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})").search
_line_end = re.compile("\r\n|[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_LINK_SECTIONS = ("link", "relat", "refer", "more info")


class Adr(NamedTuple):
    """One record; `number` as its file writes it, `day` as it is written in the text."""

    number: str
    title: str
    status: str
    """As it is written; an empty text where none is."""
    day: tuple[int, int, int] | None
    tags: tuple[str, ...]
    content: str
    references: tuple[Reference, ...]
    more: dict[str, list[str]]
    """What else the front matter says, and lines of it that are not understood."""


class _Section(NamedTuple):
    title: str
    lines: list[str]
    level: int


def parse_adr(text: str, name: str) -> Adr:
    """Read the text of a file; `name` is the file's, without its folder."""
    text = _line_end.sub("\n", text.removeprefix("\ufeff"))
    head, lines = split_front_matter(text.split("\n"))
    front = parse_front_matter(head)
    title, preamble, sections = _split(lines)
    values = {key: list(found) for key, found in front.values.items()}
    status, preamble = _take_labelled(preamble, STATUS_NAMES)
    day, preamble = _take_labelled(preamble, DATE_NAMES)
    tags, preamble = _take_labelled(preamble, TAG_NAMES)
    kept = []
    for section in sections:
        if section.title.strip(" :").lower() in STATUS_NAMES and not status:
            status, rest = _status_section(section)
            day_inside, rest = _take_labelled(rest, DATE_NAMES)
            day = day or day_inside
            if not "".join(rest).strip():
                continue
            section = section._replace(lines=rest)
        kept.append(section)
    status = ", ".join(_take(values, STATUS_NAMES)) or status
    day = next(iter(_take(values, DATE_NAMES)), "") or day
    words = _take(values, TAG_NAMES) or [word.strip(" `#") for word in tags.split(",")]
    own_title = next(iter(_take(values, ("title",))), "")
    return Adr(
        number=number_of(name),
        title=_bare_title(title or own_title) or _title_of(name),
        status=status.strip(),
        day=_day(day) or _day_of(name),
        tags=tuple(word for word in words if word),
        content=_content(preamble, kept),
        references=tuple(_references(status, preamble, kept, values)),
        more=_more(FrontMatter(values, front.rest), own_title if title else ""),
    )


def number_of(name: str) -> str:
    """Give the number at the head of a file's name, as it is written there."""
    found = _number_of_file(name)
    return found[1] if found else ""


def is_day(number: str) -> bool:
    """Say whether the number of a file is the day of the decision: 20260131."""
    return len(number) == 8 and number.startswith(("19", "20"))


def _day_of(name: str) -> tuple[int, int, int] | None:
    number = number_of(name)
    return _day(f"{number[:4]}-{number[4:6]}-{number[6:]}") if is_day(number) else None


def _split(lines: list[str]) -> tuple[str, list[str], list[_Section]]:
    """Part a text: its title, what stands before the first section, and the sections."""
    title, preamble, sections = "", list[str](), list[_Section]()
    target, fence = preamble, ""
    place = 0
    while place < len(lines):
        line = lines[place]
        found = _fence(line)
        if found and (not fence or found[1].startswith(fence)):
            fence = "" if fence else found[1]
        heading = None if fence or found else _heading_at(lines, place)
        if heading is None:
            target.append(line)
            place += 1
            continue
        level, words, taken = heading
        place += taken
        if level == 1 and not title and not sections:
            title = words
        else:
            sections.append(_Section(words, [], level))
            target = sections[-1].lines
    return title, preamble, sections


def _heading_at(lines: list[str], place: int) -> tuple[int, str, int] | None:
    found = _heading(lines[place])
    if found and found[2]:
        return len(found[1]), found[2], 1
    line = lines[place].strip()
    below = lines[place + 1] if place + 1 < len(lines) else ""
    under = _underline(below)
    if under and line and line[0] not in "-*+>|#" and (place == 0 or not lines[place - 1].strip()):
        return (1 if under[1][0] == "=" else 2), line, 2
    return None


def _take_labelled(lines: list[str], names: Iterable[str]) -> tuple[str, list[str]]:
    """Take the first line that gives one of the names a value out of some lines."""
    for place, line in enumerate(lines):
        found = _label(line)
        if found and found[2] and found[1].strip().lower() in names:
            return found[2].strip(" *_"), [*lines[:place], *lines[place + 1 :]]
    return "", lines


def _status_section(section: _Section) -> tuple[str, list[str]]:
    """Take the status from its section: its lines up to the first long paragraph."""
    taken: list[str] = []
    rest = list(section.lines)
    while rest and (not rest[0].strip() or _is_status_line(rest[0])):
        taken.append(rest.pop(0))
    if not "".join(taken).strip() and rest:
        taken.append(rest.pop(0))
    return "\n".join(line.strip() for line in taken if line.strip()), rest


def _is_status_line(line: str) -> bool:
    return bool(status_of(line)) or bool(list(read_references(line)))


def _bare_title(title: str) -> str:
    found = _number_of_title(title)
    return " ".join(title[found.end() if found else 0 :].split())


def _title_of(name: str) -> str:
    stem = name.rpartition(".")[0] or name
    found = _number_of_file(stem)
    bare = stem[found.end() :] if found else stem
    return " ".join(re.sub(r"[-_ ]+", " ", bare).split()) or stem


def _content(preamble: list[str], sections: list[_Section]) -> str:
    lines = list(preamble)
    for section in sections:
        lines += ["", f"{'#' * section.level} {section.title}", *section.lines]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(line.rstrip() for line in lines)).strip("\n")


def _references(
    status: str, preamble: list[str], sections: list[_Section], values: dict[str, list[str]]
) -> list[Reference]:
    found = list(read_references(status, in_status=True))
    found += read_references("\n".join(preamble))
    for section in sections:
        if section.title.lower().startswith(_LINK_SECTIONS):
            for line in section.lines:
                found += read_references(line, at_start=True)
    for name in sorted(values):
        phrase = re.sub(r"[-_]", " ", name)
        for value in values[name]:
            found += read_references(f"{phrase} {value}", in_status=True)
    return list(dict.fromkeys(found))


def _day(text: str) -> tuple[int, int, int] | None:
    found = _date(text)
    if not found:
        return None
    year, month, day = (int(part) for part in found.groups())
    return (year, month, day) if 1 <= month <= 12 and 1 <= day <= 31 else None


def _take(values: dict[str, list[str]], names: Iterable[str]) -> list[str]:
    for name in names:
        if values.get(name):
            return values.pop(name)
    return []


def _more(front: FrontMatter, title: str) -> dict[str, list[str]]:
    more = {name: values for name, values in front.values.items() if values}
    if title:
        more["title"] = [title]
    if front.rest:
        more["front matter"] = front.rest
    return more
