"""Knowledge as one Markdown document for people.

1. The document's own lines are its headings and lists; what entries say stands inside of block
   quotes, titles and lists of words are escaped. So no entry can end its place, open a heading of the
   document or swallow what follows, and HTML in it is text (CommonMark 0.31, sections 5.1 and 6.6).
2. Characters that must not reach a terminal are shown, as everywhere.
3. The same entries give the same bytes.
"""

from __future__ import annotations

import re

from gitkb.core.entry import TYPES, Entry
from gitkb.core.identity import order_of
from gitkb.core.unsafe import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

# fmt: off
HEADINGS: Mapping[str, str] = {
    "principle": "Principles", "decision": "Decisions", "pitfall": "Pitfalls",
    "learned": "Lessons", "pattern": "Patterns", "fact": "Facts", "deviation": "Deviations",
    "investigation": "Investigations", "discussion": "Discussions", "file": "Files",
    "note": "Notes", "session": "Sessions",
}
# fmt: on
_special = re.compile(r"([\\`*_{}\[\]<>()#+!|~&$:@-])")
_tag = re.compile(r"<(?=[A-Za-z/!?])")
_fence = re.compile(r" {0,3}(`{3,}|~{3,})([^`]*)$")
_hidden_fence = re.compile(r"[ \t>*+.)0-9-]*(`{3,}|~{3,})")
_code = re.compile(r"(?<![`\\])(`+)(?!`)(.*?[^`])\1(?!`)")
_line_end = re.compile("\r\n|[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")


def format_document(entries: Iterable[Entry], titles: Mapping[str, str]) -> str:
    """Write entries, grouped by their types; `titles` names what links may lead to, by key."""
    groups: dict[str, list[Entry]] = {}
    for entry in sorted(entries, key=_place):
        groups.setdefault(entry.type, []).append(entry)
    lines = ["# Knowledge"]
    for type_ in (*HEADINGS, *sorted(set(TYPES) - HEADINGS.keys())):
        if type_ in groups:
            lines += ["", f"## {HEADINGS.get(type_, type_)}"]
            for entry in groups[type_]:
                lines += ["", *_entry_lines(entry, titles)]
    return shown("\n".join(lines) + "\n")


def _place(entry: Entry) -> tuple[bool, int, bytes]:
    # What holds comes first, then what weighs most.
    return not entry.is_active, -entry.importance, order_of(entry.key)


def _entry_lines(entry: Entry, titles: Mapping[str, str]) -> list[str]:
    marks = [f"`{entry.key}`"]
    marks += [] if entry.is_active else [f"**{entry.status}**"]
    marks += ["**must-check**"] if entry.is_must_check else []
    marks += ["**contested**"] if entry.conflicts else []
    marks.append(f"importance {entry.importance}")
    lines = [f"### {escape(entry.display_title)}", "", " · ".join(marks)]
    details = [
        _words("tags", entry.tags),
        _words("files", entry.files),
        _words("stack", entry.stack),
        _words("category", [entry.category] if entry.category else []),
        _words("aliases", entry.aliases),
        *(_link(link["rel"], link["to"], titles) for link in entry.links),
        *_lists(entry),
    ]
    details = [line for line in details if line]
    if details:
        lines += ["", *details]
    if entry.content:
        lines += ["", *quote(entry.content)]
    return lines


def _words(name: str, words: Sequence[str]) -> str:
    return f"- {name}: {', '.join(escape(word) for word in words)}" if words else ""


def _link(relation: str, key: str, titles: Mapping[str, str]) -> str:
    title = f" {escape(titles[key])}" if key in titles else ""
    return f"- {escape(relation)} `{key}`{title}"


def _lists(entry: Entry) -> list[str]:
    lines = []
    for name in ("done", "decided", "open", "next"):
        lines += [f"- {name}: {escape(item)}" for item in entry.fields.get(name, ())]
    return lines


def escape(text: str) -> str:
    """Write a text so that Markdown shows it as it is, on one line."""
    return _special.sub(r"\\\1", " ".join(text.split()))


def quote(content: str) -> list[str]:
    """Write a text of Markdown as a block quote, with its HTML as text."""
    lines = _line_end.sub("\n", content).split("\n")
    while lines and not lines[-1].strip():
        lines.pop()
    plain_fences = not any(_hidden_fence.match(line) and not _fence.match(line) for line in lines)
    fence = ""
    quoted = []
    for line in lines:
        found = _fence.match(line) if plain_fences else None
        if fence:
            # Inside of a fence nothing is HTML; where it ends must be beyond doubt.
            if found and found[1].startswith(fence) and not found[2].strip():
                fence = ""
        elif found:
            fence = found[1]
        else:
            line = _without_html(line)
        quoted.append(f"> {line}".rstrip())
    return quoted


def _without_html(line: str) -> str:
    """Make `<` of a tag a character, but in code on the line, where it is one already."""
    parts: list[str] = []
    end = 0
    for found in _code.finditer(line):
        parts += [_tag.sub("&lt;", line[end : found.start()]), found[0]]
        end = found.end()
    parts.append(_tag.sub("&lt;", line[end:]))
    return "".join(parts)
