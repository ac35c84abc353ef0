"""gitkb link"""

from __future__ import annotations

from gitkb.cli.arguments import Argument, Verb
from gitkb.operations.link import link

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.cli.call import Call


def run(call: Call) -> int:
    """Add an edge between two entries, and print it."""
    done = link(call.store, call["from"], call["rel"], call["to"])
    if call.as_json:
        call.answer(
            {"from": done.source, "rel": done.relation, "to": done.target, "written": done.written}
        )
        return 0
    before = "" if done.written else "  (it did before)"
    call.write(f"{done.source} {done.relation} {done.target}{before}")
    return 0


VERB = Verb(
    "link",
    "Relate one entry to another.",
    run,
    (Argument("FROM"), Argument("REL"), Argument("TO")),
    (),
    """
REL says how FROM stands to TO: relates_to, in general; depends_on, true only as long as TO is;
implements, carries out the decision or principle TO; supersedes, replaces TO, as gitkb supersede does;
rejected_because, an option that was turned down because of TO; caused_by, a pitfall that TO brought
about; part_of, belongs to the larger topic TO. Both are keys or other names of live entries.

Where the content of an entry names another one as [[key]], the two are related without a link.

$ gitkb link pit_9w2k4m7c caused_by dec_7p2m4x8a
""",
)
