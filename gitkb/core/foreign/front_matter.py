"""The lines of YAML at the head of a Markdown file, as far as such files use them.

Read are ``name: value`` and lists of plain values, in brackets or one an indented line. What is anything
else is not guessed at: the caller gets those lines as they are.
"""

from __future__ import annotations

import re
from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_name = re.compile(r"([A-Za-z][\w .-]*?)[ \t]*:(?:[ \t]+(.*))?$")
_item = re.compile(r"[ \t]*-[ \t]+(.*)$")
_comment = re.compile(r"(?:^|\s)#.*$")


class FrontMatter(NamedTuple):
    """What stands before the text: values by their names in lower case, and lines not understood."""

    values: dict[str, list[str]]
    rest: list[str]


def split_front_matter(lines: Sequence[str]) -> tuple[list[str], list[str]]:
    """Part the lines of a file: those between ``---`` and ``---`` at its head, and the others."""
    if lines and lines[0].rstrip() == "---":
        for number, line in enumerate(lines[1:], 1):
            if line.rstrip() in ("---", "..."):
                return list(lines[1:number]), list(lines[number + 1 :])
    return [], list(lines)


def parse_front_matter(lines: Sequence[str]) -> FrontMatter:
    """Read the lines of a front matter."""
    values: dict[str, list[str]] = {}
    rest: list[str] = []
    name = ""
    for line in lines:
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        found, item = _name.match(line), _item.match(line)
        if found and found[1].lower() not in values:
            name = found[1].lower()
            value = (found[2] or "").strip()
            if value[:1] in ("|", ">", "&", "*", "!", "{"):
                name = ""
                rest.append(line)
            else:
                values[name] = _values(value)
        elif item and name and ": " not in item[1]:
            values[name] += _values(item[1].strip())
        else:
            name = ""
            rest.append(line)
    return FrontMatter(values, rest)


def _values(text: str) -> list[str]:
    bare = text if text[:1] in "\"'" else _comment.sub("", text).strip()
    if bare.startswith("[") and bare.endswith("]") and "](" not in bare:
        return [value for part in _parts(bare[1:-1]) for value in _values(part.strip())]
    value = _unquoted(bare)
    return [value] if value and value not in ("~", "null") else []


def _parts(text: str) -> list[str]:
    """Split at commas that stand in no quotes."""
    return re.findall(r"""(?:"[^"]*"|'[^']*'|[^,])+""", text)


def _unquoted(text: str) -> str:
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        inner = text[1:-1]
        return inner.replace("''", "'") if text[0] == "'" else inner.replace('\\"', '"')
    return text
