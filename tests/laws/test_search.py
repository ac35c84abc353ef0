"""Laws of search that hold whatever is typed and whatever stands in the store."""

from __future__ import annotations

import json
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitkb.core.search.words import Analyser
from gitkb.index.query import PREFIX_LENGTH
from gitkb.index.search import Index, WordlessQueryError
from gitkb.index.sync import open_synced

from index_builder import ALL, World, entry_line, keys_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

split = Analyser().split

TEXTS = {
    "session": "authentication of sessions and authors",
    "token": "auth tokens, authenticated by an authority",
    "short": "authenticate with au and auth",
    "deploy": "deployments are deployed by the deployer",
    "russian": "авторизация через авторизационный сервер, авторы",
    "ukrainian": "автентифікація та авторизація, об'єкти",
    "chinese": "使用缓存来提高性能",
    "names": "parseJSONFile and HTTPServer in src/http/server.py, c++, foo-bar",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    world = World(tmp_path_factory.mktemp("search"))
    world.write("knowledge/all.jsonl", *(entry_line(key, text) for key, text in TEXTS.items()))
    with closing(open_synced(str(world.database), world.files())) as index:
        yield index


def test_a_longer_beginning_of_a_word_never_loses_it(index: Index) -> None:
    for key, text in TEXTS.items():
        for word in split(text):
            for length in range(min(PREFIX_LENGTH, len(word)), len(word) + 1):
                assert key in keys_of(index.search(word[:length], ALL)), word[:length]


def test_a_longer_beginning_of_the_last_word_never_loses_it_though_the_query_drops_words(
    tmp_path: Path,
) -> None:
    world = World(tmp_path)
    world.write("knowledge/all.jsonl", entry_line("k", "whereabouts"), entry_line("x", "auth"))
    for length in range(PREFIX_LENGTH, len("whereabouts")):
        assert set(world.found(f"auth {'whereabouts'[:length]}")) == {"x", "k"}


def test_a_word_of_a_small_store_scores_like_one_of_a_large_store(tmp_path: Path) -> None:
    for others in (0, 1, 300):
        world = World(tmp_path / str(others))
        padding = [entry_line(f"p{n}", f"padding {n}") for n in range(others)]
        world.write("knowledge/all.jsonl", entry_line("k", "retry twice"), *padding)
        assert 0.4 < world.ask("retry")[0].score < 0.65


def test_what_is_found_by_a_word_itself_comes_before_what_begins_like_it(index: Index) -> None:
    first = keys_of(index.search("auth", ALL))
    assert set(first[:2]) == {"token", "short"}
    assert "session" in first[2:]


@pytest.mark.parametrize(
    "query",
    [
        "c++", "foo-bar", "it's", "NOT", "AND OR NOT NEAR", "src/http/server.py", '"', "'", "a*", "^a",
        "title:auth", "auth\0token", "auth 🎉", "(auth", "auth)", "{a b}", "-auth", "+auth", "%_", "\\",
        "auth;DROP TABLE words", "缓", "\N{ZERO WIDTH JOINER}auth", "ﬁle", "x" * 100_000, "a " * 10_000,
    ],
)  # fmt: skip
def test_nothing_typed_is_an_error_but_the_lack_of_a_word(index: Index, query: str) -> None:
    try:
        found = index.search(query, ALL)
    except WordlessQueryError:
        assert not split(query)
    else:
        assert split(query)
        assert all(0 <= hit.score < 1 for hit in found)


@given(query=st.one_of(st.text(max_size=40), st.text("auth*\"'():-^ ё缓", max_size=20)))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_is_a_query(index: Index, query: str) -> None:
    try:
        scores = [hit.score for hit in index.search(query, ALL)]
    except WordlessQueryError:
        assert not split(query)
    else:
        assert scores == sorted(scores, reverse=True)
        assert scores == [hit.score for hit in index.search(query, ALL)]


@given(data=st.data())
def test_an_entry_is_found_by_any_word_that_it_holds(index: Index, data: st.DataObject) -> None:
    key = data.draw(st.sampled_from(sorted(TEXTS)))
    word = data.draw(st.sampled_from(split(TEXTS[key])))
    found = index.search(word, ALL)
    assert key in [json.loads(hit.line)["key"] for hit in found]


@pytest.mark.parametrize(
    ("typed", "key"),
    [
        ("authentciation", "session"),
        ("deploymnet", "deploy"),
        ("авторизацыя", "russian"),
        ("автентифікацією", "ukrainian"),
        ("парсер HTTPServer", "names"),
        ("обєктів", "ukrainian"),
    ],
)
def test_forms_and_slips_find_the_word_that_was_meant(index: Index, typed: str, key: str) -> None:
    assert key in keys_of(index.search(typed, ALL))
