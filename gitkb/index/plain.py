"""Plain lines, from bytes to their rows and texts in one go.

Almost every line of a knowledge file is an entry of a few known fields that says nothing unusual.
Read by the general way, such a line costs more than all that SQLite does with it.

1. What is made here is what `document.entry_row` makes of the line in a knowledge file. Everything
   else, bad lines too, is handed over: the answer is None (a property test).
2. Lines are parsed together only where each is seen to be one object by itself: there are as many
   braces of either kind as lines, and they stand at the ends of the lines.
3. A name twice in an object shows in the number of quotes: what the parser dropped had some.
"""

from __future__ import annotations

import json

from gitkb.core.entry import (
    MUST_CHECK,
    MUST_CHECK_TYPES,
    STATUSES,
    TYPES,
    check_fields,
    derived_title,
)
from gitkb.core.identity import is_key
from gitkb.index.document import FILE_FACET, LARGEST, find_minted
from gitkb.index.document import MUST_CHECK as MUST_CHECK_FACET

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gitkb.index.document import Shown

CHUNK = 64
"""Lines to parse together: more are not faster."""

_TEXTS = frozenset({"key", "type", "title", "content", "status"})
_ROW = _TEXTS | {"tags", "files", "importance", "created", "ts"}
_OTHER_TEXTS = frozenset({"scope", "source", "project"})
"""Fields that a row says nothing of."""

_PLAIN = _ROW | _OTHER_TEXTS
_TYPES = frozenset(TYPES)
_STATUSES = frozenset(STATUSES) - {"archived"}
_LONGEST_KEY = 128
_NEXT_TAG, _NEXT_FILE = "\ntag ", f"\n{FILE_FACET}"
_NOTHING: list[str] = []

_shapes: dict[tuple[str, ...], tuple[int, bool]] = {}
_MOST_SHAPES = 1000


def plain_rows(first: int, lines: list[bytes]) -> list[Shown | None]:
    """Give the rows and texts of lines of a knowledge file, the first with the id `first`.

    None hands a line over to the general way.
    """
    return list(map(_row, range(first, first + len(lines)), lines, _parse(lines)))


def _parse(lines: list[bytes]) -> list[Any]:
    number = len(lines)
    joined = b",\n".join(lines)
    if (
        joined.count(b"{") == joined.count(b"}") == number
        and joined.count(b"},\n{") == number - 1
        and joined.startswith(b"{")
        and joined.endswith(b"}")
    ):
        try:
            values: list[Any] = _scan(f"[{joined.decode()}]", 0)[0]
        except (ValueError, StopIteration, RecursionError):
            pass
        else:
            return values
    return list(map(_parse_one, lines))


def _parse_one(line: bytes) -> Any:
    try:
        text = line.decode()
        value, end = _scan(text, 0)
    except (ValueError, StopIteration, RecursionError):
        return None
    return value if end == len(text) else None


def _refuse(text: str) -> Any:
    raise ValueError(text)


# `raw_decode` is a call more, and does no more than this.
_decoder: Any = json.JSONDecoder(parse_constant=_refuse, parse_float=_refuse)
_scan = _decoder.scan_once


def _row(id_: int, line: bytes, fields: Any) -> Shown | None:
    if type(fields) is not dict:
        return None
    get, names = fields.get, tuple(fields)
    quotes, has_others = _shapes.get(names) or _add_shape(names)
    tags, files = get("tags", _NOTHING), get("files", _NOTHING)
    ts, created = get("ts", 0), get("created", 0)
    importance = get("importance", 3)
    if type(importance) is not int or not 1 <= importance <= 5:
        return None
    if not (quotes and type(tags) is type(files) is list and type(ts) is type(created) is int):
        return None
    try:
        key, type_, status = fields["key"], fields["type"], get("status", "active")
        title, content = get("title"), get("content")
        words, paths = " ".join(tags), " ".join(files)
        if type_ not in _TYPES or status not in _STATUSES or "" in tags or "" in files:
            return None
        minted = find_minted(key)
        if minted is None or len(key) > _LONGEST_KEY:
            if not is_key(key):
                return None
            called = key
        else:
            called = minted[1]
        if content is None:
            content = ""
            if "content" in fields:
                return None
        elif not content:
            return None
        must_check = content.startswith(MUST_CHECK)  # an error, if it is no text
        if title is None:
            title = derived_title(content)
            if "title" in fields or not content:
                return None
        elif not title.isprintable() or not title:
            return None
    except (TypeError, KeyError, AttributeError):
        return None
    if not 0 <= ts < LARGEST or created < 0 or (has_others and check_fields(fields)):
        return None
    quotes += 2 * (len(tags) + len(files))
    if b"\\" in line:
        if b"\\u" in line or "\n" in words or "\n" in paths:
            return None
        texts = [content, words, paths, *(get(name, "") for name in ("title", *_OTHER_TEXTS))]
        quotes += sum([text.count('"') for text in texts])
    if line.count(b'"') != quotes:
        return None
    tagged = f"tag {_NEXT_TAG.join(tags).lower()}\n" if tags else ""
    filed = f"{FILE_FACET}{_NEXT_FILE.join(files)}\n" if files else ""
    facets = f"\ntype {type_}\nstatus {status}\n{tagged}{filed}"
    if must_check and type_ in MUST_CHECK_TYPES:
        facets = f"{facets}{MUST_CHECK_FACET}\n"
    hidden = status != "active"
    return (
        (id_, key, False, hidden, ts, type_, status, importance, facets, line),
        (title, words, content, paths, called),
    )


def _add_shape(names: tuple[str, ...]) -> tuple[int, bool]:
    """Look at the names of an object; the answer is kept, since a file has few shapes.

    It is how many quotes stand around names and texts, but for those in lists, or 0 if not all are
    plain fields; and whether some remain to be checked.
    """
    found = frozenset(names)
    quotes = 0
    if found <= _PLAIN:
        quotes = 2 * (len(names) + len(found & (_TEXTS | _OTHER_TEXTS)))
    if len(_shapes) >= _MOST_SHAPES:
        _shapes.clear()
    _shapes[names] = quotes, not found <= _ROW
    return _shapes[names]
