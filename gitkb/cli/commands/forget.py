"""gitkb forget"""

from __future__ import annotations

from gitkb.cli.arguments import Argument, Option, Verb
from gitkb.cli.commands.archive import tell_left, value_of
from gitkb.cli.render_text import told_line, told_title
from gitkb.operations.forget import forget

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.cli.call import Call


def run(call: Call) -> int:
    """Delete entries for everybody, and print which."""
    forgotten = forget(call.store, call["key"], call["reason"] or "")
    if call.as_json:
        call.answer({"forgotten": [value_of(item) for item in forgotten]})
        return 0
    for item in forgotten:
        if item.written:
            call.write_lines([told_line("forgot", item.key, told_title(item.title))])
        else:
            call.write(f"{item.key} was forgotten before")
    written = [item.key for item in forgotten if item.written]
    if written:
        call.notice("The deletion reaches your team with the next commit and push.")
        call.notice(
            f"hint: to undo it, add the key again; what was committed, gitkb log {written[0]} shows"
        )
    tell_left(call, forgotten)
    return 0


VERB = Verb(
    "forget",
    "Delete entries for everybody, by a tombstone.",
    run,
    (Argument("KEY", many=True),),
    (Option("reason", "Why, for those who look for it.", metavar="TEXT"),),
    """
KEY is a key or another name of an entry. Its line becomes a tombstone without content, which wins over
every edit that did not know of it, on every clone. A text that was committed stays in git's history; one
that was not is lost. To put something aside, use archive.
""",
)
