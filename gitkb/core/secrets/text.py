"""The texts of a record in which a secret can hide, each with the place where it stands.

1. Every text counts, however deep, and so do the names of fields.
2. A text is looked at as a reader sees it, without characters that nobody sees; with its broken lines
   joined; and a list of texts as the lines of one.
3. What stands under a name such as "password" is judged with that name.
"""

from __future__ import annotations

import re

from gitkb.core.late_pattern import LatePattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitkb.core.canonical import Fields, Json

NAME = "the name of a field"
_unseen = LatePattern(
    "[\u00ad\u034f\u061c\u115f\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]"
)
_RUN_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=_.-"
_LEAST_HALF = 4
_ENDS_HALF = frozenset((*_RUN_LETTERS, "\\", "\r"))
_BEGINS_HALF = frozenset((*_RUN_LETTERS, *" \t>|#*"))
_has_digit = re.compile("[0-9]").search
_RUN = 120
_has_wide = LatePattern("[\uff01-\uff5e]").search
_wide = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}


def iter_texts(fields: Fields) -> Iterator[tuple[str, str]]:
    """Yield every text of a record with its place, such as ``content`` or ``x/token``.

    A text under a name of another tool's is preceded by that name, as in a file of settings.
    """
    for name, value in fields.items():
        yield NAME, name
        yield from _iter_inside(name, name, value)


def _iter_inside(place: str, name: str, value: Json) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, dict):
        for inner_name, inner in value.items():
            yield NAME, inner_name
            yield from _iter_inside(f"{place}/{inner_name}", inner_name, inner)
            if isinstance(inner, str):
                yield f"{place}/{inner_name}", assignment(inner_name, inner)
        yield from _iter_lines(place, list(value.values()))
    elif isinstance(value, list):
        for item in value:
            yield from _iter_inside(place, name, item)
        yield from _iter_lines(place, value)


def assignment(name: str, text: str) -> str:
    """Write a text with the name of its field, as a file of settings does."""
    return f'{name} = "{text}"' if "\n" not in text else text


def _iter_lines(place: str, items: list[Json]) -> Iterator[tuple[str, str]]:
    texts = [item for item in items if isinstance(item, str)]
    if len(texts) > 1:
        yield place, "\n".join(texts)


def own_texts(fields: Fields) -> Iterator[tuple[str, str]]:
    """Yield what `iter_texts` does, and the fields that gitkb does not know with their names."""
    from gitkb.core.entry import FIELDS, TOMBSTONE_FIELDS

    yield from iter_texts(fields)
    for name, value in fields.items():
        if isinstance(value, str) and name not in FIELDS and name not in TOMBSTONE_FIELDS:
            yield name, assignment(name, value)


def as_seen(text: str) -> str:
    """Drop what nobody sees, and write wide letters as plain ones."""
    if text.isascii():
        return text
    text = _unseen.pattern.sub("", text)
    return text.translate(_wide) if _has_wide(text) else text


def joined(text: str) -> str:
    """Join lines that may be the halves of one key; the text itself where none can be.

    Halves are runs of four letters and more, and at least one of the two has a digit.
    """
    pieces, begin = [], 0
    at = text.find("\n")
    while at >= 0:
        after = at + 1
        if text[at - 1 : at] not in _ENDS_HALF or text[after : at + 2] not in _BEGINS_HALF:
            at = text.find("\n", after)
            continue
        left = text[max(begin, at - _RUN) : at].rstrip("\\\r")
        run = len(left) - len(left.rstrip(_RUN_LETTERS))
        if run >= _LEAST_HALF:
            rest = text[at + 1 : at + 1 + _RUN]
            right = rest.lstrip(" \t>|#*")
            other = len(right) - len(right.lstrip(_RUN_LETTERS))
            if other >= _LEAST_HALF and _has_digit(left[-run:] + right[:other]):
                pieces.append(text[begin : max(begin, at - _RUN) + len(left)])
                begin = at + 1 + len(rest) - len(right)
        at = text.find("\n", at + 1)
    return "".join((*pieces, text[begin:])) if pieces else text


def decoded(token: str) -> str:
    """Give the text that a run of base64 stands for; nothing where it stands for none."""
    from base64 import b64decode

    plain = token.strip("=").replace("-", "+").replace("_", "/")
    try:
        data = b64decode(plain + "=" * (-len(plain) % 4), validate=True)
        text = data.decode("utf-8")
    except ValueError:
        return ""
    return text if len(text) >= 4 and all(c.isprintable() or c in "\n\r\t" for c in text) else ""
