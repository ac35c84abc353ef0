"""gitkb export"""

from __future__ import annotations

from gitkb.cli.arguments import Option, Verb
from gitkb.operations.export import FORMS, Selection, export, write_export

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.cli.call import Call


def run(call: Call) -> int:
    """Print the knowledge in the form that is asked for, or write it to a file."""
    selection = Selection(
        types=tuple(call["type"]),
        tags=tuple(tag.lower() for tag in call["tag"]),
        statuses=tuple(call["status"]),
        include_all=call["all"],
    )
    result = export(call.store, call["to"], selection)
    path = call["output"]
    if path is not None:
        write_export(result.text, path)
    if call.as_json:
        where = {"text": result.text} if path is None else {"output": path}
        counts = {"form": call["to"], "entries": result.entries, "links": result.links}
        call.answer({**counts, **where})
    elif path is None:
        if result.text:
            call.write(result.text.removesuffix("\n"))
    else:
        entries = "1 entry" if result.entries == 1 else f"{result.entries} entries"
        links = "1 link" if result.links == 1 else f"{result.links} links"
        call.write(f"{entries} and {links} written to '{path}'")
    return 0


VERB = Verb(
    "export",
    "Write the knowledge in a form that others read.",
    run,
    (),
    (
        Option("to", "The form.", "choice", choices=tuple(FORMS), default="json"),
        Option("output", "Write to this file instead of stdout.", metavar="FILE"),
        Option("type", "Only this type; repeatable.", "texts", "TYPE"),
        Option("tag", "Only entries with exactly this tag; repeatable: all.", "texts", "TAG"),
        Option("status", "Only this status; repeatable.", "texts", "STATUS"),
        Option("all", "Superseded, rejected and archived entries too.", "flag"),
    ),
    """
json is one document with all entries and links, which `gitkb import --from gitkb` takes back. markdown is
for people, grouped by type. mcp-memory is the file of the reference MCP memory server: entries are
entities, the lines of their content observations, links relations. The same knowledge gives the
same bytes. With --json the document is in `text`, or its file in `output`.

$ gitkb export >knowledge.json
$ gitkb export --to markdown --type decision --output decisions.md
""",
)
