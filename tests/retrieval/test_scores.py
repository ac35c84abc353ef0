"""How well search finds what people judged to be the answers, in one configuration for all sets.

The bounds are a little below what was measured (docs/explanation/search.md), so that noise does not
fail and a loss does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from retrieval_set import Figures, RetrievalSet, load_scorer, load_sets, measure, misspell

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

pytestmark = pytest.mark.slow

GROUPS = {
    "English notes": (("til-jbranchaud", "lessons", "adr", "tldr-en", "jsinfo-en"), 0.82),
    "English collections": (("cranfield", "cosqa", "xquadr-en"), 0.53),
    "Russian": (("xquadr-ru", "progit-ru", "tldr-ru"), 0.67),
    "Ukrainian": (("progit-uk", "tldr-uk", "jsinfo-uk"), 0.64),
    "languages nobody named": (("xquadr-de", "xquadr-es", "xquadr-hi", "xquadr-zh"), 0.785),
}
"""Sets whose documents resemble each other, and the least mean of nDCG@10."""
TURNS_RECALL, LINKED_TURNS_RECALL = 0.67, 0.78
COST_OF_A_SLIP = 0.03


@pytest.fixture(scope="module")
def folder(shared_data: Path) -> Path:
    """Where the sets lie."""
    folder = shared_data / "retrieval"
    if not (folder / "dev.tar.xz").is_file():
        pytest.skip(f"no retrieval sets in '{folder}'")
    return folder


@pytest.fixture(scope="module")
def sets(folder: Path) -> dict[str, RetrievalSet]:
    return load_sets(folder)


@pytest.fixture(scope="module")
def scorer(folder: Path) -> ModuleType:
    return load_scorer(folder)


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_of_sets_reaches_its_figure(
    group: str, sets: dict[str, RetrievalSet], scorer: ModuleType, tmp_path: Path
) -> None:
    names, least = GROUPS[group]
    figures = {name: measure(scorer, sets[name], tmp_path) for name in names if name in sets}
    if not figures:
        pytest.skip(f"none of {', '.join(names)} is there")
    assert _mean(figures) >= least, figures


def _mean(figures: dict[str, Figures]) -> float:
    return sum(each.ndcg for each in figures.values()) / len(figures)


def test_turns_of_conversations_are_found(
    sets: dict[str, RetrievalSet], scorer: ModuleType, tmp_path: Path
) -> None:
    if "locomo" not in sets:
        pytest.skip("locomo is not there")
    assert measure(scorer, sets["locomo"], tmp_path).recall >= TURNS_RECALL


def test_links_between_neighbouring_turns_help(
    sets: dict[str, RetrievalSet], scorer: ModuleType, tmp_path: Path
) -> None:
    if "locomo" not in sets:
        pytest.skip("locomo is not there")
    figures = measure(scorer, sets["locomo"], tmp_path, linked=True)
    assert figures.recall >= LINKED_TURNS_RECALL


def test_a_slip_in_a_query_costs_little(
    sets: dict[str, RetrievalSet], scorer: ModuleType, tmp_path: Path
) -> None:
    if "til-jbranchaud" not in sets:
        pytest.skip("til-jbranchaud is not there")
    plain = measure(scorer, sets["til-jbranchaud"], tmp_path / "plain")
    misspelt = measure(scorer, sets["til-jbranchaud"], tmp_path / "misspelt", misspell)
    assert plain.ndcg - misspelt.ndcg <= COST_OF_A_SLIP
