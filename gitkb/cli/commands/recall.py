"""gitkb recall"""

from __future__ import annotations

from gitkb.cli.arguments import Argument, Option, Verb
from gitkb.cli.filters import FILTER_OPTIONS, filters_of, hit_entry, hit_values
from gitkb.operations.recall import explain, recall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.cli.call import Call

DEFAULT_LIMIT = 10


def run(call: Call) -> int:
    """Search, and print what was found, best first."""
    notices: list[str] = []
    query = " ".join(call["query"])
    hits = recall(call.store, query, filters_of(call, DEFAULT_LIMIT), notices)
    for notice in notices:
        call.notice(f"note: {notice}")
    if call.as_json:
        values = hit_values(hits, score=True)
        if call["explain"]:
            keys = [value["key"] for value in values]
            for value, found in zip(values, explain(call.store, query, keys), strict=True):
                value["explain"] = found
        call.answer(values)
        return 0
    if not hits:
        call.notice("nothing found")
    for hit in hits:
        from gitkb.cli.render_text import entry_summary

        entry, marks = hit_entry(hit)
        call.write("\n".join(entry_summary(entry, marks)))
        if call["explain"]:
            [found] = explain(call.store, query, [entry.key])
            why = " · ".join(f"{field}: {', '.join(words)}" for field, words in found.items())
            call.write(f"    [{hit.score:.2f}] {why}")
    return 0


VERB = Verb(
    "recall",
    "Search the knowledge, best first.",
    run,
    (Argument("QUERY", many=True),),
    (*FILTER_OPTIONS, Option("explain", "Say which words were found where.", "flag")),
    """
Any of the words is enough, and a long one also finds its longer forms: auth finds authentication.
The title weighs most, then tags, content and files. Nothing that you type is a syntax error.

Archived, superseded and rejected entries are left out unless you say --all. An entry on which a merge
left two values is marked as contested, one that was superseded names what took its place, and one
that is in doubt names what it rested on. To filter without words: gitkb list.

$ gitkb recall how do we store money
$ gitkb recall retry --file src/payments --must-check
$ gitkb recall -- --dry-run
""",
)
