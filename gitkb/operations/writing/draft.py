"""Turn what a person or an agent gives for an entry into the fields of one.

1. What is forgiven: null for "not given", one text for a list, a drawbar `severity`, `./` and `\\`
   in paths. What is not: an unknown type, a path outside the repository, a title of two lines.
2. Unknown fields are kept as they are.
"""

from __future__ import annotations

import os
import posixpath

from gitkb.core.canonical import encode_json
from gitkb.core.entry import LIST_FIELDS, SET_FIELDS, TYPES, check_fields, normalise
from gitkb.core.identity import is_key
from gitkb.core.jsonl import BadLineError, parse_object
from gitkb.errors import DataError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from gitkb.core.canonical import Json
    from gitkb.store.layout import Store

SEVERITIES = {"critical": 5, "high": 4, "medium": 3, "low": 2}
DEEPEST = 100
"""Levels of lists and objects in a field. How many Python reads depends on where it is called."""

_ADD_HELP = "gitkb add --help shows every field"


def draft_fields(given: Mapping[str, Json], store: Store) -> dict[str, Json]:
    """Make the fields of an entry; `key` and `ts` may be absent, all else is as it will be written.

    A default that was given stays, so that a correction can go back to it.

    Raises:
        DataError: saying which field is wrong.
    """
    fields = {name: value for name, value in given.items() if value is not None}
    _take_severity(fields)
    for name in SET_FIELDS | LIST_FIELDS:
        if isinstance(fields.get(name), str):
            fields[name] = [fields[name]]
        if isinstance(fields.get(name), list) and "" in fields[name]:
            raise DataError(
                f"cannot add: an empty text among '{name}'", "leave it out, or fill it in"
            )
    for name in ("title", "content", "category", "project", "issue", "source", "review_by"):
        value = fields.get(name)
        if isinstance(value, str) and name != "content":
            fields[name] = value = value.strip()
        if value == "":
            del fields[name]
    if fields.get("key") == "":
        raise DataError("cannot add: the key is empty", "leave it out, and one is made")
    if "deleted" in fields or "moved" in fields:
        raise DataError("an entry cannot carry 'deleted' or 'moved'", "gitkb forget KEY")
    _check(fields)
    if "review_by" in fields:
        _check_day(fields["review_by"])
    for name, value in fields.items():
        if _is_deeper(value, DEEPEST):
            raise DataError(
                f"cannot add: '{name}' is nested deeper than {DEEPEST} levels", "flatten the value"
            )
    _check_texts(fields)
    if "files" in fields:
        fields["files"] = [relative_file(path, store) for path in fields["files"]]
    return {**fields, **normalise(fields)}


def relative_file(path: str, store: Store) -> str:
    """Name a file as entries do: relative to the top of the repository, with `/`.

    Raises:
        DataError: when the path leads out of the repository.
    """
    top = store.worktree or os.path.dirname(store.root)
    slashed = path.replace("\\", "/")
    if os.path.isabs(path):
        slashed = os.path.relpath(os.path.realpath(path), os.path.realpath(top)).replace("\\", "/")
    plain = posixpath.normpath(slashed)
    if plain == ".." or plain.startswith(("../", "/")):
        raise DataError(f"the file '{path}' is outside of '{top}'", "name files from its top")
    return plain


def title_of(fields: Mapping[str, Json]) -> str:
    """What a key is made from: the title, else the whole content."""
    return str(fields.get("title") or fields.get("content", ""))


def _is_deeper(value: Json, levels: int) -> bool:
    level = [value]
    while level and levels >= 0:
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        levels -= 1
    return bool(level)


def _take_severity(fields: dict[str, Json]) -> None:
    severity = fields.get("severity")
    if severity is None:
        return
    if not isinstance(severity, str) or severity not in SEVERITIES:
        raise DataError(f"unknown severity '{severity}'", f"one of {', '.join(SEVERITIES)}")
    del fields["severity"]
    fields.setdefault("importance", SEVERITIES[severity])


def _check_day(day: Json) -> None:
    """Refuse a day that looks like one, and that no calendar has."""
    from datetime import date  # few entries have one

    if isinstance(day, str):
        try:
            date.fromisoformat(day)
        except ValueError:
            raise DataError(
                f"cannot add: 'review_by' is no day of the calendar: '{day}'",
                "write it as 2026-01-31",
            ) from None


def _check(fields: dict[str, Json]) -> None:
    key = fields.get("key")
    # Which key it will be is not known yet, but that it will be a right one.
    faults = check_fields({**fields, "key": "unknown" if key is None else key})
    if faults:
        hint = _ADD_HELP
        if isinstance(key, str) and not is_key(key):
            hint = "a key is letters, digits, '.', '_' and '-'; leave it out, and one is made"
        elif "type" not in fields:
            hint = f"one of {', '.join(TYPES)}"
        raise DataError(f"cannot add: {'; '.join(faults)}", hint)


def _check_texts(fields: dict[str, Json]) -> None:
    # Nobody could read a line that holds such a text, so it is refused before it is written.
    try:
        line = encode_json(fields)
        if b"\\u0000" in line:
            parse_object(line)
    except UnicodeEncodeError:
        raise DataError(
            "cannot add: half of a surrogate pair in a text", "leave the character out"
        ) from None
    except BadLineError as error:
        raise DataError(f"cannot add: {error.reason}", error.hint) from None
