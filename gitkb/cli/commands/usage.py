"""gitkb usage"""

from __future__ import annotations

from gitkb.cli.arguments import Option, Verb
from gitkb.cli.filters import parse_moment
from gitkb.cli.render_text import day, one_line, plural
from gitkb.cli.terminal.line import Span, line
from gitkb.cli.terminal.width import cells, pad
from gitkb.core.unsafe import shown
from gitkb.errors import UsageError
from gitkb.operations.usage import OLD_DAYS, usage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from gitkb.cli.call import Call
    from gitkb.cli.terminal.line import Line
    from gitkb.operations.usage import Usage

DEFAULT_LIMIT = 10
_WIDEST_NAME = 24
"""Cells: what is longer stands out of its column."""
_CALLS = {
    "recall": ("search", "searches"),
    "context": ("pack", "packs"),
    "learnings": ("call of learnings", "calls of learnings"),
    "touch": ("look at what a change concerns", "looks at what a change concerns"),
    "before-edit": ("reminder", "reminders"),
    "remind": ("reminder at a commit", "reminders at a commit"),
    "check-plan": ("check of a plan", "checks of plans"),
    "show": ("opening", "openings"),
}


def run(call: Call) -> int:
    """Print what helped, what nobody found, and what was missed."""
    limit = DEFAULT_LIMIT if call["limit"] is None else call["limit"]
    if limit < 1:
        raise UsageError("--limit must be at least 1", "leave it out for the default")
    notices: list[str] = []
    found = usage(call.readable, parse_moment(call["since"]), notices)
    for notice in notices:
        call.notice(f"note: {notice}")
    if call.as_json:
        call.answer(_value(found, limit))
        return 0
    if found.switch.off_by:
        call.notice(f"note: nothing is logged: {found.switch.off_by}")
    if found.first is None:
        call.notice(
            "nothing is logged yet" if call["since"] is None else "nothing was logged since"
        )
    else:
        call.write_lines(_lines(found, limit))
    call.notice("note: this is the log of this clone alone; what others looked up is not in it")
    return 0


def _value(found: Usage, limit: int) -> dict[str, Any]:
    lists: dict[str, list[Any]] = {
        "helped": found.helped,
        "unseen": found.unseen,
        "missed": found.missed,
    }
    return {
        "logging": found.switch.log,
        "ranking": found.switch.rank,
        **({"off_by": found.switch.off_by} if found.switch.off_by else {}),
        "log": found.path,
        "bytes": found.size,
        "first": found.first,
        "calls": found.calls,
        **{
            name: [
                {
                    field: list(value) if isinstance(value, tuple) else value
                    for field, value in one._asdict().items()
                    if field != "tier" or value
                }
                for one in each[:limit]
            ]
            for name, each in lists.items()
        },
        "left_out": {name: max(0, len(each) - limit) for name, each in lists.items()},
    }


def _lines(found: Usage, limit: int) -> Iterator[Line]:
    calls = [plural(count, *_CALLS.get(verb, (verb, verb))) for verb, count in found.calls.items()]
    yield line(f"Logged here since {day(found.first or 0)}: {', '.join(calls)}.")
    yield from _part(
        "What helps: shown, and then opened",
        [
            (
                f"{one.tier}:{one.key}" if one.tier else one.key,
                f"{plural(one.helped, 'time')} of {one.shown} · {one.title}",
            )
            for one in found.helped
        ],
        limit,
    )
    yield from _part(
        f"What nobody found: active, written more than {OLD_DAYS} days ago, in no answer since",
        [(one.key, one.title) for one in found.unseen],
        limit,
    )
    yield from _part(
        "What was asked for and not found",
        [(" ".join(one.words), plural(one.times, "time")) for one in found.missed],
        limit,
    )


def _part(heading: str, rows: Sequence[tuple[str, str]], limit: int) -> Iterator[Line]:
    yield line()
    yield line(Span(heading, "label"))
    if not rows:
        yield line("  nothing")
    names = [one_line(shown(name)) for name, _ in rows[:limit]]
    width = max((size for size in map(cells, names) if size <= _WIDEST_NAME), default=0)
    for name, (_, words) in zip(names, rows, strict=False):
        gap = pad("", max(width - cells(name), 0) + 2)
        yield line("  ", Span(name, "key"), f"{gap}{one_line(words)}", hang=width + 4)
    if len(rows) > limit:
        yield line(f"  and {len(rows) - limit} more: --limit {len(rows)}")


VERB = Verb(
    "usage",
    "Say what was used here, what never was, and what was missed.",
    run,
    (),
    (
        Option("since", "Only calls since then: Unix seconds or YYYY-MM-DD.", metavar="WHEN"),
        Option(
            "limit", f"At most so many lines a part; {DEFAULT_LIMIT} unless told.", "number", "N"
        ),
    ),
    f"""
Every clone keeps a log of the entries that recall, context, learnings, for-file, for-diff and the hook before an
edit showed, and of those that show opened, by a person or through MCP. It lies in the git directory, is never
committed, and holds at most two MiB. Of what was asked it keeps words, and none where they may hold a secret.

What helps was opened within a day of having been shown. What nobody found is active, was written more than
{OLD_DAYS} days ago, and stands in no line of the log. What was asked for counts while nothing answers to it, and
only without a filter. Of what colleagues, other machines and CI look up this log knows nothing.

What was opened here comes a little closer in recall: at most 5 %, less as time goes by, and --explain says so.
[usage] rank = false in config.toml ends that. [usage] log = false, git config gitkb.usage false and
GITKB_USAGE=0 end the log; the last of them that says something wins.

$ gitkb usage
$ gitkb usage --since 2026-01-01 --json
""",
    pages=True,
)
