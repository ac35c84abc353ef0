"""gitkb stale"""

from __future__ import annotations

from gitkb.cli.arguments import Argument, Option, Verb
from gitkb.cli.render_text import entry_heading, one_line, plural
from gitkb.cli.terminal.line import Span, line
from gitkb.operations.stale import find_stale

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gitkb.cli.call import Call
    from gitkb.operations.history.staleness import Stale
    from gitkb.operations.stale import StaleEntry


def run(call: Call) -> int:
    """Print which entries may no longer be true, and why."""
    notices: list[str] = []
    found = find_stale(call.store, call["key"], notices)
    for notice in notices:
        call.notice(f"note: {notice}")
    code = 1 if found and call["exit_code"] else 0
    if call.as_json:
        call.answer([_value(one) for one in found])
        return code
    if not found:
        call.notice("nothing is stale")
        return code
    for one in found:
        title = line("    ", Span(one_line(one.entry.display_title), "title"))
        reasons = [
            line("    - ", Span(one_line(words), "warning"), hang=6) for words in one.stale.words
        ]
        call.write_lines([entry_heading(one.entry), title, *reasons])
    call.notice(f"{plural(len(found), 'entry', 'entries')} may no longer be true")
    key = found[0].entry.key
    call.notice(
        f"hint: gitkb confirm {key} if it still is; else gitkb add --key {key} … says it anew"
    )
    return code


def stale_value(stale: Stale) -> dict[str, Any]:
    """What an entry is stale for, for an answer in JSON."""
    value: dict[str, Any] = {"stale": True, "stale_because": list(stale.words)}
    if stale.findings:
        value["changes"] = [
            {
                "file": one.file,
                "change": one.kind,
                "commits": one.commits,
                "share": one.share,
                **({"moved_to": list(one.moved_to)} if one.moved_to else {}),
            }
            for one in stale.findings
        ]
    if stale.in_doubt:
        value["in_doubt"] = list(stale.in_doubt)
    if stale.review_by:
        value["review_by"] = stale.review_by
    return value


def _value(one: StaleEntry) -> dict[str, Any]:
    entry = one.entry
    return {
        "key": entry.key,
        "type": entry.type,
        "title": entry.display_title,
        **stale_value(one.stale),
    }


VERB = Verb(
    "stale",
    "List what may no longer be true: its files changed since.",
    run,
    (Argument("KEY", required=False, many=True),),
    (Option("exit-code", "Exit with 1 if anything is stale, for CI.", "flag"),),
    """
An entry is stale when a file that it names changed, moved or vanished after the entry was last written or
confirmed; when something that it depends on is superseded, rejected or gone; or when the day of its
--review-by has passed. What is gone comes first, then what changed most. KEY is a key or another name of
an entry; without one, all active entries of the project are looked at.

History decides, and no clock: a commit counts if the one that wrote the entry does not have it in its
history. A renamed file is followed, and a change that was taken back is none. The share is that of the
lines before and now that the commits changed; it is not known of binary files, and in a partial clone.
[stale] share = 0.2 in config.toml lets a smaller change of a file pass.

The same mark stands in every answer of recall, list, show, context and learnings. It hides nothing.

$ gitkb stale
$ gitkb stale --exit-code
""",
)
