r"""Where three texts are equal, found without splitting them into lines.

1. A part is a run of whole lines with the same bytes in base, ours and theirs; the parts come in the
   same order in all three.
2. All texts end with ``\n`` or are empty.
3. Parts need not be the longest there are: what lies between them is looked at line by line, and a
   merge has the same result however much of the texts that is.

Cost: a comparison of memory, and reading the lines that differ.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    Part: TypeAlias = "tuple[int, int, int, int]"
    """Where it begins in base, in ours and in theirs, and its length in bytes."""

_FIRST_STEP = 1 << 12
_LARGEST_STEP = 1 << 18  # larger slices leave the cache of the processor
_SHORTEST_SURE = 8  # bytes of a line that is worth taking as a place where two texts meet again


def equal_parts(base: bytes, ours: bytes, theirs: bytes) -> list[Part]:
    """Find the parts that the three texts share."""
    parts: list[Part] = []
    theirs_runs = iter(_equal_runs(base, theirs))
    their_run = next(theirs_runs, None)
    for at, ours_at, length in _equal_runs(base, ours):
        while their_run is not None:
            their_base, theirs_at, their_length = their_run
            start, end = max(at, their_base), min(at + length, their_base + their_length)
            if start < end:
                parts.append(
                    (start, start - at + ours_at, start - their_base + theirs_at, end - start)
                )
            if their_base + their_length > at + length:
                break
            their_run = next(theirs_runs, None)
    return parts


def _equal_runs(one: bytes, other: bytes) -> list[tuple[int, int, int]]:
    """Find runs of lines that two texts share, in order: begin in each, and length."""
    runs = []
    i = j = 0
    while i < len(one) and j < len(other):
        length = _equal_length(one, i, other, j)
        length = one.rfind(b"\n", i, i + length) + 1 - i
        if length > 0:
            runs.append((i, j, length))
            i += length
            j += length
        meeting = _next_meeting(one, i, other, j)
        if meeting is None:
            break
        i, j = meeting
    return runs


def _equal_length(one: bytes, i: int, other: bytes, j: int) -> int:
    rest = min(len(one) - i, len(other) - j)
    length, step = 0, _FIRST_STEP
    while length < rest:
        size = min(step, rest - length)
        a, b = i + length, j + length
        if one[a : a + size] == other[b : b + size]:
            length += size
            step = min(step * 2, _LARGEST_STEP)
            continue
        while size > 1:
            half = size // 2
            a, b = i + length, j + length
            if one[a : a + half] == other[b : b + half]:
                length += half
                size -= half
            else:
                size = half
        break
    return length


def _next_meeting(one: bytes, i: int, other: bytes, j: int) -> tuple[int, int] | None:
    """Find the nearest line that both texts have from here on."""
    in_one: dict[bytes, int] = {}
    in_other: dict[bytes, int] = {}
    while i < len(one) or j < len(other):
        if i < len(one):
            end = one.find(b"\n", i) + 1
            line = one[i:end]
            if line in in_other and len(line) > _SHORTEST_SURE:
                return i, in_other[line]
            in_one.setdefault(line, i)
            i = end
        if j < len(other):
            end = other.find(b"\n", j) + 1
            line = other[j:end]
            if line in in_one and len(line) > _SHORTEST_SURE:
                return in_one[line], j
            in_other.setdefault(line, j)
            j = end
    return None
