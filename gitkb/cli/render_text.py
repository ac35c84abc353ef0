"""Text for people: entries, problems, times.

Whatever comes from an entry goes through `shown`, so that no entry can move the cursor, hide text
or pass itself off as another line.
"""

from __future__ import annotations

import time

from gitkb.cli.terminal.line import Span, joined, line
from gitkb.core.conflicts.value import other_values, parse_field, text_of, value_at
from gitkb.core.entry import MUST_CHECK
from gitkb.core.unsafe import shown, shown_line
from gitkb.store.home_path import PROJECT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gitkb.cli.terminal.found import Found
    from gitkb.cli.terminal.line import Line
    from gitkb.core.entry import Entry
    from gitkb.core.problem import Problem

_STEPS = (
    (60, "minute"),
    (3600, "hour"),
    (86_400, "day"),
    (2_629_800, "month"),
    (31_557_600, "year"),
)
_PREVIEW_LENGTH = 200
UNCOMMITTED = "uncommitted"
"""What stands for the author of what git does not know yet."""


def one_line(text: str, length: int = _PREVIEW_LENGTH) -> str:
    """Fold a text into one line of at most `length` characters."""
    line = shown(" ".join(text.split()))
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"


def plural(count: int, noun: str, nouns: str = "") -> str:
    """``1 entry``, ``2 entries``."""
    return f"{count} {noun if count == 1 else nouns or noun + 's'}"


def age(ts: int, now: float | None = None) -> str:
    """Say how long ago a moment was: ``3 days ago``."""
    seconds = (time.time() if now is None else now) - ts
    if ts == 0:
        return "at an unknown time"
    if abs(seconds) < _STEPS[0][0]:
        return "just now"
    if seconds < 0:
        return "in the future"
    size, noun = max(step for step in _STEPS if step[0] <= seconds)
    return f"{plural(int(seconds // size), noun)} ago"


def day(ts: int) -> str:
    """Write a moment as a local day and minute."""
    if not ts:
        return "unknown"
    try:
        return time.strftime("%Y-%m-%d %H:%M", time.localtime(ts))
    except (OverflowError, ValueError, OSError):  # beyond what the C library can say
        return f"{ts} seconds after 1970"


def tier_marks(tier: str, shadows: Iterable[str] = ()) -> Iterator[str]:
    """Say where an entry comes from, unless that is the project, and what it hides."""
    if tier not in ("", PROJECT):
        yield f"tier {tier}"
    if shadows:
        yield f"shadows the one in {', '.join(shadows)}"


_STALE = "stale: "


def stale_mark(reasons: Sequence[str]) -> str:
    """Say in a list that an entry may no longer be true: the first reason, and how many more there are."""
    more = f" and {len(reasons) - 1} more" if len(reasons) > 1 else ""
    return f"{_STALE}{one_line(reasons[0], 100)}{more}"


def stale_lines(marks: Iterable[str]) -> Iterator[Line]:
    """Say on a line of its own what an entry is stale for; its heading has only the word."""
    for text in marks:
        if text.startswith(_STALE):
            yield line("    ", Span(_STALE.rstrip(), "warning"), f" {text.removeprefix(_STALE)}")


_MARKS = (
    ("contested", "alarm"),
    ("MUST-CHECK", "alarm"),
    ("stale", "warning"),
    ("in doubt", "warning"),
    ("superseded", "warning"),
    ("rejected", "warning"),
    ("archived", "gone"),
    ("shadowed", "gone"),
    ("shadows", "gone"),
)
"""What marks begin with, and their roles."""


def mark(text: str) -> Span:
    """Give a mark the role that it has at a glance: what a reader must know, should know, or may."""
    if text.startswith(_STALE):
        text = _STALE.rstrip(": ")
    return Span(text, next((role for start, role in _MARKS if text.startswith(start)), ""))


