"""Adding one entry: what is kept, what is replaced, what time it gets."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from gitkb.core.identity import mint_key, order_of
from gitkb.errors import DataError, GitkbError, SearchIndexError, StateError
from gitkb.index.similar import Similar
from gitkb.operations.add import add, add_batch, parse_given
from gitkb.operations.archive import archive
from gitkb.operations.forget import forget
from gitkb.operations.writing.put import Added, Refused

from store_builder import Shelf, make_shelf

if TYPE_CHECKING:
    from pathlib import Path

NOW = 1_800_000_000


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return make_shelf(tmp_path)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A clock that a test can set."""
    hand = [NOW]
    monkeypatch.setattr("time.time", lambda: float(hand[0]))
    return hand


# --- time ------------------------------------------------------------------------------------


def test_a_new_entry_is_created_now(shelf: Shelf, clock: list[int]) -> None:
    shelf.add()
    [line] = shelf.lines()
    assert (line["created"], line["ts"]) == (NOW, NOW)


def test_a_given_time_is_both_times_of_a_new_entry(shelf: Shelf, clock: list[int]) -> None:
    shelf.add(ts=1000)
    [line] = shelf.lines()
    assert (line["created"], line["ts"]) == (1000, 1000)


def test_a_change_within_the_same_second_is_later(shelf: Shelf, clock: list[int]) -> None:
    shelf.add(content="one")
    shelf.add(content="two")
    [line] = shelf.lines()
    assert (line["created"], line["ts"]) == (NOW, NOW + 1)


def test_a_clock_that_goes_back_does_not_make_a_change_earlier(
    shelf: Shelf, clock: list[int]
) -> None:
    shelf.add(content="one")
    clock[0] = 1000
    shelf.add(content="two")
    shelf.add(content="three", ts=5)
    [line] = shelf.lines()
    assert (line["created"], line["ts"]) == (NOW, NOW + 2)


def test_an_entry_is_never_created_after_it_was_changed(shelf: Shelf, clock: list[int]) -> None:
    shelf.add(created=NOW + 1000)
    [line] = shelf.lines()
    assert line["created"] <= line["ts"]


def test_what_comes_back_from_the_archive_by_add_is_later_than_what_it_was(
    shelf: Shelf, clock: list[int]
) -> None:
    shelf.add(ts=NOW + 500)
    archive(shelf.store, ["k"])
    added = shelf.add(content="again")
    [line] = shelf.lines()
    assert added == Added(True, False, "k")
    assert line["ts"] > max(old["ts"] for old in shelf.lines("archive"))
    assert line["created"] == NOW + 500


# --- corrections -----------------------------------------------------------------------------


def test_nothing_but_the_time_is_no_change(shelf: Shelf) -> None:
    shelf.add(tags=["b", "A"], status="superseded")
    before = shelf.tree()
    assert shelf.add(tags=["a", "b", "b"], status="superseded", ts=99) == Added(False, False, "k")
    assert shelf.add(tags=["a", "b"], importance=3, issue=None, links=[]) == Added(
        False, False, "k"
    )
    assert shelf.tree() == before


def test_a_correction_replaces_what_was_said_and_keeps_what_other_verbs_keep(
    shelf: Shelf,
) -> None:
    link = {"rel": "relates_to", "to": "other"}
    shelf.add(
        tags=["a"], issue="#1", unknown=1, links=[link], aliases=["L-001"], status="rejected",
        project="p", conflicts=[{"field": "title", "value": "y"}],
    )  # fmt: skip
    answer = Added(True, True, "k", emptied=("issue", "tags"))
    assert shelf.add(content="new") == answer
    [line] = shelf.lines()
    assert {name: line[name] for name in line if name not in ("created", "ts")} == {
        "key": "k",
        "type": "fact",
        "content": "new",
        "status": "rejected",
        "links": [link],
        "project": "p",
        "aliases": ["L-001"],
        "conflicts": [{"field": "title", "value": "y"}],
        "unknown": 1,
    }
    [old] = shelf.lines("archive")
    assert old["unknown"] == 1


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ({"status": "superseded"}, {"status": "active"}),
        ({"links": [{"rel": "part_of", "to": "a"}]}, {"links": []}),
        ({"aliases": ["L-001"]}, {"aliases": []}),
        ({"conflicts": [{"field": "title", "value": "y"}]}, {"conflicts": []}),
    ],
)
def test_a_default_that_is_given_is_gone_back_to(
    shelf: Shelf, first: dict[str, Any], then: dict[str, Any]
) -> None:
    shelf.add(**first)
    assert shelf.add(**then) == Added(True, True, "k")
    assert not shelf.lines()[0].keys() & first.keys()


