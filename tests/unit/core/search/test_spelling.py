"""How near two words are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitkb.core.search.spelling import count_slips, grams_of, likeness, relation
from gitkb.core.search.words import Analyser

_WORDS = st.text("abcю", min_size=1, max_size=9)


def _related(one: str, other: str) -> float:
    stem = Analyser().stem
    return relation(one, other, _shared(one, other), (stem(one), stem(other)))


def _shared(one: str, other: str) -> int:
    return len(grams_of(one) & grams_of(other))


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("authentciation", "authentication"),
        ("autentication", "authentication"),
        ("authenticationn", "authentication"),
        ("мигарция", "миграция"),
        ("кешуваня", "кешування"),
        ("cahce", "cache"),
    ],
)
def test_one_slip_is_near(typed: str, meant: str) -> None:
    assert count_slips(typed, meant) == 1
    assert likeness(typed, meant, _shared(typed, meant)) > 0.9


def test_a_form_of_a_word_is_nearer_than_another_word() -> None:
    forms = [("schreiben", "schreibt"), ("налаштування", "налаштувати"), ("connect", "connection")]
    for word, form in forms:
        assert _related(word, form) > 0.6
    for word, other in [("station", "nation"), ("schreiben", "treiben"), ("cache", "catch")]:
        assert not _related(word, other)


@pytest.mark.parametrize("word", ["abc", "sha256", "使用", "x" * 33, ""])
def test_what_is_short_or_a_number_or_no_word_of_letters_has_no_neighbours(word: str) -> None:
    assert not grams_of(word)


@given(_WORDS, _WORDS)
def test_nearness_is_the_same_both_ways_and_within_bounds(one: str, other: str) -> None:
    shared = _shared(one, other)
    assert _related(one, other) == _related(other, one)
    assert 0 <= _related(one, other) < 1 + 1e-9
    assert 0 <= likeness(one, other, shared) < 1 + 1e-9
    assert count_slips(one, other) == count_slips(other, one)


@given(_WORDS)
def test_a_word_is_nearest_to_itself(word: str) -> None:
    assert count_slips(word, word) == 0
    assert relation(word, word, len(word), (word, word)) == pytest.approx(1)


@given(_WORDS, st.integers(0, 8), st.sampled_from("abz"))
def test_a_letter_lost_wrong_or_too_many_is_one_slip(word: str, at: int, letter: str) -> None:
    at %= len(word)
    for changed in (
        word[:at] + word[at + 1 :],
        word[:at] + letter + word[at + 1 :],
        word[:at] + letter + word[at:],
    ):
        assert count_slips(word, changed) == int(changed != word)
