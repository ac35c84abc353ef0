"""gitkb show"""

from __future__ import annotations

from gitkb.cli.arguments import Argument, Verb
from gitkb.cli.render_reasons import link_facts, link_values
from gitkb.cli.render_text import day, entry_page, fact_line, plural, tier_marks
from gitkb.operations.show import show
from gitkb.operations.usage_log.record import record_opened
from gitkb.store.home_path import PROJECT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.cli.call import Call


def run(call: Call) -> int:
    """Print one entry in full."""
    notices: list[str] = []
    shown = show(call.readable, call["key"], notices)
    for notice in notices:
        call.notice(f"note: {notice}")
    record_opened(call.readable, [(shown.tier, shown.entry.key)])
    if call.as_json:
        value = dict(shown.entry.fields)
        if shown.archived:
            value["archived"] = True
        if shown.entry.conflicts:
            value["contested"] = True
        value.update(link_values(shown))
        for name, where in (("tier", shown.tier), ("moved", shown.moved)):
            if where:
                value[name] = where
        if shown.stale:
            value.update(stale=True, stale_because=list(shown.stale))
        if shown.confirmed:
            value["confirmed"] = shown.confirmed
        if shown.shadows:
            value["shadows"] = list(shown.shadows)
        call.answer(value)
        return 0
    marks = tuple(tier_marks(shown.tier, shown.shadows))
    if shown.moved:
        marks = (*marks, f"moved to {shown.moved}")
    if shown.stale:
        marks = (*marks, "stale")
    author = ""
    if call.is_on_terminal and shown.tier in ("", PROJECT):
        from gitkb.cli.formats import authors_of

        author = authors_of(call)([shown.entry.key])[shown.entry.key]
    call.write_lines(entry_page(shown.entry, shown.archived, link_facts(shown), marks, author))
    if shown.confirmed:
        call.write_lines([fact_line("confirmed", day(shown.confirmed))])
    # What it depends on stands among its edges.
    because = [words for words in shown.stale if not words.startswith("depends on ")]
    for words in because:
        call.write_lines([fact_line("stale", words)])
    if because:
        call.notice(f"hint: gitkb confirm {shown.entry.key} if it is still true")
    if shown.older:
        call.notice(f"{plural(shown.older, 'older version')}: gitkb log {shown.entry.key}")
    if shown.entry.conflicts:
        key = shown.entry.key
        call.notice(
            f"hint: gitkb resolve {key} settles it; gitkb conflicts {key} says who wrote what"
        )
    return 0


VERB = Verb(
    "show",
    "Show one entry in full.",
    run,
    (Argument("KEY"),),
    (),
    """
KEY is a key or another name of the entry, such as L-007. An archived entry is shown too. Beside what an
entry says itself stands what others say of it: by what it is superseded, what links to it, and whether
it is in doubt because something that it depends on, directly or not, is no longer true.

What the project does not hold is looked for in the other tiers, also by another name that it has there,
such as WL-007; an entry that was moved is found where it went. The page says from which tier it is.

Where a merge found two values for one field, the one shown stands in the field and the other under
contested. gitkb resolve settles it.
""",
    pages=True,
)
