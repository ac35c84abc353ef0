"""Walks over the graph of entries: what is near one, what tells its story, what is in doubt.

1. Nothing here reads a store: edges are asked for by key, a whole step of the walk at once.
2. Every walk ends, whatever cycles the edges form, and looks at each key once.
3. The order of the result depends on the edges alone, not on the order in which they are given.
4. Where a walk is cut, it says how much was left out.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable
    from typing import TypeAlias

    from gitkb.core.link import Edge

    EdgesOf: TypeAlias = Callable[[Collection[str]], Iterable[Edge]]
    """Gives the edges that leave or reach any of some keys; others among them do no harm."""

DEPENDS_ON = "depends_on"


def doubts(
    keys: Iterable[str],
    edges_of: EdgesOf,
    is_true: Callable[[Collection[str]], Collection[str]],
) -> dict[str, tuple[str, ...]]:
    """Say of each key what it rests on that is no longer true, sorted; keys without doubt are absent.

    It rests on what it depends on, and on what that depends on. The walk stops at what is no longer
    true: that is the reason, and what lies behind it no longer matters. `is_true` gives those of
    some keys that are active entries.
    """
    wanted = list(dict.fromkeys(keys))
    needs: dict[str, list[str]] = {}
    fallen: set[str] = set()
    front = set(wanted)
    while front:
        found: dict[str, set[str]] = {key: set() for key in front}
        for edge in edges_of(sorted(front)):
            if edge.relation == DEPENDS_ON and edge.source in front:
                found[edge.source].add(edge.target)
        needs.update((key, sorted(targets)) for key, targets in found.items())
        new = {target for targets in found.values() for target in targets} - fallen
        new -= new & needs.keys() - set(wanted)  # looked at before, and true
        true = set(is_true(sorted(new))) if new else set()
        fallen |= new - true
        front = (new & true) - needs.keys()
    reasons = {key: _reached(key, needs, fallen) for key in wanted}
    return {key: found for key, found in reasons.items() if found}


def _reached(key: str, needs: dict[str, list[str]], fallen: set[str]) -> tuple[str, ...]:
    seen, waiting, reasons = {key}, [key], []
    while waiting:
        for target in needs.get(waiting.pop(), ()):
            if target in seen:
                continue
            seen.add(target)
            if target in fallen:
                reasons.append(target)
            else:
                waiting.append(target)
    return tuple(sorted(reasons))
