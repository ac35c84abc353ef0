"""What differs between two sequences: the words of two texts, or the lines of two records.

Myers' greedy algorithm (An O(ND) Difference Algorithm and Its Variations, 1986). Its cost is
O((N + M) D), and D has a limit: texts that differ in more than that count as wholly different, so that
no text can make it run long.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

Kind = Literal["same", "removed", "added"]
MOST_DIFFERENCES = 300
_words = re.compile(r"\s+|\w+|[^\w\s]").findall


class Run(NamedTuple):
    """Neighbouring parts that all are in both, in the old or in the new sequence alone."""

    kind: Kind
    parts: tuple[str, ...]

    @property
    def text(self) -> str:
        return "".join(self.parts)


def compare_words(old: str, new: str) -> list[Run]:
    """Compare two texts word by word; single blanks between two changes count as changed."""
    runs: list[Run] = []
    for run in compare(_words(old), _words(new)):
        if run.kind == "same" and len(run.parts) == 1 and run.text.isspace() and runs:
            runs += [Run("removed", run.parts), Run("added", run.parts)]
        else:
            runs.append(run)
    if (
        len(runs) > 1
        and {run.text for run in runs[-2:]} == {runs[-1].text}
        and runs[-1].text.isspace()
    ):
        runs[-2:] = [Run("same", runs[-1].parts)]  # nothing changed behind it
    return _joined(runs)


def _joined(runs: list[Run]) -> list[Run]:
    """Put what was removed, then what was added between two equal runs into one run each."""
    joined: list[Run] = []
    removed: list[str] = []
    added: list[str] = []
    for run in [*runs, Run("same", ())]:
        if run.kind == "removed":
            removed += run.parts
        elif run.kind == "added":
            added += run.parts
        else:
            joined += [Run("removed", tuple(removed))] if removed else []
            joined += [Run("added", tuple(added))] if added else []
            joined += [run] if run.parts else []
            removed, added = [], []
    return joined


def compare(old: Sequence[str], new: Sequence[str], limit: int = MOST_DIFFERENCES) -> list[Run]:
    """Compare two sequences; the runs give the old one without `added`, the new without `removed`."""
    start = 0
    shorter = min(len(old), len(new))
    while start < shorter and old[start] == new[start]:
        start += 1
    end = 0
    while end < shorter - start and old[-1 - end] == new[-1 - end]:
        end += 1
    before, after = old[start : len(old) - end], new[start : len(new) - end]
    runs = [Run("same", tuple(old[:start]))]
    runs += _middle(before, after, limit)
    runs.append(Run("same", tuple(old[len(old) - end :])))
    return _joined(runs)


def _middle(old: Sequence[str], new: Sequence[str], limit: int) -> list[Run]:
    apart = [Run("removed", tuple(old)), Run("added", tuple(new))]
    if not old or not new or abs(len(old) - len(new)) > limit:
        return apart
    furthest = {1: 0}
    trace = []
    for distance in range(min(limit, len(old) + len(new)) + 1):
        trace.append(dict(furthest))
        for line in range(-distance, distance + 1, 2):
            x = _start(furthest, line, distance)
            while x < len(old) and x - line < len(new) and old[x] == new[x - line]:
                x += 1
            furthest[line] = x
            if x >= len(old) and x - line >= len(new):
                return _path(old, new, trace)
    return apart


def _start(furthest: dict[int, int], line: int, distance: int) -> int:
    """Where a path on a diagonal begins: below the one above it, or beside the one before it."""
    if line == -distance or (line != distance and furthest[line - 1] < furthest[line + 1]):
        return furthest[line + 1]
    return furthest[line - 1] + 1


def _path(old: Sequence[str], new: Sequence[str], trace: list[dict[int, int]]) -> list[Run]:
    x, y = len(old), len(new)
    runs: list[Run] = []
    for distance in range(len(trace) - 1, -1, -1):
        furthest, line = trace[distance], x - y
        is_down = line == -distance or (
            line != distance and furthest[line - 1] < furthest[line + 1]
        )
        from_line = line + 1 if is_down else line - 1
        from_x = furthest[from_line] if distance else 0
        from_y = from_x - from_line if distance else 0
        while x > from_x and y > from_y:
            x, y = x - 1, y - 1
            runs.append(Run("same", (old[x],)))
        if distance:
            x, y = from_x, from_y
            runs.append(Run("added", (new[y],)) if is_down else Run("removed", (old[x],)))
    runs.reverse()
    return _merged(runs)


def _merged(runs: list[Run]) -> list[Run]:
    merged: list[Run] = []
    for run in runs:
        if merged and merged[-1].kind == run.kind:
            merged[-1] = Run(run.kind, merged[-1].parts + run.parts)
        else:
            merged.append(run)
    return merged
