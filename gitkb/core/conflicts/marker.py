r"""Conflict markers in a file, read as the conflicts that they stand for.

1. All kinds are read: `merge`, `diff3` and `zdiff3`, markers of any size from three (all of one
   conflict have one size), line ends ``\r\n``, and conflicts inside a side of another.
2. What is no whole conflict is refused with the number of the line; nothing is guessed.
3. A line of JSON begins with no marker, so no line of an entry is taken for one.

The form is that of git-merge-file(1) and of `conflict-marker-size` in gitattributes(5).
"""

from __future__ import annotations

from gitkb.core.jsonl import split_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    Node: TypeAlias = "bytes | Conflict"
    """A line without its end, or what stands between two markers."""

DEEPEST = 50
"""Conflicts inside each other."""
_SMALLEST = 3
_CERTAIN = 7  # git's own size, from which a line is a marker wherever it stands (`core.jsonl`)


class MarkerError(Exception):
    """A marker that belongs to no whole conflict; `line` counts from 1."""

    def __init__(self, reason: str, line: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


class Conflict:
    """One conflict: what each side says, and the base where the markers tell it."""

    __slots__ = ("base", "line", "ours", "size", "theirs")

    def __init__(self, size: int, line: int) -> None:
        self.size = size
        self.line = line
        self.ours: list[Node] = []
        self.base: list[Node] | None = None
        self.theirs: list[Node] | None = None


def has_markers(data: bytes) -> bool:
    """Say whether a text holds markers, also small ones where they make whole conflicts."""
    if not any(data.startswith(sign) or b"\n" + sign in data for sign in (b"<", b"=", b">", b"|")):
        return False
    try:
        return any(isinstance(node, Conflict) for node in parse_conflicts(data))
    except MarkerError:
        return True


def parse_conflicts(data: bytes) -> list[Node]:
    """Cut a text into lines and conflicts.

    Raises:
        MarkerError: when a marker is missing, or one too many.
    """
    nodes: list[Node] = []
    now = nodes
    open_: list[tuple[Conflict, list[Node]]] = []
    for number, line in enumerate(split_lines(data), 1):
        sign, size = _marker_of(line)
        if sign == b"<":
            if len(open_) == DEEPEST:
                raise MarkerError(f"more than {DEEPEST} conflicts inside each other", number)
            conflict = Conflict(size, number)
            now.append(conflict)
            open_.append((conflict, now))
            now = conflict.ours
        elif not sign:
            now.append(line)
        elif open_ and size == open_[-1][0].size:
            conflict, around = open_[-1]
            if sign == b"|" and conflict.base is None and conflict.theirs is None:
                now = conflict.base = []
            elif sign == b"=" and conflict.theirs is None:
                now = conflict.theirs = []
            elif sign == b">" and conflict.theirs is not None:
                open_.pop()
                now = around
            else:
                raise _out_of_place(sign, number)
        elif size >= _CERTAIN:
            raise _out_of_place(sign, number)
        else:
            now.append(line)
    if open_:
        raise MarkerError("the conflict that begins here has no end", open_[-1][0].line)
    return nodes


def own_lines(data: bytes) -> list[bytes]:
    """Give the lines of a text that are no markers, without a carriage return at the end."""
    return [
        line.rstrip(b"\r")
        for line in split_lines(data)
        if _marker_of(line)[1] < _CERTAIN or not _marker_of(line)[0]
    ]


def _marker_of(line: bytes) -> tuple[bytes, int]:
    """Give the sign and size of a marker; an empty sign for any other line."""
    sign = line[:1]
    if sign not in (b"<", b"|", b"=", b">"):
        return b"", 0
    rest = line.rstrip(b"\r").lstrip(sign)
    size = len(line.rstrip(b"\r")) - len(rest)
    if size < _SMALLEST or (rest and not rest.startswith(b" ")):
        return b"", 0
    return sign, size


def _out_of_place(sign: bytes, line: int) -> MarkerError:
    return MarkerError(f"a '{sign.decode()}' marker that no conflict waits for", line)
