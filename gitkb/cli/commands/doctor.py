"""gitkb doctor"""

from __future__ import annotations

from gitkb.cli.arguments import Option, Verb
from gitkb.operations.doctor import examine, mend
from gitkb.operations.health.data import DATA_CHECKS
from gitkb.operations.health.finding import has_errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.cli.call import Call


def run(call: Call) -> int:
    """Examine store and clone; with --fix mend what needs no decision."""
    store = call.store
    others = [check(store) for check in DATA_CHECKS]
    work = mend if call["fix"] else examine
    findings = work(store.root, store.worktree, others)
    if call.as_json:
        call.answer([finding._asdict() for finding in findings])
        return int(has_errors(findings))
    for finding in findings:
        if finding.severity == "ok":
            call.write(f"ok       {finding.message}")
            continue
        call.write(f"{finding.severity:8} {finding.message}")
        if finding.why:
            call.write(f"         {finding.why}")
        if finding.cure:
            cure = finding.cure.replace("\n", f"\n{' ' * 11}")
            call.write(f"         mend it: {cure}")
    return int(has_errors(findings))


VERB = Verb(
    "doctor",
    "See whether everything is in place.",
    run,
    (),
    (Option("fix", "Mend what needs no decision of yours, then look again.", "flag"),),
    """
Looks at this clone's git, the files of the store and the search index. Exit 1 when something is
broken; what is only less convenient is a warning.
""",
)
