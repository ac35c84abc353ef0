"""What edges leave an entry."""

from __future__ import annotations

from gitkb.core.link import Edge, edges_of


def test_stored_links_come_before_those_of_the_content() -> None:
    fields = {
        "key": "a",
        "content": "as [[c]] says, see [[b]] and [[c]]",
        "links": [{"rel": "supersedes", "to": "b"}],
    }
    assert edges_of(fields) == [
        Edge("a", "supersedes", "b"),
        Edge("a", "relates_to", "c", derived=True),
        Edge("a", "relates_to", "b", derived=True),
    ]


def test_a_stored_edge_is_not_derived_again() -> None:
    fields = {"key": "a", "content": "[[b]]", "links": [{"rel": "relates_to", "to": "b"}]}
    assert edges_of(fields) == [Edge("a", "relates_to", "b")]


def test_an_entry_does_not_relate_to_itself_by_naming_itself() -> None:
    assert edges_of({"key": "a", "content": "[[a]]"}) == []


def test_only_what_has_the_form_of_a_key_is_an_edge() -> None:
    assert edges_of({"key": "a", "content": "[[ -f x ]] [[]] [[-b]] [b]] [[b c]]"}) == []
