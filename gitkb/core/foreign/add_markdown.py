"""The freeform Markdown logs of the ADD learning library, and its Markdown view, as ADD's records.

1. An item of a list or a paragraph is a learning; so is a section that is headed like one: with a
   number, a severity or a date, as a checkpoint, or below a heading that is a category.
2. What a learning says stays as it is written; only its date, number, badges and bold title are taken
   from its beginning, and lines such as ``Severity: high``.
3. Nothing is lost in silence: what is no learning (quotations, comments, a generated footer) is named
   with its line.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from gitkb.core.documents.markdown_block import (
    CODE,
    COMMENT,
    FRONT,
    HEADING,
    ITEM,
    PARAGRAPH,
    QUOTE,
    RULE,
    Block,
    split_blocks,
)
from gitkb.core.foreign.add_item import Item, checkpoint_of, parse_heading, parse_item
from gitkb.core.foreign.add_words import category_of_heading, heading_category

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitkb.core.canonical import Json

_GROUP_WORDS = 3
"""A heading of more words says something of its own."""
_is_footer = re.compile(r"[*_]?\d+ entr(?:y|ies)\b.*Source:.*").match
_is_about_the_file = re.compile(
    r"\bthis (?:file|document|log)\b|\bmaintained automatically\b|\b(?:auto-?)?generated (?:from|by)\b"
    r"|\bdo not edit\b",
    re.IGNORECASE,
).search
_ends_title = re.compile(r"\s(?:—|–|-|:)\s+(?P<dashed>\S.*)$|:\s+(?P<named>\S.*)$").search
_last_line_end = re.compile("\r\n|[\r\x85\u2028\u2029\x0b\x0c]")


class Found(NamedTuple):
    """One learning: ADD's fields as far as the text gives them."""

    line: int
    record: dict[str, Json]
    around: str
    """The date of what stands beside it, for one that has none."""


class Log(NamedTuple):
    """What a file holds."""

    project: str
    found: list[Found]
    skipped: list[tuple[int, str]]
    """Lines that are no learnings, and what they are."""
    is_view: bool
    """Whether it was generated from the JSON beside it."""


class _Section(NamedTuple):
    heading: Block | None
    blocks: list[Block]

    @property
    def level(self) -> int:
        return self.heading.level if self.heading else 0


class _Group(NamedTuple):
    """What a heading says of the learnings under it."""

    level: int
    category: str
    date: str
    checkpoint: str


def parse_learnings(text: str) -> Log:
    """Read a file. O(n); whatever it is, nothing is raised."""
    text = _last_line_end.sub("\n", text.removeprefix("\ufeff"))
    lines = text.split("\n")
    is_view = any("Generated from `" in line for line in lines[:12] if line.startswith(">"))
    reader = _Reader(lines, is_view=is_view)
    sections = list(_sections(split_blocks(lines)))
    at = 0
    while at < len(sections):
        at = reader.take(sections, at)
    return Log(reader.project, _with_dates(reader.found), sorted(reader.skipped), is_view)


def _sections(blocks: Sequence[Block]) -> Iterator[_Section]:
    section = _Section(None, [])
    for block in blocks:
        if block.kind == HEADING:
            yield section
            section = _Section(block, [])
        else:
            section.blocks.append(block)
    yield section


