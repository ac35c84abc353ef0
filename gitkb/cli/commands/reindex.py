"""gitkb reindex"""

from __future__ import annotations

from gitkb.cli.arguments import Option, Verb
from gitkb.cli.render_text import plural
from gitkb.operations.reading.search_index import open_index

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.cli.call import Call


def run(call: Call) -> int:
    """Build the search index anew."""
    notices: list[str] = []
    with open_index(call.store, force=True, notices=notices) as index:
        counts = index.counts()
    entries = sum(counts.types.values()) + counts.archived
    if call.as_json:
        call.answer({"entries": entries, "badLines": counts.bad_lines})
        return 0
    if not call["quiet"]:
        call.write(f"indexed {plural(entries, 'entry', 'entries')}")
        for notice in notices:
            call.notice(f"note: {notice}")
        if counts.bad_lines:
            call.notice(f"note: {plural(counts.bad_lines, 'line')} cannot be read: gitkb check")
    return 0


VERB = Verb(
    "reindex",
    "Build the search index anew from the files.",
    run,
    (),
    (Option("quiet", "Say nothing.", "flag"),),
    """
Never needed for a right answer: every query looks whether the files have changed.
""",
)
