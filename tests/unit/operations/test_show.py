"""One entry by whatever name it answers to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gitkb.errors import NotFoundError
from gitkb.operations.archive import archive
from gitkb.operations.forget import forget
from gitkb.operations.show import show

from store_builder import Shelf, make_shelf

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return make_shelf(tmp_path)


def test_an_entry_is_found_by_key_and_by_alias(shelf: Shelf) -> None:
    shelf.add(aliases=["L-001"])
    shelf.add(content="new")
    for name in ("k", "L-001"):
        shown = show(shelf.store, name)
        assert (shown.entry.content, shown.archived, shown.older) == ("new", False, 1)
    archive(shelf.store, ["k"])
    for name in ("k", "L-001"):
        shown = show(shelf.store, name)
        assert (shown.entry.content, shown.archived, shown.older) == ("new", True, 1)


def test_a_key_goes_before_an_alias_and_a_live_entry_before_an_archived_one(shelf: Shelf) -> None:
    shelf.add(key="a", aliases=["k", "x"])
    shelf.add(key="k")
    shelf.add(key="b", aliases=["x"])
    assert show(shelf.store, "k").entry.key == "k"
    assert show(shelf.store, "x").entry.key == "a"
    archive(shelf.store, ["a"])
    assert show(shelf.store, "x").entry.key == "b"


def test_of_two_lines_the_later_is_shown(shelf: Shelf) -> None:
    shelf.write(
        b'{"key":"k","type":"fact","content":"two","ts":2}',
        b'{"key":"k","type":"fact","content":"one","ts":1}',
    )
    assert show(shelf.store, "k").entry.content == "two"


def test_a_line_of_another_spelling_is_found(shelf: Shelf) -> None:
    shelf.write(rb'{ "ts": 1, "content": "x", "type": "fact", "key": "\u006b" }')
    assert show(shelf.store, "k").entry.key == "k"


def test_a_forgotten_entry_says_who_and_why(shelf: Shelf) -> None:
    shelf.add(aliases=["L-001"])
    forget(shelf.store, ["k"], "twice")
    with pytest.raises(NotFoundError, match="'k' was forgotten: twice") as caught:
        show(shelf.store, "k")
    assert caught.value.hint == "gitkb log k shows what it said, if it was ever committed"
    # Its number is never another's, so it still says whose it was.
    with pytest.raises(NotFoundError, match="'k' was forgotten"):
        show(shelf.store, "L-001")


def test_an_entry_that_moved_says_where(shelf: Shelf) -> None:
    shelf.write(b'{"key":"k","moved":"workstation","ts":1}')
    with pytest.raises(NotFoundError, match="has moved to the tier 'workstation'"):
        show(shelf.store, "k")


def test_a_name_that_nobody_has_gets_a_hint(shelf: Shelf) -> None:
    with pytest.raises(NotFoundError) as caught:
        show(shelf.store, "nope")
    assert "gitkb recall nope" in (caught.value.hint or "")
