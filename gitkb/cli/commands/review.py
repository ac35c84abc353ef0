"""gitkb review"""

from __future__ import annotations

import sys

from gitkb.cli.arguments import Option, Verb
from gitkb.cli.render_text import one_line, plural, told_line
from gitkb.cli.terminal.line import Span, line
from gitkb.core.relevance import SEVERITY_NAMES
from gitkb.errors import UsageError
from gitkb.operations.review import decide, find_proposal, review

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from gitkb.cli.call import Call
    from gitkb.cli.terminal.line import Line
    from gitkb.operations.review import Decided, Decision, Proposal

_DECISIONS: tuple[Decision, ...] = ("keep", "promote", "demote")
_PAST = {"keep": "kept", "promote": "promoted", "demote": "demoted"}
_ASK = "[k]eep, [p]romote, [d]emote, [s]kip, [q]uit, or Enter for what is proposed:"


def run(call: Call) -> int:
    """Show what agents judged, and do what a person decides."""
    notices: list[str] = []
    proposals = review(call.store, notices)
    wanted = _wanted(call, proposals)
    if wanted:
        done = [decide(call.store, proposal, what, notices) for proposal, what in wanted]
        if call.as_json:
            call.answer({"decided": [item._asdict() for item in done]})
        for item in () if call.as_json else done:
            call.write_lines([_done_line(item)])
    elif call.as_json:
        call.answer([_value(proposal) for proposal in proposals])
    elif proposals and sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty():
        _ask_person(call, proposals, notices)
    else:
        for proposal in proposals:
            call.write_lines(_lines(proposal))
        if proposals:
            count = plural(len(proposals), "learning")
            call.notice(f"hint: {count} to decide on: gitkb review --accept, or --keep KEY …")
        elif sys.stdout is not None and sys.stdout.isatty():
            call.notice("no learning is left to decide on")
    for notice in notices:
        call.notice(f"warning: {notice}")
    return 0


def _wanted(call: Call, proposals: list[Proposal]) -> list[tuple[Proposal, Decision]]:
    wanted: dict[str, tuple[Proposal, Decision]] = {}
    for what in _DECISIONS:
        for name in call[what]:
            proposal = find_proposal(proposals, name)
            if proposal.entry.key in wanted:
                raise UsageError(f"two decisions about '{name}'", "give one")
            wanted[proposal.entry.key] = (proposal, what)
    if call["accept"]:
        for proposal in proposals:
            wanted.setdefault(proposal.entry.key, (proposal, proposal.decision))
    return list(wanted.values())


def _ask_person(call: Call, proposals: list[Proposal], notices: list[str]) -> None:
    """Ask about one after the other; each answer is carried out at once."""
    letters: dict[str, Decision] = {what[0]: what for what in _DECISIONS}
    for proposal in proposals:
        call.write_lines(_lines(proposal))
        while True:
            said = call.ask(_ASK)
            word = said.strip().lower()[:1]
            if not said or word == "q":
                return
            if word == "s":
                break
            if not word or word in letters:
                what = letters[word] if word else proposal.decision
                call.write_lines([_done_line(decide(call.store, proposal, what, notices))])
                break


def _lines(proposal: Proposal) -> Iterator[str]:
    entry = proposal.entry
    facts = [SEVERITY_NAMES[entry.importance], entry.category, proposal.tier]
    yield line(Span(entry.key, "key"), f"  {one_line(' · '.join(facts))}")
    yield line("    ", Span(one_line(entry.title), "title"))
    yield line("    ", Span(one_line(entry.content), "prose"))
    reasons = one_line("; ".join(proposal.reasons))
    yield line("    ", Span("proposed:", "label"), f" {proposal.decision}, for {reasons}")


def _value(proposal: Proposal) -> dict[str, Any]:
    return {
        **proposal.entry.fields,
        "tier": proposal.tier,
        "proposal": proposal.decision,
        "proposed_scope": proposal.scope,
        "reasons": list(proposal.reasons),
    }


def _done_line(item: Decided) -> Line:
    return told_line(f"{_PAST[item.decision]:9}", item.key, f"  in {item.tier}")


VERB = Verb(
    "review",
    "Confirm or correct how far learnings reach.",
    run,
    (),
    (
        Option("keep", "Leave this one where it is; repeatable.", "texts", "KEY"),
        Option("promote", "Move this one to the workstation; repeatable.", "texts", "KEY"),
        Option("demote", "Move this one into this project; repeatable.", "texts", "KEY"),
        Option("accept", "Do with all others what is proposed.", "flag"),
    ),
    """
Shows the learnings of this project whose reach no person has decided on, each with a proposal and
its reasons (the rules of gitkb classify). In a terminal it asks about one after the other; elsewhere
it lists them, and options decide. What was decided is not asked again.

$ gitkb review
$ gitkb review --keep L-003 --accept
""",
)
