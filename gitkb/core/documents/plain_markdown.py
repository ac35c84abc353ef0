"""Text that somebody else wrote, as Markdown that shows it and does nothing else.

1. Whatever comes in, what goes out is paragraphs and fenced code: no heading, list, quote, table, rule,
   HTML, image or reference, and nothing left open that could swallow what follows (CommonMark 0.31,
   and the extensions of GitHub and GitLab).
2. It still reads well on a forge: code stays code, a bare address stays a link to what it says, lists and
   tables keep their lines.
3. Characters that hide or turn text around are shown (`core.unsafe`).
"""

from __future__ import annotations

import re

from gitkb.core.unsafe import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_line_end = re.compile("\r\n|[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
# An address, which `<…>` makes a link in every dialect.
_url = re.compile(r"(?<!\w)https?://[^\s<>\"'`\\|*\[\]{}\x00-\x1f\x7f]{1,2000}")
# An underscore within a word means nothing (section 6.2), and names in code are full of them. One set of
# characters comes first, because that is what a search is quick for. A bare address, which forges make
# a link up to the next blank or `<`, would take our backslashes into itself: it is none any more.
_special = re.compile(
    r"[\\`*\[\]<|~$_&:.](?:(?<=[\\`*\[\]<|~$])|(?<=:)(?=//)|(?<=[wW]{3}\.)"
    r"|(?<=_)(?:(?<![^\W_]_)|(?![^\W_]))|(?<=&)(?=[#A-Za-z]))"
)
_start = re.compile(r"([-+=>:#])|(\d{1,9})([.)])")
_fence = re.compile(r" {0,3}(`{3,}|~{3,})([^`]*)$")
_indented = re.compile(r" {0,3}\t| {4}")
_begins_anew = re.compile(r"\s|[-*+•|#>]|\d{1,9}[.)]").match
_language = re.compile(r"[A-Za-z][A-Za-z0-9+#.-]{0,19}").match
_ticks = re.compile("`+")


def format_inline(text: str) -> str:
    """Write a text on one line, so that it can stand in a heading, a list or a paragraph."""
    line = _inline(_visible(" ".join(text.split())))
    # A heading may be closed with such signs, which then are none of its text (section 4.2).
    return f"{line[:-1]}\\#" if line.endswith("#") else line


def format_blocks(text: str) -> str:
    """Write a text of several lines; without a line end at its end, and empty for white space."""
    lines = list(map(_visible, _line_end.sub("\n", text).split("\n")))
    return "\n\n".join(_blocks(lines))


def _visible(line: str) -> str:
    return shown(line)


def _blocks(lines: list[str]) -> Iterator[str]:
    paragraph: list[str] = []
    open_ends: dict[str, int] = {}
    at = 0
    while at < len(lines):
        block, after, language = _code_at(lines, at, bool(paragraph), open_ends)
        if after > at:
            if paragraph:
                yield _paragraph(paragraph)
            paragraph = []
            yield _fenced(block, language)
            at = after
            continue
        if lines[at].strip():
            paragraph.append(lines[at])
        elif paragraph:
            yield _paragraph(paragraph)
            paragraph = []
        at += 1
    if paragraph:
        yield _paragraph(paragraph)


def _code_at(
    lines: list[str], at: int, in_paragraph: bool, open_ends: dict[str, int]
) -> tuple[list[str], int, str]:
    """The code that begins at a line, the number of the line after it (the same where there is none),
    and its language. `open_ends` holds for each sign the length of a fence that nothing closes."""
    opened = _fence.match(lines[at])
    if opened:
        mark = opened[1]
        if len(mark) >= open_ends.get(mark[0], len(mark) + 1):
            return [], at, ""
        for end in range(at + 1, len(lines)):
            closed = lines[end].strip()
            if len(closed) >= len(mark) and not closed.strip(mark[0]):
                language = _language(opened[2].strip())
                return lines[at + 1 : end], end + 1, language[0] if language else ""
        open_ends[mark[0]] = len(mark)
        return [], at, ""  # never closed: a line of text
    end = at
    while not in_paragraph and end < len(lines) and _indented.match(lines[end]):
        if not lines[end].strip():
            break
        end += 1
    return [line.expandtabs(4)[4:] for line in lines[at:end]], end, ""


def _fenced(block: list[str], language: str) -> str:
    longest = max((len(run) for line in block for run in _ticks.findall(line)), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join([fence + language, *(line.rstrip() for line in block), fence])


def _paragraph(lines: list[str]) -> str:
    text = ""
    for number, line in enumerate(lines):
        if number:
            # A line that was one of a list or a table stays a line; running text may flow.
            kept = _begins_anew(line) or lines[number - 1].lstrip().startswith(("|", "#"))
            text += "\\\n" if kept else "\n"
        text += _line(line.strip())
    return text


def _line(line: str) -> str:
    """A line of a paragraph: what would begin a block there does not."""
    text = _inline(line)
    found = _start.match(line)
    if not found or text.startswith("\\"):
        return text
    at = found.end() - 1
    return f"{text[:at]}\\{text[at:]}"


def _inline(line: str) -> str:
    """Code on the line stays code: two runs of backticks of one length, and what is between (section 6.1)."""
    if "`" not in line:
        return _text(line)
    runs = [found.span() for found in _ticks.finditer(line)]
    later: dict[int, list[int]] = {}  # length -> the runs that have it, the next one last
    for number in range(len(runs) - 1, -1, -1):
        later.setdefault(runs[number][1] - runs[number][0], []).append(number)
    parts, end, number = [], 0, 0
    while number < len(runs):
        start, after = runs[number]
        same = later[after - start]
        while same and same[-1] <= number:
            same.pop()
        if same and line[start - 1 : start] != "\\":
            number = same[-1]
            parts += [_text(line[end:start]), _code(line[after : runs[number][0]])]
            end = runs[number][1]
        number += 1
    parts.append(_text(line[end:]))
    return "".join(parts)


def _text(text: str) -> str:
    if "://" not in text:
        return _escape(text)
    parts, end = [], 0
    for found in _url.finditer(text):
        parts += [_escape(text[end : found.start()]), _address(found[0])]
        end = found.end()
    parts.append(_escape(text[end:]))
    return "".join(parts)


def _escape(text: str) -> str:
    return _special.sub(r"\\\g<0>", text)


def _code(code: str) -> str:
    runs = {len(run) for run in _ticks.findall(code)}
    ticks = "`" * next(length for length in range(1, len(runs) + 2) if length not in runs)
    is_padded = code[0] == code[-1] == " " and code.strip(" ") != ""
    space = " " if code[0] == "`" or code[-1] == "`" or is_padded else ""
    return f"{ticks}{space}{code}{space}{ticks}"


def _address(url: str) -> str:
    kept = url.rstrip(".,;:!?_~$")
    while kept.endswith(")") and kept.count(")") > kept.count("("):
        kept = kept[:-1].rstrip(".,;:!?_~$")
    rest = _escape(url[len(kept) :])
    # Dialects differ in whether an entity counts within `<…>`.
    if ("&" in kept and ";" in kept) or "://" not in kept or kept.endswith("://"):
        return _escape(kept) + rest
    return f"<{kept}>{rest}"
