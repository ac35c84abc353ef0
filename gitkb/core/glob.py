"""Which files a pattern means.

1. A pattern means what lies at a path or below it, by whole names: ``src/auth`` means
   ``src/auth`` and ``src/auth/login.py``, never ``src/authz``.
2. ``*``, ``?`` and ``[…]`` stay within a name, ``**`` stands for any number of folders. As in
   .gitignore, a glob without a slash is looked for at any depth.
3. A pattern always means the path that is spelt like it, whatever signs it holds
   (``app/[id]/page.tsx``).
4. Matching costs at most length of pattern times length of path; no pattern makes it explode.
"""

from __future__ import annotations

import re

from gitkb.core.touch.names import normal_path as normal_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

GLOB_SIGNS = frozenset("*?[")
_ANY_FOLDERS = None


def compile_glob(pattern: str) -> Callable[[str], bool]:
    """Give the test whether a path relative to the repository, with ``/``, is meant by a pattern."""
    pattern = normal_path(pattern)
    if not pattern:
        return lambda path: True
    below = pattern + "/"
    if GLOB_SIGNS.isdisjoint(pattern):
        return lambda path: (normal := normal_path(path)) == pattern or normal.startswith(below)
    names = pattern.split("/")
    if len(names) == 1:
        names.insert(0, "**")
    tests = [_ANY_FOLDERS if name == "**" else _compile_name(name) for name in names]

    def is_meant(path: str) -> bool:
        normal = normal_path(path)
        return normal == pattern or normal.startswith(below) or _leads(tests, normal.split("/"))

    return is_meant


def _leads(tests: list[Callable[[str], bool] | None], names: list[str]) -> bool:
    """Say whether the tests match the first of the names, as many as they like.

    Only the last ``**`` has to be tried again: whatever an earlier one could still take, the later
    one can take as well.
    """
    at = test = 0
    retry_test = retry_at = -1
    while test < len(tests):
        current = tests[test]
        if current is _ANY_FOLDERS:
            test += 1
            retry_test, retry_at = test, at
            if test == len(tests):
                return at < len(names)  # `a/**` means what is in a, not a itself
        elif at < len(names) and current(names[at]):
            at += 1
            test += 1
        elif retry_test >= 0 and retry_at < len(names):
            retry_at += 1
            test, at = retry_test, retry_at
        else:
            return False
    return True


def _compile_name(name: str) -> Callable[[str], bool]:
    """Compile a glob for one name; each star takes the least that lets the rest go on, for good."""
    expression = []
    at = 0
    starred = False
    while at < len(name):
        sign = name[at]
        at += 1
        if sign == "*":
            expression.append("*")
            starred = True
        elif sign == "?":
            expression.append(".")
        elif sign == "[" and (end := _end_of_set(name, at)) > 0:
            expression.append(_compile_set(name[at:end]))
            at = end + 1
        else:
            expression.append(re.escape(sign))
    if not starred:
        return _fullmatch("".join(expression))
    # head * piece * piece * tail: an atomic group a piece, found as early as possible.
    pieces: list[list[str]] = [[]]
    for part in expression:
        if part == "*":
            pieces.append([])
        else:
            pieces[-1].append(part)
    head, *middle, tail = ("".join(piece) for piece in pieces)
    found = "".join(f"(?>.*?{piece})" for piece in middle if piece)
    return _fullmatch(f"{head}{found}.*{tail}")


def _fullmatch(expression: str) -> Callable[[str], bool]:
    match = re.compile(f"(?s:{expression})").fullmatch
    return lambda name: match(name) is not None


def _end_of_set(name: str, start: int) -> int:
    """Find the ``]`` of a set; one that stands first is a member. -1: it is no set."""
    first = start + 1 if name[start : start + 1] in ("!", "^") else start
    return name.find("]", first + 1)


def _compile_set(members: str) -> str:
    negated = members[0] in "!^"
    members = members[1:] if negated else members
    parts = []
    at = 0
    while at < len(members):
        low = members[at]
        high = members[at + 2] if members[at + 1 : at + 2] == "-" and at + 2 < len(members) else low
        if low <= high:  # a range the wrong way round is empty
            parts.append(re.escape(low) + (f"-{re.escape(high)}" if high != low else ""))
        at += 3 if members[at + 1 : at + 2] == "-" and at + 2 < len(members) else 1
    if not parts:
        return "." if negated else r"[^\s\S]"
    return f"[{'^' if negated else ''}{''.join(parts)}]"
