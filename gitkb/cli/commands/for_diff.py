"""gitkb for-diff"""

from __future__ import annotations

from gitkb.cli.arguments import Argument, Option, Verb
from gitkb.cli.commands.for_file import LIMIT
from gitkb.cli.render_touch import answer_reminder
from gitkb.operations.for_diff import for_diff
from gitkb.operations.reading.touched import DEFAULT_LIMIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.cli.call import Call


def run(call: Call) -> int:
    """Print the entries that concern a change; nothing where there are none."""
    notices: list[str] = []
    limit = DEFAULT_LIMIT if call["limit"] is None else call["limit"]
    reminder = for_diff(
        call.readable, call["revision"], staged=call["staged"], limit=limit, notices=notices
    )
    return answer_reminder(call, reminder, notices, limit)


VERB = Verb(
    "for-diff",
    "Show what concerns a change: its files, and its words.",
    run,
    (Argument("REVISION", required=False, many=True),),
    (Option("staged", "What would be committed, rather than all that changed.", "flag"), LIMIT),
    """
Without REVISION it is what differs from HEAD, files that git does not know yet included. A..B are the
changes between two commits, A...B those of B since it left A, one commit is compared with the work tree.

Files count as for gitkb for-file; of what was renamed both names, of what was deleted its name. Of the lines
that were added or taken away, names in code that an entry spells the same way count, and words that cover
most of an entry's title. Where nothing concerns, nothing is printed.

$ gitkb for-diff
$ gitkb for-diff --staged
$ gitkb for-diff main...HEAD --json
""",
)
