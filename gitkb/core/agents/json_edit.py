"""Members of a JSON file put in and taken out as text: comments, layout, order and line ends stay.

1. JSON with comments and trailing commas is read (as VS Code writes it); all else that is not JSON
   is refused, and so is a name that stands twice on the way to what is edited.
2. What is put in comes last in the container that it belongs to. The way it stands says what was there
   before: directly behind the opening bracket of a container that was empty; behind white space in one
   that was made for it, and that goes with it; with a comma behind it where a comma was last.
3. A value that differs from ours is somebody's own and is neither changed nor taken out.
"""

from __future__ import annotations

import json
from typing import NamedTuple

from gitkb.core.agents.edit import Refusal, newline_of
from gitkb.core.agents.json_text import Node, comma_after, parse_json, skip_back

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitkb.core.canonical import Json

_BLANKS = " \t\r\n"


class Wanted(NamedTuple):
    """One value and its place."""

    path: tuple[str, ...]
    """Names of objects from the root; the last one is the member, or the array that gets an item."""
    value: Json
    sign: str = ""
    """Set for an item of an array: the words that it is known by where somebody changed it."""


def put_json(text: str | None, wanted: Sequence[Wanted], extra: dict[str, Json]) -> str:
    """Put values into a file; into one that is not there together with `extra`.

    Raises:
        Refusal: as in the invariants 1 and 3.
    """
    if text is None:
        return _fresh(wanted, extra)
    for one in wanted:
        text = _put(text, one)
    return text


def take_json(text: str, wanted: Sequence[Wanted], extra: dict[str, Json]) -> str | None:
    """Take values out of a file; None when nothing is left but what `put_json` made.

    Raises:
        Refusal: as in the invariants 1 and 3.
    """
    if text.replace("\r\n", "\n") == _fresh(wanted, extra):
        return None
    new: str | None = text
    for one in reversed(wanted):
        new = None if new is None else _take(new, one)
    return new


def show_json(wanted: Sequence[Wanted], extra: dict[str, Json]) -> str:
    """Write what belongs into a file, as a file of its own."""
    return _fresh(wanted, extra)


def _fresh(wanted: Sequence[Wanted], extra: dict[str, Json]) -> str:
    value: dict[str, Json] = {}
    for one in wanted:
        place: dict[str, Json] = value
        for name in one.path[:-1]:
            inner = place.setdefault(name, {})
            assert isinstance(inner, dict)  # our own paths
            place = inner
        place[one.path[-1]] = [one.value] if one.sign else one.value
    return _layout({**value, **extra}, "", "  ", "\n") + "\n"


def _put(text: str, wanted: Wanted) -> str:
    node = _root(text)
    for depth, name in enumerate(wanted.path):
        found = _member(node, name)
        rest = wanted.path[depth + 1 :]
        if found is None:
            value: Json = [wanted.value] if wanted.sign else wanted.value
            for inner in reversed(rest):
                value = {inner: value}
            return _insert(text, node, name, value)
        child = node.members[found].node
        if not rest and not wanted.sign:
            if child.value != wanted.value:
                raise Refusal(
                    f"'{'.'.join(wanted.path)}' is there already, and says something else"
                )
            return text
        _check_kind(child, "object" if rest else "array", wanted.path[: depth + 1])
        node = child
    if _item(node, wanted) is not None:
        return text
    return _insert(text, node, None, wanted.value)


def _take(text: str, wanted: Wanted) -> str | None:
    node = _root(text)
    chain: list[tuple[Node, int]] = []
    for depth, name in enumerate(wanted.path):
        if node.kind != "object":
            return text  # nothing of ours can be below
        found = _member(node, name)
        if found is None:
            return text
        chain.append((node, found))
        node = node.members[found].node
        if depth == len(wanted.path) - 1 and not wanted.sign and node.value != wanted.value:
            raise Refusal(f"'{'.'.join(wanted.path)}' was changed by hand")
    if wanted.sign:
        if node.kind != "array":
            return text
        index = _item(node, wanted)
        if index is None:
            return text
        chain.append((node, index))
    while len(chain) > 1 and _is_made_by_us(text, *chain[-1]):
        chain.pop()
    container, index = chain[-1]
    if len(chain) == 1 and _is_made_by_us(text, container, index):
        if not (text[: container.start] + text[container.end :]).strip(_BLANKS):
            return None
    return _cut(text, container, index)


def _root(text: str) -> Node:
    root = parse_json(text)
    if root.kind != "object":
        raise Refusal("it holds no JSON object")
    return root