def test_a_title_known_already_is_added_to(shelf: Shelf) -> None:
    entry = {"type": "decision", "title": "Money is kept in cents"}
    first = add(shelf.store, {**entry, "content": "Old.", "tags": ["a"], "importance": 5})
    assert first.key == mint_key("decision", "Money is kept in cents")
    second = add(
        shelf.store,
        {**entry, "title": "  MONEY is kept in cents!", "content": "New.", "tags": ["b"]},
    )
    assert second == Added(True, True, first.key)
    [line] = shelf.lines()
    assert (line["content"], line["tags"], line["importance"]) == ("New.", ["a", "b"], 5)
    assert line["title"] == "MONEY is kept in cents!"


def test_c_is_not_c_sharp(shelf: Shelf) -> None:
    keys = {add(shelf.store, {"type": "fact", "title": title}).key for title in ("C", "C#", "C++")}
    assert len(keys) == 3


@pytest.mark.parametrize("fate", ["forget", "archive", "supersede"])
def test_a_title_whose_entry_is_gone_gets_a_new_key(shelf: Shelf, fate: str) -> None:
    entry = {"type": "decision", "title": "Money is kept in cents"}
    first = add(shelf.store, entry).key
    if fate == "forget":
        forget(shelf.store, [first])
    elif fate == "archive":
        archive(shelf.store, [first])
    else:
        add(shelf.store, {**entry, "key": first, "status": "superseded"})
    second = add(shelf.store, entry)
    assert second == Added(True, False, mint_key("decision", entry["title"], 1))
    assert add(shelf.store, entry) == Added(False, False, second.key)


def test_the_very_key_brings_a_forgotten_entry_back(shelf: Shelf) -> None:
    shelf.add()
    forget(shelf.store, ["k"])
    [tombstone] = shelf.lines()
    assert shelf.add() == Added(True, False, "k", revived=True)
    [line] = shelf.lines()
    assert line["revives"] == tombstone["ts"] < line["ts"]
    shelf.add(content="corrected")
    assert shelf.lines()[0]["revives"] == tombstone["ts"]


# --- what is similar -------------------------------------------------------------------------


def test_another_active_entry_with_the_title_is_named(shelf: Shelf) -> None:
    shelf.add(key="a", title="The tax service rounds")
    shelf.add(key="b", title="THE TAX SERVICE ROUNDS.")
    shelf.add(key="c", title="The tax service rounds", status="superseded")
    shelf.add(key="d", title="The tax service")
    added = shelf.add(key="e", type="pitfall", title="the tax  service rounds…")
    assert added.similar == (
        Similar("a", "The tax service rounds", 1.0),
        Similar("b", "THE TAX SERVICE ROUNDS.", 1.0),
        Similar("d", "The tax service", added.similar[2].score),
    )
    assert shelf.add(key="f", content="nothing in common").similar == ()


def test_it_is_named_also_among_many_with_the_same_words(shelf: Shelf) -> None:
    many = [
        {"key": f"n{number}", "type": "fact", "title": f"cache cache {number}", "content": "cache"}
        for number in range(300)
    ]
    add_batch(shelf.store, [json.dumps(entry).encode() for entry in many])
    shelf.add(key="a", title="Cache", content="long " * 200)
    assert [other.key for other in shelf.add(key="b", title="cache").similar] == ["a"]


