"""Writing the entry that replaces another, with its edge and the old one's status."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gitkb.errors import DataError, GitkbError, NotFoundError, StateError
from gitkb.operations.archive import archive
from gitkb.operations.supersede import supersede
from gitkb.operations.writing.replace import replace

from store_builder import make_shelf

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from store_builder import Shelf


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    shelf = make_shelf(tmp_path)
    shelf.add(key="a", type="decision", title="Floats", content="Fast.", aliases=["L-001"])
    return shelf


def lines(shelf: Shelf) -> dict[str, dict[str, Any]]:
    return {line["key"]: line for line in shelf.lines()}


@pytest.mark.parametrize("name", ["a", "L-001"])
def test_the_new_entry_has_the_type_and_the_edge_and_the_old_one_the_status(
    shelf: Shelf, name: str
) -> None:
    done = replace(shelf.store, name, {"title": "Cents", "content": "Exact."})
    new = lines(shelf)[done.added.key]
    assert (new["type"], new["links"]) == ("decision", [{"rel": "supersedes", "to": "a"}])
    assert lines(shelf)["a"]["status"] == "superseded"
    assert done.superseded == ("a", done.added.key, True, ())
    assert [line["key"] for line in shelf.lines("archive")] == ["a"]


def test_doing_it_again_writes_nothing(shelf: Shelf) -> None:
    replace(shelf.store, "a", {"title": "Cents"})
    before = shelf.tree()
    done = replace(shelf.store, "a", {"title": "Cents"})
    assert (done.added.written, done.superseded.written) == (False, False)
    assert shelf.tree() == before


def test_links_that_are_given_stay(shelf: Shelf) -> None:
    shelf.add(key="b")
    link = {"rel": "depends_on", "to": "b"}
    done = replace(shelf.store, "a", {"title": "Cents", "links": [link]})
    assert link in lines(shelf)[done.added.key]["links"]


def test_an_active_entry_of_that_title_takes_the_place(shelf: Shelf) -> None:
    done = replace(shelf.store, "a", {"title": "Cents", "tags": ["money"]})
    shelf.add(key="b", type="decision", title="Doubles", content="Fast.")
    again = replace(shelf.store, "b", {"title": "cents.", "tags": ["db"]})
    assert again.added.key == done.added.key
    new = lines(shelf)[done.added.key]
    assert new["tags"] == ["db", "money"]
    assert [link["to"] for link in new["links"]] == ["a", "b"]


@pytest.mark.parametrize(
    ("old", "given", "error"),
    [
        ("nope", {"title": "Cents"}, NotFoundError),
        ("a", {"title": "floats."}, StateError),
        ("a", {"title": "Cents", "key": "a"}, StateError),
        ("a", {}, DataError),
        ("a", {"title": "Cents", "importance": 9}, DataError),
        ("b", {"title": "Cents"}, StateError),
    ],
)
def test_what_cannot_be_is_refused_and_writes_nothing(
    shelf: Shelf, old: str, given: dict[str, Any], error: type[GitkbError]
) -> None:
    shelf.add(key="b")
    archive(shelf.store, ["b"])
    before = shelf.tree()
    with pytest.raises(error):
        replace(shelf.store, old, given)
    assert shelf.tree() == before


def test_no_circle_is_made(shelf: Shelf) -> None:
    shelf.add(key="b", type="fact", title="Cents", content="x")
    supersede(shelf.store, "b", "a")
    before = shelf.tree()
    with pytest.raises(GitkbError):
        replace(shelf.store, "a", {"key": "b", "type": "fact", "title": "Cents"})
    assert shelf.tree() == before
