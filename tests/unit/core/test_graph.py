"""What rests on something that is no longer true, and other walks over the graph."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from gitkb.core.graph import circles, doubts, in_order_of_time, reasons_of, walk_near
from gitkb.core.link import Edge

if TYPE_CHECKING:
    from collections.abc import Collection


def doubts_of(keys: str, edges: str, true: str) -> dict[str, tuple[str, ...]]:
    """Keys are letters; `edges` are pairs of them, the first of which depends on the second."""
    every = [Edge(pair[0], "depends_on", pair[1]) for pair in edges.split()]

    def near(asked: Collection[str]) -> list[Edge]:
        return [edge for edge in every if edge.source in asked or edge.target in asked]

    return doubts(keys, near, lambda asked: {key for key in asked if key in true})


def test_what_depends_on_something_untrue_is_in_doubt() -> None:
    assert doubts_of("abc", "ab bc", "ab") == {"a": ("c",), "b": ("c",)}


def test_what_depends_on_the_truth_is_not() -> None:
    assert doubts_of("ab", "ab", "ab") == {}


def test_every_reason_is_named_once_and_in_order() -> None:
    assert doubts_of("a", "az ax ab bx", "ab") == {"a": ("x", "z")}


def test_what_lies_behind_a_reason_is_none() -> None:
    assert doubts_of("a", "ab bc", "a") == {"a": ("b",)}


def test_a_long_chain_is_walked_once_and_not_once_a_key() -> None:
    keys = [f"k{number}" for number in range(10_000)]
    edges = {one: Edge(one, "depends_on", other) for one, other in pairwise(keys)}

    def from_them(asked: Collection[str]) -> list[Edge]:
        return [edges[key] for key in asked if key in edges]

    found = doubts(keys, from_them, lambda asked: {key for key in asked if key != keys[-1]})
    assert found == dict.fromkeys(keys[:-1], (keys[-1],))


def test_a_circle_of_dependence_ends() -> None:
    assert doubts_of("ab", "ab ba", "ab") == {}
    assert doubts_of("ab", "ab ba bx", "ab") == {"a": ("x",), "b": ("x",)}


def test_no_key_is_in_doubt_because_of_itself() -> None:
    assert doubts_of("a", "aa ab ba", "b") == {}


def test_a_key_that_is_asked_for_and_fell_is_a_reason_for_another() -> None:
    assert doubts_of("ab", "ab", "a") == {"a": ("b",)}
    assert doubts_of("ba", "ab bc", "ac") == {"a": ("b",)}


def test_only_depends_on_counts() -> None:
    edges = [Edge("a", "relates_to", "b"), Edge("b", "depends_on", "c")]
    assert doubts(["a"], lambda _: edges, lambda _: ()) == {}


# --- what is near ------------------------------------------------------------------------------


def near(root: str, edges: str, depth: int = 1, limit: int = 99, there: str = "abcdefg") -> Any:
    """Keys are letters; `edges` are pairs of them. Gives the keys and what was left out."""
    every = [Edge(pair[0], "relates_to", pair[1]) for pair in edges.split()]
    found, left_out = walk_near(
        root, lambda _: every, lambda keys: {key for key in keys if key in there}, depth, limit
    )
    return [(at.key, at.depth, at.is_outgoing) for at in found], left_out


def test_edges_are_followed_both_ways() -> None:
    assert near("b", "ab bc cd") == ([("a", 1, False), ("c", 1, True)], 0)


def test_the_nearest_come_first_and_each_once() -> None:
    assert near("a", "ab bc ca ad de", depth=9) == (
        [("b", 1, True), ("d", 1, True), ("c", 1, False), ("e", 2, True)],
        0,
    )


def test_what_is_beyond_the_limit_is_counted() -> None:
    assert near("a", "ab ac ad be", depth=2, limit=2) == ([("b", 1, True), ("c", 1, True)], 2)


def test_the_walk_does_not_lead_through_what_is_not_there() -> None:
    assert near("a", "ax xb", depth=9) == ([], 0)


def test_an_edge_to_itself_leads_nowhere() -> None:
    assert near("a", "aa", depth=3) == ([], 0)


# --- how it came about -------------------------------------------------------------------------


def test_reasons_are_followed_as_far_as_they_lead() -> None:
    edges = [
        Edge("b", "supersedes", "a"),
        Edge("c", "rejected_because", "b"),
        Edge("d", "caused_by", "a"),
        Edge("e", "relates_to", "a"),
        Edge("f", "supersedes", "e"),
    ]
    assert reasons_of("c", lambda _: edges) == (set("abcd"), sorted(edges[:3]))
    assert reasons_of("x", lambda _: edges) == ({"x"}, [])


def test_time_decides_then_what_came_of_what_then_the_key() -> None:
    assert in_order_of_time({"a": 2, "b": 1, "c": 1}, []) == ["b", "c", "a"]
    edges = [Edge("a", "supersedes", "c"), Edge("c", "caused_by", "b")]
    assert in_order_of_time({"a": 1, "b": 1, "c": 1}, edges) == ["b", "c", "a"]
    assert in_order_of_time({"a": 1, "b": 1, "c": 5}, edges) == ["a", "b", "c"]


def test_a_circle_in_one_moment_has_an_order_too() -> None:
    edges = [
        Edge("a", "supersedes", "b"),
        Edge("b", "supersedes", "a"),
        Edge("b", "caused_by", "b"),
    ]
    assert in_order_of_time({"a": 1, "b": 1, "c": 1, "d": 0}, edges) == ["d", "c", "a", "b"]


@pytest.mark.parametrize(
    ("edges", "found"),
    [
        ("ab bc", []),
        ("aa", []),
        ("ab ba", ["ab"]),
        ("ab bc ca cd dd", ["abc"]),
        ("ab ba cd dc bc", ["ab", "cd"]),
        ("ab bc cd da bd", ["abd"]),
        ("xa ab bc cb", ["bc"]),
    ],
)
def test_circles_are_found_once_and_as_short_as_can_be(edges: str, found: list[str]) -> None:
    every = [Edge(pair[0], "supersedes", pair[1]) for pair in edges.split()]
    assert ["".join(circle) for circle in circles(every)] == found
    assert ["".join(circle) for circle in circles(every[::-1])] == found
