"""gitkb import"""

from __future__ import annotations

from gitkb.cli.arguments import Argument, Option, Verb
from gitkb.cli.render_text import one_line
from gitkb.errors import EXIT_DATA, EXIT_DONE
from gitkb.operations.exchange.import_ import FORMATS, import_file
from gitkb.operations.writing.clock import now
from gitkb.store.secret_gate import allowing_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.cli.call import Call
    from gitkb.operations.exchange.import_result import Dropped, ImportResult


def run(call: Call) -> int:
    """Import a file, and report every line that was repaired or dropped."""
    is_dry = call["dry_run"]
    with allowing_secrets(call["allow_secret"]):
        result = import_file(call.store, call["from"], call["path"], now=now(), dry_run=is_dry)
    if call.as_json:
        value = result._asdict()
        for name in ("repaired", "dropped", "renamed", "noticed"):
            value[name] = [item._asdict() for item in value[name]]
        for item in value["dropped"]:
            del item["is_settled"]
        call.answer(value)
        return EXIT_DATA if result.is_failure else EXIT_DONE
    _report(call, result)
    call.write(
        f"{result.total} found: {result.imported} imported, {len(result.dropped)} dropped "
        f"({result.added} new, {result.updated} updated, {result.outdated} outdated, "
        f"{result.unchanged} unchanged, {len(result.repaired)} repaired)"
        + (": nothing was written" if is_dry else "")
    )
    if not result.is_failure:
        return EXIT_DONE
    forms = ", ".join(FORMATS)
    call.notice("error: nothing was imported")
    call.notice(f"hint: it was read as {call['from']}; --from names another: {forms}")
    return EXIT_DATA


def _report(call: Call, result: ImportResult) -> None:
    for item in result.repaired:
        repairs = one_line("; ".join(item.repairs))
        call.notice(f"repaired line {item.line} ({item.key}): {repairs}")
    for renamed in result.renamed:
        old = one_line(renamed.old)
        call.notice(
            f"renamed  line {renamed.line}: '{old}' is now {renamed.key}, and answers to both"
        )
    for noticed in result.noticed:
        call.notice(f"note     {one_line(noticed.file)}: {one_line(noticed.message)}")
    for dropped in result.dropped:
        call.notice(f"dropped  {_place(dropped)}: {one_line(dropped.reason)}")


def _place(dropped: Dropped) -> str:
    file = one_line(dropped.file)
    if not dropped.line:
        return file
    return f"line {dropped.line} of {file}" if file else f"line {dropped.line}"


VERB = Verb(
    "import",
    "Bring in what another tool keeps.",
    run,
    (Argument("PATH", required=False),),
    (
        Option("from", "The format.", "choice", choices=tuple(FORMATS), default="drawbar"),
        Option(
            "allow-secret",
            "Take what looks like a secret, and keep on the entry why it is none.",
            metavar="REASON",
        ),
        Option("dry-run", "Say what would be done, and write nothing.", "flag"),
    ),
    """
drawbar is drawbar-kb's corpus; engram the engram of Gentleman-Programming: its .engram folder, a chunk
or an export; add the learnings of ADD: JSON or Markdown, those of this project (.add/) and of yours
(~/.claude/add, into the tier workstation) unless PATH names others; adr a folder of decision records,
or one; mcp-memory the file of the reference MCP memory server; gitkb another store, lines of one, or
what gitkb export wrote.

Every dropped line is reported with its number and the reason; corrupt lines of a drawbar corpus are
repaired where the repair is certain. imported + dropped = total: a line with two records counts twice, a record broken over
two lines once, a blank line not at all. The same import again changes nothing, a newer version takes
the place of an older one, which goes to the archive, and what was forgotten here does not come back.
Records, learnings and graphs have no times: what was changed here stays until they say something new.
What looks like a secret is dropped and says so. Where nothing could be imported, the exit code is 3. Of ADD's files a copy is kept, NAME.bak, which is never written over.

$ gitkb import --from drawbar .drawbar/memory/knowledge.jsonl
$ gitkb import --from adr docs/adr --dry-run
$ gitkb import --from add
""",
)