def _member(node: Node, name: str) -> int | None:
    found = [number for number, member in enumerate(node.members) if member.name == name]
    if len(found) > 1:
        raise Refusal(f"'{name}' stands there twice")
    return found[0] if found else None


def _check_kind(node: Node, kind: str, path: tuple[str, ...]) -> None:
    if node.kind != kind:
        raise Refusal(f"'{'.'.join(path)}' is no {kind}")


def _item(node: Node, wanted: Wanted) -> int | None:
    """Find our item; one that does the same in another form is somebody's own."""
    equal = [n for n, member in enumerate(node.members) if member.node.value == wanted.value]
    alike = [
        n
        for n, member in enumerate(node.members)
        if wanted.sign in json.dumps(member.node.value, ensure_ascii=False)
    ]
    name = ".".join(wanted.path)
    if len(alike) > 1:
        raise Refusal(f"'{name}' calls '{wanted.sign}' more than once")
    if alike and not equal:
        raise Refusal(f"'{name}' calls '{wanted.sign}' already, in a form that was changed by hand")
    return equal[0] if equal else None


def _is_made_by_us(text: str, container: Node, index: int) -> bool:
    """Whether a container holds nothing but the member, and was made for it."""
    if len(container.members) > 1 or text[container.start + 1] not in _BLANKS:
        return False
    member = container.members[index]
    around = text[container.start + 1 : member.start] + text[member.node.end : container.end - 1]
    return not around.strip(_BLANKS)


# --- text ------------------------------------------------------------------------------------


def _insert(text: str, node: Node, name: str | None, value: Json) -> str:
    newline = newline_of(text)
    step = _step(text)
    if not node.members:
        at = node.start + 1
        is_tall = newline in text
        entry = _entry(name, value, _indent_at(text, node.start), step, newline if is_tall else "")
        return text[:at] + entry + text[at:]
    last = node.members[-1]
    end = last.node.end
    tail = text[end : node.end - 1]
    at = end + len(tail.rstrip(_BLANKS))
    indent = _indent_at(text, last.start)
    if text[: last.start].endswith("\n" + indent):
        gap = newline + indent
    elif "//" in tail:  # nothing but a line end closes such a comment
        gap, indent = newline + indent + step, indent + step
    else:
        gap = " "
    entry = _entry(name, value, indent, step, newline if gap != " " else "")
    if comma_after(text, end) is not None:
        return text[:at] + gap + entry + "," + text[at:]
    return text[:end] + "," + text[end:at] + gap + entry + text[at:]


def _cut(text: str, container: Node, index: int) -> str:
    members = container.members
    member = members[index]
    start, end = member.start, member.node.end
    before, comma = skip_back(text, start), comma_after(text, end)
    if comma is None:
        if index == 0:
            return text[:start] + text[end:]
        other = comma_after(text, members[index - 1].node.end)
        assert other is not None  # the parser saw it
        return text[:other] + text[other + 1 : before] + text[end:]
    new = text[:before] + text[end:comma] + text[comma + 1 :]
    try:
        parse_json(new)
    except Refusal:  # a comment before it would go on over what comes after
        return text[:start] + text[end:comma] + text[comma + 1 :]
    return new


def _entry(name: str | None, value: Json, indent: str, step: str, newline: str) -> str:
    written = _layout(value, indent, step, newline)
    return written if name is None else f"{json.dumps(name)}: {written}"


def _layout(value: Json, indent: str, step: str, newline: str) -> str:
    """Write a value, on one line where `newline` is empty. White space follows every `{`."""
    if isinstance(value, dict):
        items = [
            f"{json.dumps(name)}: {_layout(item, indent + step, step, newline)}"
            for name, item in value.items()
        ]
        brackets = "{}"
    elif isinstance(value, list) and not all(isinstance(item, str) for item in value):
        items = [_layout(item, indent + step, step, newline) for item in value]
        brackets = "[]"
    else:
        return json.dumps(value, ensure_ascii=False)
    if not newline:
        return f"{brackets[0]} {', '.join(items)} {brackets[1]}"
    inner = newline + indent + step
    return f"{brackets[0]}{inner}{f',{inner}'.join(items)}{newline}{indent}{brackets[1]}"


def _indent_at(text: str, at: int) -> str:
    """Give the blanks that begin the line of a place."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _step(text: str) -> str:
    """Give one step of indentation as the file has it."""
    root = parse_json(text)
    for member in root.members[:1]:
        indent = _indent_at(text, member.start)
        if indent and text[: member.start].endswith("\n" + indent):
            return indent
    return "  "
