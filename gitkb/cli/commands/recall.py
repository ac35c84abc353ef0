"""gitkb recall"""

from __future__ import annotations

from gitkb.cli.arguments import Argument, Option, Verb
from gitkb.cli.filters import FILTER_OPTIONS, filters_of, hit_entry, hit_values
from gitkb.operations.tiers.across import explain_across, recall_across

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from gitkb.cli.call import Call
    from gitkb.index.full_text import Explanation, FoundWord

DEFAULT_LIMIT = 10


def run(call: Call) -> int:
    """Search, and print what was found, best first."""
    notices: list[str] = []
    query = " ".join(call["query"])
    filters = filters_of(call, DEFAULT_LIMIT)
    hits = recall_across(call.readable, query, filters, notices, tiers=call["tier"])
    for notice in notices:
        call.notice(f"note: {notice}")
    if call.as_json:
        values = hit_values(hits, score=True)
        if call["explain"]:
            keys = [(value["key"], hit.tier) for value, hit in zip(values, hits, strict=True)]
            reasons = explain_across(call.readable, query, keys)
            for value, why in zip(values, reasons, strict=True):
                value["explain"] = why and _explanation_value(why)
        call.answer(values)
        return 0
    if not hits:
        call.notice("nothing found")
    for hit in hits:
        from gitkb.cli.render_text import entry_summary

        entry, marks = hit_entry(hit)
        call.write("\n".join(entry_summary(entry, marks)))
        if call["explain"]:
            reasons = explain_across(call.readable, query, [(entry.key, hit.tier)])
            for why in filter(None, reasons):
                for line in _explanation_lines(why):
                    call.write(f"    {line}")
    return 0


def _explanation_value(why: Explanation) -> dict[str, Any]:
    words = {field: [word._asdict() for word in found] for field, found in why.words.items()}
    return {"words": words, "relevance": why.relevance, "factors": why.factors}


def _explanation_lines(why: Explanation) -> Iterator[str]:
    """Write why an entry was found: the arithmetic, then the words."""
    parts = " + ".join(f"{name} {amount:.2f}" for name, amount in why.relevance.items())
    factors = "".join(f" × {name} {factor:.2f}" for name, factor in why.factors.items())
    yield f"[{why.score:.2f}] ({parts}){factors}"
    for field, words in why.words.items():
        yield f"{field}: {', '.join(map(_word_text, words))}"


def _word_text(found: FoundWord) -> str:
    return found.word if found.how == "exact" else f"{found.word} ({found.how} of {found.typed})"


VERB = Verb(
    "recall",
    "Search the knowledge, best first.",
    run,
    (Argument("QUERY", many=True),),
    (
        *FILTER_OPTIONS,
        Option("explain", "Say why: the words found, and what the score is made of.", "flag"),
    ),
    """
Any of the words is enough, in any of its forms, and a long one also finds those that begin with it:
auth finds authentication. A word that nothing holds finds those that are spelt almost like it. The
title weighs most, then tags, content and files. What is linked with the best answers is an answer too,
even where it has none of the words; --explain says so. Nothing that you type is a syntax error.

Archived, superseded and rejected entries are left out unless you say --all. An entry on which a merge
left two values is marked as contested, one that was superseded names what took its place, and one
that is in doubt names what it rested on. To filter without words: gitkb list.

All tiers are looked through: this project, your workstation, and those that gitkb tier add set up. An
answer that is not from the project says from which tier it is. Of two with one key the nearer is given,
and says what it shadows.

$ gitkb recall how do we store money
$ gitkb recall retry --file src/payments --must-check
$ gitkb recall -- --dry-run
""",
)
