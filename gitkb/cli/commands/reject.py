"""gitkb reject"""

from __future__ import annotations

from gitkb.cli.arguments import Argument, Option, Verb
from gitkb.cli.render_text import told_line, told_title
from gitkb.operations.reject import reject

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.cli.call import Call


def run(call: Call) -> int:
    """Mark an entry as rejected, and print it."""
    done = reject(call.store, call["key"], call["because"] or "")
    if call.as_json:
        call.answer({**done._asdict(), "because": done.because or None})
        return 0
    because = f"  because of {done.because}" if done.because else ""
    if done.written:
        call.write_lines([told_line("rejected", done.key, told_title(done.title), because)])
        call.notice(f"hint: undo with gitkb restore {done.key}")
    else:
        call.write(f"{done.key} was rejected before{because}")
    for key in done.left_superseded:
        call.notice(f"note: '{key}' stays superseded, though nothing in force takes its place now")
        call.notice(f"hint: gitkb unlink {done.key} supersedes {key} makes it active again")
    return 0


VERB = Verb(
    "reject",
    "Mark an option that was weighed and turned down.",
    run,
    (Argument("KEY"),),
    (Option("because", "The entry that is the reason, as an edge.", metavar="KEY"),),
    """
A rejected entry is kept so that "why not X?" has an answer: gitkb why finds it, and recall does with
--all. Write the reasons into its content; --because links it to the entry that decided it, by its key.
What the entry had superseded stays so, and is named where nothing else replaces it.

$ gitkb reject dec_k3x9q2mf --because dec_7p2m4x8a
""",
)
