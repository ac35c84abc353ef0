"""gitkb diff"""

from __future__ import annotations

from gitkb.cli.arguments import Argument, Option, Verb
from gitkb.core.diff.entry import count_kinds
from gitkb.core.diff.markdown import BUDGET, SMALLEST_BUDGET, format_comment
from gitkb.core.diff.text import change_lines, summary, urgent
from gitkb.errors import EXIT_DONE, EXIT_NO, UsageError
from gitkb.operations.diff import diff

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gitkb.cli.call import Call
    from gitkb.core.diff.entry import EntryChange
    from gitkb.core.entry import Record
    from gitkb.operations.diff import StoreDiff
    from gitkb.operations.history.side import Side


def run(call: Call) -> int:
    """Print what changed between two states of the store."""
    is_markdown = call["format"] == "markdown"
    if is_markdown and call.as_json:
        raise UsageError("one form at a time", "give --json or --format markdown")
    budget = call["budget"]
    if budget is not None and not is_markdown:
        raise UsageError("--budget is for a comment", "gitkb diff --format markdown --budget N")
    if budget is not None and budget < SMALLEST_BUDGET:
        raise UsageError(f"a comment needs {SMALLEST_BUDGET} characters", "give --budget more")
    found = diff(
        lambda: call.store,
        call["rev"],
        staged=call["staged"],
        keys=call["key"],
        own_environment=call["staged"] and not call.directory,
    )
    if call.as_json:
        call.answer(_value(found))
    elif is_markdown:
        text = format_comment(
            found.changes,
            old=found.old.label,
            new=found.new.label,
            notes=found.notes,
            command=found.command,
            budget=budget or BUDGET,
        )
        call.write(text.rstrip("\n"))
    else:
        _print(call, found)
    return EXIT_NO if call["exit_code"] and found.changes else EXIT_DONE


def _print(call: Call, found: StoreDiff) -> None:
    for change in found.changes:
        lines = list(change_lines(change))
        if call.screen is not None:
            from gitkb.cli.terminal.diff_paint import diff_lines

            # The lines of a change are split as they were joined: a value may be of several.
            lines = list(diff_lines("\n".join(lines).split("\n")))
        call.write_lines([*lines, ""])
    for note in found.notes:
        call.notice(f"note: {note}")
    hurry = urgent(found.changes)
    told = f"{found.old.label} to {found.new.label}: {summary(found.changes)}"
    call.notice(f"{told} ({hurry})" if hurry else told)


def _value(found: StoreDiff) -> dict[str, Any]:
    return {
        "from": _side_value(found.old),
        "to": _side_value(found.new),
        "counts": count_kinds(found.changes),
        "changes": [_change_value(change) for change in found.changes],
        "notes": found.notes,
    }


def _side_value(side: Side) -> dict[str, Any]:
    return {"name": side.label, "commit": side.commit or None}


def _change_value(change: EntryChange) -> dict[str, Any]:
    entry = change.entry
    value: dict[str, Any] = {"key": change.key, "kind": change.kind}
    if entry is not None:
        value |= {"type": entry.type, "title": entry.display_title}
    value |= {"must_check": change.is_must_check, "contested": change.is_contested}
    if change.successors:
        value["superseded_by"] = list(change.successors)
    if change.lost_versions:
        value["lost_versions"] = change.lost_versions
    fields = [
        {"field": field.field, "before": field.before, "after": field.after}
        for field in change.fields
    ]
    return value | {
        "fields": fields,
        "before": _record_value(change.before),
        "after": _record_value(change.after),
    }


def _record_value(record: Record | None) -> dict[str, Any] | None:
    return None if record is None else dict(record.fields)


VERB = Verb(
    "diff",
    "Show what changed between two states, entry by entry.",
    run,
    (Argument("REV", required=False, many=True),),
    (
        Option("staged", "Compare what is staged, not the files.", "flag"),
        Option("key", "Only this entry, by key or alias; repeatable.", "texts", "KEY"),
        Option("format", "Text, or markdown for a comment.", "choice", "", ("text", "markdown")),
        Option("budget", "At most this many characters of markdown.", "number", "N"),
        Option("exit-code", "Exit 1 if anything changed.", "flag"),
    ),
    """
Without a revision, the files are compared with HEAD; with one, with that commit; A..B or A B are compared
with each other, and A...B shows what B did since it left A. Words behind the revisions that are
none are keys or aliases: only these entries are shown.

An entry is added, changed, superseded, rejected, archived, restored, revived, moved, forgotten, removed (gone
without a trace), rewritten (older versions of it in the archive went) or confirmed (gitkb confirm; nothing else
became of it). Must-checks and contested entries come
first. Lines that only moved, or are spelt otherwise, are no change.

$ gitkb diff
$ gitkb diff main...HEAD --format markdown
$ gitkb diff v1.0..v2.0 --json
""",
    pages=True,
)
