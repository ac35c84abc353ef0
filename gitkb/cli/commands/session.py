"""gitkb session"""

from __future__ import annotations

from gitkb.cli.arguments import Argument, Option, Verb
from gitkb.cli.commands.context import SCOPE_OPTIONS, pack_values, write_pack
from gitkb.errors import UsageError
from gitkb.operations.session import drop_session, end_session, list_sessions, start_session
from gitkb.store.open_session import OpenSession
from gitkb.store.secret_gate import allowing_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitkb.cli.call import Call

_ROOM_FOR_A_HINT = 400  # tokens of a budget that can do without some thirty
_OUTCOME = ("done", "decided", "open", "next", "summary")
_ACTIONS = ("start", "end", "list", "drop")
_ALLOW = "allow_secret"
_SCOPE = ("file", "tag", "stack", "budget")
_TAKES = {
    "start": (*_SCOPE, _ALLOW),
    "end": (*_OUTCOME, "file", "tag", _ALLOW),
    "list": (),
    "drop": (),
}


def run(call: Call) -> int:
    """Start, end, list or drop a session."""
    action = call["action"]
    if action not in _ACTIONS:
        raise UsageError(f"no such action '{action}'", f"gitkb session {'|'.join(_ACTIONS)}")
    for name in (*_OUTCOME, *_SCOPE, _ALLOW):
        if call[name] not in (None, []) and name not in _TAKES[action]:
            raise UsageError(
                f"'session {action}' takes no --{name.replace('_', '-')}", "gitkb session --help"
            )
    words: list[str] = call["words"]
    if action == "start":
        return _start(call, " ".join(words))
    if action == "list":
        if words:
            raise UsageError("'session list' takes no word", "gitkb session list")
        return _list(call)
    if len(words) > 1 or (action == "drop" and not words):
        raise UsageError(f"'session {action}' takes one ID", f"gitkb session {action} ID")
    return _drop(call, words[0]) if action == "drop" else _end(call, "".join(words))


def _start(call: Call, goal: str) -> int:
    from gitkb.operations.context import budget_below, context

    with allowing_secrets(call["allow_secret"]):
        session = start_session(
            call.store, goal, files=call["file"], tags=call["tag"], stack=call["stack"]
        )
    notices: list[str] = []
    if call.as_json:
        pack = context(call.store, "", budget=call["budget"], session=session.id, notices=notices)
        _notice(call, notices)
        values = {"id": session.id, "goal": session.goal, "started": session.started}
        call.answer({**values, **pack_values(pack), "store": call.store.root})
        return 0
    first = f"session {session.id}"
    how = f"gitkb session end {session.id} --done … --decided … --open … --next …"
    if budget_below(call.store, call["budget"], f"{how}\n") > _ROOM_FOR_A_HINT:
        first = f"{first}\nend it:  {how}"
    room = budget_below(call.store, call["budget"], f"{first}\n")
    pack = context(call.store, "", budget=room, session=session.id, notices=notices)
    _notice(call, notices)
    call.write(first)
    if pack.text:
        write_pack(call, pack.text)
    return 0


def _notice(call: Call, notices: Sequence[str]) -> None:
    for notice in notices:
        call.notice(f"note: {notice}")


def _end(call: Call, session_id: str) -> int:
    with allowing_secrets(call["allow_secret"]):
        ended = end_session(
            call.store,
            session_id,
            done=call["done"],
            decided=call["decided"],
            open=call["open"],
            next=call["next"],
            summary=call["summary"] or "",
            files=call["file"],
            tags=call["tag"],
        )
    if call.as_json:
        call.answer(ended._asdict())
    elif ended.written:
        call.write(f"kept {ended.key}: {ended.goal}")
    else:
        call.write(f"{ended.key} says all of it already")
    return 0


def _list(call: Call) -> int:
    from gitkb.cli.render_text import age, one_line
    from gitkb.cli.terminal.line import Span, line

    found = list_sessions(call.store)
    if call.as_json:
        call.answer(
            [
                one._asdict() if isinstance(one, OpenSession) else {**one._asdict(), "bad": True}
                for one in found
            ]
        )
        return 0
    if not found:
        call.notice("no session is open in this worktree")
    for one in found:
        if isinstance(one, OpenSession):
            heading = line(Span(one.id, "key"), "  ", Span(age(one.started), "age"))
            call.write_lines([heading, line("    ", Span(one_line(one.goal), "title"))])
        else:
            call.write_lines([line(Span(one.id, "key"), f"  cannot be read: {one.reason}")])
    return 0


def _drop(call: Call, session_id: str) -> int:
    drop_session(call.store, session_id)
    if call.as_json:
        call.answer({"dropped": session_id})
    else:
        call.write(f"dropped {session_id}")
    return 0


VERB = Verb(
    "session",
    "Start a working session, or keep its outcome.",
    run,
    (Argument("ACTION", choices=_ACTIONS), Argument("WORDS", required=False, many=True)),
    (
        Option("done", "With end: what was done; repeatable.", "texts", "TEXT"),
        Option("decided", "With end: what was decided; repeatable.", "texts", "TEXT"),
        Option("open", "With end: what is still open; repeatable.", "texts", "TEXT"),
        Option("next", "With end: what comes next; repeatable.", "texts", "TEXT"),
        Option("summary", "With end: the outcome in a few sentences.", metavar="TEXT"),
        Option(
            "allow-secret",
            "With start or end: keep what looks like a secret, and why it is none.",
            metavar="REASON",
        ),
        *SCOPE_OPTIONS,
    ),
    """
`session start GOAL` opens one and prints its id and the context pack for the goal; --file, --tag and
--stack say what it is about, --budget caps what is printed. `session end [ID]` keeps what was done,
decided, left open and what is next as an entry of type session, which recall finds and the next pack
begins with; ID may be left out while one is open. `session list` shows those that are open here,
`session drop ID` discards one without an entry.

Open sessions belong to this worktree and are never committed; none hinders another. One that was
forgotten is found by `gitkb doctor`.

$ gitkb session start Move payments to cents --file src/payments --tag money
$ gitkb session end --done 'Moved the cart' --decided 'Round half up' --next 'Move refunds'
$ gitkb session drop ses_k3x9q2mf
""",
)
