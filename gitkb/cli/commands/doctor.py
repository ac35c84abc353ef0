"""gitkb doctor"""

from __future__ import annotations

import os

from gitkb.cli.arguments import Option, Verb
from gitkb.cli.render_health import health_lines
from gitkb.operations.doctor import examine, is_mended_by_fix, mend
from gitkb.operations.health.data import DATA_CHECKS
from gitkb.operations.health.finding import has_errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitkb.cli.call import Call
    from gitkb.operations.health.finding import Finding


def run(call: Call) -> int:
    """Examine store and clone; with --fix mend what needs no decision."""
    store = call.store
    others = [check(store) for check in DATA_CHECKS]
    work = mend if call["fix"] else examine
    findings = work(store.root, store.worktree, others)
    if call.as_json:
        call.answer([finding._asdict() for finding in findings])
        return int(has_errors(findings))
    call.write_lines(health_lines(findings, with_good=call["all"]))
    _advise(call, findings)
    return int(has_errors(findings))


def _advise(call: Call, findings: Sequence[Finding]) -> None:
    bad = [finding for finding in findings if finding.severity != "ok"]
    top = call.store.worktree
    if bad and top is not None and os.path.realpath(top) != os.path.realpath(os.curdir):
        call.notice(f"note: paths are from the top of the worktree: cd '{top}'")
    if not call["fix"] and any(map(is_mended_by_fix, bad)):
        call.notice("hint: gitkb doctor --fix does what needs no decision of yours")


VERB = Verb(
    "doctor",
    "See whether everything is in place.",
    run,
    (),
    (
        Option("fix", "Mend what needs no decision of yours, then look again.", "flag"),
        Option("all", "Show what is well, too.", "flag"),
    ),
    """
Looks at this clone's git, the files of the store and the search index, and says of what is wrong why it matters
and which command mends it. Exit 1 when something is broken; what is only less convenient is a warning.
""",
)
