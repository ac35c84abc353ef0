"""JSON with comments read with the place of every value, so that the text can be edited.

1. Beside JSON, `//` and `/* */` comments and a comma after the last item are understood, and nothing else.
2. What cannot be read is a `Refusal` with the line; depth is bounded.
"""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from gitkb.core.agents.edit import Refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_DEEPEST = 100
_decoder = json.JSONDecoder()
_skip = re.compile(r"(?:[ \t\r\n]+|//[^\n]*|/\*(?s:.*?)\*/)*").match
_scalar = re.compile(
    r"(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])", re.A
).match


class Member(NamedTuple):
    """One member of an object, or one item of an array (its name is empty)."""

    name: str
    start: int
    """Where its name begins, or the item itself."""
    node: Node


class Node(NamedTuple):
    """One value: what it is, and where."""

    kind: str
    """object, array or scalar."""
    start: int
    end: int
    value: Any
    members: tuple[Member, ...] = ()


def parse_json(text: str) -> Node:
    """Read a document.

    Raises:
        Refusal: when it is none.
    """
    node = _value(text, _space(text, 0), 0)
    end = _space(text, node.end)
    if end < len(text):
        raise _refusal(text, end)
    return node


def comma_after(text: str, at: int) -> int | None:
    """Find the comma that follows a value; comments may stand in between."""
    at = _space(text, at)
    return at if text[at : at + 1] == "," else None


def skip_back(text: str, at: int) -> int:
    """Give the place behind the last sign that is no blank before a place."""
    return len(text[:at].rstrip(" \t\r\n"))


def _value(text: str, at: int, depth: int) -> Node:
    if depth > _DEEPEST:
        raise Refusal("it is nested too deep")
    sign = text[at : at + 1]
    if sign == "{":
        return _container(text, at, depth, "object", "}")
    if sign == "[":
        return _container(text, at, depth, "array", "]")
    if sign == '"':
        value, end = _string(text, at)
        return Node("scalar", at, end, value)
    found = _scalar(text, at)
    if found is None:
        raise _refusal(text, at)
    try:
        return Node("scalar", at, found.end(), json.loads(found[0]))
    except ValueError:  # more digits than Python makes a number of
        raise _refusal(text, at) from None


def _container(text: str, start: int, depth: int, kind: str, closer: str) -> Node:
    members: list[Member] = []
    at = _space(text, start + 1)
    while text[at : at + 1] != closer:
        name, first = "", at
        if kind == "object":
            if text[at : at + 1] != '"':
                raise _refusal(text, at)
            name, at = _string(text, at)
            at = _space(text, at)
            if text[at : at + 1] != ":":
                raise _refusal(text, at)
            at = _space(text, at + 1)
        node = _value(text, at, depth + 1)
        members.append(Member(name, first, node))
        at = _space(text, node.end)
        if text[at : at + 1] == ",":
            at = _space(text, at + 1)
        elif text[at : at + 1] != closer:
            raise _refusal(text, at)
    values = [member.node.value for member in members]
    named = {member.name: member.node.value for member in members}
    return Node(kind, start, at + 1, named if kind == "object" else values, tuple(members))


def _string(text: str, at: int) -> tuple[str, int]:
    try:
        value, end = _decoder.raw_decode(text, at)
    except json.JSONDecodeError as error:
        raise _refusal(text, min(error.pos, len(text))) from None
    return str(value), end


def _space(text: str, at: int) -> int:
    found = _skip(text, at)
    return at if found is None else found.end()


def _refusal(text: str, at: int) -> Refusal:
    line = text.count("\n", 0, at) + 1
    return Refusal(f"it is no valid JSON: line {line}" if text.strip() else "it is empty")
