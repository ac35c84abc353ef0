"""gitkb stats"""

from __future__ import annotations

from gitkb.cli.arguments import Verb
from gitkb.cli.terminal.line import Span, line
from gitkb.core.unsafe import shown
from gitkb.operations.recall import problem_notes
from gitkb.operations.stats import stats_across

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gitkb.cli.call import Call
    from gitkb.cli.terminal.line import Line
    from gitkb.operations.stats import Stats


_FIRST_OF_PART = ("active", "contested")
_WORDS = {
    "mustChecks": "must-checks",
    "duplicateKeys": "duplicate keys",
    "badLines": "bad lines",
}
"""What a count is called to people."""


def run(call: Call) -> int:
    """Print the counts."""
    notices: list[str] = []
    [(name, own), *others] = stats_across(call.readable, notices)
    for notice in notices:
        call.notice(f"note: {notice}")
    if call.as_json:
        value = {**({"tier": name} if name else {}), **_value(own)}
        if others:
            value["tiers"] = [{"tier": tier, **_value(counts)} for tier, counts in others]
        call.answer(value)
        return 0
    call.write_lines(_table([(name, own), *others]))
    for note in problem_notes(own.problems):
        call.notice(f"note: {note}")
    return 0


def _value(counts: Stats) -> dict[str, Any]:
    problems = [problem._asdict() for problem in counts.problems]
    return {"byType": counts.by_type, **_numbers(counts), "problems": problems}


def _numbers(counts: Stats) -> dict[str, int]:
    return {
        "active": counts.active,
        "superseded": counts.by_status.get("superseded", 0),
        "rejected": counts.by_status.get("rejected", 0),
        "archived": counts.archived,
        "versions": counts.versions,
        "tombstones": counts.tombstones,
        "contested": counts.contested,
        "mustChecks": counts.must_checks,
        "duplicateKeys": counts.duplicate_keys,
        "badLines": counts.bad_lines,
    }


def _table(tiers: list[tuple[str, Stats]]) -> list[Line]:
    """A line a count, a column a tier; the heading only where there are several."""
    types = sorted({type_ for _, counts in tiers for type_ in counts.by_type})
    columns = [
        {**{type_: counts.by_type.get(type_, 0) for type_ in types}, **_numbers(counts)}
        for _, counts in tiers
    ]
    widths = [max(7, len(shown(name)) + 2) for name, _ in tiers]
    rows = [["", *(shown(name) for name, _ in tiers)]] if len(tiers) > 1 else []
    rows += [[name, *(str(column[name]) for column in columns)] for name in columns[0]]
    lines: list[Line] = []
    for name, *cells in rows:
        if name in _FIRST_OF_PART and lines:
            lines.append(line())
        counts = [
            Span(f"{cell:>{width}}", _role(name, cell))
            for cell, width in zip(cells, widths, strict=True)
        ]
        lines.append(line(Span(f"{_WORDS.get(name, name):15}", "label"), *counts))
    return lines


def _role(name: str, cell: str) -> str:
    if cell == "0":
        return "gone"
    return {"contested": "alarm", "badLines": "alarm", "duplicateKeys": "warning"}.get(name, "")


VERB = Verb(
    "stats",
    "Count entries by type and status.",
    run,
    (),
    (),
    """
Duplicate keys should always be 0: gitkb compact mends them. Bad lines too: gitkb check names them. Each tier
has its column, and counts what it holds, shadowed or not.
""",
    pages=True,
)