def mark_names(entry: Entry, marks: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Name what there is to know of an entry, each in a word or two."""
    found = [*marks, *(["MUST-CHECK"] if entry.is_must_check else [])]
    found += [] if entry.is_active else [entry.status]
    names = (next((start for start, _ in _MARKS if text.startswith(start)), text) for text in found)
    return tuple(dict.fromkeys(names))


def entry_heading(entry: Entry, marks: tuple[str, ...] = (), author: str = "") -> Line:
    """The first line of an entry in a list: key, type, marks, tags, age, and by whom."""
    facts: list[str | Span] = [entry.type, *map(mark, marks)]
    if not entry.is_active and entry.status not in (entry.type, *marks):
        facts.append(mark(entry.status))
    if entry.is_must_check:
        facts.append(mark("MUST-CHECK"))
    if entry.tags:
        facts.append(Span(one_line(", ".join(entry.tags)), "tag"))
    facts.append(Span(age(entry.ts), "age"))
    if author:
        facts.append(Span(one_line(author), "gone" if author == UNCOMMITTED else "author"))
    return line(Span(entry.key, "key"), "  ", joined(" · ", facts))


def entry_summary(
    entry: Entry,
    marks: tuple[str, ...] = (),
    author: str = "",
    found: Found | None = None,
) -> Iterator[str]:
    """An entry in a list: heading, title, the beginning of the content, or where words were found."""
    yield entry_heading(entry, marks, author)
    if entry.title:
        title = one_line(entry.title)
        yield line("    ", *(found.marked(title, "title") if found else (Span(title, "title"),)))
    # The heading says already that it is a must-check.
    content = entry.content.removeprefix(MUST_CHECK) if entry.is_must_check else entry.content
    body = found.snippet(content, _PREVIEW_LENGTH) if found else (Span(one_line(content), "prose"),)
    if any(span.text for span in body):
        yield line("    ", *body)
    yield from stale_lines(marks)
    yield from contested_lines(entry)


def contested_lines(entry: Entry) -> Iterator[str]:
    """What a merge could not decide: the value that stands, and the other."""
    for field, other in other_values(entry.fields):
        value = text_of(value_at(entry.fields, parse_field(field)))
        yield line(
            "    ",
            Span(f"contested {one_line(field)}:", "alarm"),
            f" {one_line(value, 100)}, or else: {one_line(other)}",
        )


def entry_page(
    entry: Entry,
    archived: bool,
    links: Iterable[tuple[str, str]] | None = None,
    marks: tuple[str, ...] = (),
    author: str = "",
) -> Iterator[str]:
    """An entry in full. `links` are facts about its edges, in place of the bare ones it stores."""
    if archived:
        marks = (*marks, "archived")
    if entry.conflicts:
        marks = (*marks, "contested")
    yield entry_heading(entry, marks, author)
    if entry.title:
        yield line(Span(one_line(entry.title, 2000), "title"))
    yield ""
    if entry.content:
        # Set in, so that no line of it passes for a line of ours.
        for text in shown(entry.content).split("\n"):
            yield line(Span(f"    {text}".rstrip(), "prose"))
        yield ""
    if links is None:
        links = [("links", f"{link['rel']} {link['to']}") for link in entry.links]
    yield from _facts(entry, links)


def _facts(entry: Entry, links: Iterable[tuple[str, str]]) -> Iterator[str]:
    facts: list[tuple[str, str]] = [
        ("files", ", ".join(entry.files)),
        ("stack", ", ".join(entry.stack)),
        ("category", entry.category),
        ("importance", str(entry.importance)),
        *links,
        ("aliases", ", ".join(entry.aliases)),
        ("source", str(entry.fields.get("source", "agent"))),
        ("issue", str(entry.fields.get("issue") or "")),
        ("review by", str(entry.fields.get("review_by") or "")),
        ("created", day(entry.created)),
        ("changed", day(entry.ts)),
    ]
    for name in ("done", "decided", "open", "next"):
        facts.append((name, "; ".join(map(str, entry.fields.get(name, ())))))
    for field, value in other_values(entry.fields):
        facts.append(("contested", f"{field}: or else {value}"))
    for name, value in facts:
        if value:
            yield fact_line(name, value)


def told_line(word: str, key: str, *more: str | Span) -> Line:
    """Say what was done to an entry: ``archived dec_7p2m4x8a  Its title``."""
    return line(f"{word} ", Span(key, "key"), *more)


def told_title(title: str) -> Line:
    """A title behind a key, if there is one."""
    return line("  ", Span(one_line(title), "title")) if title else line()


def fact_line(name: str, value: str) -> Line:
    """A named fact of a page."""
    role = next((role for start, role in _MARKS if name.startswith(start)), "label")
    return line(Span(f"{name + ':':11}", role), f" {one_line(value, 2000)}", hang=12)


def problem_lines(problem: Problem) -> Iterator[str]:
    """A problem as its error and hint lines."""
    yield shown_line(f"{problem.severity}: {problem.located}")
    if problem.hint:
        yield shown_line(f"hint: {problem.hint}")
