"""The tools that brief an agent and keep what came of its work."""

from __future__ import annotations

import json

from gitkb.mcp.argument_names import CONTENT, FILES, LONGEST_LINE, MOST_TEXTS, TAGS
from gitkb.mcp.arguments import Argument
from gitkb.mcp.fence import fence
from gitkb.mcp.tool import Tool
from gitkb.operations.context import budget_below, context
from gitkb.operations.session import end_session, start_session
from gitkb.operations.usage_log.record import record_pack

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from gitkb.mcp.answer import Answer
    from gitkb.operations.context import Pack
    from gitkb.store.layout import Store

_LARGEST_BUDGET = 20_000
_MANY = 9_999
_LINES_SHARE = 64
"""JSON writes line ends with more tokens: a hundredth of a usual pack. Each try costs a search."""


def _context(store: Store, given: dict[str, Any], answer: Answer) -> None:
    def make(budget: int, notices: list[str]) -> Pack:
        return context(
            store,
            given["task"] or "",
            budget=budget,
            files=given["files"],
            tags=given["tags"],
            session=given["session"] or "",
            notices=notices,
        )

    _show_pack(answer, store, make, given["budget"], "")


def _start(store: Store, given: dict[str, Any], answer: Answer) -> None:
    session = start_session(store, given["goal"], files=given["files"], tags=given["tags"])
    answer.values["session"] = session.id

    def make(budget: int, notices: list[str]) -> Pack:
        return context(store, "", budget=budget, session=session.id, notices=notices)

    first = (
        f"session {session.id} is open; when you are done: gitkb_session_end session={session.id}"
    )
    _show_pack(answer, store, make, given["budget"], first)


def _show_pack(
    answer: Answer,
    store: Store,
    make: Callable[[int, list[str]], Pack],
    budget: int | None,
    first: str,
) -> None:
    """Show the largest pack with which neither form of the answer, text or values, is larger than the
    budget, what is ours included.

    Sizes are tried that do not depend on the budget, so that a larger budget shows all that a
    smaller one shows. Where there is no room for the line about the store, that line is all there is.
    """
    whole = budget_below(store, budget, "")
    _put_pack(answer, " ", _MANY, first)
    room = min(budget_below(store, whole, form) for form in _forms(answer))
    room = _smaller(room - room // _LINES_SHARE + 1)
    while True:
        notices: list[str] = []
        pack = make(room, notices)
        answer.notices += [notice for notice in notices if notice not in answer.notices]
        _put_pack(answer, pack.text, pack.left_out, first)
        if not pack.text or all(budget_below(store, whole + 1, form) for form in _forms(answer)):
            record_pack(store, pack)
            return
        room = _smaller(room)


def _forms(answer: Answer) -> tuple[str, str]:
    reply = answer.reply()
    return reply.text, json.dumps(reply.values, ensure_ascii=False)


def _smaller(room: int) -> int:
    """Give the next smaller size: each is about 4 % larger than the one before."""
    size = 0
    while (larger := size + max(8, size // 25)) < room:
        size = larger
    return size


def _put_pack(answer: Answer, text: str, left_out: int, first: str) -> None:
    answer.start_again()
    answer.left_out = left_out
    answer.more = "gitkb_recall finds them"
    answer.values["text"] = fence(text) if text else ""
    if first:
        answer.say(first)
    if text:
        answer.quote(text)


def _end(store: Store, given: dict[str, Any], answer: Answer) -> None:
    ended = end_session(
        store,
        given["session"] or "",
        done=given["done"],
        decided=given["decided"],
        open=given["open"],
        next=given["next"],
        summary=given["content"] or "",
    )
    answer.values.update(key=ended.key, written=ended.written)
    if ended.written:
        answer.say(f"[{ended.key}] kept; the next context pack begins with it.")
    else:
        answer.say(f"[{ended.key}] says all of it already.")


_BUDGET = Argument(
    "budget",
    "number",
    "tokens, default 2000",
    low=0,
    high=_LARGEST_BUDGET,
    others=("tokens", "max_tokens", "token_budget", "limit"),
)
_SESSION = Argument("session", high=128, others=("session_id", "id", "key"))


def _outcome(name: str, *others: str) -> Argument:
    return Argument(name, "texts", high=MOST_TEXTS, separator="\n", others=others)


CONTEXT = Tool(
    "gitkb_context",
    "Briefing for a task within a token budget: last session, rules, pitfalls, matching entries, key "
    "decisions.",
    _context,
    (
        Argument(
            "task",
            required=True,
            high=LONGEST_LINE,
            others=("goal", "query", "q", "text", "prompt", "topic", "description"),
        ),
        _BUDGET,
        FILES,
        TAGS,
        _SESSION,
    ),
    "reads",
    {"text": "string"},
)
SESSION_START = Tool(
    "gitkb_session_start",
    "Open a working session for a goal; answers with its id and a briefing.",
    _start,
    (
        Argument(
            "goal",
            required=True,
            high=LONGEST_LINE,
            others=("task", "title", "objective", "description", "name"),
        ),
        FILES,
        TAGS,
        _BUDGET,
    ),
    "adds",
    {"session": "string", "text": "string"},
    is_repeatable=False,
)
SESSION_END = Tool(
    "gitkb_session_end",
    "Keep the outcome of a session for whoever comes next.",
    _end,
    (
        _SESSION,
        _outcome("done", "completed", "accomplished", "finished"),
        _outcome("decided", "decisions"),
        _outcome("open", "open_questions", "questions", "unresolved", "blockers"),
        _outcome("next", "next_steps", "todo", "todos", "plan"),
        CONTENT._replace(others=("summary", "outcome", "notes", "body", "text")),
    ),
    "adds",
    {"key": "string", "written": "boolean"},
)
