"""The texts of a record in which a secret can hide, each with the place where it stands.

1. Every text counts, however deep, and so do the names of fields.
2. A text is looked at as a reader sees it, without characters that nobody sees; with its broken lines
   joined; and a list of texts as the lines of one.
3. What stands under a name such as "password" is judged with that name.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitkb.core.canonical import Fields, Json

NAME = "the name of a field"
_unseen = re.compile(
    "[\u00ad\u034f\u061c\u115f\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]"
)
_breaks = re.compile(r"([A-Za-z0-9+/=_.-]{4})\\?\r?\n[ \t>|#*]*(?=[A-Za-z0-9+/=_.-]{4})").sub
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
    return _unseen.sub("", text).translate(_wide)


def joined(text: str) -> str:
    """Join lines that may be the halves of one word; the text itself where none can be."""
    return _breaks(r"\1", text) if "\n" in text else text


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
