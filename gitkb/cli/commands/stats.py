"""gitkb stats"""

from __future__ import annotations

from gitkb.cli.arguments import Verb
from gitkb.operations.stats import stats

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.cli.call import Call


def run(call: Call) -> int:
    """Print the counts."""
    counts = stats(call.store)
    numbers = {
        "active": counts.active,
        "superseded": counts.by_status.get("superseded", 0),
        "rejected": counts.by_status.get("rejected", 0),
        "archived": counts.archived,
        "versions": counts.versions,
        "tombstones": counts.tombstones,
        "contested": counts.contested,
        "mustChecks": counts.must_checks,
        "duplicateKeys": counts.duplicate_keys,
        "badLines": counts.bad_lines,
    }
    if call.as_json:
        problems = [problem._asdict() for problem in counts.problems]
        call.answer({"byType": counts.by_type, **numbers, "problems": problems})
        return 0
    for name, number in (*counts.by_type.items(), *numbers.items()):
        call.write(f"{name:15}{number:>7}")
    call.report(counts.problems)
    return 0


VERB = Verb(
    "stats",
    "Count entries by type and status.",
    run,
    (),
    (),
    """
duplicateKeys should always be 0: gitkb compact mends it. badLines too: gitkb check names them.
""",
)
