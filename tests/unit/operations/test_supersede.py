"""Status and edge of a supersession: together or not at all."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from gitkb.core.entry import Entry
from gitkb.errors import NotFoundError, StateError
from gitkb.operations.add import add_batch
from gitkb.operations.archive import archive, restore
from gitkb.operations.forget import forget
from gitkb.operations.reject import reject
from gitkb.operations.supersede import Superseded, apply_supersedes, supersede
from gitkb.operations.writing.put import Added, Refused
from gitkb.store.writer import changing

from store_builder import Shelf, make_shelf

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    shelf = make_shelf(tmp_path)
    for key in "abc":
        shelf.add(key=key, title=key.upper(), aliases=[f"L-{key}"])
    return shelf


def line(shelf: Shelf, key: str) -> dict[str, Any]:
    return next(line for line in shelf.lines() if line["key"] == key)


def state(shelf: Shelf) -> dict[str, tuple[str, list[str]]]:
    """The status of each key, and what it supersedes."""
    return {
        line["key"]: (line.get("status", "active"), [link["to"] for link in line.get("links", ())])
        for line in shelf.lines()
    }


def test_the_old_one_is_marked_and_the_new_one_has_the_edge(shelf: Shelf) -> None:
    before = {key: line(shelf, key) for key in "ab"}
    assert supersede(shelf.store, "a", "b") == Superseded("a", "b", True)
    assert line(shelf, "a") == {**before["a"], "status": "superseded", "ts": before["a"]["ts"] + 1}
    assert line(shelf, "b") == {
        **before["b"],
        "links": [{"rel": "supersedes", "to": "a"}],
        "ts": before["b"]["ts"] + 1,
    }


def test_what_both_said_before_goes_to_the_archive_byte_for_byte(shelf: Shelf) -> None:
    before = (shelf.folder / "knowledge/all.jsonl").read_bytes().splitlines()
    supersede(shelf.store, "a", "b")
    archived = (shelf.folder / "archive/all.jsonl").read_bytes().splitlines()
    assert sorted(archived) == sorted(line for line in before if b'"key":"c"' not in line)


def test_doing_it_again_writes_nothing(shelf: Shelf) -> None:
    supersede(shelf.store, "a", "b")
    before = shelf.tree()
    assert supersede(shelf.store, "L-a", "L-b") == Superseded("a", "b", False)
    assert shelf.tree() == before


def test_doing_it_again_is_fine_when_the_successor_has_one_too(shelf: Shelf) -> None:
    supersede(shelf.store, "a", "b")
    supersede(shelf.store, "b", "c")
    assert supersede(shelf.store, "a", "b").written is False


def test_several_entries_may_supersede_one(shelf: Shelf) -> None:
    supersede(shelf.store, "a", "b")
    assert supersede(shelf.store, "a", "c") == Superseded("a", "c", True, ("b",))
    assert state(shelf) == {"a": ("superseded", []), "b": ("active", ["a"]), "c": ("active", ["a"])}


@pytest.mark.parametrize("half", ["status", "edge"])
def test_half_of_it_is_made_whole(shelf: Shelf, half: str) -> None:
    if half == "status":
        shelf.add(key="a", status="superseded")
    else:
        shelf.write(*(b'{"key":"%c","type":"fact","content":"x","ts":1}' % key for key in b"a"))
        with changing(shelf.store) as change:
            fields: dict[str, Any] = {"key": "b", "type": "fact", "content": "x", "ts": 1}
            change.put(
                Entry({**fields, "links": [{"rel": "supersedes", "to": "a"}]}), keep_old=True
            )
    assert supersede(shelf.store, "a", "b").written is True
    assert state(shelf)["a"] == ("superseded", [])
    assert state(shelf)["b"] == ("active", ["a"])


def test_nothing_supersedes_itself(shelf: Shelf) -> None:
    before = shelf.tree()
    with pytest.raises(StateError, match="'a' cannot supersede itself"):
        supersede(shelf.store, "a", "L-a")
    assert shelf.tree() == before


def test_a_circle_is_refused_and_told(shelf: Shelf) -> None:
    supersede(shelf.store, "a", "b")
    supersede(shelf.store, "b", "c")
    before = shelf.tree()
    with pytest.raises(StateError, match=r"'b' supersedes it already$") as direct:
        supersede(shelf.store, "b", "a")
    assert "gitkb unlink b supersedes a" in str(direct.value.hint)
    with pytest.raises(StateError, match=r"'c' supersedes it already through 'b'$") as longer:
        supersede(shelf.store, "c", "a")
    assert "gitkb unlink b supersedes a" in str(longer.value.hint)
    assert shelf.tree() == before


def test_a_successor_that_was_replaced_names_its_own(shelf: Shelf) -> None:
    shelf.add(key="d")
    supersede(shelf.store, "b", "c")
    with pytest.raises(StateError, match="'b' is superseded itself, by 'c'") as refusal:
        supersede(shelf.store, "d", "b")
    assert refusal.value.hint == "gitkb supersede d c"


def test_a_rejected_entry_supersedes_nothing_but_may_be_superseded(shelf: Shelf) -> None:
    reject(shelf.store, "b")
    with pytest.raises(StateError, match="'b' is rejected, not active") as refusal:
        supersede(shelf.store, "a", "b")
    assert refusal.value.hint == "gitkb restore b"
    assert supersede(shelf.store, "b", "c").written


@pytest.mark.parametrize("names", [("a", "b"), ("b", "a"), ("L-a", "b")])
def test_what_is_archived_has_to_come_back_first(shelf: Shelf, names: tuple[str, str]) -> None:
    archive(shelf.store, ["a"])
    with pytest.raises(StateError, match="'a' is archived") as refusal:
        supersede(shelf.store, *names)
    assert refusal.value.hint == "gitkb restore a"


@pytest.mark.parametrize("names", [("a", "b"), ("b", "a"), ("nope", "a"), ("a", "nope")])
def test_what_is_forgotten_or_unknown_is_not_found(shelf: Shelf, names: tuple[str, str]) -> None:
    forget(shelf.store, ["a"])
    with pytest.raises(NotFoundError, match=r"forgotten|no entry 'nope'"):
        supersede(shelf.store, *names)


# --- what an entry brings with it ------------------------------------------------------------


def put(shelf: Shelf, key: str, *targets: str) -> tuple[str, ...]:
    """Put an entry with supersedes links, as `add` does."""
    with changing(shelf.store) as change:
        at = change.find(key)
        old = at.record if at is not None and isinstance(at.record, Entry) else None
        fields: dict[str, Any] = {"key": key, "type": "fact", "content": "x", "ts": 2**31}
        new = Entry({**fields, "links": [{"rel": "supersedes", "to": to} for to in targets]})
        settled = apply_supersedes(change, new, old)
        change.put(new, keep_old=old is not None)
        return settled


def test_links_that_are_given_mark_what_they_supersede(shelf: Shelf) -> None:
    assert put(shelf, "n", "a", "b", "nowhere") == ("a", "b")
    assert state(shelf)["a"] == state(shelf)["b"] == ("superseded", [])


def test_links_that_are_left_out_make_it_active_again(shelf: Shelf) -> None:
    put(shelf, "n", "a", "b")
    supersede(shelf.store, "b", "c")
    assert put(shelf, "n") == ("a",)
    assert state(shelf)["a"] == ("active", [])
    assert state(shelf)["b"] == ("superseded", [])


def test_add_marks_what_the_links_that_it_is_given_supersede(shelf: Shelf) -> None:
    links = [{"rel": "supersedes", "to": "a"}]
    assert shelf.add(key="n", links=links).written
    assert state(shelf)["a"] == ("superseded", [])
    assert shelf.add(key="n", links=links).written is False
    shelf.add(key="n", content="corrected, and the links stay")
    assert state(shelf)["n"] == ("active", ["a"])
    shelf.add(key="n", links=[])
    assert state(shelf)["a"] == ("active", [])
    before = shelf.tree()
    with pytest.raises(StateError, match="cannot supersede itself"):
        shelf.add(key="n", links=[{"rel": "supersedes", "to": "n"}])
    assert shelf.tree() == before


def test_a_line_of_a_batch_that_would_make_a_circle_is_refused_alone(shelf: Shelf) -> None:
    def line_of(key: str, to: str) -> bytes:
        links = [{"rel": "supersedes", "to": to}]
        return json.dumps({"key": key, "type": "fact", "content": "n", "links": links}).encode()

    first, second, third = add_batch(
        shelf.store, [line_of("a", "b"), line_of("b", "a"), line_of("c", "b")]
    )
    assert isinstance(first, Added)
    assert isinstance(second, Refused)
    assert isinstance(third, Added)
    assert state(shelf) == {
        "a": ("active", ["b"]),
        "b": ("superseded", []),
        "c": ("active", ["b"]),
    }


def test_a_given_circle_leaves_the_change_as_it_was(shelf: Shelf) -> None:
    supersede(shelf.store, "a", "b")
    before = shelf.tree()
    with changing(shelf.store) as change:
        entry = Entry(
            {
                "key": "a",
                "type": "fact",
                "links": [{"rel": "supersedes", "to": to} for to in ("c", "b")],
            }
        )
        with pytest.raises(StateError):
            apply_supersedes(change, entry)
    assert shelf.tree() == before


# --- the way back ----------------------------------------------------------------------------


def test_restore_says_how_a_superseded_entry_comes_back(shelf: Shelf) -> None:
    supersede(shelf.store, "a", "b")
    supersede(shelf.store, "a", "c")
    with pytest.raises(StateError, match="'a' is superseded by 'b' and 'c'") as refusal:
        restore(shelf.store, ["a"])
    assert refusal.value.hint == "gitkb unlink b supersedes a; gitkb unlink c supersedes a"


@pytest.mark.parametrize("put_away", [forget, archive])
def test_restore_brings_back_what_nothing_supersedes_any_more(shelf: Shelf, put_away: Any) -> None:
    supersede(shelf.store, "a", "b")
    put_away(shelf.store, ["b"])
    assert [moved.key for moved in restore(shelf.store, ["a"])] == ["a"]
    assert state(shelf)["a"] == ("active", [])


def test_a_successor_that_comes_back_supersedes_again(shelf: Shelf) -> None:
    supersede(shelf.store, "a", "b")
    archive(shelf.store, ["b"])
    restore(shelf.store, ["a"])
    restore(shelf.store, ["b"])
    assert state(shelf) == {"a": ("superseded", []), "b": ("active", ["a"]), "c": ("active", [])}


def test_a_rejected_entry_comes_back_by_another_name_too(shelf: Shelf) -> None:
    before = line(shelf, "a")
    reject(shelf.store, "a", "b")
    assert [moved.key for moved in restore(shelf.store, ["L-a"])] == ["a"]
    assert line(shelf, "a") == {**before, "ts": before["ts"] + 2}


def test_archive_and_forget_take_other_names(shelf: Shelf) -> None:
    assert [moved.key for moved in archive(shelf.store, ["L-a", "a"])] == ["a"]
    assert [moved.key for moved in restore(shelf.store, ["L-a"])] == ["a"]
    archive(shelf.store, ["a"])
    assert [item.key for item in forget(shelf.store, ["L-a", "L-b"])] == ["a", "b"]
