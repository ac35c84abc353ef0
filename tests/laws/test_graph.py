"""Walks over any graph: they end, miss nothing, and count what they leave out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from gitkb.core.entry import RELATIONS
from gitkb.core.graph import REASONS, circles, doubts, in_order_of_time, reasons_of, walk_near
from gitkb.core.link import Edge

if TYPE_CHECKING:
    from collections.abc import Collection

KEYS = tuple("abcdefgh")
keys = st.sampled_from(KEYS)
edge_lists = st.lists(
    st.builds(Edge, keys, st.sampled_from(RELATIONS), keys, st.booleans()), max_size=24
)
key_sets = st.sets(keys)


class World:
    """Edges as an index would give them: those at the keys that are asked for, in any order."""

    def __init__(self, edges: list[Edge]) -> None:
        self.every = edges
        self.asked: list[str] = []

    def near(self, asked: Collection[str]) -> list[Edge]:
        self.asked.extend(asked)
        return [edge for edge in self.every if edge.source in asked or edge.target in asked]


def steps(edges: list[Edge], allowed: Collection[str]) -> dict[str, set[str]]:
    """Which keys one step leads to, in both directions."""
    found: dict[str, set[str]] = {key: set() for key in KEYS}
    for edge in edges:
        for one, other in ((edge.source, edge.target), (edge.target, edge.source)):
            if other in allowed:
                found[one].add(other)
    return found


def distances(root: str, ways: dict[str, set[str]]) -> dict[str, int]:
    """Steps from a root, by widening a circle until nothing is new."""
    found = {root: 0}
    while True:
        new = {to for key in found for to in ways[key]} - found.keys()
        if not new:
            return found
        depth = max(found.values()) + 1
        found |= dict.fromkeys(new, depth)


@given(edge_lists, keys, key_sets, st.integers(1, 9), st.integers(1, 9))
def test_near_is_whole_up_to_its_limit_and_honest_about_the_rest(
    edges: list[Edge], root: str, there: set[str], depth: int, limit: int
) -> None:
    world = World(edges)
    found, left_out = walk_near(
        root, world.near, lambda asked: there.intersection(asked), depth, limit
    )
    expected = distances(root, steps(edges, there))
    within = {key: steps for key, steps in expected.items() if 0 < steps <= depth}
    assert len(found) == min(limit, len(within))
    assert len(found) + left_out == len(within)
    assert [at.depth for at in found] == sorted(within.values())[: len(found)]
    for at in found:
        assert within[at.key] == at.depth
        assert at.via in edges
        assert at.key in (at.via.source, at.via.target)
        assert expected[at.via.source if at.is_outgoing else at.via.target] == at.depth - 1
    assert len(world.asked) == len(set(world.asked))
    again = walk_near(
        root, World(edges[::-1]).near, lambda asked: there.intersection(asked), depth, limit
    )
    assert again == (found, left_out)


@given(edge_lists, keys)
def test_a_story_holds_all_that_is_connected_and_nothing_else(edges: list[Edge], root: str) -> None:
    reasons = [edge for edge in edges if edge.relation in REASONS]
    found, own = reasons_of(root, World(edges).near)
    assert found == set(distances(root, steps(reasons, KEYS)))
    assert set(own) == {edge for edge in reasons if edge.source in found}
    assert reasons_of(root, World(edges[::-1]).near) == (found, own)


@given(edge_lists, st.dictionaries(keys, st.integers(0, 2)))
def test_the_order_of_time_loses_nothing_and_puts_causes_first(
    edges: list[Edge], moments: dict[str, int]
) -> None:
    order = in_order_of_time(moments, edges)
    assert sorted(order) == sorted(moments)
    assert [moments[key] for key in order] == sorted(moments.values())
    assert in_order_of_time(dict(reversed(moments.items())), edges[::-1]) == order
    in_circles = {key for circle in circles(edges) for key in circle}
    if not in_circles:
        place = {key: number for number, key in enumerate(order)}
        for edge in edges:
            if edge.source != edge.target and {edge.source, edge.target} <= moments.keys():
                if moments[edge.source] == moments[edge.target]:
                    assert place[edge.target] < place[edge.source]


@given(edge_lists)
def test_there_is_a_circle_where_a_walk_comes_back(edges: list[Edge]) -> None:
    found = circles(edges)
    assert found == circles(edges[::-1])
    pairs = {(edge.source, edge.target) for edge in edges}
    for circle in found:
        assert len(circle) == len(set(circle)) > 1
        assert circle[0] == min(circle)
        assert {*zip(circle, (*circle[1:], circle[0]), strict=True)} <= pairs
    forward: dict[str, set[str]] = {key: set() for key in KEYS}
    for one, other in pairs:
        if one != other:
            forward[one].add(other)
    knots = {
        frozenset(other for other in distances(key, forward) if key in distances(other, forward))
        for key in KEYS
    }
    assert len(found) == sum(len(knot) > 1 for knot in knots)


@given(edge_lists, key_sets, key_sets)
def test_doubt_holds_each_reason_that_a_path_of_truth_leads_to(
    edges: list[Edge], wanted: set[str], true: set[str]
) -> None:
    world = World(edges)
    found = doubts(sorted(wanted), world.near, lambda asked: true.intersection(asked))
    for key in wanted:
        needs = {
            one: {
                edge.target
                for edge in edges
                if edge.relation == "depends_on" and edge.source == one
            }
            if one == key or one in true
            else set()
            for one in KEYS
        }
        expected = distances(key, needs).keys() - true - {key}
        assert set(found.get(key, ())) == expected
        assert needs[key] - true - {key} <= expected
    assert all(reasons == tuple(sorted(reasons)) for reasons in found.values())
    assert len(world.asked) == len(set(world.asked))
