"""An entry as it stands in a context pack: in full, or as one line.

1. What an entry says is data: each line of it stands behind four spaces or after our own words on
   one line, so that none can pass for a heading, close a fence or begin another item.
2. So are the names of authors and branches: one that could pass for a fact stands in quotes.
3. Nothing invisible or moving gets through (`core.unsafe`), and what is counted is what is printed.
4. Each form ends with one line end and begins with a sign that is neither blank nor slash, so that
   the tokens of a pack are those of its parts (`core.packs.token_count`, 5).
"""

from __future__ import annotations

from typing import NamedTuple

from gitkb.core.conflicts.value import other_values
from gitkb.core.unsafe import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitkb.core.entry import Entry

UNCOMMITTED = "uncommitted"
_OUR_WORDS = frozenset(("contested", "in doubt", "stale", "must-check", UNCOMMITTED))
_TITLE_LENGTH = 200
_FACTS_LENGTH = 300


class Origin(NamedTuple):
    """Where an entry is from; all empty where that is the project and git knows nothing."""

    branch: str = ""
    """Or ``uncommitted``."""
    author: str = ""
    commit: str = ""
    tier: str = ""
    """Empty for the project's own."""


NO_ORIGIN = Origin()


class Marks(NamedTuple):
    """What a reader has to know of an entry beside what it says."""

    origin: Origin = NO_ORIGIN
    in_doubt: tuple[str, ...] = ()
    """What it depends on and no longer holds."""
    stale: tuple[str, ...] = ()
    """Why else it may no longer be true."""


def fold(text: str, length: int = _TITLE_LENGTH) -> str:
    """Fold a text into one line of at most `length` characters, with everything in it visible."""
    line = shown(" ".join(text.split()))
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"


def format_line(entry: Entry, marks: Marks) -> str:
    """Write an entry as one line: key, where from, doubts, title, tags."""
    facts = [*_origin_words(marks.origin), *_warnings(entry, marks)]
    if entry.is_must_check:
        facts.append("must-check")
    about = f" ({', '.join(facts)})" if facts else ""
    tags = f" [{fold(', '.join(entry.tags), 100)}]" if entry.tags else ""
    return f"- {entry.key}{about}: {_title(entry)}{tags}\n"


def format_full(entry: Entry, marks: Marks) -> str:
    """Write an entry in full: heading, facts, and what it says set in."""
    heading = f"### {entry.key}" + (f": {fold(entry.title)}" if entry.title else "")
    lines = [heading, " · ".join(_facts(entry, marks))]
    lines += [f"    {line}".rstrip() for line in _body(entry, marks)]
    return "\n".join(lines).rstrip() + "\n"


def _title(entry: Entry) -> str:
    """Give what a line shows of an entry; where that is contested, both titles."""
    others = [fold(value) for field, value in other_values(entry.fields) if field == "title"]
    return " / or else: ".join([fold(entry.display_title), *others])


def _origin_words(origin: Origin) -> list[str]:
    words = [f"tier {_name(origin.tier)}"] if origin.tier else []
    if origin.branch:
        is_ours = origin.branch == UNCOMMITTED
        words.append(origin.branch if is_ours else _name(origin.branch))
    return [*words, _name(origin.author)] if origin.author else words


def _name(text: str) -> str:
    """Give a name that somebody chose, in quotes where it could pass for a word or a sign of ours."""
    name = fold(text, 80)
    is_plain = all(sign.isalnum() or sign in " .@'’_-/+" for sign in name)
    return (
        name
        if is_plain and name.lower() not in _OUR_WORDS
        else f'"{name.replace(chr(34), chr(39))}"'
    )


def _warnings(entry: Entry, marks: Marks) -> Iterator[str]:
    if entry.conflicts:
        yield "contested"
    if marks.in_doubt:
        yield "in doubt"
    if marks.stale:
        yield "stale"


def _facts(entry: Entry, marks: Marks) -> Iterator[str]:
    origin = ", ".join(_origin_words(marks.origin))
    if origin:
        yield origin
    yield entry.type
    yield from _warnings(entry, marks)
    if entry.importance != 3:
        yield f"importance {entry.importance}"
    for words in (entry.tags, entry.stack, entry.files):
        if words:
            yield fold(", ".join(words), _FACTS_LENGTH)


def _body(entry: Entry, marks: Marks) -> Iterator[str]:
    if entry.content.strip():
        yield from shown(entry.content.strip("\n")).rstrip().split("\n")
    for name in ("done", "decided", "open", "next"):
        for item in entry.fields.get(name, ()):
            yield f"{name}: {fold(item, 2000)}"
    for field, value in other_values(entry.fields):
        yield f"contested {fold(field)}, or else: {fold(value, 2000)}"
    if marks.in_doubt:
        yield f"in doubt: no longer holds what it depends on: {fold(', '.join(marks.in_doubt))}"
    if marks.stale:
        yield f"stale: {fold('; '.join(marks.stale), _FACTS_LENGTH)}"
