"""One call of a tool, from what the client sent to what it gets: the boundary of this face.

Whatever goes wrong is an answer that tells the model what to do; nothing ends the server.
"""

from __future__ import annotations

import re
import sys
import traceback
from difflib import get_close_matches

from gitkb.core.refusal import refusal_of
from gitkb.errors import GitkbError, NotFoundError, UsageError
from gitkb.mcp.answer import Answer, Reply
from gitkb.mcp.arguments import read_arguments
from gitkb.mcp.fence import one_line, visible
from gitkb.mcp.place import find_place
from gitkb.mcp.tools import TOOLS, VERBS
from gitkb.operations.clone.notice import find_untold

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from gitkb.core.canonical import Json
    from gitkb.mcp.tool import Tool

_BY_NAME = {tool.name: tool for tool in TOOLS}
_LONGEST_MESSAGE = 1_000
# `gitkb show KEY` in a hint is a command for people; a model has a tool for it.
_replace_verbs = re.compile(rf"\bgitkb ({'|'.join(VERBS)})\b( --help)?").sub


def call_tool(name: str, given: Mapping[str, Json], directory: str | None = None) -> Reply:
    """Answer one call. Never raises: this is the only broad `except` of this face."""
    where = ""
    try:
        tool = _find_tool(name)
        values = read_arguments(tool.name, tool.arguments, given)
        answer = Answer(find_place(directory, reads=tool.effect == "reads"))
        where = f"store {answer.place.name} · {answer.place.branch_words}"
        for missing in find_untold(answer.place.store, "mcp"):
            answer.notices.append(f"{missing.note}; tell the user: {missing.hint}")
            where += f"\nnote: {answer.notices[-1]}"
        tool.run(answer.place.store, values, answer)
        return answer.reply()
    except GitkbError as error:
        return _refuse(error, where)
    except Exception as error:  # noqa: BLE001  the boundary: a bug is told of, and the server goes on
        refusal = refusal_of(error)
        if refusal is not None:
            return _refuse(refusal, where)
        traceback.print_exception(error, file=sys.stderr)
        return _error(
            f"a bug in gitkb: {type(error).__name__}: {error}",
            "what was acknowledged is written; the traceback is in the server's log",
            where,
        )


def _find_tool(name: str) -> Tool:
    plain = name.replace("-", "_").lower()
    tool = _BY_NAME.get(plain) or _BY_NAME.get(f"gitkb_{plain}")
    if tool is not None:
        return tool
    close = get_close_matches(plain, _BY_NAME, 1, 0.5)
    meant = f"did you mean {close[0]}? " if close else ""
    raise UsageError(f"no tool '{name[:60]}'", f"{meant}there are {', '.join(_BY_NAME)}")


def _as_tools(hint: str) -> str:
    return _replace_verbs(
        lambda found: f"the description of {VERBS[found[1]]}" if found[2] else VERBS[found[1]], hint
    )


def _refuse(error: GitkbError, where: str) -> Reply:
    hint = _as_tools(error.hint or "")
    if isinstance(error, NotFoundError) and error.message.startswith("no entry"):
        hint = "gitkb_recall finds keys; with include_inactive also what no longer holds"
    return _error(error.message, hint, where)


def _error(message: str, hint: str, where: str) -> Reply:
    # On one line, because a message may tell what somebody wrote, such as why an entry was forgotten.
    lines = [f"error: {one_line(message, _LONGEST_MESSAGE)}"]
    if hint:
        lines.append(f"hint: {visible(hint)[:_LONGEST_MESSAGE]}")
    return Reply("\n".join([*lines, where] if where else lines), None, is_error=True)
