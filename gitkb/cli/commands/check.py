"""gitkb check"""

from __future__ import annotations

import os

from gitkb.cli.arguments import Argument, Option, Verb
from gitkb.cli.render_text import plural
from gitkb.errors import EXIT_DONE, EXIT_NO, UsageError
from gitkb.operations.check import check_staged, check_store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitkb.cli.call import Call
    from gitkb.core.problem import Problem


def run(call: Call) -> int:
    """Judge the store, or what is staged of it, and print every problem."""
    if call["file"] and not call["staged"]:
        raise UsageError(
            "files go with --staged; without it the whole store is judged", "gitkb check --staged"
        )
    if call["staged"]:
        result = check_staged(os.getcwd(), call["file"])
    else:
        result = check_store(call.store)
    if call.as_json:
        problems = [problem._asdict() for problem in result.problems]
        call.answer({"fine": result.is_fine, "files": result.files, "problems": problems})
    else:
        call.report(result.problems, limit=None)
        looked_at = f"{plural(result.records, 'line')} in {plural(result.files, 'file')}"
        call.notice(f"{looked_at}: {_verdict(result.problems)}")
    return EXIT_DONE if result.is_fine else EXIT_NO


def _verdict(problems: Sequence[Problem]) -> str:
    errors = sum(problem.is_error for problem in problems)
    warnings = len(problems) - errors
    parts = [plural(errors, "error")] if errors else []
    parts += [plural(warnings, "warning")] if warnings else []
    return ", ".join(parts) or "all is well"


VERB = Verb(
    "check",
    "Judge every line of the store.",
    run,
    (Argument("FILE", required=False, many=True),),
    (Option("staged", "Judge what is staged for the next commit, not the files.", "flag"),),
    """
Finds lines that cannot be read, two lines of one key, lines out of order or in the wrong file,
conflict markers, links that lead nowhere, and keys that a merge lost. Exit 1 if there is an error; a
warning alone is no error. Nothing is written; each problem names the command that mends it.

$ gitkb check
$ gitkb check --staged
""",
)
