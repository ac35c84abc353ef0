"""gitkb gc"""

from __future__ import annotations

from gitkb.cli.arguments import Option, Verb
from gitkb.cli.render_text import plural
from gitkb.errors import UsageError
from gitkb.operations.forget import gc

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.cli.call import Call


def run(call: Call) -> int:
    """Remove old tombstones, and print which."""
    if call["days"] is None:
        raise UsageError("say how old a tombstone has to be", "gitkb gc --days 365")
    swept = gc(call.store, call["days"], dry_run=call["dry_run"])
    if call.as_json:
        call.answer({"removed": swept.removed, "needed": swept.needed})
        return 0
    would = "would remove" if call["dry_run"] else "removed"
    for key in swept.removed:
        call.write(f"{would} the tombstone of {key}")
    for key, branches in sorted(swept.needed.items()):
        call.write(f"kept the tombstone of {key}: it still stands in {', '.join(branches[:3])}")
    call.notice(f"{would} {plural(len(swept.removed), 'tombstone')}")
    if swept.removed and not call["dry_run"]:
        call.notice("hint: undo it, before the commit, with git restore on the knowledge folder")
    return 0


VERB = Verb(
    "gc",
    "Remove old tombstones.",
    run,
    (),
    (
        Option("days", "Only tombstones at least so old.", "number", "N"),
        Option("dry-run", "Say what would be removed; write nothing.", "flag"),
    ),
    """
A tombstone keeps a deleted entry from coming back when somebody merges an old branch. One that is
still needed is kept: while a branch known here has the entry alive, and while the archive holds older
versions of it. A clone that was away for longer can bring the entry back.

$ gitkb gc --days 365 --dry-run
""",
)
