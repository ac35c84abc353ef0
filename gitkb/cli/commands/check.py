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
    from gitkb.operations.checks.merge_check import MergeCheck


def run(call: Call) -> int:
    """Judge the store, or what is staged of it, and print every problem."""
    if call["merge"] or call["write"]:
        return _run_merge(call)
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


def _run_merge(call: Call) -> int:
    from gitkb.operations.checks.merge_check import check_merge_of

    names = call["file"]
    if not call["merge"] or call["staged"] or not 1 <= len(names) <= 2:
        raise UsageError(
            "--merge takes two commits, the one to merge into first, and only --write beside it",
            "gitkb check --merge origin/main HEAD",
        )
    base, head = names[0], names[1] if len(names) > 1 else "HEAD"
    result = check_merge_of(call.directory or os.getcwd(), base, head, write=call["write"])
    if call.as_json:
        written = result.written._asdict() if result.written else None
        call.answer(
            {
                "fine": result.is_fine,
                "base": result.base,
                "head": result.head,
                "state": result.state,
                "files": result.files,
                "problems": [problem._asdict() for problem in result.problems],
                "conflicts": result.conflicts,
                "written": written,
            }
        )
    else:
        call.report(result.problems, limit=None)
        if result.written:
            call.write(f"merged {base} into {result.written.branch}: {result.written.commit}")
        call.notice(_merge_verdict(result, base, head, call["write"]))
    return EXIT_DONE if result.is_fine else EXIT_NO


def _merge_verdict(result: MergeCheck, base: str, head: str, wants_write: bool) -> str:
    if result.state == "merged":
        return f"{base} holds {head} already: nothing to merge"
    parts = []
    if result.state == "up-to-date":
        parts.append(f"{head} holds {base} already: nothing to merge")
    if result.conflicts:
        paths = plural(len(result.conflicts), "path")
        parts.append(f"beside the knowledge {paths} in conflict: {', '.join(result.conflicts[:5])}")
    if wants_write and result.state == "open" and not result.written:
        parts.append("not merged")
    files = f"{plural(result.files, 'file')} of knowledge changed"
    return "; ".join([*parts, f"{files}: {_verdict(result.problems)}"])


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
    (
        Option("staged", "Judge what is staged for the next commit, not the files.", "flag"),
        Option("merge", "Judge a merge before it is made: --merge BASE [HEAD].", "flag"),
        Option("write", "With --merge: commit the merge by key onto the branch HEAD.", "flag"),
    ),
    """
Finds lines that cannot be read, two lines of one key, lines out of order or in the wrong file,
conflict markers, links that lead nowhere, and keys that a merge lost. Exit 1 if there is an error; a
warning alone is no error. Nothing is written; each problem names the command that mends it.

--merge says what a merge of HEAD into BASE by text, as a forge's merge button makes it, would lose,
spoil or end in a conflict over, where a merge by key would not; what is wrong in what HEAD brings; and what
the merges in it lost. It needs no gitkb install, no work tree and no driver. With --write the merge by key
becomes a commit on the branch HEAD with BASE as its second parent, unless a path is in conflict. Undo it
with git reset --keep HEAD^ on that branch.

$ gitkb check
$ gitkb check --staged
$ gitkb check --merge origin/main HEAD
$ gitkb check --merge origin/main topic --write
""",
)