def test_a_batch_names_them_too_also_within_itself(shelf: Shelf) -> None:
    shelf.add(key="a", title="Cache")
    lines = [b'{"key":"%s","type":"fact","title":"cache."}' % key for key in (b"b", b"c")]
    results = add_batch(shelf.store, [*lines, b"{", b'{"type":"note","content":"new"}'])
    similar = [[other.key for other in one.similar] for one in results if isinstance(one, Added)]
    assert similar == [["a", "c"], ["a", "b"], []]


def test_a_great_batch_names_the_same_titles_alone(shelf: Shelf) -> None:
    entry = {"type": "fact", "content": "the cache is warm"}
    many = [{**entry, "key": f"k{n}", "title": f"Cache {n % 200}"} for n in range(201)]
    results = add_batch(shelf.store, [json.dumps(one).encode() for one in many])
    similar = {one.key: [o.key for o in one.similar] for one in results if isinstance(one, Added)}
    assert {key: keys for key, keys in similar.items() if keys} == {"k0": ["k200"], "k200": ["k0"]}


# --- strict ----------------------------------------------------------------------------------


def _double(**fields: Any) -> dict[str, Any]:
    return {"type": "fact", "title": "Deploys need a lock", "content": "Two ran at once.", **fields}


def test_who_is_strict_writes_nothing_that_is_said_already(shelf: Shelf) -> None:
    shelf.add(key="a", title="Deploys need a lock", content="Two ran at once.")
    before = shelf.tree()
    given = _double(key="b", title="A deploy needs the lock")
    refused = add(shelf.store, given, strict=True)
    assert (refused.written, refused.refused, refused.key) == (False, True, "b")
    [other] = refused.similar
    assert other.key == "a"
    assert 0.55 <= other.score < 0.75
    assert shelf.tree() == before
    assert add(shelf.store, given).written


def test_who_is_strict_may_correct_and_may_write_what_is_new(shelf: Shelf) -> None:
    shelf.add(key="a", title="Deploys need a lock", content="Two ran at once.")
    shelf.add(key="b", title="Deploys need a lock!", content="Two ran at once.")
    assert add(shelf.store, _double(key="a", importance=5), strict=True).superseded
    new = {"type": "fact", "title": "Money is kept in cents", "content": "Floats round."}
    assert add(shelf.store, new, strict=True).written
    same_title = {**new, "type": "decision", "content": "Something else entirely"}
    assert add(shelf.store, same_title, strict=True).refused


def test_a_strict_batch_refuses_doubles_within_itself(shelf: Shelf) -> None:
    shelf.add(key="a", title="Deploys need a lock", content="Two ran at once.")
    new = {"type": "fact", "title": "Money is kept in cents", "content": "Floats round."}
    lines = [_double(key="b"), {**new, "key": "c"}, {**new, "key": "d"}, {**new, "key": "c"}]
    results = add_batch(shelf.store, [json.dumps(line).encode() for line in lines], strict=True)
    assert [(one.key, one.refused) for one in results if isinstance(one, Added)] == [
        ("b", True),
        ("c", False),
        ("d", True),
        ("c", False),
    ]
    assert [line["key"] for line in shelf.lines()] == sorted(["a", "c"], key=order_of)


def test_a_strict_batch_names_what_it_corrects_itself_once(shelf: Shelf) -> None:
    new = {"type": "fact", "title": "Money is kept in cents", "content": "Floats round."}
    lines = [{**new, "key": "c"}, {**new, "key": "c"}, {**new, "key": "d"}]
    *_, last = add_batch(shelf.store, [json.dumps(line).encode() for line in lines], strict=True)
    assert isinstance(last, Added)
    assert [other.key for other in last.similar] == ["c"]


