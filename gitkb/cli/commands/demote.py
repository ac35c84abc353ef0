"""gitkb demote"""

from __future__ import annotations

from gitkb.cli.arguments import Argument, Option, Verb
from gitkb.cli.commands.promote import move_each
from gitkb.operations.tiers.move import demote
from gitkb.store.home import PROJECT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.cli.call import Call


def run(call: Call) -> int:
    """Move entries to a nearer tier, and say where each went."""
    target = call["to"] or PROJECT
    return move_each(call, lambda name, notices: demote(call.store, name, target, notices))


VERB = Verb(
    "demote",
    "Move entries to a nearer tier.",
    run,
    (Argument("KEY", many=True),),
    (Option("to", "The tier to move to; project unless said.", metavar="TIER"),),
    """
Moves an entry that concerns this project alone out of your workstation into this one or, with --to, out
of a tier that you may write into a nearer one. It keeps its key; a redirect takes its place there.

$ gitkb demote WL-007
""",
)
