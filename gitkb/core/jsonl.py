r"""Lines of JSON, read strictly.

1. Lines end at ``\n`` and nowhere else.
2. A name twice in an object, NaN, Infinity, a float that overflows, a lone surrogate, NUL, bytes
   that are not UTF-8 and anything that is not an object are refused with a reason and a cure
   (RFC 8259 leaves these to the reader; two readers that differ would merge differently).
3. Values are nested at most `DEEPEST` deep, wherever they are read: Python's own limit depends on who
   is calling, and then one reader would take a line that another refuses.
4. A line of a merge conflict is known as such: it is never JSON.
"""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gitkb.core.canonical import Json

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
DEEPEST = 128
_MARKER_BYTES = b"<=>|"
_MARKER_SIZE = 7


class BadLineError(Exception):
    """A line that is no JSON object. `column` counts characters from 1; 0 means the whole line."""

    def __init__(self, reason: str, hint: str = "", column: int = 0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.hint = hint
        self.column = column


def split_lines(data: bytes) -> list[bytes]:
    r"""Split at ``\n``, without the ends. A last line that lacks its end counts; b"" has none."""
    lines = data.split(b"\n")
    if not lines[-1]:
        lines.pop()
    return lines


def is_marker(line: bytes) -> bool:
    """Say whether a line is one of git's four conflict markers, of any size from seven."""
    first = line[:1]
    if not first or first not in _MARKER_BYTES:
        return False
    rest = line.lstrip(first)
    return len(line) - len(rest) >= _MARKER_SIZE and (not rest or rest[:1] in b" \r")


def parse_object(line: bytes) -> dict[str, Json]:
    """Parse one line as one JSON object.

    Raises:
        BadLineError: with the reason, a cure and the column.
    """
    fields = parse_foreign(line)
    if b"\\u0000" in line and _has_nul(fields):
        raise BadLineError("a NUL character (\\u0000) in a string", "remove the character")
    return fields


def parse_again(line: bytes) -> dict[str, Json]:
    """Parse a line that `parse_object` has found to be good before: in two thirds of the time."""
    fields: dict[str, Json] = json.loads(line.decode("utf-8"))
    return fields


def parse_foreign(line: bytes) -> dict[str, Json]:
    """Parse one line of another tool's file: as `parse_object`, but NUL in a string is let by."""
    try:
        text = line.decode("utf-8")
        value = _decode(text)
    except UnicodeDecodeError as error:
        raise _not_utf8(line, error) from None
    except json.JSONDecodeError as error:
        raise _not_json(line, error) from None
    except RecursionError:
        raise _too_deep() from None
    except ValueError as error:
        # int() refuses more than 4,300 digits.
        raise BadLineError(f"a number that cannot be read: {error}", "write it as text") from None
    if not isinstance(value, dict):
        raise BadLineError("not a JSON object", "write one object a line: {…}")
    if line.count(b"{") + line.count(b"[") > DEEPEST and _depth(value) > DEEPEST:
        raise _too_deep()
    # Only an escape can bring a surrogate in: the decoder above refuses it as bytes.
    if b"\\u" in line and _has_lone_surrogate(value):
        raise BadLineError("half of a surrogate pair in a string", "remove the \\ud… escape")
    return value


def _refuse_twice(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        seen: set[str] = set()
        for name, _ in pairs:
            if name in seen:
                raise BadLineError(f"duplicate name '{name}'", "keep one of the two values")
            seen.add(name)
    return fields


def _refuse_constant(name: str) -> Json:
    raise BadLineError(f"{name} is not JSON", "write null, a number or text")


def _finite(text: str) -> float:
    number = float(text)
    if number - number != 0:
        raise BadLineError(f"the number {text} is too large", "write it as text")
    return number


_decoder = json.JSONDecoder(
    object_pairs_hook=_refuse_twice, parse_constant=_refuse_constant, parse_float=_finite
)


def _decode(text: str) -> Json:
    # Most lines are one object and nothing else; `decode` looks for white space around it first.
    if text.startswith("{"):
        value, end = _decoder.raw_decode(text)
        if end == len(text):
            return value
    return _decoder.decode(text)


def _too_deep() -> BadLineError:
    return BadLineError(f"values nested more than {DEEPEST} deep", "flatten the value")


def _depth(value: Json) -> int:
    """Count how deep lists and objects stand in each other, level by level."""
    depth = 0
    level = [value]
    while level:
        depth += 1
        level = [
            item
            for outer in level
            for item in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(item, dict | list)
        ]
    return depth


def _has_lone_surrogate(value: Json) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False


def _has_nul(value: Any) -> bool:
    if isinstance(value, str):
        return "\0" in value
    if isinstance(value, dict):
        return any("\0" in name or _has_nul(item) for name, item in value.items())
    return isinstance(value, list) and any(_has_nul(item) for item in value)


def _not_utf8(line: bytes, error: UnicodeDecodeError) -> BadLineError:
    if line[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in line[:4]:
        return BadLineError("UTF-16 text", "save the file as UTF-8 without a byte order mark")
    column = len(line[: error.start].decode("utf-8", "replace")) + 1
    byte = line[error.start]
    return BadLineError(f"the byte 0x{byte:02X} is not UTF-8", "save the file as UTF-8", column)


def _not_json(line: bytes, error: json.JSONDecodeError) -> BadLineError:
    if line.startswith(BYTE_ORDER_MARK):
        return BadLineError("a byte order mark before the line", "gitkb fmt", 1)
    if is_marker(line):
        return BadLineError("a conflict marker", "gitkb resolve")
    if b"\0" in line:
        return BadLineError("a NUL byte", "remove the byte", line.index(b"\0") + 1)
    if not line.strip():
        return BadLineError("an empty line", "gitkb fmt")
    reason = f"not JSON: {error.msg[:1].lower()}{error.msg[1:]}"
    return BadLineError(reason, "mend the line, or take it from git: git log -p", error.colno)
