"""gitkb log"""

from __future__ import annotations

from gitkb.cli.arguments import Argument, Verb
from gitkb.cli.commands.blame import author_value, author_words
from gitkb.cli.filters import TIER_OPTION
from gitkb.cli.render_text import one_line, tier_marks
from gitkb.cli.terminal.line import Span, line
from gitkb.core.diff.text import SILENT, value_lines
from gitkb.core.unsafe import shown
from gitkb.operations.tiers.history import log_across

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from gitkb.cli.call import Call
    from gitkb.cli.terminal.line import Line
    from gitkb.core.diff.record import FieldChange
    from gitkb.operations.tiers.history import Told


def run(call: Call) -> int:
    """Print every version of an entry, the newest first."""
    notices: list[str] = []
    versions = log_across(call.readable, call["key"], notices, tiers=call["tier"])
    for notice in notices:
        call.notice(f"note: {notice}")
    if call.as_json:
        call.answer([_value(version) for version in versions])
        return 0
    for version in versions:
        call.write_lines(_lines(version))
    return 0


def _value(told: Told) -> dict[str, Any]:
    version = told.version
    return {
        "kind": version.kind,
        **(author_value(version.author) or {"commit": None, "author": None, "uncommitted": True}),
        "merge": version.is_merge,
        "changes": [
            {"field": change.field, "before": change.before, "after": change.after}
            for change in version.changes
        ],
        "entry": dict(version.fields) if version.fields is not None else None,
        **({"tier": told.tier} if told.tier else {}),
    }


def _lines(told: Told) -> Iterator[str]:
    version, author = told.version, told.version.author
    tier = "".join(f"  ({mark})" for mark in tier_marks(told.tier))
    kind = Span(version.kind, "title")
    if author is None:
        yield line(kind, "  ", Span("not committed yet", "gone"), tier)
    else:
        merge = "  (by a merge)" if version.is_merge else ""
        subject = one_line(author.subject, 72)
        yield line(kind, "  ", author_words(author), f"  {subject}{merge}{tier}")
    changes = [change for change in version.changes if change.field not in SILENT]
    for change in changes or version.changes:
        if change.field != "ts":
            yield from _change_lines(change)


def _change_lines(change: FieldChange) -> Iterator[str]:
    if change.removed or change.added:
        removed, added = change.removed, change.added
    else:
        removed = () if change.before is None else (change.before,)
        added = () if change.after is None else (change.after,)
    yield f"    {change.field}:"
    for sign, role, values in (("-", "minus", removed), ("+", "plus", added)):
        for value in values:
            yield from _value_lines(sign, role, value_lines(change.field, value))


def _value_lines(sign: str, role: str, parts: Iterable[str]) -> Iterator[Line]:
    for number, part in enumerate(map(shown, parts)):
        start = "        " if number else f"      {sign} "
        yield line(Span(start + part, role), hang=8)


VERB = Verb(
    "log",
    "Show every version of an entry and what each changed.",
    run,
    (Argument("KEY"),),
    (TIER_OPTION,),
    """
Newest first, through merges, tombstones, the archive and moves between files, and with the commits that
confirmed it. What has not been
committed yet comes before all else. Of an entry that went to another tier, the history there comes
first, then the one here.
""",
    pages=True,
)
