"""gitkb learnings"""

from __future__ import annotations

from gitkb.cli.arguments import Option, Verb
from gitkb.cli.render_text import age, contested_lines, mark, one_line, stale_lines, stale_mark
from gitkb.cli.terminal.line import Span, joined, line
from gitkb.core.entry import MUST_CHECK
from gitkb.core.relevance import MOST, OPERATIONS, SEVERITY_NAMES
from gitkb.core.unsafe import shown
from gitkb.errors import UsageError
from gitkb.operations.learnings import learnings
from gitkb.operations.tier import find_project
from gitkb.operations.usage_log.record import record_learnings
from gitkb.store.home import PROJECT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from gitkb.cli.call import Call
    from gitkb.operations.learnings import Found

_CONTENT_LENGTH = 1000


def run(call: Call) -> int:
    """Print what was learned that the operation needs; nothing where there is nothing."""
    if call["for"] is None:
        raise UsageError("say what for: --for OPERATION", f"one of {', '.join(sorted(OPERATIONS))}")
    limit = MOST if call["limit"] is None else call["limit"]
    project = find_project(call.directory)
    answer = learnings(project, call["for"], limit=limit, across=call["across"])
    record_learnings(project, answer.found)
    if call.as_json:
        call.answer([_value(found) for found in answer.found])
    for found in () if call.as_json else answer.found:
        call.write_lines(_lines(found))
    for notice in answer.notices:
        call.notice(f"warning: {notice}")
    return 0


def _value(found: Found) -> dict[str, Any]:
    value = {
        **found.entry.fields,
        "severity": SEVERITY_NAMES[found.entry.importance],
        "tier": found.tier,
    }
    if found.read_from:
        value["read_from"] = found.read_from
    if found.shadows:
        value["shadows"] = list(found.shadows)
    if found.entry.conflicts:
        value["contested"] = True
    if found.stale:
        value.update(stale=True, stale_because=list(found.stale))
    return value


def _lines(found: Found) -> Iterator[str]:
    entry = found.entry
    tier = f"{found.tier} ({found.read_from})" if found.read_from else found.tier
    marks = ["contested"] if entry.conflicts else []
    marks += [stale_mark(found.stale)] if found.stale else []
    facts: list[str | Span] = [SEVERITY_NAMES[entry.importance], one_line(entry.category)]
    facts.append(one_line(tier))
    if entry.stack:
        facts.append(Span(one_line(", ".join(entry.stack)), "tag"))
    if found.tier != PROJECT and "project" in entry.fields:
        facts.append(one_line(f"from {entry.fields['project']}"))
    facts.append(Span(age(entry.created), "age"))
    facts += map(mark, [*(["MUST-CHECK"] if entry.is_must_check else []), *marks])
    if found.shadows:
        facts.append(one_line(f"shadows the one in {', '.join(found.shadows)}"))
    yield line(Span(entry.key, "key"), "  ", joined(" · ", facts))
    yield line("    ", Span(one_line(entry.title), "title"))
    content = entry.content.strip()
    if entry.is_must_check:  # the heading says so
        content = content.removeprefix(MUST_CHECK).strip()
    if content == entry.title and not entry.conflicts:  # a short one that was given no title
        content = ""
    if len(content) > _CONTENT_LENGTH:
        content = content[: _CONTENT_LENGTH - 1].rstrip() + "…"
    # Set in, so that no line of it passes for a line of ours.
    for text in shown(content).split("\n") if content else ():
        yield line(Span(f"    {text}".rstrip(), "prose"))
    yield from stale_lines(marks)
    yield from contested_lines(entry)


VERB = Verb(
    "learnings",
    "What was learned that a piece of work needs.",
    run,
    (),
    (
        Option("for", "The operation that is about to begin.", metavar="OPERATION"),
        Option("limit", f"At most so many; {MOST} is the most.", "number", "N"),
        Option("across", "Also from other projects here that share some of the stack.", "flag"),
    ),
    """
Looks through all tiers for entries with a category that the operation asks for and a stack that
has something in common with this project's. The most important come first, then the newest. It
prints nothing where there is nothing.

What ADD keeps in .add/learnings.json or .md and ~/.claude/add/library.json or .md, and nobody has
imported yet, is read there as its tier's and names its file; gitkb import --from add takes it in.

OPERATION is plan, tdd-cycle, test-writer, implementer, deploy, verify, optimize or reviewer, with or
without /add: before it, or one that config.toml names: [operations] NAME = [categories].

$ gitkb learnings --for plan
""",
    pages=True,
)
