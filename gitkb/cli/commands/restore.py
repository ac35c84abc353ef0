"""gitkb restore"""

from __future__ import annotations

from gitkb.cli.arguments import Argument, Verb
from gitkb.cli.render_text import told_line, told_title
from gitkb.operations.archive import restore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.cli.call import Call


def run(call: Call) -> int:
    """Bring entries back, and print which."""
    moved = restore(call.store, call["key"])
    if call.as_json:
        call.answer({"restored": [{"key": item.key, "title": item.title} for item in moved]})
        return 0
    for item in moved:
        call.write_lines([told_line("restored", item.key, told_title(item.title))])
    if not moved:
        call.notice("nothing to restore: live and active already")
    return 0


VERB = Verb(
    "restore",
    "Bring archived and rejected entries back.",
    run,
    (Argument("KEY", many=True),),
    (),
    """
KEY is a key or another name of an entry. An archived one comes back as it was; a rejected one is active
again, and loses its rejected_because edges. One that is superseded comes back once nothing supersedes
it: gitkb unlink NEW supersedes KEY.

A forgotten entry cannot be restored, since its content is only in git's history: gitkb log KEY
shows it, and gitkb add with the very key brings it back.
""",
)
