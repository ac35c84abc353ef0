"""Plain lines, from bytes to their row in the table `entry` in one go.

Almost every line of a knowledge file is an entry of a few known fields that says nothing unusual.
Read by the general way, such a line costs more than all that SQLite does with it.

1. A row that is made here is the one that `document.entry_row` makes of the line in a knowledge
   file. Everything else, bad lines too, is handed over: the answer is None (a property test).
2. A name twice in an object shows in the number of quotes: what the parser dropped had some.
"""

from __future__ import annotations

import json

from gitkb.core.entry import STATUSES, TYPES, check_fields, derived_title, is_must_check
from gitkb.core.identity import is_key
from gitkb.core.jsonl import BadLineError, parse_object
from gitkb.index.document import FILE_FACET, LARGEST, MUST_CHECK, find_minted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gitkb.index.document import Row

_CHECKED = {
    "key": str,
    "type": str,
    "title": str,
    "content": str,
    "status": str,
    "tags": list,
    "files": list,
    "created": int,
    "ts": int,
}
_OTHERS = {"importance": int, "scope": str, "source": str, "project": str}
"""Fields that a row says nothing of."""

_KINDS = {**_CHECKED, **_OTHERS}
_TYPES = frozenset(TYPES)
_STATUSES = frozenset(STATUSES) - {"archived"}

_shapes: dict[tuple[object, ...], tuple[int, bool]] = {}
_MOST_SHAPES = 1000


def plain_row(id_: int, line: bytes) -> Row | None:
    """Give the row of a line in a knowledge file; None hands it over to the general way."""
    is_escaped = b"\\" in line
    try:
        if is_escaped:
            fields = parse_object(line)
        else:
            text = line.decode()
            fields, end = _scan(text, 0)
            if end != len(text) or type(fields) is not dict:
                return None
        shape = (*fields, *map(type, fields.values()))
        quotes, has_others = _shapes.get(shape) or _add_shape(shape)
        get = fields.get
        key, type_, title, content = fields["key"], fields["type"], get("title"), get("content", "")
        status, tags, files, ts = get("status", "active"), get("tags"), get("files"), get("ts", 0)
        facets = f"\ntype {type_}\nstatus {status}\n"
        words = paths = ""
        if tags:
            words = " ".join(tags)
            joined = "\ntag ".join(tags).lower()
            facets = f"{facets}tag {joined}\n"
            quotes += 2 * len(tags)
            if "" in tags:
                return None
        if files:
            paths = " ".join(files)
            joined = f"\n{FILE_FACET}".join(files)
            facets = f"{facets}{FILE_FACET}{joined}\n"
            quotes += 2 * len(files)
            if "" in files:
                return None
    except (BadLineError, ValueError, TypeError, KeyError, StopIteration, RecursionError):
        return None
    if is_escaped:
        # Only now can there be line ends within.
        if facets.count("\n") != 3 + len(tags or ()) + len(files or ()):
            return None
    elif line.count(b'"') != quotes:
        return None
    if title is None:
        if not content:
            return None
        title = derived_title(content)
    elif not title.isprintable() or not title:
        return None
    if not content and "content" in fields:
        return None
    if type_ not in _TYPES or status not in _STATUSES:
        return None
    if not 0 <= ts < LARGEST or get("created", 0) < 0:
        return None
    minted = find_minted(key)
    if minted is not None and len(key) <= 128:
        names = minted[1]
    elif is_key(key):
        names = key
    else:
        return None
    if has_others and check_fields(fields):
        return None
    if is_must_check(type_, content):
        facets = f"{facets}{MUST_CHECK}\n"
    return (
        *(id_, key, False, status != "active", ts, type_, facets),
        *(title, words, content, paths, names, line),
    )


def _refuse(text: str) -> Any:
    raise ValueError(text)


# `raw_decode` is a call more for every line, and does no more than this.
_decoder: Any = json.JSONDecoder(parse_constant=_refuse, parse_float=_refuse)
_scan = _decoder.scan_once


def _add_shape(shape: tuple[Any, ...]) -> tuple[int, bool]:
    """Look at the names of an object and the types of its values, in this order.

    The answer: how many quotes stand around its names and texts, and whether a field remains to be
    checked. It is kept, since a file has few shapes.

    Raises:
        KeyError: not only plain fields.
        TypeError: a field of another type.
    """
    number = len(shape) // 2
    names, types = shape[:number], shape[number:]
    for name, type_ in zip(names, types, strict=True):
        if _KINDS[name] is not type_:
            raise TypeError(name)
    if len(_shapes) >= _MOST_SHAPES:
        _shapes.clear()
    result = (2 * (number + types.count(str)), not _CHECKED.keys() >= set(names))
    _shapes[shape] = result
    return result
