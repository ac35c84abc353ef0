"""What was opened comes closer, within bounds, and for nothing but its openings."""

from __future__ import annotations

import tempfile
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitkb.core.search.ranking import LARGEST_USAGE
from gitkb.core.usage import Openings, Use, format_use
from gitkb.index.search import Filters, Index
from gitkb.index.sync import open_synced
from gitkb.store.layout import Store
from gitkb.store.usage_log import LOG, OLDER, SUMMARY, read_usage_factors

from index_builder import World, entry_line, keys_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

KEYS = [f"k{n}" for n in range(8)]
_words = st.lists(
    st.sampled_from(["retry", "cache", "deploy", "night", "lock"]), min_size=1, max_size=6
)
_uses = st.lists(
    st.builds(
        Use,
        moment=st.integers(0, 400 * 86_400),
        verb=st.sampled_from(["show", "show", "recall"]),
        keys=st.lists(st.sampled_from(KEYS), min_size=1, max_size=3, unique=True).map(tuple),
        store=st.sampled_from(["", "", "sub/.gitkb"]),
    ),
    max_size=30,
)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    """Entries of which some say almost the same, and some the very same."""
    world = World(tmp_path_factory.mktemp("usage"))
    texts = ["retry cache", "retry cache", "retry cache deploy", "retry the deploy at night",
             "cache", "lock the cache", "deploy at night and lock", "retry retry retry"]  # fmt: skip
    lines = [entry_line(key, text) for key, text in zip(KEYS, texts, strict=True)]
    world.write("knowledge/all.jsonl", *lines)
    with closing(open_synced(str(world.database), world.files())) as index:
        yield index


def factors_of(uses: list[Use]) -> dict[str, float]:
    openings = Openings()
    openings.add(uses)
    return openings.factors()


@given(_uses)
def test_every_factor_is_bounded(uses: list[Use]) -> None:
    assert all(1 < factor < LARGEST_USAGE for factor in factors_of(uses).values())


@given(_words, _uses)
def test_only_what_is_closer_than_the_bound_changes_places(
    index: Index, words: list[str], uses: list[Use]
) -> None:
    query = " ".join(words)
    plain = {key: why for key, why in zip(KEYS, index.explain(query, KEYS), strict=True) if why}
    found = keys_of(index.search(query, usage=factors_of(uses)))
    assert set(found) == set(plain)
    worth = {key: _worth(why) for key, why in plain.items()}
    for place, key in enumerate(found):
        for behind in found[place + 1 :]:
            assert worth[behind] < worth[key] * LARGEST_USAGE


def _worth(why: object) -> float:
    total = sum(why.relevance.values())  # type: ignore[attr-defined]
    for factor in why.factors.values():  # type: ignore[attr-defined]
        total *= factor
    return total


@given(_words, _uses, st.integers(1, 8))
def test_a_larger_limit_only_adds_hits(
    index: Index, words: list[str], uses: list[Use], limit: int
) -> None:
    usage = factors_of(uses)
    every = index.search(" ".join(words), usage=usage)
    assert index.search(" ".join(words), Filters(limit=limit), usage) == every[:limit]


@given(_words, _uses)
def test_an_explanation_says_what_usage_did(
    index: Index, words: list[str], uses: list[Use]
) -> None:
    query, usage = " ".join(words), factors_of(uses)
    hits = index.search(query, usage=usage)
    for key, hit, why in zip(
        keys_of(hits), hits, index.explain(query, keys_of(hits), usage), strict=True
    ):
        assert why is not None
        assert why.score == pytest.approx(hit.score)
        assert why.factors.get("usage", 1.0) == usage.get(key, 1.0)


@given(_words)
def test_nothing_logged_changes_nothing(index: Index, words: list[str]) -> None:
    assert index.search(" ".join(words), usage={}) == index.search(" ".join(words))


@given(_uses, st.integers(0, 30), st.integers(0, 30))
def test_ranking_depends_on_the_lines_and_not_on_when_they_were_read(
    uses: list[Use], turned: int, read: int
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        derived = Path(folder) / "gitkb"
        derived.mkdir()
        store = Store(f"{folder}/.gitkb", folder, str(derived), "")
        lines = [format_use(use) for use in uses]
        older, newer = lines[:turned], lines[turned:]
        if older:
            (derived / OLDER).write_bytes(b"".join(older))
        # Long enough for the summary to be written.
        padding = [b"\n" + b" " * 20_000 + format_use(Use(0, "recall", ("k",)))[1:]]
        (derived / LOG).write_bytes(b"".join(newer[:read] + padding))
        read_usage_factors(store)
        assert (derived / SUMMARY).exists()
        with (derived / LOG).open("ab") as log:
            log.write(b"".join(newer[read:]))
        found = dict(read_usage_factors(store))
        assert found == dict(read_usage_factors(store))
        (derived / SUMMARY).unlink()
        assert found == dict(read_usage_factors(store))
    assert found == factors_of([use for use in uses if not use.store])
