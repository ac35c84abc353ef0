"""Scores as arithmetic."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitkb.core.ranking import WEIGHTS, score

_relevances = st.floats(1e-6, 1e4)


@given(_relevances)
def test_a_score_lies_between_nothing_and_one(relevance: float) -> None:
    assert 0 < score(relevance) < 1


@given(_relevances, _relevances)
def test_scores_never_swap_two_entries(one: float, other: float) -> None:
    if one < other:
        assert score(one) <= score(other)


def test_what_is_not_relevant_scores_nothing() -> None:
    assert score(0.0) == score(-1.0) == 0.0


def test_a_title_counts_more_than_a_tag_and_a_tag_more_than_content_and_files() -> None:
    title, tags, content, files, _ = WEIGHTS.values()
    assert title > tags > content > files > 0
    assert [*WEIGHTS] == ["title", "tags", "content", "files", "names"]
