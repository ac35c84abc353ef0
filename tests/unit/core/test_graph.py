"""What rests on something that is no longer true, and other walks over the graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitkb.core.graph import doubts
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
