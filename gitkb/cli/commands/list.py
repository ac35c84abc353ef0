"""gitkb list"""

from __future__ import annotations

from gitkb.cli.arguments import Verb
from gitkb.cli.filters import FILTER_OPTIONS, filters_of, hit_entry, hit_values
from gitkb.cli.render_text import contested_lines, entry_heading, one_line
from gitkb.operations.tiers.across import list_across

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.cli.call import Call


def run(call: Call) -> int:
    """Print every entry that passes the filters, the last changed first."""
    notices: list[str] = []
    hits = list_across(call.readable, filters_of(call, None), notices, tiers=call["tier"])
    for notice in notices:
        call.notice(f"note: {notice}")
    if call.as_json:
        call.answer(hit_values(hits, score=False))
        return 0
    if not hits:
        call.notice("no entries")
    for hit in hits:
        entry, marks = hit_entry(hit)
        call.write(f"{entry_heading(entry, marks)}\n    {one_line(entry.display_title)}")
        for line in contested_lines(entry):
            call.write(line)
    return 0


VERB = Verb(
    "list",
    "List the entries, the last changed first.",
    run,
    (),
    FILTER_OPTIONS,
    """
All tiers are looked through, as in gitkb recall; --tier project lists those of the project alone.

$ gitkb list --type decision --since 2026-01-01
""",
)
