"""gitkb why"""

from __future__ import annotations

from gitkb.cli.arguments import Argument, Verb
from gitkb.cli.render_reasons import edge_value, in_words
from gitkb.cli.render_text import day, mark, one_line, tier_marks
from gitkb.cli.terminal.line import Span, joined, line
from gitkb.core.entry import MUST_CHECK
from gitkb.operations.why import why

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from gitkb.cli.call import Call
    from gitkb.operations.why import Step, Story


def run(call: Call) -> int:
    """Tell how something came about, in order of time."""
    notices: list[str] = []
    story = why(call.readable, " ".join(call["question"]), notices)
    for notice in notices:
        call.notice(f"note: {notice}")
    if call.as_json:
        call.answer(_value(story))
        return 0
    if story.root is None:
        call.notice("nothing found")
        return 0
    for step in story.steps:
        call.write_lines(_lines(step, story))
    for key in story.missing:
        call.notice(f"note: {key} was forgotten, or never written")
    if story.others:
        names = "; ".join(
            f"{entry.key} ({one_line(entry.display_title, 60)})" for entry in story.others
        )
        call.notice(f"also found, and not part of this: {names}")
    return 0


def _lines(step: Step, story: Story) -> Iterator[str]:
    entry = step.entry
    asked = "  <- asked for" if story.root is not None and entry.key == story.root.key else ""
    facts: list[str | Span] = [entry.type]
    facts += [] if step.status == "active" else [mark(step.status)]
    facts += [mark("MUST-CHECK")] if entry.is_must_check else []
    facts += tier_marks(step.tier)
    yield line(
        Span(day(entry.created), "age"),
        "  ",
        Span(entry.key, "key"),
        "  ",
        joined(" · ", facts),
        Span(asked if story.steps[1:] else "", "hint"),
    )
    yield line("    ", Span(one_line(entry.display_title), "title"))
    if entry.title and entry.content:
        content = entry.content.removeprefix(MUST_CHECK) if entry.is_must_check else entry.content
        yield line("    ", Span(one_line(content), "prose"))
    for edge in step.edges:
        other = edge.target if edge.source == entry.key else edge.source
        words = in_words(edge, entry.key).removesuffix(other)
        yield line(f"    - {words}", Span(other, "key"))
    if step.author is not None:
        from gitkb.cli.commands.blame import author_words

        yield line("    by ", author_words(step.author))


def _value(story: Story) -> dict[str, Any]:
    return {
        "root": story.root.key if story.root is not None else None,
        "matched": story.matched,
        "steps": [_step_value(step) for step in story.steps],
        "missing": list(story.missing),
        "others": [
            {"key": entry.key, "title": entry.display_title, "status": entry.status}
            for entry in story.others
        ],
    }


def _step_value(step: Step) -> dict[str, Any]:
    from gitkb.cli.commands.blame import author_value

    entry = step.entry
    return {
        "key": entry.key,
        "type": entry.type,
        "status": step.status,
        "title": entry.display_title,
        "content": entry.content,
        "created": entry.created,
        "ts": entry.ts,
        "relations": [
            {**edge_value(edge), "words": in_words(edge, entry.key)} for edge in step.edges
        ],
        "author": author_value(step.author),
        **({"tier": step.tier} if step.tier else {}),
    }


VERB = Verb(
    "why",
    "Tell how something came about, in order of time.",
    run,
    (Argument("QUESTION", many=True),),
    (),
    """
QUESTION is a key, another name of an entry, or words: then the entry that answers them best is told of,
and what else was found is named. The story is all that is connected with it by supersedes,
rejected_because and caused_by, in both directions and as far as that leads. What is superseded, rejected
or archived is part of it. Who wrote each entry comes from git. The story goes on through all tiers, and
says which one an entry is from where that is not the project.

$ gitkb why dec_k3x9q2mf
$ gitkb why not two queues
""",
    pages=True,
)
