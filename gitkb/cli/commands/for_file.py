"""gitkb for-file"""

from __future__ import annotations

from gitkb.cli.arguments import Argument, Option, Verb
from gitkb.cli.render_touch import answer_reminder
from gitkb.operations.for_file import for_file
from gitkb.operations.reading.touched import DEFAULT_LIMIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.cli.call import Call

LIMIT = Option("limit", f"At most so many entries; {DEFAULT_LIMIT} unless told.", "number", "N")


def run(call: Call) -> int:
    """Print the entries that concern the paths; nothing where there are none."""
    notices: list[str] = []
    limit = DEFAULT_LIMIT if call["limit"] is None else call["limit"]
    reminder = for_file(call.readable, call["path"], limit=limit, notices=notices)
    return answer_reminder(call, reminder, notices, limit)


VERB = Verb(
    "for-file",
    "Show what concerns files, before you touch them.",
    run,
    (Argument("PATH", many=True),),
    (LIMIT,),
    """
PATH is a file or folder as you name it from where you are; it need not exist yet. An entry concerns it by
its files (the path itself, a folder above it, a glob), by a tag that is the name of the file or of a folder
above it, and, if it names no file, by the language that the file is written in.

Must-checks come first, then what concerns by files, tags and language; of those what is contested, the more
important and the closer. Each says by what it concerns. All tiers are looked through. Paths outside of the
repository are left out, and a note says so.

$ gitkb for-file src/payments/charge.py
$ gitkb for-file src/payments --limit 20 --json
""",
)
