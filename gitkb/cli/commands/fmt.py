"""gitkb fmt"""

from __future__ import annotations

from gitkb.cli.arguments import Argument, Option, Verb
from gitkb.errors import EXIT_DONE, EXIT_NO
from gitkb.operations.fmt import format_files, format_store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.cli.call import Call


def run(call: Call) -> int:
    """Bring files into their one form, and print which changed."""
    check_only = call["check"]
    if call["file"]:
        result = format_files(call["file"], check_only)
    else:
        result = format_store(call.store, check_only=check_only)
    if call.as_json:
        problems = [problem._asdict() for problem in result.problems]
        renumbered = [one._asdict() for one in result.renumbered]
        call.answer(
            {
                "changed": result.changed,
                "problems": problems,
                "renumbered": renumbered,
                "folded": list(result.folded),
            }
        )
    else:
        for key in result.folded:
            call.write(f"{'would fold' if check_only else 'folded'} several lines of {key}")
        for name in result.changed:
            call.write(f"{'would change' if check_only else 'changed'} {name}")
        for one in result.renumbered:
            would = "would be " if check_only else ""
            call.write(f"{one.key} {would}{one.new}: an older learning has {one.old}")
        call.report(result.problems)
    if any(problem.is_error for problem in result.problems):
        return EXIT_NO
    return EXIT_NO if check_only and (result.changed or result.renumbered) else EXIT_DONE


VERB = Verb(
    "fmt",
    "Bring the lines into their one form.",
    run,
    (Argument("FILE", required=False, many=True),),
    (Option("check", "Write nothing; exit 1 if something would change.", "flag"),),
    """
Canonical JSON, in order, each line in the file it belongs to. Loses nothing: a line that cannot be
read stays, and is reported. Without FILE, several lines of one key, as a text merge leaves them, fold by
the rules of the merge, as gitkb compact does it; and of learnings that got one number on two branches
the younger gets another. Undo it, before the commit, with git restore on the store.
""",
)
