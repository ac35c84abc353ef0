"""The objects in one text that is not quite JSON: found, mended where that is certain, or refused.

1. Objects stand one behind the other; each is mended by itself, and a damaged one takes no whole one
   with it.
2. What a repair gives is judged again by the strict reader.
3. The key and the names of a mended record stand in the text as they are.
"""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from gitkb.core.foreign.repair_text import (
    closed_by_brace,
    parse_python,
    stands_apart,
    where_cut,
    with_json_names,
    without_trailing_commas,
)
from gitkb.core.jsonl import BadLineError, parse_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.core.canonical import Json

LATIN = "read as Latin-1"
begins_record = re.compile(r"""\{\s*["']key["']\s*:""")
_PADDING = " \t\r\n,"
_looks_like_field = re.compile(r"""["'][^"']*["']\s*:""").search


class Found(NamedTuple):
    """One object, or one line (or part of a line) that is none."""

    line: int
    """Where it begins, from 1."""
    fields: dict[str, Json] | None
    """None where it is dropped."""
    repairs: tuple[str, ...] = ()
    """What was done, in words; nothing where the line was whole."""
    reason: str = ""
    """Why it is dropped."""


def read_objects(
    text: str, number: int, expected: frozenset[str], repairs: list[str]
) -> list[Found]:
    """Read the objects of line `number`; `repairs` were done to it already.

    Raises:
        BadLineError: when there is none at all.
    """
    if not text.lstrip(_PADDING + "\0").startswith(("{", "[", '"')):
        raise BadLineError("no JSON object" if "{" not in text else "text before the object")
    found: list[Found] = []
    has_nul = False
    place = 0
    while place < len(text):
        if text[place] in _PADDING or text[place] in "[]\0":
            # Also the brackets of an array whose elements stand one a line.
            has_nul = has_nul or text[place] == "\0"
            place += 1
        elif text[place] == "{":
            item, place = _read_one(text, place, number, expected, repairs)
            found.append(item)
        elif not found:
            return _read_quoted(text, number, repairs)
        else:
            broken = begins_record.search(text, place)
            end = broken.start() if broken else len(text)
            found[-1] = _with_rubbish(found, text[place:end])
            place = end
    if not found:
        raise BadLineError("no JSON object")
    if len(found) > 1:
        return [_also(item, "parted from another record on its line") for item in found]
    if has_nul:
        found = [_also(item, "removed NUL bytes") for item in found]
    return [_with_padding(item, text) for item in found]


def _read_one(
    text: str, start: int, number: int, expected: frozenset[str], repairs: list[str]
) -> tuple[Found, int]:
    """Read the object that begins at `start`; answer it, or why it is none, and where it ends."""
    notes = list(repairs)
    value, end = _decode_at(text, start, notes)
    if value is None:
        following = begins_record.search(text, start + 1)
        end = len(text)
        if following and stands_apart(text[start : following.start()]):
            end = following.start()
        value = _mend(text[start:end], expected, notes)
    if value is None:
        return Found(number, None, reason=_why(text[start:end])), end
    encoding = "latin-1" if LATIN in repairs else "utf-8"
    found = Found(number, value, tuple(notes))
    return checked(found, text[start:end].encode(encoding)), end


def _with_rubbish(found: list[Found], rubbish: str) -> Found:
    """Take rubbish off the object before it, if it cannot be part of what that object was."""
    *before, last = found
    if _looks_like_field(rubbish) or any(item.fields is None for item in before):
        return Found(last.line, None, reason="text behind the object that may belong to it")
    return _also(last, f"removed '{_shown(rubbish)}' behind the object")


def _read_quoted(text: str, number: int, repairs: list[str]) -> list[Found]:
    """A whole object written as a JSON text: encoded twice."""
    try:
        fields = parse_object(json.loads(text.strip(_PADDING)).encode("utf-8"))
    except (ValueError, AttributeError, RecursionError):
        raise BadLineError("not a JSON object") from None
    found = Found(number, fields, (*repairs, "decoded an object that was encoded twice"))
    return [checked(found, text.encode("utf-8"))]


