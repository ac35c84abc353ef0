"""What can be said for certain about a text that is almost JSON.

1. Each function answers either the one text or value that was meant, or that it cannot tell.
2. Strings are left alone: only what stands outside them is ever taken for damage.
"""

from __future__ import annotations

import re
from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast

    from gitkb.core.canonical import Json

_STRING = r'"(?:[^"\\]|\\.)*"'
_comma_before_end = re.compile(rf"({_STRING})|,(\s*[}}\]])", re.DOTALL)
_python_name = re.compile(rf"({_STRING})|\b(None|True|False)\b", re.DOTALL)
_JSON_NAMES = {"None": "null", "True": "true", "False": "false"}
_begins_as_python = re.compile(r"\{\s*'").match
_LETTERS = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
# Latin-1 letters; not 0xC2 and 0xC3, which are far more often half of a UTF-8 character.
_WESTERN = frozenset(range(0xC0, 0x100)) - {0xC2, 0xC3, 0xD7, 0xF7}
_PYTHON_LENGTH = 1_000_000


def without_trailing_commas(text: str) -> str:
    """Take out commas directly before a closing bracket."""
    return _comma_before_end.sub(lambda found: found[1] or found[2], text)


def with_json_names(text: str) -> str:
    """Write Python's None, True and False in JSON's words."""
    return _python_name.sub(lambda found: found[1] or _JSON_NAMES[found[2]], text)


def read_western(line: bytes) -> str | None:
    """Read a line with single Latin-1 letters, each in a word of ASCII; None where it may be else.

    A run of such bytes may be any encoding, and a line that has UTF-8 too may be cut inside of it.
    """
    for place, byte in enumerate(line):
        if byte < 0x80:
            continue
        before, after = line[place - 1] if place else 0, line[place + 1 : place + 2]
        in_word = before in _LETTERS or (after and after[0] in _LETTERS)
        alone = before < 0x80 and (not after or after[0] < 0x80)
        if byte not in _WESTERN or not in_word or not alone:
            return None
    return line.decode("latin-1")


class _Scan(NamedTuple):
    """Where a text stops: inside a string or not, in which brackets, behind what, in which field."""

    in_string: bool
    stack: str
    last: str
    name: str


def _scan(text: str) -> _Scan:
    in_string = escaped = False
    stack = last = name = string = ""
    begin = 0
    for place, character in enumerate(text):
        if in_string:
            if escaped:
                escaped = False
            elif character == "\\":
                escaped = True
            elif character == '"':
                in_string, last, string = False, '"', text[begin:place]
        elif character == '"':
            in_string, begin = True, place + 1
        elif character in "{[":
            stack, last = stack + character, character
        elif character in "}]":
            stack, last = stack[:-1], character
        elif not character.isspace():
            last = character
            if character == ":" and stack == "{":
                name = string
        if last in ("}", "]") and not stack:
            break
    return _Scan(in_string, stack, last, name)


def where_cut(text: str) -> str:
    """Say where an object stops before its end; nothing if its brackets close."""
    scan = _scan(text)
    if not scan.stack:
        return ""
    return f"cut off in '{scan.name[:40]}'" if scan.name else "cut off"


def stands_apart(fragment: str) -> bool:
    """Say whether an object that comes next cannot be a value inside of this one, or of its start."""
    scan = _scan(fragment)
    return not scan.stack or scan.in_string or scan.last not in (":", "[", ",")


def closed_by_brace(text: str) -> str | None:
    """Close an object that lacks its last brace alone; None where more may be missing.

    A number at the end may have lost digits, so only other values count as whole.
    """
    scan = _scan(text)
    if scan.in_string or scan.stack != "{" or text[-1:].isdigit():
        return None
    return None if scan.last in (":", ",", "{", "") else text + "}"


def parse_python(text: str) -> dict[str, Json] | None:
    """Read a dict as Python prints one; None where it is anything more or less than that."""
    # Neither is needed by anybody else, and both are slow to import.
    import ast
    import warnings

    if not _begins_as_python(text) or len(text) > _PYTHON_LENGTH or not _is_plain_python(text):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # an unknown escape: written by something else
            tree = ast.parse(text, mode="eval")
        value = _value_of(tree.body)
        _check_surrogates(value)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return value if isinstance(value, dict) else None


def _is_plain_python(text: str) -> bool:
    """Say whether no string has a prefix or stands next to another, as a broken one would."""
    import tokenize
    from io import StringIO

    previous = None
    try:
        for token in tokenize.generate_tokens(StringIO(text).readline):
            if token.type == tokenize.STRING:
                if previous == tokenize.STRING or token.string[0] not in "'\"":
                    return False
            previous = token.type
    except (tokenize.TokenError, SyntaxError):
        return False
    return True


def _value_of(node: ast.expr) -> Json:
    import ast

    if isinstance(node, ast.Dict):
        names = [_value_of(name) for name in node.keys if name is not None]
        if len(set(map(str, names))) != len(node.keys) or not all(
            isinstance(name, str) for name in names
        ):
            raise ValueError
        return dict(zip(names, map(_value_of, node.values), strict=True))
    if isinstance(node, ast.List):
        return [_value_of(item) for item in node.elts]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        number = _value_of(node.operand)
        if isinstance(number, int | float) and not isinstance(number, bool):
            return -number
    if isinstance(node, ast.Constant):
        value = node.value
        finite = not isinstance(value, float) or value - value == 0
        if value is None or (isinstance(value, str | int | float) and finite):
            return value
    raise ValueError


def _check_surrogates(value: Json) -> None:
    if isinstance(value, str):
        if "\0" in value:
            raise ValueError
        value.encode("utf-8")
    elif isinstance(value, dict):
        for name, item in value.items():
            _check_surrogates(name)
            _check_surrogates(item)
    elif isinstance(value, list):
        for item in value:
            _check_surrogates(item)
