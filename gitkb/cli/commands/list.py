"""gitkb list"""

from __future__ import annotations

from gitkb.cli.arguments import Verb
from gitkb.cli.filters import FILTER_OPTIONS, filters_of, hit_entry, hit_values
from gitkb.cli.formats import FORMAT_OPTION, authors_of, format_of, own_keys, write_as
from gitkb.operations.tiers.across import list_across

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.cli.call import Call


def run(call: Call) -> int:
    """Print every entry that passes the filters, the last changed first."""
    form = format_of(call)
    notices: list[str] = []
    names_authors = form in ("text", "table") and call.is_on_terminal
    author_of = authors_of(call) if names_authors else None
    hits = list_across(call.readable, filters_of(call, None), notices, tiers=call["tier"])
    for notice in notices:
        call.notice(f"note: {notice}")
    if form == "json":
        call.answer(hit_values(hits, score=False))
        return 0
    if not hits:
        call.notice("no entries")
    author = author_of(own_keys(hits)) if author_of else {}
    if form != "text":
        values = hit_values(hits, score=False) if form == "jsonl" else []
        write_as(call, form, hits, values, authors=author)
        return 0
    from gitkb.cli.render_text import contested_lines, entry_heading, one_line, stale_lines
    from gitkb.cli.terminal.line import Span, line

    for hit in hits:
        entry, marks = hit_entry(hit)
        heading = entry_heading(entry, marks, author.get(entry.key, ""))
        title = line("    ", Span(one_line(entry.display_title), "title"))
        call.write_lines([heading, title, *stale_lines(marks), *contested_lines(entry)])
    return 0


VERB = Verb(
    "list",
    "List the entries, the last changed first.",
    run,
    (),
    (*FILTER_OPTIONS, FORMAT_OPTION),
    """
All tiers are looked through, as in gitkb recall; --tier project lists those of the project alone.

On a terminal each entry names who wrote it last, as git knows. --format table fits the width there is;
jsonl gives an object a line, markdown a list to paste into a pull request.

$ gitkb list --type decision --since 2026-01-01
$ gitkb list --format table
""",
    pages=True,
)
