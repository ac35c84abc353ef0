"""gitkb blame"""

from __future__ import annotations

from gitkb.cli.arguments import Argument, Verb
from gitkb.cli.filters import TIER_OPTION
from gitkb.cli.render_text import day, tier_marks
from gitkb.cli.terminal.line import Span, line
from gitkb.core.unsafe import shown
from gitkb.operations.tiers.history import blame_across

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gitkb.cli.call import Call
    from gitkb.cli.terminal.line import Line
    from gitkb.operations.history.provenance import Author
    from gitkb.operations.tiers.history import Written


_WIDEST_KEY = 24
"""Letters: what is longer stands out of its column."""


def run(call: Call) -> int:
    """Print who wrote each entry, and who wrote it first."""
    notices: list[str] = []
    found = blame_across(call.readable, call["key"], notices, tiers=call["tier"])
    for notice in notices:
        call.notice(f"note: {notice}")
    if call.as_json:
        call.answer([_value(item) for item in found])
        return 0
    # Under each other where they are looked at; a pipe gets no blanks that nobody needs.
    sizes = [len(item.provenance.key) for item in found] if call.is_on_terminal else []
    width = max((size for size in sizes if size <= _WIDEST_KEY), default=0)
    for item in found:
        call.write_lines(_lines(item, width))
    return 0


def author_value(author: Author | None) -> dict[str, Any] | None:
    """The JSON form of a commit and its author."""
    if author is None:
        return None
    value: dict[str, Any] = {
        "commit": author.commit,
        "author": author.name,
        "mail": author.mail,
        "time": author.time,
        "subject": author.subject,
    }
    if author.is_cut:
        # Somebody wrote it there or before: naming the boundary's author would accuse the wrong one.
        value.update(author=None, mail=None, history="cut")
    return value


def author_words(author: Author) -> Line:
    """A commit and its author in one line."""
    commit = Span(author.commit[:10], "commit")
    if author.is_cut:
        return line("history cut at ", commit, ": written there or before")
    name = Span(shown(author.name), "author")
    return line(commit, "  ", Span(day(author.time), "age"), "  ", name)


def _value(written: Written) -> dict[str, Any]:
    item = written.provenance
    last = author_value(item.last) or {"commit": None, "author": None, "mail": None, "time": None}
    value = {"key": item.key, **last, "first": author_value(item.first)}
    if written.tier:
        value["tier"] = written.tier
    if item.uncommitted:
        value["uncommitted"] = True
    if not item.present:
        value["present"] = False
    return value


def _lines(written: Written, width: int) -> list[Line]:
    item = written.provenance
    gap = " " * max(2, width - len(item.key) + 2)
    tier = "".join(f"  ({mark})" for mark in tier_marks(written.tier))
    if item.last is None:
        return [line(Span(item.key, "key"), gap, Span("not committed yet", "gone"), tier)]
    state = "" if item.present else "  (no longer here)"
    state += "  (changed since, not committed)" if item.uncommitted else ""
    last = author_words(item.last)
    lines = [line(Span(item.key, "key"), gap, last, tier, Span(state, "warning"))]
    if item.first is not None and item.first.commit != item.last.commit:
        first = author_words(item.first)
        blanks = " " * len(item.key) + gap
        lines.append(line(blanks, Span("first written: ", "label"), first, hang=4))
    return lines


VERB = Verb(
    "blame",
    "Say who wrote each entry, when and in which commit.",
    run,
    (Argument("KEY", required=False, many=True),),
    (TIER_OPTION,),
    """
Without a key, every entry and tombstone of every tier. It goes by key: sorting, formatting, moving lines between
files and merging never hide an author. Where a merge united changes of both sides in one entry, it
names whoever merged; gitkb log KEY names both. In a shallow clone it says where history is cut instead
of naming the wrong person.
""",
    pages=True,
)
