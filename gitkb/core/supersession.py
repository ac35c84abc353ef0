"""Which of many claims that one thing replaces another can hold together.

1. Nothing replaces itself, directly or by way of others: of the claims that would, the later in the
   order given falls away.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def tenable(claims: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
    """Give the pairs of a new and an old name that make no circle. O(claims squared) at worst."""
    held: set[tuple[str, str]] = set()
    replaces: dict[str, list[str]] = {}
    for new, old in claims:
        if not _leads_to(old, new, replaces):
            held.add((new, old))
            replaces.setdefault(new, []).append(old)
    return held


def _leads_to(start: str, goal: str, replaces: dict[str, list[str]]) -> bool:
    waiting, seen = [start], {start}
    while waiting:
        name = waiting.pop()
        if name == goal:
            return True
        for old in replaces.get(name, ()):
            if old not in seen:
                seen.add(old)
                waiting.append(old)
    return False