def test_without_a_search_index_who_is_strict_is_told_before_anything_is_written(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gitkb.operations.reading.search_index.open_synced", _fail)
    before = shelf.tree()
    with pytest.raises(SearchIndexError):
        add(shelf.store, _double(), strict=True)
    assert shelf.tree() == before


def _fail(*_: object, **__: object) -> None:
    raise SearchIndexError("no index")


def test_without_a_search_index_the_entry_is_written_all_the_same(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gitkb.operations.reading.search_index.open_synced", _fail)
    assert shelf.add(title="T").written


# --- what was given --------------------------------------------------------------------------


@pytest.mark.parametrize("text", [b"", b" \n", b"\xef\xbb\xbf"])
def test_nothing_is_no_entry(text: bytes) -> None:
    with pytest.raises(DataError, match="no entry on stdin") as caught:
        parse_given(text)
    assert caught.value.hint


def test_json_over_several_lines_is_one_entry() -> None:
    assert parse_given(b'\xef\xbb\xbf{\r\n  "type": "fact"\r\n}\r\n') == {"type": "fact"}


@pytest.mark.parametrize("text", [b"x", b"[1]", b'{"a":1}\n{"a":2}', b'{"a":1,}', b"<<<<<<< a"])
def test_bad_json_gets_a_cure_that_is_about_adding(text: bytes) -> None:
    with pytest.raises(DataError) as caught:
        parse_given(text)
    assert caught.value.message.startswith("cannot read the entry: ")
    assert not (caught.value.hint or "").startswith(("gitkb fmt", "gitkb check"))


def test_a_batch_answers_line_by_line_and_counts_blank_ones(shelf: Shelf) -> None:
    lines = [b"", b'{"key":"a","type":"fact","content":"x"}\r', b"{", b'{"key":"a","type":"fact"}']
    results = add_batch(shelf.store, lines)
    assert results[0] == Added(True, False, "a")
    assert [one.line for one in results if isinstance(one, Refused)] == [3, 4]
    assert [line["key"] for line in shelf.lines()] == ["a"]


def test_a_batch_meets_what_it_has_just_written(shelf: Shelf) -> None:
    lines = [b'{"type":"fact","title":"T","content":"%d"}' % number for number in range(3)]
    results = add_batch(shelf.store, lines)
    assert [isinstance(one, Added) and one.superseded for one in results] == [False, True, True]
    assert [line["content"] for line in shelf.lines()] == ["2"]
    assert sorted(line["content"] for line in shelf.lines("archive")) == ["0", "1"]


def test_a_conflicted_file_refuses_without_losing_a_byte(shelf: Shelf) -> None:
    shelf.add()
    line = shelf.tree()["knowledge/all.jsonl"].rstrip()
    shelf.write(b"<<<<<<< ours", line, b"=======", line + b" ", b">>>>>>> theirs")
    before = shelf.tree()
    with pytest.raises(StateError, match="conflict markers"):
        shelf.add(content="new")
    [refused] = add_batch(shelf.store, [b'{"type":"fact","content":"new"}'])
    assert isinstance(refused, Refused)
    assert isinstance(refused.error, StateError)
    assert shelf.tree() == before


def test_every_refusal_has_a_hint(shelf: Shelf) -> None:
    bad: list[dict[str, Any]] = [{}, {"type": "x"}, {"type": "fact", "content": "x", "key": "-"}]
    for given in bad:
        with pytest.raises(GitkbError) as caught:
            add(shelf.store, given)
        assert caught.value.hint


def test_a_correction_by_key_says_which_fields_are_gone(shelf: Shelf) -> None:
    shelf.add(key="k", title="Money", content="in cents", tags=["money"], files=["a.py"])

    answer = shelf.add(key="k", content="in cents, always", tags=["money"])

    assert answer.superseded
    assert answer.emptied == ("files", "title")
    assert shelf.add(key="k", content="in cents", tags=[]).emptied == ()


def test_what_is_added_as_archived_stands_in_the_archive(shelf: Shelf) -> None:
    assert shelf.add(status="archived").written
    assert shelf.lines() == []
    [line] = shelf.lines("archive")
    assert (line["key"], line["status"]) == ("k", "archived")
    before = shelf.tree()
    assert not shelf.add(status="archived").written
    assert shelf.tree() == before


def test_what_is_corrected_to_archived_is_put_aside(shelf: Shelf) -> None:
    shelf.add()
    assert shelf.add(status="archived", content="y").superseded
    assert shelf.lines() == []
    assert [line["content"] for line in shelf.lines("archive")] == ["x", "y"]
