"""gitkb context"""

from __future__ import annotations

from gitkb.cli.arguments import Argument, Option, Verb
from gitkb.operations.context import context
from gitkb.operations.usage_log.record import record_pack

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gitkb.cli.call import Call
    from gitkb.operations.context import Pack

SCOPE_OPTIONS = (
    Option("file", "A file or folder that the work is about; repeatable.", "texts", "PATH"),
    Option("tag", "A topic of the work; repeatable.", "texts", "TAG"),
    Option("stack", "A technology it is done in; repeatable.", "texts", "NAME"),
    Option("budget", "At most so many tokens; 2000 unless config.toml says so.", "number", "N"),
)


def run(call: Call) -> int:
    """Print the context pack for a task."""
    notices: list[str] = []
    pack = context(
        call.readable,
        " ".join(call["task"]),
        budget=call["budget"],
        files=call["file"],
        tags=call["tag"],
        stack=call["stack"],
        session=call["session"] or "",
        notices=notices,
    )
    record_pack(call.readable, pack)
    for notice in notices:
        call.notice(f"note: {notice}")
    if call.as_json:
        call.answer({**pack_values(pack), "store": call.readable.root})
    elif pack.text:
        write_pack(call, pack.text)
    elif call["budget"] != 0:
        call.notice("note: nothing is known yet that concerns this; gitkb list shows what there is")
    return 0


def write_pack(call: Call, text: str) -> None:
    """Print a pack; a terminal tells its parts apart."""
    if call.screen is None:
        call.write(text)
        return
    from gitkb.cli.terminal.pack_paint import pack_lines

    call.write_lines(pack_lines(text))


def pack_values(pack: Pack) -> dict[str, Any]:
    """Turn a pack into the object of a JSON answer."""
    return {
        "text": pack.text,
        "tokens": pack.tokens,
        "budget": pack.budget,
        "full": list(pack.full),
        "listed": list(pack.listed),
        "left_out": pack.left_out,
        **({"at_least": True} if pack.at_least else {}),
        **({"untrusted": pack.untrusted} if pack.untrusted else {}),
        "branch": pack.branch,
        "entries": [
            {
                "key": one.key,
                "form": one.form,
                "section": one.section,
                **{name: value for name, value in one.origin._asdict().items() if value},
                **({"stale": True, "stale_because": list(one.stale)} if one.stale else {}),
            }
            for one in pack.shown
        ],
    }


VERB = Verb(
    "context",
    "Brief whoever begins a task, within a budget of tokens.",
    run,
    (Argument("TASK", required=False, many=True),),
    (
        *SCOPE_OPTIONS,
        Option("session", "Take goal, files and tags from this open session.", metavar="ID"),
    ),
    """
The pack begins with the last session, then come must-checks and principles that concern the files,
tags or technologies (those that the task's words name count too), pitfalls on the topic, what else
matches, and key decisions: importance 4 or 5. The most important stand in full, the next as one line
each, and the last line says how many were left out and how to see them.

The budget counts tokens of the encoding o200k_base, of everything that is printed; with 0 nothing is.
A larger budget shows all that a smaller one shows. Only active entries are told of, with branch and
author as git knows them, and with their tier where they are not the project's: all tiers are looked
through, and the nearer wins. What entries say stands set in, as data. Where gitkb trust lists authors,
what others wrote is left out and counted.

$ gitkb context move payments to cents --file src/payments
$ gitkb context --budget 8000 --tag auth
""",
    pages=True,
)