class _Reader:
    def __init__(self, lines: Sequence[str], *, is_view: bool) -> None:
        self.lines = lines
        self.is_view = is_view
        self.project = ""
        self.found: list[tuple[int, Item, _Group]] = []
        self.skipped: list[tuple[int, str]] = []
        self._groups: list[_Group] = []
        self._is_begun = False

    def take(self, sections: Sequence[_Section], at: int) -> int:
        """Read a section, and those within it where it is one learning; give the next one's place."""
        section = sections[at]
        heading = section.heading
        if heading is None:
            self._take_blocks(section, _Group(0, "", "", ""))
            return at + 1
        while self._groups and self._groups[-1].level >= heading.level:
            self._groups.pop()
        if heading.level == 1 and not self._is_begun:
            self._is_begun = True
            self._take_name(heading.text)
            self._groups.append(_Group(1, "", "", ""))
            self._take_blocks(section, self._groups[-1])
            return at + 1
        self._is_begun = True
        above = self._groups[-1] if self._groups else _Group(0, "", "", "")
        title = parse_heading(heading.text)
        end = at + 1
        while end < len(sections) and sections[end].level > heading.level:
            end += 1
        within = sections[at + 1 : end]
        if self._is_learning(section, within, title, above):
            self._take_section(section, within, title, above)
            return end
        category = (
            category_of_heading(heading.text) if self.is_view else heading_category(title.title)
        )
        checkpoint = checkpoint_of(title.title) if _is_short(title.title) else ""
        group = _Group(
            heading.level,
            category or above.category,
            title.date or above.date,
            checkpoint or above.checkpoint,
        )
        self._groups.append(group)
        self._take_blocks(section, group, heading.text)
        return at + 1

    def _take_name(self, text: str) -> None:
        named = _ends_title(text)
        if named:
            self.project = (named["dashed"] or named["named"]).strip()

    def _is_learning(
        self, section: _Section, within: Sequence[_Section], title: Item, above: _Group
    ) -> bool:
        """Whether a section is one learning rather than a group of them."""
        blocks = [block for part in (section, *within) for block in part.blocks]
        if not title.title or any(_is_marked(block) for block in blocks):
            return False
        if title.number or title.severity or title.is_checkpoint:
            return True
        names_group = _is_short(title.title) and bool(
            heading_category(title.title) or checkpoint_of(title.title)
        )
        if title.date:
            return not names_group
        kinds = {block.kind for block in section.blocks} - {COMMENT, RULE}
        if names_group or kinds <= {QUOTE}:
            return False
        if section.level >= 3 or (above.category and section.level > above.level):
            return True
        return not _is_short(title.title) and not within and ITEM not in kinds

    def _take_section(
        self, section: _Section, within: Sequence[_Section], title: Item, above: _Group
    ) -> None:
        heading = section.heading
        assert heading is not None
        blocks = [block for part in within for block in (part.heading, *part.blocks) if block]
        blocks = [*section.blocks, *blocks]
        while blocks and (what := _what_ends(blocks[-1])):
            block = blocks.pop()
            if block.kind != RULE:
                self.skipped.append((block.line, what))
        end = blocks[-1].end if blocks else heading.end
        lines = self.lines[heading.end - 1 : end - 1]
        self._add(heading.line, title.with_body("\n".join(lines)), above, heading.text)

    def _take_blocks(self, section: _Section, group: _Group, heading: str = "") -> None:
        open_ended = False
        first = len(self.found)
        for block in section.blocks:
            text = block.text if block.kind == ITEM else "\n".join(block.lines)
            if block.kind in (QUOTE, COMMENT, FRONT):
                self.skipped.append((block.line, _WHAT[block.kind]))
            elif block.kind == PARAGRAPH and _is_footer(text.strip()):
                self.skipped.append((block.line, "a generated footer"))
            elif block.kind == PARAGRAPH and not group.category and _is_about_the_file(text):
                self.skipped.append((block.line, "about the file itself"))
            elif block.kind == RULE:
                pass
            elif len(self.found) > first and (
                block.kind == CODE or (open_ended and block.kind == ITEM and not _is_marked(block))
            ):
                self._extend(text if block.kind == CODE else "\n".join(block.lines), block.kind)
                continue  # a list may have more items
            else:
                self._add(block.line, parse_item(text), group, heading)
                open_ended = block.kind == PARAGRAPH and text.rstrip().endswith(":")

    def _extend(self, text: str, kind: str) -> None:
        line, item, group = self.found[-1]
        between = (
            "\n"
            if kind == ITEM and item.body.splitlines()[-1:][0].lstrip()[:1] in "-*+"
            else "\n\n"
        )
        self.found[-1] = (line, item._replace(body=f"{item.body}{between}{text}"), group)

    def _add(self, line: int, item: Item, group: _Group, heading: str) -> None:
        if not item.title and not item.body.strip():
            self.skipped.append((line, "an item that says nothing"))
            return
        if not item.title:  # a table, say
            item = item._replace(title=" ".join(heading.split()) or "Learning")
        category = (
            item.category
            or group.category
            or heading_category(item.title if item.is_checkpoint else "")
        )
        if item.is_checkpoint and not category:
            category = "process"
        checkpoint = item.checkpoint or group.checkpoint
        self.found.append((line, item._replace(category=category, checkpoint=checkpoint), group))


def _what_ends(block: Block) -> str:
    """Say what a block at the end of a learning is, if it is none of it."""
    if block.kind == PARAGRAPH and _is_footer("\n".join(block.lines).strip()):
        return "a generated footer"
    return {COMMENT: "a comment", RULE: "a rule"}.get(block.kind, "")


_WHAT = {QUOTE: "a quotation", COMMENT: "a comment", FRONT: "front matter"}


def _is_short(title: str) -> bool:
    return len(title.split()) <= _GROUP_WORDS


def _is_marked(block: Block) -> bool:
    """Whether an item says that it is a learning of its own."""
    if block.kind != ITEM:
        return False
    item = parse_item(block.text)
    return bool(item.number or item.severity_badge or item.date)


def _with_dates(found: Sequence[tuple[int, Item, _Group]]) -> list[Found]:
    dates = [item.date or group.date for _, item, group in found]
    around = dict.fromkeys(range(len(dates)), "")
    for places in (range(len(dates)), range(len(dates) - 1, -1, -1)):
        near = ""
        for place in places:
            near = dates[place] or near
            around[place] = around[place] or near
    return [
        Found(line, _record(item, dates[place]), around[place])
        for place, (line, item, _) in enumerate(found)
    ]


def _record(item: Item, date: str) -> dict[str, Json]:
    record: dict[str, Json] = {
        "id": item.number, "title": item.title, "body": item.body, "scope": item.scope,
        "stack": list(item.stack), "category": item.category, "severity": item.severity,
        "source": item.source, "date": date, "classified_by": item.classified_by,
        "checkpoint_type": item.checkpoint,
    }  # fmt: skip
    return {name: value for name, value in record.items() if value}
