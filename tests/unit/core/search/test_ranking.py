"""Scores as arithmetic."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from gitkb.core.entry import STATUSES, TYPES
from gitkb.core.search.ranking import (
    BEGUN_WEIGHT,
    LARGEST_FACTOR,
    WEIGHTS,
    age_factor,
    factors,
    near_weight,
    prior,
    rarity,
    score,
)

_TIMES = st.integers(0, 2**63 - 1)
_relevances = st.floats(1e-6, 1e4)


@given(_relevances)
def test_a_score_lies_between_nothing_and_one(relevance: float) -> None:
    assert 0 < score(relevance, 1) < 1
    assert 0 < score(relevance, 20_000) < 1


@given(_relevances, _relevances)
def test_scores_never_swap_two_entries(one: float, other: float) -> None:
    if one < other:
        assert score(one, 100) <= score(other, 100)


def test_what_is_not_relevant_scores_nothing() -> None:
    assert score(0.0, 9) == score(-1.0, 9) == 0.0


def test_a_title_counts_more_than_a_tag_and_a_tag_more_than_content_and_files() -> None:
    title, tags, content, files, _ = WEIGHTS.values()
    assert title > tags > content > files > 0
    assert [*WEIGHTS] == ["title", "tags", "content", "files", "names"]


@given(
    st.sampled_from(sorted(TYPES)),
    st.integers(1, 5),
    st.sampled_from(sorted(STATUSES)),
    _TIMES,
    _TIMES,
)
def test_what_an_entry_is_multiplies_within_bounds(
    type_: str, importance: int, status: str, ts: int, newest: int
) -> None:
    product = prior(type_, importance, status) * age_factor(ts, newest)
    assert 0.3 < product <= LARGEST_FACTOR < 1.5
    named = factors(type_, importance, status, ts, newest)
    assert [*named] == ["type", "importance", "status", "age"]
    assert abs(math.prod(named.values()) - product) < 1e-12


def test_an_ordinary_entry_counts_what_it_says() -> None:
    assert prior("fact", 3, "active") * age_factor(5, 5) == 1.0
    assert prior("decision", 3, "active") > prior("fact", 3, "active") > prior("note", 3, "active")
    assert prior("fact", 5, "active") > prior("fact", 1, "active")
    assert prior("fact", 3, "active") > prior("fact", 3, "rejected")


@given(_TIMES, _TIMES, _TIMES)
def test_the_older_an_entry_the_less_it_counts(one: int, other: int, newest: int) -> None:
    older, later = sorted([one, other])
    assert age_factor(older, newest) <= age_factor(later, newest)


@given(st.integers(0, 1000), st.integers(0, 1000))
def test_a_rare_word_is_worth_more_than_a_frequent_one_and_any_word_is_worth_something(
    one: int, other: int
) -> None:
    rare, frequent = sorted([one, other])
    assert rarity(1000, rare) >= rarity(1000, frequent) > 0


@given(st.floats(0, 1), st.booleans())
def test_what_stands_in_for_a_word_counts_no_more_than_the_word(
    nearness: float, is_known: bool
) -> None:
    assert near_weight(nearness, is_known=is_known) <= nearness <= 1
    assert BEGUN_WEIGHT[is_known] < 1
