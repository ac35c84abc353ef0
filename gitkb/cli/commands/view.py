"""gitkb view"""

from __future__ import annotations

import os

from gitkb.cli.arguments import Argument, Option, Verb
from gitkb.cli.render_text import plural, problem_lines
from gitkb.core.documents.view import ACTIVE
from gitkb.errors import EXIT_DONE, EXIT_NO, UsageError
from gitkb.operations.recall import problem_notes
from gitkb.operations.view import make_staged_views, make_views, staged_problems

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from gitkb.cli.call import Call
    from gitkb.operations.view import StoreViews
    from gitkb.store.view import ViewFile


def run(call: Call) -> int:
    """Write views, print them, or say whether they are fresh."""
    reads_only = call["check"] or call["stdout"]
    if call["check"] and call["stdout"]:
        raise UsageError("--check and --stdout do not go together", "give one of them")
    if call["staged"]:
        return _run_staged(call)
    names = [*call["name"], *([ACTIVE] if call["active"] else [])]
    made = make_views(call.store, names, budget=call["budget"], write=not reads_only)
    if call.as_json:
        call.answer(_value([made], call))
    elif call["stdout"]:
        text = "\n".join(found.view.text for found in made.views)
        call.write(text.removesuffix("\n"))
    else:
        for found in made.views:
            call.write(_line(made, found, is_check=call["check"]))
    for name in made.others:
        call.notice(f"note: '{name}' is no type and no category: it is another file of learnings")
    for note in problem_notes(made.problems):
        call.notice(f"note: {note}")
    return EXIT_NO if call["check"] and not made.are_fresh else EXIT_DONE


def _run_staged(call: Call) -> int:
    if call["stdout"] or call["active"] or call["budget"] is not None:
        raise UsageError("--staged is about the views that config.toml names", "leave the rest out")
    files = call["name"]
    if files and not call["check"]:
        raise UsageError("files go with --check --staged", "gitkb view --check --staged FILE…")
    is_check = call["check"]
    staged = make_staged_views(os.getcwd(), files, every=not is_check, write=not is_check)
    problems = staged_problems(staged) if is_check else []
    if call.as_json:
        call.answer(_value(staged, call))
    elif is_check:
        for problem in problems:
            for line in problem_lines(problem):
                call.notice(line)
    else:
        for made in staged:
            for found in made.views:
                call.write(_line(made, found, is_check=False))
    return EXIT_NO if problems else EXIT_DONE


def _line(made: StoreViews, found: ViewFile, *, is_check: bool) -> str:
    what = found.state
    if not is_check:
        what = "unchanged" if found.state == "fresh" else "written"
    count = plural(found.view.entries, "entry", "entries")
    left_out = f", {found.view.left_out} left out" if found.view.left_out else ""
    return f"{what:9} {made.path_of(found)} ({count}{left_out})"


def _value(all_made: Sequence[StoreViews], call: Call) -> dict[str, Any]:
    views = []
    for made in all_made:
        for found in made.views:
            value = {
                "name": found.name,
                "path": made.path_of(found),
                "state": found.state,
                "written": found.state != "fresh" and not (call["check"] or call["stdout"]),
                "entries": found.view.entries,
                "left_out": found.view.left_out,
            }
            views.append({**value, "text": found.view.text} if call["stdout"] else value)
    return {"fine": all(made.are_fresh for made in all_made), "views": views}


VERB = Verb(
    "view",
    "Write the knowledge as Markdown for people.",
    run,
    (Argument("NAME", required=False, many=True),),
    (
        Option("stdout", "Print the view; write no file.", "flag"),
        Option("check", "Write nothing; exit 1 if a view is not what the entries say.", "flag"),
        Option("active", "What weighs most, within a budget: the view named active.", "flag"),
        Option("budget", "So many characters at most, headings included.", "number", "CHARS"),
        Option("staged", "By what is staged: judge it, or write views to be staged.", "flag"),
    ),
    """
Writes .gitkb/views/NAME.md, for each NAME or for those that config.toml names ([views] names, learnings
unless it says otherwise). learnings is what has a category, grouped by it, the newest first; knowledge
is everything; active is what weighs most, as far as its budget goes; a type or a category is a view of
its own. Any other NAME is another file of learnings. Only what holds is shown, and the same entries
give the same bytes.

With commit = true under [views], every change of gitkb and every merge writes the views anew.

$ gitkb view
$ gitkb view decision --stdout
$ gitkb view --active --budget 4000 --stdout
""",
)
