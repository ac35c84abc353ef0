"""gitkb compact"""

from __future__ import annotations

from gitkb.cli.arguments import Option, Verb
from gitkb.cli.render_text import plural
from gitkb.operations.compact import compact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.cli.call import Call


def run(call: Call) -> int:
    """Fold the lines of each key that has several, and print the counts."""
    result = compact(call.store, call["dry_run"])
    if call.as_json:
        problems = [problem._asdict() for problem in result.problems]
        renumbered = [one._asdict() for one in result.renumbered]
        call.answer({**result._asdict(), "problems": problems, "renumbered": renumbered})
        return 0
    would = "would be " if call["dry_run"] else ""
    for key in result.keys:
        call.write(f"several lines of {key}")
    call.write(
        f"{plural(result.collapsed, 'line')} {would}collapsed, {result.archived} archived, "
        f"{plural(result.removed, 'needless version')} {would}removed from the archive"
    )
    for one in result.renumbered:
        call.write(f"{one.key} {would}{one.new}: an older learning has {one.old}")
    call.report(result.problems)
    return 0


VERB = Verb(
    "compact",
    "Fold several lines of one key into one.",
    run,
    (),
    (Option("dry-run", "Report the same counts; write nothing.", "flag"),),
    """
A text merge can let two lines of one key through. They are folded by the rules of the merge, and what
is not shown any more goes to the archive. Where two branches gave one number to two learnings, the older
keeps it and the other gets the next free one.
""",
)
