"""Walks over the graph of entries: what is near one, what tells its story, what is in doubt.

1. Nothing here reads a store: edges are asked for by key, a whole step of the walk at once.
2. Every walk ends, whatever cycles the edges form, and looks at each key once.
3. The order of the result depends on the edges alone, not on the order in which they are given.
4. Where a walk is cut, it says how much was left out.
"""

from __future__ import annotations

from typing import NamedTuple

from gitkb.core.link import Edge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable
    from typing import TypeAlias

    KeysAmong: TypeAlias = Callable[[Collection[str]], Collection[str]]
    EdgesOf: TypeAlias = Callable[[Collection[str]], Iterable[Edge]]
    """Gives the edges that leave or reach any of some keys; others among them do no harm."""

DEPENDS_ON = "depends_on"
REASONS = ("supersedes", "rejected_because", "caused_by")
"""The relations that tell how something came about: each leads from the later to the earlier."""


class Near(NamedTuple):
    """A key that a walk came to: after how many steps, and by which edge the first time."""

    key: str
    depth: int
    via: Edge

    @property
    def is_outgoing(self) -> bool:
        """Whether the walk followed the edge from its source to its target."""
        return self.via.target == self.key


def walk_near(
    root: str, edges_of: EdgesOf, is_there: KeysAmong, depth: int, limit: int
) -> tuple[list[Near], int]:
    """Walk over edges of every kind in both directions, the nearest first.

    Gives at most `limit` keys that are at most `depth` steps away, and the number of those that
    were left out. `is_there` gives those of some keys at which an entry stands: the walk comes to no
    other. Cost: in proportion to all that is so near, also what is left out.
    """
    found: list[Near] = []
    seen = {root}
    front = [root]
    for step in range(1, depth + 1):
        if not front:
            break
        ways: dict[str, list[Edge]] = {key: [] for key in front}
        for edge in sorted(set(edges_of(front))):
            # Of one that joins two of them, either is seen already.
            ways.get(edge.source, ways.get(edge.target, [])).append(edge)
        steps: dict[str, Edge] = {}
        for key, edges in ways.items():
            for edge in edges:
                steps.setdefault(edge.target if edge.source == key else edge.source, edge)
        there = set(is_there(sorted(steps.keys() - seen)))
        front = [key for key in steps if key in there]
        found += [Near(key, step, steps[key]) for key in front]
        seen.update(front)
    return found[:limit], len(found[limit:])


def reasons_of(root: str, edges_of: EdgesOf) -> tuple[set[str], list[Edge]]:
    """Follow `REASONS` both ways as far as they lead: the keys, `root` among them, and the edges."""
    keys = {root}
    edges: set[Edge] = set()
    front = {root}
    while front:
        found = {edge for edge in edges_of(sorted(front)) if edge.relation in REASONS}
        found = {edge for edge in found if edge.source in front or edge.target in front}
        edges |= found
        front = {key for edge in found for key in (edge.source, edge.target)} - keys
        keys |= front
    return keys, sorted(edges)


def in_order_of_time(moments: dict[str, int], edges: Iterable[Edge]) -> list[str]:
    """Order keys by their moments; at one moment what came about earlier comes first, then by key.

    Which that is the edges of `REASONS` say; where they form a circle, the smallest key goes first.
    """
    from heapq import heapify, heappop, heappush

    later: dict[str, set[str]] = {key: set() for key in moments}
    waits: dict[str, set[str]] = {key: set() for key in moments}
    for edge in edges:
        one, other = edge.source, edge.target
        if one != other and moments.get(one, -1) == moments.get(other, -2):
            later[other].add(one)
            waits[one].add(other)
    ready = [(moment, key) for key, moment in moments.items() if not waits[key]]
    heapify(ready)
    bound = sorted((moment, key) for key, moment in moments.items() if waits[key])
    order: list[str] = []
    placed: set[str] = set()
    while ready or bound:
        if bound and bound[0][1] in placed:
            heappop(bound)
            continue
        # A circle holds up the others of its moment alone.
        if not ready or (bound and bound[0][0] < ready[0][0]):
            heappush(ready, heappop(bound))
        key = heappop(ready)[1]
        if key in placed:
            continue
        placed.add(key)
        order.append(key)
        for next_key in sorted(later[key]):
            waits[next_key].discard(key)
            if not waits[next_key] and next_key not in placed:
                heappush(ready, (moments[next_key], next_key))
    return order


def circles(edges: Iterable[Edge]) -> list[list[str]]:
    """Find the circles of some edges: of each knot one of the shortest through its smallest key.

    Each begins with that key and goes along the edges; they are sorted. An edge from a key to itself
    is no circle here.
    """
    targets: dict[str, set[str]] = {}
    sources: dict[str, set[str]] = {}
    for edge in edges:
        if edge.source != edge.target:
            targets.setdefault(edge.source, set()).add(edge.target)
            sources.setdefault(edge.target, set()).add(edge.source)
    found: list[list[str]] = []
    left = targets.keys() & sources.keys()
    suspects = set(left)
    while True:
        # What has no way in or no way out among the rest is in no circle.
        while suspects:
            key = suspects.pop()
            if key in left and not (targets[key] & left and sources[key] & left):
                left.discard(key)
                suspects |= (targets[key] | sources[key]) & left
        if not left:
            return sorted(found)
        start = min(left)
        knot = _reach(start, targets, left) & _reach(start, sources, left)
        if start in knot:
            found.append(_shortest(start, targets, knot))
        knot.add(start)
        left -= knot
        suspects = {near for key in knot for near in targets[key] | sources[key]} & left


def _reach(start: str, steps: dict[str, set[str]], among: Collection[str]) -> set[str]:
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        new = {key for key in steps.get(waiting.pop(), ()) if key in among} - seen
        seen |= new
        waiting.extend(new)
    return seen


def _shortest(start: str, targets: dict[str, set[str]], among: Collection[str]) -> list[str]:
    paths = [[start]]
    seen: set[str] = set()
    for path in paths:  # which grows as it is walked
        for key in sorted(targets[path[-1]]):
            if key == start:
                return path
            if key in among and key not in seen:
                seen.add(key)
                paths.append([*path, key])
    return []  # never: the keys among which it walks form a circle


def doubts(
    keys: Iterable[str],
    edges_of: EdgesOf,
    is_true: KeysAmong,
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
        true = set(is_true(sorted(new))) if new else set()
        fallen |= new - true
        front = (new & true) - needs.keys()
    reasons = _reasons(needs, fallen)
    return {key: tuple(sorted(reasons[key])) for key in wanted if key in reasons}


def _reasons(needs: dict[str, list[str]], fallen: set[str]) -> dict[str, set[str]]:
    """Walk back from all that has fallen; costs no more than there are answers and edges."""
    rests_on: dict[str, list[str]] = {}
    for source, targets in needs.items():
        for target in targets:
            rests_on.setdefault(target, []).append(source)
    reasons: dict[str, set[str]] = {}
    for root in fallen:
        seen, waiting = {root}, [root]
        while waiting:
            for key in rests_on.get(waiting.pop(), ()):
                if key not in seen:
                    seen.add(key)
                    reasons.setdefault(key, set()).add(root)
                    if key not in fallen:
                        waiting.append(key)
    return reasons
