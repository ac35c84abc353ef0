"""gitkb supersede"""

from __future__ import annotations

from gitkb.cli.arguments import Argument, Verb
from gitkb.operations.supersede import supersede

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.cli.call import Call


def run(call: Call) -> int:
    """Put an entry in the place of another, and print which."""
    done = supersede(call.store, call["old"], call["new"])
    if call.as_json:
        call.answer({**done._asdict(), "also": list(done.also)})
        return 0
    if done.written:
        call.write(f"{done.new} supersedes {done.old}")
        call.notice(f"hint: undo with gitkb unlink {done.new} supersedes {done.old}")
    else:
        call.write(f"{done.new} superseded {done.old} before")
    if done.also:
        call.notice(f"note: {', '.join(done.also)} supersedes it too")
    return 0


VERB = Verb(
    "supersede",
    "Replace an entry by a newer one, and keep both.",
    run,
    (Argument("OLD"), Argument("NEW")),
    (),
    """
Marks OLD as superseded and adds the edge NEW supersedes OLD, both together or not at all. OLD no
longer turns up in a search unless you say --all, and then it names its successor; gitkb why tells how
one came after the other. Both are keys or other names of live entries, and NEW is active.

An entry can be replaced by several, and to do it again changes nothing.

$ gitkb supersede dec_k3x9q2mf dec_7p2m4x8a
""",
)