def _mend(text: str, expected: frozenset[str], notes: list[str]) -> dict[str, Json] | None:
    """Read a text that is to be one object and is not quite."""
    for mend, note in (
        (without_trailing_commas, "removed a comma before a closing bracket"),
        (with_json_names, "wrote None, True and False as JSON"),
        (lambda text: text.replace("\0", ""), "removed NUL bytes"),
    ):
        mended = mend(text)
        if mended != text:
            value = decode_whole(mended, notes)
            if value is not None:
                notes.append(note)
                return value
    value = parse_python(text.strip(_PADDING))
    if value is not None:
        notes.append("read as Python wrote it")
        return value
    closed = closed_by_brace(text.rstrip(_PADDING))
    if closed is not None:
        value = decode_whole(closed, notes)
        if value is not None and expected <= value.keys():
            notes.append("added the closing brace")
            return value
    return None


def decode_whole(text: str, notes: list[str]) -> dict[str, Json] | None:
    """Decode a text that holds one object and nothing else."""
    new_notes: list[str] = []
    value, end = _decode_at(text, 0, new_notes)
    if value is None or text[end:].strip(_PADDING):
        return None
    notes += new_notes
    return value


def _decode_at(text: str, start: int, notes: list[str]) -> tuple[dict[str, Json] | None, int]:
    """Decode the object that begins there: raw control characters allowed, all else strict."""
    repeated: set[str] = set()

    def once(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
        fields: dict[str, Json] = {}
        for name, value in pairs:
            if name in fields:
                if json.dumps(fields[name]) != json.dumps(value):
                    raise BadLineError(f"duplicate name '{name}'")
                repeated.add(name)
            fields[name] = value
        return fields

    decoder = json.JSONDecoder(strict=False, object_pairs_hook=once)
    try:
        value, end = decoder.raw_decode(text, start)
        # What the relaxed reader lets by (NaN, half a surrogate pair) the strict one judges again.
        plain = _without_nul(value)
        fields = parse_object(json.dumps(plain, ensure_ascii=False).encode("utf-8"))
    except (BadLineError, ValueError, RecursionError):
        return None, 0
    if plain != value:
        notes.append("removed NUL characters")
    elif _has_raw_control(text[start:end]):
        notes.append("escaped raw control characters")
    if repeated:
        notes.append(f"removed the second '{min(repeated)}', equal to the first")
    return fields, end


def checked(found: Found, line: bytes) -> Found:
    """Drop a record whose key or names are not in the line as they are (invariant 2)."""
    if found.fields is None:
        return found
    if 2 * line.count(0) in range(len(line) - 2, len(line) + 3):
        line = line.replace(b"\0", b"")  # UTF-16
    key = found.fields.get("key")
    if isinstance(key, str) and not (key.isprintable() and _stands_in(key, line)):
        return Found(found.line, None, reason="the key itself is damaged")
    if not all(name.isprintable() and _stands_in(name, line) for name in found.fields):
        return Found(found.line, None, reason="the name of a field is damaged")
    return found


def _stands_in(text: str, line: bytes) -> bool:
    quoted = (f'"{text}"', f"'{text}'", f'"{text}\\"', json.dumps(text))
    return any(form.encode() in line for form in quoted)


def _without_nul(value: Json) -> Json:
    if isinstance(value, str):
        return value.replace("\0", "")
    if isinstance(value, dict):
        return {name.replace("\0", ""): _without_nul(item) for name, item in value.items()}
    return [_without_nul(item) for item in value] if isinstance(value, list) else value


def _has_raw_control(text: str) -> bool:
    # Between tokens a tab, a carriage return and a line feed are white space, not damage.
    return any(
        any(character < " " for character in string)
        for string in re.findall(r'"(?:[^"\\]|\\.)*"', text, re.DOTALL)
    )


def _with_padding(found: Found, text: str) -> Found:
    bare = text.strip(" \t\r\n")
    if found.fields is not None and (bare[:1] in ",[" or bare[-1:] in ",]"):
        return _also(found, "removed a comma or bracket around the object")
    return found


def _also(found: Found, repair: str) -> Found:
    if found.fields is None or repair in found.repairs:
        return found
    return found._replace(repairs=(*found.repairs, repair))


def _why(text: str) -> str:
    cut = where_cut(text)
    if cut:
        return cut
    try:
        parse_object(text.encode("utf-8", "replace"))
    except BadLineError as error:
        return reason_of(error)
    return "not a JSON object"


def reason_of(error: BadLineError) -> str:
    return f"{error.reason} (column {error.column})" if error.column else error.reason


def _shown(text: str) -> str:
    text = "".join(character if character.isprintable() else "?" for character in text.strip())
    return text if len(text) <= 30 else f"{text[:29]}…"
