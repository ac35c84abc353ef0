"""An entry keeps all it came with, has one canonical line, and says what is wrong with it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitkb.core.entry import (
    DEFAULTS,
    FIELDS,
    LOWER_CASE_FIELDS,
    SET_FIELDS,
    Entry,
    Tombstone,
    check_fields,
    derived_title,
    encode_record,
    is_tombstone,
    normalise,
    parse_record,
)
from gitkb.core.jsonl import BadLineError

from strategies import bad_lines, fields_of_entries, nasty_texts, records, spellings, tombstones

PLAIN: dict[str, Any] = {"key": "k", "type": "fact", "content": "c", "ts": 5}


# --- the canonical line ----------------------------------------------------------------------


def test_the_canonical_line_of_an_entry_with_every_field() -> None:
    entry = Entry(
        {
            "z_unknown": {"b": 1, "a": [None, 2.50]},
            "conflicts": [{"field": "title", "value": "Other", "ts": 3}],
            "next": ["b", "a", "b"], "open": ["o"], "decided": ["d"], "done": ["x"],
            "checkpoint": "commit", "classified_by": "human", "aliases": ["L-002", "L-001"],
            "revives": 2, "ts": 9, "created": 1, "issue": "#7", "project": "p", "source": "user",
            "links": [{"rel": "supersedes", "to": "b"}, {"rel": "part_of", "to": "a"}],
            "scope": "universal", "category": "process", "stack": ["Python", "go"],
            "files": ["b.py", "A.py", "b.py"], "tags": ["Größe", "auth", "AUTH"], "importance": 5,
            "status": "rejected", "content": "Because\n\u2028", "title": "One queue",
            "type": "decision", "key": "dec_1", "a_unknown": None,
        }
    )  # fmt: skip
    assert encode_record(entry).decode() == (
        '{"key":"dec_1","type":"decision","title":"One queue","content":"Because\\n\\u2028",'
        '"status":"rejected","importance":5,"tags":["auth","größe"],"files":["A.py","b.py"],'
        '"stack":["go","python"],"category":"process","scope":"universal",'
        '"links":[{"rel":"part_of","to":"a"},{"rel":"supersedes","to":"b"}],"source":"user",'
        '"project":"p","issue":"#7","created":1,"ts":9,"revives":2,"aliases":["L-001","L-002"],'
        '"classified_by":"human","checkpoint":"commit","done":["x"],"decided":["d"],"open":["o"],'
        '"next":["b","a","b"],"conflicts":[{"field":"title","value":"Other","ts":3}],'
        '"a_unknown":null,"z_unknown":{"b":1,"a":[null,2.5]}}'
    )


def test_the_canonical_line_of_a_tombstone() -> None:
    tombstone = Tombstone(
        {"x": 1, "reason": "wrong", "by": "Ada", "ts": 4, "deleted": True, "key": "k"}
    )
    assert encode_record(tombstone) == (
        b'{"key":"k","deleted":true,"ts":4,"by":"Ada","reason":"wrong","x":1}'
    )
    moved = Tombstone({"ts": 4, "moved": "workstation", "key": "k"})
    assert encode_record(moved) == b'{"key":"k","moved":"workstation","ts":4}'


def test_what_holds_its_default_is_absent() -> None:
    assert normalise({**PLAIN, **DEFAULTS}) == PLAIN


@given(fields_of_entries())
def test_the_canonical_line_says_the_same_and_is_its_own_canonical_line(
    fields: dict[str, Any],
) -> None:
    line = encode_record(Entry(fields))
    record = parse_record(line)
    assert isinstance(record, Entry)
    assert encode_record(record) == line
    assert record.fields == normalise(fields)
    assert normalise(record.fields) == record.fields
    names = list(json.loads(line))
    assert names == [n for n in FIELDS if n in names] + sorted(n for n in names if n not in FIELDS)


@given(fields_of_entries())
def test_every_field_is_kept_known_or_not(fields: dict[str, Any]) -> None:
    kept = json.loads(encode_record(Entry(fields)))
    for name, value in fields.items():
        if name in SET_FIELDS:
            words = {word.lower() if name in LOWER_CASE_FIELDS else word for word in value}
            assert set(kept.get(name, ())) == words
        elif name in ("links", "conflicts"):
            assert {json.dumps(x, sort_keys=True) for x in kept.get(name, ())} == {
                json.dumps(x, sort_keys=True) for x in value
            }
        else:
            assert kept.get(name, DEFAULTS.get(name)) == value


@given(records().flatmap(lambda record: st.tuples(st.just(record), spellings(record))))
def test_all_spellings_of_a_record_have_one_canonical_line(spelled: tuple[Any, bytes]) -> None:
    record, line = spelled
    assert encode_record(parse_record(line)) == encode_record(record)


@given(tombstones())
def test_a_tombstone_is_read_back_as_one(tombstone: Tombstone) -> None:
    again = parse_record(encode_record(tombstone))
    assert isinstance(again, Tombstone)
    assert again == tombstone
    assert (again.key, again.ts) == (tombstone.key, tombstone.ts)


@given(st.lists(st.text(max_size=4), max_size=4))
def test_lower_case_is_lower_case_for_good(tags: list[str]) -> None:
    tags = [tag for tag in tags if tag]
    once = normalise({"tags": tags})
    assert normalise(once) == once


# --- what it answers -------------------------------------------------------------------------


def test_what_is_absent_has_its_default() -> None:
    entry = Entry(PLAIN)
    assert (entry.title, entry.status, entry.importance, entry.category) == ("", "active", 3, "")
    assert not any([entry.tags, entry.files, entry.stack, entry.aliases, entry.links])
    assert (entry.ts, entry.created) == (5, 5)
    assert Entry({"key": "k", "type": "fact", "title": "t"}).ts == 0
    assert entry.is_active
    assert not Entry({**PLAIN, "status": "superseded"}).is_active


@pytest.mark.parametrize(
    ("type_", "content", "is_one"),
    [
        ("learned", "MUST-CHECK: look", True),
        ("pitfall", "MUST-CHECK: look", True),
        ("fact", "MUST-CHECK: look", False),
        ("learned", " MUST-CHECK: look", False),
        ("learned", "must-check: look", False),
        ("learned", "See MUST-CHECK: look", False),
    ],
)
def test_a_must_check_begins_so_and_is_learned_or_a_pitfall(
    type_: str, content: str, is_one: bool
) -> None:
    assert Entry({**PLAIN, "type": type_, "content": content}).is_must_check is is_one


@pytest.mark.parametrize(
    ("content", "title"),
    [
        ("One line.", "One line."),
        ("\n\n  First.  \nSecond.", "First."),
        ("MUST-CHECK: look here", "look here"),
        ("", ""),
        (" \n ", ""),
        ("word " * 30, "word " * 14 + "word…"),
        ("x" * 200, "x" * 79 + "…"),
        ("a\u2028b", "a"),
    ],
)
def test_a_title_is_derived_from_the_first_line(content: str, title: str) -> None:
    assert derived_title(content) == title
    assert Entry({**PLAIN, "content": content}).display_title == title


@given(nasty_texts(max_size=200))
def test_a_derived_title_is_one_short_line(content: str) -> None:
    title = derived_title(content)
    assert len(title) <= 80
    assert len(title.splitlines()) <= 1


def test_a_given_title_is_shown_as_it_is() -> None:
    assert Entry({**PLAIN, "title": "T" * 200}).display_title == "T" * 200


# --- what is wrong with it -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({}, "no 'key'"),
        ({"key": None}, "no 'key'"),
        ({"key": 1}, "'key' is not text"),
        ({"key": "a b"}, "has not the form of a key"),
        ({"type": None}, "no 'type'"),
        ({"type": "rumour"}, "unknown type 'rumour'"),
        ({"type": "Decision"}, "unknown type 'Decision'"),
        ({"type": ["fact"]}, "unknown type"),
        ({"content": ""}, "'content' is not a text, or is empty"),
        ({"content": 1}, "'content' is not a text"),
        ({"title": "two\nlines"}, "'title' has more than one line"),
        ({"title": "two\u2028lines"}, "'title' has more than one line"),
        ({"title": ""}, "'title' is not a text, or is empty"),
        ({"status": "done"}, "unknown status 'done'"),
        ({"importance": 0}, "'importance' is not a whole number from 1 to 5"),
        ({"importance": 6}, "'importance' is not a whole number from 1 to 5"),
        ({"importance": 3.0}, "'importance' is not a whole number from 1 to 5"),
        ({"importance": True}, "'importance' is not a whole number from 1 to 5"),
        ({"tags": "auth"}, "'tags' is not a list of texts"),
        ({"tags": [1]}, "'tags' is not a list of texts"),
        ({"tags": [""]}, "'tags' is not a list of texts"),
        ({"tags": None}, "'tags' is not a list of texts"),
        ({"ts": -1}, "'ts' is not a time"),
        ({"ts": 1.5}, "'ts' is not a time"),
        ({"ts": True}, "'ts' is not a time"),
        ({"ts": "5"}, "'ts' is not a time"),
        ({"links": [{"rel": "likes", "to": "a"}]}, "a link needs 'rel'"),
        ({"links": [{"rel": "part_of", "to": "a b"}]}, "a link needs 'to'"),
        ({"links": {"rel": "part_of"}}, "'links' is not a list"),
        ({"scope": "team"}, "unknown scope 'team'"),
        ({"issue": 7}, "'issue' is not a text"),
        ({"classified_by": "robot"}, "neither agent nor human"),
        ({"conflicts": [{"value": 1}]}, "a conflict needs 'field'"),
        ({"deleted": False}, "'deleted' is not true"),
        ({"deleted": True, "ts": None}, "'ts' is not a time"),
        ({"moved": ""}, "'moved' is empty"),
    ],
)  # fmt: skip
def test_each_fault_is_named(fields: dict[str, Any], fault: str) -> None:
    whole = {**PLAIN, **fields} if fields else {}
    assert any(fault in found for found in check_fields(whole)), check_fields(whole)
    with pytest.raises(BadLineError) as refused:
        parse_record(json.dumps(whole).encode())
    assert refused.value.hint


def test_a_tombstone_needs_a_time_and_no_content() -> None:
    assert check_fields({"key": "k", "deleted": True}) == ["no 'ts'"]
    assert check_fields({"key": "k", "deleted": True, "ts": 1}) == []
    assert is_tombstone({"moved": "workstation"})
    assert not is_tombstone({"deleted": "yes"})


@given(fields_of_entries())
def test_what_is_valid_has_no_fault(fields: dict[str, Any]) -> None:
    assert check_fields(fields) == []


@given(bad_lines())
def test_a_bad_line_is_refused_as_bad_and_not_otherwise(line: bytes) -> None:
    with pytest.raises(BadLineError):
        parse_record(line)


@given(
    st.dictionaries(
        st.sampled_from([*FIELDS, "deleted", "moved", "x"]),
        st.none()
        | st.booleans()
        | st.integers(-1, 6)
        | st.text(max_size=3)
        | st.lists(st.text(max_size=2) | st.none(), max_size=2),
    )
)
def test_any_fields_are_judged_without_failing(fields: dict[str, Any]) -> None:
    if check_fields(fields) == []:
        record = Tombstone(fields) if is_tombstone(fields) else Entry(fields)
        assert parse_record(encode_record(record)).key == fields["key"]
