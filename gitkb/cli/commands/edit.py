"""gitkb edit"""

from __future__ import annotations

import sys

from gitkb.cli.arguments import Argument, Option, Verb
from gitkb.cli.call import say_error
from gitkb.cli.render_text import told_line
from gitkb.errors import EXIT_DONE
from gitkb.operations.edit import (
    FaultyDraftError,
    mark_fault,
    open_draft,
    run_editor,
    write_edited,
)
from gitkb.store.secret_gate import allowing_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.cli.call import Call
    from gitkb.operations.edit import Edited, Opened


def run(call: Call) -> int:
    """Open the editor on an entry, until what is saved can be written or nobody wants to go on."""
    opened = open_draft(call.store, call["key"])
    if opened.is_old:
        call.notice("note: an earlier edit has left this draft; empty the file to drop it")
    with allowing_secrets(call["allow_secret"]):
        edited = _edit(call, opened)
    if call.as_json:
        call.answer(
            {**edited._asdict(), "fields": list(edited.fields), "contested": list(edited.contested)}
        )
        return EXIT_DONE
    _tell(call, edited)
    return EXIT_DONE


def _edit(call: Call, opened: Opened) -> Edited:
    while True:
        run_editor(call.store, opened)
        try:
            return write_edited(call.store, opened)
        except FaultyDraftError as error:
            mark_fault(opened, error)
            if not _goes_on(call, error):
                raise


def _goes_on(call: Call, error: FaultyDraftError) -> bool:
    if not sys.stdin.isatty() or not sys.stderr.isatty():
        return False
    say_error(error.message, None)
    while True:
        line = call.ask("go on editing? (y)es, (n)o and keep the draft:")
        answer = line.strip().lower()
        if not line or answer in ("n", "no", "q", "quit"):
            return False
        if answer in ("", "y", "yes", "e"):
            return True


def _tell(call: Call, edited: Edited) -> None:
    key = edited.key
    if not edited.written:
        call.notice(f"'{key}' says that already: nothing was written")
        return
    call.write_lines([told_line("changed", key, f": {', '.join(edited.fields)}")])
    if edited.merged:
        call.notice("note: others had changed it meanwhile, and their changes are kept")
    if edited.contested:
        call.notice(f"note: contested now: {', '.join(edited.contested)}")
        call.notice(f"hint: gitkb resolve {key}")
    else:
        call.notice(f"hint: what it said before: gitkb log {key}")


VERB = Verb(
    "edit",
    "Change an entry in your editor.",
    run,
    (Argument("KEY"),),
    (
        Option(
            "allow-secret",
            "Write what looks like a secret, and keep on the entry why it is none.",
            metavar="REASON",
        ),
    ),
    """
The entry opens as Markdown, in the editor that git would open: its fields above, one a line, and the content
below. What you take out is taken out of the entry; an empty file, or one that nobody changed, writes
nothing.

What is saved is checked before it is written. If it does not pass, the fault stands on top of the draft with
its line, and you can go on; where there is no terminal to ask at, exit 3. The draft is never lost: the next
gitkb edit of the entry goes on from it.

If somebody else wrote the entry while your editor was open, both changes are merged field by field; where both
changed the same field it is contested, as after a merge of git.

$ gitkb edit dec_k3x9q2mf
$ gitkb edit L-007
""",
)
