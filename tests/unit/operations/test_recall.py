"""Searching and listing through the operation: refusals, notices, explanations."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from gitkb.core.search.ranking import score
from gitkb.errors import UsageError
from gitkb.index.search import Filters
from gitkb.operations.archive import archive
from gitkb.operations.forget import forget
from gitkb.operations.recall import check_filters, explain, list_entries, recall

from store_builder import Shelf, make_shelf


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return make_shelf(tmp_path)


def keys(hits: list[Any]) -> list[str]:
    return [json.loads(hit.line)["key"] for hit in hits]


def test_what_was_just_written_is_found_and_what_was_just_removed_is_not(shelf: Shelf) -> None:
    shelf.add(content="money in cents")
    assert keys(recall(shelf.store, "money", Filters())) == ["k"]
    shelf.add(content="floats")
    assert keys(recall(shelf.store, "money", Filters())) == []
    archive(shelf.store, ["k"])
    assert keys(recall(shelf.store, "floats", Filters())) == []
    # The version that was corrected is no answer, not even with --all: a key has one.
    assert keys(recall(shelf.store, "money", Filters(include_all=True))) == []
    assert keys(recall(shelf.store, "floats", Filters(include_all=True))) == ["k"]
    forget(shelf.store, ["k"])
    assert keys(recall(shelf.store, "floats", Filters(include_all=True))) == []


def test_a_query_without_a_word_finds_nothing_and_says_why(shelf: Shelf) -> None:
    shelf.add()
    for query in ("", " ", "?!", "++"):
        notices: list[str] = []
        assert recall(shelf.store, query, Filters(), notices) == []
        assert "holds no word" in notices[0]
        assert recall(shelf.store, query, Filters()) == []


def test_a_list_is_of_the_last_changed_first(shelf: Shelf) -> None:
    for key, ts in (("a", 2), ("b", 3), ("c", 1)):
        shelf.add(key=key, ts=ts)
    assert keys(list_entries(shelf.store, Filters())) == ["b", "a", "c"]
    assert keys(list_entries(shelf.store, Filters(limit=2))) == ["b", "a"]


@pytest.mark.parametrize(
    "filters",
    [
        Filters(types=("rumour",)),
        Filters(types=("fact", "Fact")),
        Filters(statuses=("dead",)),
        Filters(limit=0),
        Filters(limit=-1),
        Filters(tags=("",)),
        Filters(files=("",)),
        Filters(stacks=("",)),
        Filters(categories=("",)),
    ],
)
def test_a_filter_that_nothing_could_pass_is_an_error(shelf: Shelf, filters: Filters) -> None:
    with pytest.raises(UsageError) as caught:
        check_filters(filters)
    assert caught.value.hint
    with pytest.raises(UsageError):
        recall(shelf.store, "x", filters)
    with pytest.raises(UsageError):
        list_entries(shelf.store, filters)


def test_an_explanation_names_the_words_and_where_they_are(shelf: Shelf) -> None:
    shelf.add(
        key="retry-key", title="Die Größe", content="Authentication, C++ retries", tags=["auth"],
        files=["src/auth/login.py"], stack=["python"], issue="X-7",
    )  # fmt: skip
    shelf.add(key="other", title="auth")

    def explained(query: str) -> dict[str, list[tuple[str, ...]]] | None:
        [why] = explain(shelf.store, query, ["retry-key"])
        return why and {name: [tuple(word) for word in words] for name, words in why.words.items()}

    assert explained("grozse") is None
    assert explained("GRÖSSE") == {"title": [("größe", "exact", "grösse")]}
    assert explained("auth") == {
        "tags": [("auth", "exact", "auth")],
        "content": [("authentication", "prefix", "auth")],
        "files": [("auth", "exact", "auth")],
    }
    assert explained("c++ pyth x 7") == {
        "tags": [("python", "prefix", "pyth")],
        "content": [("c", "exact", "c"), ("cplusplus", "exact", "cplusplus")],
        "names": [("x", "exact", "x"), ("7", "exact", "7")],
    }
    assert explained("retrying") == {
        "content": [("retries", "exact", "retrying")],
        "names": [("retry", "exact", "retrying")],
    }
    assert explained("autehntication") == {
        "content": [("authentication", "near", "autehntication")]
    }


def test_an_explanation_is_the_arithmetic_of_the_score(shelf: Shelf) -> None:
    shelf.add(key="k", title="retry budget", content="authentication", importance=5)
    shelf.add(key="other", title="retry", status="rejected")
    for query in ("retry budget", "retry auth", "budgte authentic"):
        for hit in recall(shelf.store, query, Filters(include_all=True)):
            key = json.loads(hit.line)["key"]
            [why] = explain(shelf.store, query, [key])
            assert why is not None
            assert (
                why.score
                == hit.score
                == pytest.approx(
                    score(sum(why.relevance.values()) * math.prod(why.factors.values()), 2)
                )
            )
            assert {"exact", "prefix", "near", "together"} >= why.relevance.keys()
            assert [*why.factors] == ["type", "importance", "status", "age"]


def test_what_a_query_does_not_find_has_no_explanation(shelf: Shelf) -> None:
    shelf.add(key="k", title="auth")
    for query in ("zebra", "", '"', "NOT"):
        assert explain(shelf.store, query, ["k", "absent"]) == [None, None]


def test_a_line_that_cannot_be_read_is_reported_beside_the_good_ones(shelf: Shelf) -> None:
    shelf.add(content="money in cents")
    [path] = Path(shelf.store.root, "knowledge").iterdir()
    path.write_bytes(path.read_bytes() + b'{"key":"cut\n{"key":"odd","type":"x","content":"c"}\n')

    notices: list[str] = []
    assert keys(recall(shelf.store, "money", Filters(), notices)) == ["k"]

    [notice] = notices
    assert notice.startswith("cannot read entry")
    assert notice.startswith(f"cannot read entry at 'knowledge/{path.name}:2': not JSON")
    assert ", and 1 more; gitkb check" in notice
