"""How much two entries say the same, as arithmetic."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitkb.core.search.similarity import likeness, profile_of, rarity

_stems = st.lists(st.sampled_from(["auth", "cach", "db", "retri", "the"]), max_size=6)
_weights = {"auth": 3.0, "cach": 2.0, "db": 1.0, "retri": 0.5, "the": 0.0}


@given(_stems, _stems, _stems, _stems)
def test_a_likeness_is_between_none_and_all_and_the_same_both_ways(
    title: list[str], body: list[str], other_title: list[str], other_body: list[str]
) -> None:
    one = profile_of(title, body, _weights.__getitem__)
    other = profile_of(other_title, other_body, _weights.__getitem__)
    assert 0 <= likeness(one, other) <= 1
    assert likeness(one, other) == likeness(other, one)


@given(_stems.filter(lambda stems: set(stems) - {"the"}), _stems)
def test_what_has_the_same_words_is_the_same(title: list[str], body: list[str]) -> None:
    one = profile_of(title, body, _weights.__getitem__)
    same = profile_of(title[::-1], body[::-1], _weights.__getitem__)
    assert likeness(one, same) == pytest.approx(1)


def test_titles_and_bodies_count_the_same_and_titles_alone_where_there_is_no_body() -> None:
    weigh = _weights.__getitem__
    one = profile_of(["auth"], ["db"], weigh)
    assert likeness(one, profile_of(["auth"], ["cach"], weigh)) == 0.5
    assert likeness(one, profile_of(["cach"], ["db"], weigh)) == 0.5
    assert likeness(one, profile_of(["auth"], [], weigh)) == 1.0


def test_a_rare_word_in_common_says_more_than_a_frequent_one() -> None:
    weigh = _weights.__getitem__
    one = profile_of(["auth", "retri"], [], weigh)
    rare, frequent = (profile_of([word, "db"], [], weigh) for word in ("auth", "retri"))
    assert likeness(one, rare) > likeness(one, frequent)
    assert rarity(100, 1) > rarity(100, 50) > rarity(100, 100) > 0
    assert rarity(100, 150) > 0  # words of one stem that stand in the same entries
