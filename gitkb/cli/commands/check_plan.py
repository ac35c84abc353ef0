"""gitkb check-plan"""

from __future__ import annotations

import sys

from gitkb.cli.arguments import Verb
from gitkb.cli.filters import hit_values
from gitkb.errors import EXIT_DONE, EXIT_NO, UsageError
from gitkb.operations.check_plan import check_plan
from gitkb.operations.reading.trust_rule import left_out_note
from gitkb.operations.tiers.across import keys_of
from gitkb.operations.usage_log.record import record_shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from gitkb.cli.call import Call
    from gitkb.operations.check_plan import Collision

_MOST_BYTES = 4 << 20


def run(call: Call) -> int:
    """Print what the plan on stdin runs into; 1 if there is anything."""
    store = call.readable
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError("the plan is read from stdin", "gitkb check-plan < plan.md")
    plan = sys.stdin.buffer.read(_MOST_BYTES).decode("utf-8", "replace")
    if not plan.strip():  # one that did not arrive is clear as well, which a script has to be told
        call.notice("note: the plan is empty: gitkb check-plan < plan.md")
    notices: list[str] = []
    result = check_plan(store, plan, notices)
    for notice in notices:
        call.notice(f"note: {notice}")
    record_shown(store, "check-plan", keys_of(one.found for one in result.collisions))
    if call.as_json:
        values = [_value(one) for one in result.collisions]
        call.answer({"clear": result.is_clear, "collisions": values})
    else:
        for one in result.collisions:
            call.write_lines(_lines(one))
        if result.is_clear:
            call.notice("the plan runs into nothing that was rejected, and into no must-check")
    if result.untrusted:
        call.notice(f"note: {left_out_note(result.untrusted)}")
    return EXIT_DONE if result.is_clear else EXIT_NO


def _value(one: Collision) -> dict[str, Any]:
    [value] = hit_values([one.found], score=False)
    return {
        "kind": one.kind,
        "key": one.entry.key,
        "passage": one.passage,
        "score": one.score,
        "because": [reason._asdict() for reason in one.reasons],
        "entry": value,
    }


def _lines(one: Collision) -> Iterator[str]:
    from gitkb.cli.render_text import mark, one_line, tier_marks, told_title
    from gitkb.cli.terminal.line import Span, line
    from gitkb.core.entry import MUST_CHECK

    entry = one.entry
    marks = "".join(f" · {mark}" for mark in tier_marks(one.found.tier))
    state = f" ({entry.status})" if not entry.is_active and entry.status != one.kind else ""
    kind, key = mark(one.kind), Span(entry.key, "key")
    yield line(kind, f"{state}  ", key, marks, told_title(entry.display_title))
    yield line("    ", Span("plan:", "label"), f" {one_line(one.passage)}", hang=10)
    why = entry.content.removeprefix(MUST_CHECK).strip()
    if why and why != entry.title:
        yield line("    ", Span("why:", "label"), f"  {one_line(why)}", hang=10)
    for reason in one.reasons:
        title = f"  {one_line(reason.title)}" if reason.title else ""
        yield line("    because of ", Span(reason.key, "key"), title, hang=10)
    yield line("    ", Span("more:", "label"), " ", Span(f"gitkb why {entry.key}", "hint"))


VERB = Verb(
    "check-plan",
    "Hold a plan against what was rejected, and must-checks.",
    run,
    (),
    (),
    """
Reads the plan sentence by sentence and answers with what it runs into, each with why and the key: options
that were rejected, or superseded with a reason against them, and must-checks. It ends with 1 where there is
anything, so that a script or an agent can stop there, and with 0 where the way is clear.

A plan runs into an option where a sentence says most of what its title says; what the plan turns down itself
(instead of X, not X) does not count. It runs into a must-check whose files it names, whose names in code it
uses, or whose title it says.

$ gitkb check-plan < plan.md
$ echo "Store amounts as floats." | gitkb check-plan --json
""",
)
