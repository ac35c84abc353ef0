"""What is forgiven in a given entry, and what is not."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from gitkb.errors import DataError
from gitkb.operations.writing.draft import DEEPEST, draft_fields, relative_file, title_of

from store_builder import Shelf, make_shelf

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return make_shelf(tmp_path)


def draft(shelf: Shelf, **given: Any) -> dict[str, Any]:
    return draft_fields({"type": "fact", "content": "x", **given}, shelf.store)


def test_null_and_empty_mean_not_given(shelf: Shelf) -> None:
    fields = draft(shelf, issue=None, title="", category="  ", tags=None, unknown=None)
    assert fields == {"type": "fact", "content": "x"}


def test_one_text_stands_for_a_list(shelf: Shelf) -> None:
    fields = draft(shelf, tags="Auth", files="a.py", stack="Go", done="this")
    assert (fields["tags"], fields["files"]) == (["auth"], ["a.py"])
    assert (fields["stack"], fields["done"]) == (["go"], ["this"])


def test_titles_lose_the_space_around_them_and_contents_do_not(shelf: Shelf) -> None:
    fields = draft(shelf, title="  T ", content=" a\n  b\n")
    assert (fields["title"], fields["content"]) == ("T", " a\n  b\n")


@pytest.mark.parametrize(
    ("severity", "importance"), [("critical", 5), ("high", 4), ("medium", 3), ("low", 2)]
)
def test_severity_is_importance_by_another_name(
    shelf: Shelf, severity: str, importance: int
) -> None:
    fields = draft(shelf, severity=severity)
    assert (fields["importance"], "severity" in fields) == (importance, False)
    assert draft(shelf, severity=severity, importance=1)["importance"] == 1


def test_unknown_fields_are_kept_as_they_are(shelf: Shelf) -> None:
    value = {"b": [1, 2.5, None], "a": {"x": "ü"}}
    assert draft(shelf, x_new=value)["x_new"] == value


def test_a_default_that_was_given_stays(shelf: Shelf) -> None:
    assert draft(shelf, status="active", links=[])["status"] == "active"


@pytest.mark.parametrize(
    "path", ["src/a.py", "./src/a.py", "src//a.py", "src\\a.py", "src/b/../a.py", "{top}/src/a.py"]
)
def test_a_file_has_one_name(shelf: Shelf, path: str) -> None:
    top = os.path.dirname(shelf.store.root)
    assert relative_file(path.replace("{top}", top), shelf.store) == "src/a.py"


@pytest.mark.parametrize("path", ["..", "../x", "a/../../x", "/etc/passwd", "..\\x"])
def test_a_file_outside_is_refused(shelf: Shelf, path: str) -> None:
    with pytest.raises(DataError, match="outside of"):
        draft(shelf, files=[path])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"type": "rumour"}, "unknown type 'rumour'"),
        ({"type": None}, "no 'type'"),
        ({"type": ["fact"]}, "unknown type"),
        ({"type": {}}, "unknown type"),
        ({"status": []}, "unknown status"),
        ({"scope": {}}, "unknown scope"),
        ({"source": 1}, "'source'"),
        ({"content": 1}, "'content'"),
        ({"links": [{"rel": [], "to": "a"}]}, "'rel'"),
        ({"links": "a"}, "'links'"),
        ({"classified_by": []}, "'classified_by'"),
        ({"content": ""}, "neither 'title' nor 'content'"),
        ({"severity": "dire"}, "unknown severity 'dire'"),
        ({"severity": ["high"]}, "unknown severity"),
        ({"key": ""}, "key is empty"),
        ({"key": "a b"}, "form of a key"),
        ({"key": 7}, "'key' is not text"),
        ({"tags": [1]}, "'tags'"),
        ({"tags": 7}, "'tags'"),
        ({"files": [None]}, "'files'"),
        ({"importance": "5"}, "'importance'"),
        ({"importance": True}, "'importance'"),
        ({"title": "a\nb"}, "more than one line"),
        ({"title": 7}, "'title'"),
        ({"deleted": False}, "'deleted'"),
        ({"moved": "x"}, "'moved'"),
        ({"status": "dead"}, "unknown status 'dead'"),
        ({"tags": ["a", ""]}, "an empty text among 'tags'"),
        ({"review_by": "2026-02-30"}, "no day of the calendar"),
    ],
)
def test_what_is_wrong_is_named(shelf: Shelf, given: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError) as caught:
        draft(shelf, **given)
    assert message in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize("make", [lambda inner: [inner], lambda inner: {"a": inner}])
def test_nesting_has_an_end(shelf: Shelf, make: Any) -> None:
    value: Any = 1
    for _ in range(DEEPEST):
        value = make(value)
    assert draft(shelf, deep=value)["deep"] == value
    with pytest.raises(DataError, match="'deep' is nested deeper than 100 levels"):
        draft(shelf, deep=make(value))
    for _ in range(1000):
        value = make(value)
    with pytest.raises(DataError, match="nested deeper"):
        draft(shelf, deep=value)


def test_a_key_is_made_from_the_title_or_else_the_content() -> None:
    assert title_of({"title": "T", "content": "C"}) == "T"
    assert title_of({"content": "C"}) == "C"


@pytest.mark.parametrize("text", ["a\0b", "\ud800"])
def test_a_text_that_no_line_can_hold_is_refused(shelf: Shelf, text: str) -> None:
    for given in ({"content": text}, {"title": text}, {"tags": [text]}, {"x": {"y": [text]}}):
        with pytest.raises(DataError, match=r"^cannot add: "):
            draft(shelf, **given)
    assert draft(shelf, content="\\u0000")["content"] == "\\u0000"
