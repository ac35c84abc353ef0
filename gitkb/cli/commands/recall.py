"""gitkb recall"""

from __future__ import annotations

from gitkb.cli.arguments import Argument, Option, Verb
from gitkb.cli.filters import FILTER_OPTIONS, filters_of, hit_entry, hit_values
from gitkb.cli.formats import FORMAT_OPTION, format_of
from gitkb.core.jsonl import parse_again
from gitkb.operations.tiers.across import explain_across, keys_of, recall_across
from gitkb.operations.usage_log.record import record_shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from gitkb.cli.call import Call
    from gitkb.index.full_text import Explanation, FoundWord
    from gitkb.operations.tiers.across import Found

DEFAULT_LIMIT = 10


def run(call: Call) -> int:
    """Search, and print what was found, best first."""
    form = format_of(call)
    notices: list[str] = []
    query = " ".join(call["query"])
    filters = filters_of(call, DEFAULT_LIMIT)
    author_of = None
    if form in ("text", "table") and call.is_on_terminal:
        from gitkb.cli.formats import authors_of

        author_of = authors_of(call)  # git is asked beside the search
    hits = recall_across(call.readable, query, filters, notices, tiers=call["tier"])
    record_shown(call.readable, "recall", keys_of(hits), query, filters)
    for notice in notices:
        call.notice(f"note: {notice}")
    if form in ("json", "jsonl"):
        values = _values(call, query, hits)
        if form == "json":
            call.answer(values)
        else:
            from gitkb.cli.formats import write_as

            write_as(call, form, hits, values)
    elif not hits:
        call.notice("nothing found")
    else:
        from gitkb.cli.formats import own_keys, write_as

        authors = author_of(own_keys(hits)) if author_of else {}
        if form == "text":
            _print(call, query, hits, authors)
        else:
            reasons = _reasons(call, query, hits) if form == "markdown" else ()
            write_as(call, form, hits, (), reasons, authors)
    return 0


def _values(call: Call, query: str, hits: Sequence[Found]) -> list[dict[str, Any]]:
    values = hit_values(hits, score=True)
    if call["explain"]:
        for value, why in zip(values, _reasons(call, query, hits), strict=True):
            value["explain"] = why and _explanation_value(why)
    return values


def _reasons(call: Call, query: str, hits: Sequence[Found]) -> list[Explanation | None]:
    return explain_across(
        call.readable, query, [(parse_again(found.hit.line)["key"], found.tier) for found in hits]
    )


def _print(call: Call, query: str, hits: Sequence[Found], authors: dict[str, str]) -> None:
    from gitkb.cli.render_text import entry_summary

    is_marked = call["snippet"] or call.screen is not None
    reasons: Sequence[Explanation | None] = [None] * len(hits)
    if is_marked or call["explain"]:
        reasons = _reasons(call, query, hits)
    for hit, why in zip(hits, reasons, strict=True):
        entry, marks = hit_entry(hit)
        found = None
        if is_marked:
            from gitkb.cli.terminal.found import Found as Marker

            found = Marker(why)
        call.write_lines(entry_summary(entry, marks, authors.get(entry.key, ""), found))
        if call["explain"] and why is not None:
            call.write_lines(f"    {line}" for line in _explanation_lines(why))


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
        FORMAT_OPTION,
        Option("snippet", "Show where the words are found, as on a terminal.", "flag"),
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

On a terminal the words found are marked, and of a long content the piece is shown in which they stand;
--snippet shows that piece in a pipe too. --format jsonl gives an object a line.

$ gitkb recall how do we store money
$ gitkb recall retry --file src/payments --must-check
$ gitkb recall -- --dry-run
""",
    pages=True,
)
