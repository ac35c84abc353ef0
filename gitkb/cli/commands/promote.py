"""gitkb promote"""

from __future__ import annotations

from gitkb.cli.arguments import Argument, Option, Verb
from gitkb.cli.render_text import told_line, told_title
from gitkb.errors import GitkbError
from gitkb.operations.tiers.move import promote
from gitkb.store.home import WORKSTATION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gitkb.cli.call import Call
    from gitkb.core.canonical import Json
    from gitkb.operations.tiers.move import Moved


def run(call: Call) -> int:
    """Move entries to a farther tier, and say where each went."""
    target = call["to"] or WORKSTATION
    return move_each(
        call,
        lambda name, notices: promote(
            call.store, name, target, notices, universal=call["universal"]
        ),
    )


def move_each(call: Call, move: Callable[[str, list[str]], Moved]) -> int:
    """Move the entries that were named one by one, telling of each as it went."""
    notices: list[str] = []
    moved: list[dict[str, Json]] = []
    for name in call["key"]:
        try:
            item = move(name, notices)
        except GitkbError:
            if call.as_json and moved:  # what went is told of, whatever keeps the rest
                call.answer({"moved": moved})
            raise
        moved.append(item._asdict())
        if not call.as_json:
            call.write_lines(_lines(item))
    if call.as_json:
        call.answer({"moved": moved})
    for notice in notices:
        call.notice(f"warning: {notice}")
    return 0


def _lines(moved: Moved) -> Iterator[str]:
    title = told_title(moved.title)
    if not moved.written:
        yield told_line("kept ", moved.key, title, f": it is in {moved.target} already")
        return
    number = f" as {moved.alias}" if moved.alias else ""
    way = f": from {moved.source} to {moved.target}{number}"
    yield told_line("moved", moved.key, title, way)
    if moved.united:
        yield f"    {moved.target} knew something else under this key, and holds both now"


VERB = Verb(
    "promote",
    "Move entries to a farther tier.",
    run,
    (Argument("KEY", many=True),),
    (
        Option("to", "The tier to move to; workstation unless said.", metavar="TIER"),
        Option("universal", "It concerns every project, whatever it is built with.", "flag"),
    ),
    """
Moves an entry that other projects need out of this one, to your workstation or, with --to, to a tier that
you may write. It keeps its key and gets a number there (WL-007). Here a redirect takes its place; the
last version stays in the archive, because your team may not have that tier. gitkb demote undoes it.

$ gitkb promote lrn_503w5wvb
$ gitkb promote lrn_503w5wvb --to org
""",
)
