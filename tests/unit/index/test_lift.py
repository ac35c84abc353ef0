"""Links of what was found: what stands beside it is found with it, and never before it."""

from __future__ import annotations

import json
import tempfile
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitkb.core.search.ranking import MANY_LINKS
from gitkb.index.full_text import LINKED
from gitkb.index.search import Filters
from gitkb.index.sync import open_synced

from index_builder import ALL, World, entry_line, keys_of

if TYPE_CHECKING:
    from gitkb.index.full_text import Explanation

PADDING = [entry_line(f"p{n}", f"something else altogether {n}") for n in range(20)]


def _linked(key: str, content: str, *targets: str, **fields: Any) -> bytes:
    links = [{"rel": "relates_to", "to": target} for target in targets]
    return entry_line(key, content, links=links, **fields)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_what_is_linked_with_a_hit_is_found_after_it_in_both_directions(world: World) -> None:
    world.write(
        "knowledge/all.jsonl",
        _linked("answer", "we pay by invoice", "question"),
        entry_line("question", "why do payments fail at night"),
        _linked("far", "the moon", "answer"),
        entry_line("unlinked", "the sun"),
        *PADDING,
    )
    found = world.found("payments fail at night")
    assert found == ["question", "answer", "far"]
    assert world.found("moon") == ["far", "answer", "question"]


def test_an_inactive_neighbour_stays_out_and_its_successor_comes_in(world: World) -> None:
    world.write(
        "knowledge/all.jsonl",
        entry_line("new", "use queues", links=[{"rel": "supersedes", "to": "old"}]),
        entry_line("old", "payments fail at night", status="superseded"),
        *PADDING,
    )
    assert world.found("payments at night", Filters()) == ["new"]
    assert world.found("queues", Filters()) == ["new"]
    assert world.found("queues", ALL) == ["new", "old"]


def test_a_hub_lifts_nothing_and_a_dangling_link_harms_nothing(world: World) -> None:
    many = [f"m{n}" for n in range(MANY_LINKS + 1)]
    world.write(
        "knowledge/all.jsonl",
        _linked("hub", "payments fail", *many, "gone"),
        _linked("one", "retry payments", "nowhere"),
        *[entry_line(key, f"about number {key}") for key in many],
    )
    assert set(world.found("payments")) == {"hub", "one"}


def test_explain_names_what_a_link_adds(world: World) -> None:
    world.write(
        "knowledge/all.jsonl",
        _linked("answer", "we pay by invoice", "question"),
        entry_line("question", "why do payments fail"),
        *PADDING,
    )
    with closing(open_synced(str(world.database), world.files())) as index:
        hits = index.search("payments fail", ALL)
        why = index.explain("payments fail", keys_of(hits))
    question, answer = [each for each in why if each]
    assert LINKED not in question.relevance
    assert set(answer.relevance) == {LINKED}
    assert [each.score for each in (question, answer)] == pytest.approx([h.score for h in hits])


_WORDS = st.lists(st.sampled_from(["retry", "cache", "lock", "deploy"]), min_size=1, max_size=3)
_KEYS = [f"k{n}" for n in range(8)]


@given(
    st.lists(
        st.tuples(_WORDS, st.sets(st.sampled_from(_KEYS), max_size=3), st.booleans()),
        min_size=2,
        max_size=8,
    ),
    _WORDS,
)
def test_links_keep_the_first_hit_and_lose_none_and_a_larger_limit_only_adds(
    entries: list[tuple[list[str], set[str], bool]], query: list[str]
) -> None:
    def lines(linked: bool) -> list[bytes]:
        return [
            _linked(
                key,
                " ".join(words),
                *(sorted(targets - {key}) if linked else ()),
                **({} if active else {"status": "rejected"}),
            )
            for key, (words, targets, active) in zip(_KEYS, entries, strict=False)
        ]

    asked = " ".join(query)
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        plain, linked = World(Path(one)), World(Path(other))
        plain.write("knowledge/all.jsonl", *lines(linked=False), *PADDING)
        linked.write("knowledge/all.jsonl", *lines(linked=True), *PADDING)
        before = plain.found(asked)
        with closing(open_synced(str(linked.database), linked.files())) as index:
            every = index.search(asked, ALL)
            whys: list[Explanation | None] = index.explain(asked, keys_of(every))
            for limit in range(1, len(every) + 1):
                assert index.search(asked, Filters(include_all=True, limit=limit)) == every[:limit]
    assert set(before) <= set(keys_of(every))
    assert keys_of(every)[:1] == before[:1]
    assert [why.score for why in whys if why] == pytest.approx([hit.score for hit in every])
    assert every == sorted(every, key=lambda hit: (-hit.score, json.loads(hit.line)["key"]))
