"""gitkb conflicts"""

from __future__ import annotations

from gitkb.cli.arguments import Argument, Verb
from gitkb.cli.render_contest import contest_lines, contest_values
from gitkb.cli.render_text import plural
from gitkb.operations.conflicts import conflicts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.cli.call import Call


def run(call: Call) -> int:
    """Print what is contested, value by value."""
    found = conflicts(call.store, call["key"])
    if call.as_json:
        call.answer(contest_values(found))
    elif found.entries:
        call.write_lines(contest_lines(found))
        if len(found.entries) == 1:
            call.notice(f"hint: gitkb resolve {found.entries[0].key} settles it")
        else:
            call.notice("hint: gitkb resolve KEY settles one of them")
    elif not found.files:
        call.notice("nothing is contested")
    if found.files:
        call.notice(
            f"note: {plural(len(found.files), 'file')} in conflict: {', '.join(found.files)}"
        )
        call.notice("hint: gitkb resolve merges them by key")
    return 0


VERB = Verb(
    "conflicts",
    "List the entries in which a merge found two values.",
    run,
    (Argument("KEY", required=False, many=True),),
    (),
    """
Under each key and field stand its values, numbered, with who wrote each and in which commit. Number 1 is
the one that the entry shows. After a rebase, a cherry-pick or a stash the version that lost may be in no
commit any more, and then nobody is named. gitkb resolve settles an entry.

Two lines of one key, as a merge without the driver can leave them, count too where they disagree. Files
that git left in conflict are named.

$ gitkb conflicts
""",
    pages=True,
)
