"""A Markdown document cut into its outermost blocks, each with the number of its first line.

1. Every line that is not blank is in exactly one block, in the order of the document.
2. What is within an item, a quotation, a comment or fenced code begins no block of its own
   (CommonMark 0.31, sections 4.5, 5.1 and 5.2; more lenient with the indentation of items).
"""

from __future__ import annotations

import re
from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

HEADING, ITEM, PARAGRAPH, QUOTE, COMMENT, RULE, CODE, FRONT = (
    "heading", "item", "paragraph", "quote", "comment", "rule", "code", "front matter",
)  # fmt: skip

_heading = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))??(?:[ \t]+#+)?[ \t]*$").match
_item = re.compile(r"( {0,3})([-*+]|\d{1,9}[.)])(?:[ \t]+|$)").match
_rule = re.compile(r" {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$").match
_fence = re.compile(r"[ \t]*(`{3,}|~{3,})").match
_underline = re.compile(r" {0,3}(=+|-{2,})[ \t]*$").match
_NARROW = 2
"""So many columns are enough to be within an item, whatever its marker takes."""


class Block(NamedTuple):
    """One block: `kind`, the number of its first line from 1, and its lines as they stand."""

    kind: str
    line: int
    lines: Sequence[str]
    level: int = 0
    """Of a heading."""
    text: str = ""
    """Of a heading, or of an item without its marker and indentation."""

    @property
    def end(self) -> int:
        """The number of the line after it."""
        return self.line + len(self.lines)


def split_blocks(lines: Sequence[str]) -> list[Block]:
    """Cut a document, given as its lines without their ends. O(n)."""
    blocks: list[Block] = []
    at = _front_matter(lines)
    if at:
        blocks.append(Block(FRONT, 1, lines[:at]))
    while at < len(lines):
        if not lines[at].strip():
            at += 1
            continue
        blocks.append(_block_at(lines, at))
        at += len(blocks[-1].lines)
    return blocks


def _block_at(lines: Sequence[str], at: int) -> Block:
    line = lines[at]
    heading = _heading(line)
    if heading:
        return Block(HEADING, at + 1, lines[at : at + 1], len(heading[1]), heading[2] or "")
    if _rule(line):
        return Block(RULE, at + 1, lines[at : at + 1])
    if line.lstrip().startswith("<!--"):
        return Block(COMMENT, at + 1, lines[at : _end_of_comment(lines, at)])
    if _fence(line) and _indent(line) <= 3:
        return Block(CODE, at + 1, lines[at : _end_of_code(lines, at, 0)])
    if line.lstrip().startswith(">"):
        return Block(QUOTE, at + 1, lines[at : _end_of_text(lines, at)])
    item = _item(line)
    if item:
        taken = lines[at : _end_of_item(lines, at, len(item[1]) + _NARROW)]
        width = len(item[0].expandtabs(4)) if item[0].strip() != line.strip() else len(item[1]) + 2
        rest = [_dedented(inner, width) for inner in taken[1:]]
        text = "\n".join([line[len(item[0]) :], *rest]).rstrip()
        return Block(ITEM, at + 1, taken, text=text)
    end = _end_of_text(lines, at)
    for number in range(at + 1, end):
        underline = _underline(lines[number])
        if underline:
            text = " ".join(inner.strip() for inner in lines[at:number])
            level = 1 if underline[1][0] == "=" else 2
            return Block(HEADING, at + 1, lines[at : number + 1], level, text)
    return Block(PARAGRAPH, at + 1, lines[at:end])


def _front_matter(lines: Sequence[str]) -> int:
    if not lines or lines[0].rstrip() != "---":
        return 0
    for number, line in enumerate(lines[1:], 1):
        if line.rstrip() in ("---", "..."):
            return number + 1
        if not re.match(r"[\w-]+:|[ \t]|#|- |$", line):
            return 0
    return 0


def _begins_block(line: str) -> bool:
    return bool(
        _heading(line)
        or _rule(line)
        or _item(line)
        or (_fence(line) and _indent(line) <= 3)
        or (_indent(line) <= 3 and line.lstrip().startswith((">", "<!--")))
    )


def _end_of_text(lines: Sequence[str], at: int) -> int:
    """The end of a paragraph or a quotation: a blank line, or what begins another block."""
    is_quote = lines[at].lstrip().startswith(">")
    end = at + 1
    while end < len(lines) and lines[end].strip():
        goes_on = is_quote and lines[end].lstrip().startswith(">")
        is_underline = not is_quote and _underline(lines[end])
        if not goes_on and not is_underline and _begins_block(lines[end]):
            break
        end += 1
        if is_underline:
            break
    return end


def _end_of_item(lines: Sequence[str], at: int, width: int) -> int:
    end = at + 1
    while end < len(lines):
        line = lines[end]
        if not line.strip():
            after = end
            while after < len(lines) and not lines[after].strip():
                after += 1
            if after == len(lines) or _indent(lines[after]) < width:
                return end
            end = after
        elif _indent(line) >= width:
            end = _end_of_code(lines, end, width) if _fence(line) else end + 1
        elif _begins_block(line) or not lines[end - 1].strip():
            return end
        else:
            end += 1  # the text of an item may go on without indentation
    return end


def _end_of_code(lines: Sequence[str], at: int, width: int) -> int:
    """The end of fenced code: after its closing fence, or where what holds it ends."""
    opened = _fence(lines[at])
    mark = opened[1] if opened else "```"
    for number in range(at + 1, len(lines)):
        line = lines[number]
        if line.strip() and _indent(line) < width:
            return number
        closed = line.strip()
        if len(closed) >= len(mark) and not closed.strip(mark[0]):
            return number + 1
    return len(lines)


def _end_of_comment(lines: Sequence[str], at: int) -> int:
    for number in range(at, len(lines)):
        if "-->" in lines[number]:
            return number + 1
    return at + 1  # never closed: it hides no more than its own line


def _indent(line: str) -> int:
    wide = line.expandtabs(4)
    return len(wide) - len(wide.lstrip(" "))


def _dedented(line: str, width: int) -> str:
    """Take away up to so many columns of white space."""
    if not line.strip():
        return ""
    if "\t" in line[: len(line) - len(line.lstrip())]:
        body = line.lstrip()
        line = " " * _indent(line) + body
    return line[min(width, _indent(line)) :]
