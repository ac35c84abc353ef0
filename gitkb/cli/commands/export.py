"""gitkb export"""

from __future__ import annotations

from gitkb.cli.arguments import Option, Verb
from gitkb.cli.render_text import plural
from gitkb.operations.exchange.export import FORMS, Selection, export, write_export

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
    path = call["output"]
    if call["to"] == "add" and path is not None:
        return _write_library(call, selection, path)
    notices: list[str] = []
    result = export(call.store, call["to"], selection, notices)
    if path is not None:
        write_export(call.store, result.text, path)
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
    for notice in notices:
        call.notice(f"note: {notice}")
    return 0


def _write_library(call: Call, selection: Selection, folder: str) -> int:
    from gitkb.operations.exchange.export_add import library_files, write_library

    notices: list[str] = []
    library = library_files(call.store, selection, notices)
    for notice in notices:
        call.notice(f"note: {notice}")
    write_library(library, folder)
    if call.as_json:
        names = list(library.files)
        answer = {"form": "add", "entries": library.entries, "links": 0}
        call.answer({**answer, "output": folder, "files": names})
    else:
        count = plural(library.entries, "learning", "learnings")
        call.write(f"{count} written to '{folder}': {', '.join(library.files)}")
    return 0


VERB = Verb(
    "export",
    "Write the knowledge in a form that others read.",
    run,
    (),
    (
        Option("to", "The form.", "choice", choices=tuple(FORMS), default="json"),
        Option(
            "output",
            "Write to this file, or for add to this folder, not to stdout.",
            metavar="FILE",
        ),
        Option("type", "Only this type; repeatable.", "texts", "TYPE"),
        Option("tag", "Only entries with exactly this tag; repeatable: all.", "texts", "TAG"),
        Option("status", "Only this status; repeatable.", "texts", "STATUS"),
        Option("all", "Superseded, rejected and archived entries too.", "flag"),
    ),
    """
json is one document with all entries and links, which `gitkb import --from gitkb` takes back. markdown is
for people, grouped by type. mcp-memory is the file of the reference MCP memory server: entries are
entities, the lines of their content observations, links relations. drawbar is the corpus of drawbar-kb,
a record a line; what it has no word for is in its field gitkb. add is the learnings.json of ADD; with
--output DIR its view learnings.md too, and library.json and library.md of the tier workstation.

The same knowledge gives the same bytes. With --json the document is in `text`, or its file in `output`.

$ gitkb export >knowledge.json
$ gitkb export --to add --output .add
$ gitkb export --to markdown --type decision --output decisions.md
""",
)
