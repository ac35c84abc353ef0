"""gitkb unlink"""

from __future__ import annotations

from gitkb.cli.arguments import Argument, Verb
from gitkb.operations.link import unlink

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.cli.call import Call


def run(call: Call) -> int:
    """Take an edge away, and print it."""
    done = unlink(call.store, call["from"], call["rel"], call["to"])
    if call.as_json:
        value = {"from": done.source, "rel": done.relation, "to": done.target}
        call.answer({**value, "written": done.written, "reactivated": done.reactivated})
        return 0
    edge = f"{done.source} {done.relation} {done.target}"
    call.write(f"unlinked {edge}" if done.written else f"there is no link {edge}")
    if done.reactivated:
        call.notice(f"{done.target} is no longer superseded")
    if done.derived:
        call.notice(
            f"note: the content of {done.source} names [[{done.target}]], and that relates them"
        )
    elif not done.written:
        call.notice(f"hint: gitkb show {done.source} lists its links")
    return 0


VERB = Verb(
    "unlink",
    "Take away what link added.",
    run,
    (Argument("FROM"), Argument("REL"), Argument("TO")),
    (),
    """
FROM is a live entry; whether anything still stands at TO does not matter. An entry that nothing
supersedes any longer is active again, or rejected if it was so before. To take away what is not there
changes nothing.

$ gitkb unlink dec_7p2m4x8a supersedes dec_k3x9q2mf
""",
)
