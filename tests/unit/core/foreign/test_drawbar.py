"""A record of drawbar-kb becomes an entry: put right where it is certain, refused where not."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitkb.core.entry import Entry, check_fields, encode_record
from gitkb.core.foreign.drawbar import parse_drawbar, valid_key
from gitkb.core.identity import is_key
from gitkb.core.jsonl import BadLineError

from strategies import json_values, nasty_texts

PLAIN: dict[str, Any] = {"key": "k", "type": "fact", "content": "c", "ts": 5}


def parse(**fields: Any) -> tuple[Entry, str]:
    entry, repairs = parse_drawbar({**PLAIN, **fields})
    return entry, "; ".join(repairs)


def test_a_whole_record_is_taken_as_it_is() -> None:
    whole = {
        **PLAIN, "source": "user", "tags": ["b", "a"], "issue": "PCO-1", "files": ["x.py"], "x": [1],
    }  # fmt: skip
    entry, repairs = parse(**whole)
    assert entry.fields == {**whole, "tags": ["a", "b"]}
    assert repairs == ""


def test_defaults_and_nulls_are_nothing_to_report() -> None:
    entry, repairs = parse(source=None, issue=None, tags=[], files=[], title=None, x=None)
    assert entry.fields == {**PLAIN, "x": None}
    assert repairs == ""


@pytest.mark.parametrize(
    ("name", "value", "becomes"),
    [
        ("type", "Fact", "fact"),
        ("type", " DECISION ", "decision"),
        ("tags", "auth", ["auth"]),
        ("tags", "auth, cache,", ["auth", "cache"]),
        ("tags", '["auth","db"]', ["auth", "db"]),
        ("tags", [2024, None, "", "x"], ["2024", "x"]),
        ("tags", None, None),
        ("files", "a, b.py", ["a, b.py"]),
        ("ts", 5.0, 5),
        ("ts", 5.9, 5),
        ("ts", "5", 5),
        ("ts", 1_770_912_450_123, 1_770_912_450),
        ("ts", 1_770_912_450_123_456, 1_770_912_450),
        ("ts", "2026-02-12T16:07:30Z", 1_770_912_450),
        ("ts", "2026-02-12T18:07:30.5+02:00", 1_770_912_450),
        ("issue", 42, "42"),
        ("deleted", False, None),
    ],
)
def test_a_field_in_another_form_is_put_right_and_said(name: str, value: Any, becomes: Any) -> None:
    entry, repairs = parse(**{name: value})
    assert entry.fields.get(name) == becomes
    assert repairs


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"key": None}, "no 'key'"),
        ({"key": ""}, "no 'key'"),
        ({"key": True}, "'key' is not text"),
        ({"type": None}, "no 'type'"),
        ({"type": "rumour"}, "unknown type 'rumour'"),
        ({"content": " \n"}, "'content' is empty"),
        ({"content": None}, "'content' is not text"),
        ({"content": ["a"]}, "'content' is not text"),
        ({"tags": {"a": 1}}, "'tags' is not a list"),
        ({"tags": [["a"]]}, "'tags' is not a list"),
        ({"tags": "[a]"}, "'tags' is not a list"),
        ({"ts": "2026-02-12T16:07:30"}, "'ts' is not a time that is certain"),
        ({"ts": "yesterday"}, "'ts' is not a time that is certain"),
        ({"ts": -1}, "'ts' is not a time that is certain"),
        ({"ts": True}, "'ts' is not a time that is certain"),
        ({"ts": 10**30}, "'ts' is not a time that is certain"),
        ({"ts": -0.5}, "'ts' is not a time that is certain"),
        ({"ts": []}, "'ts' is not a time that is certain"),
        ({"issue": ["a"]}, "'issue' is not text"),
        ({"source": {}}, "'source' is not text"),
        ({"importance": "high"}, "'importance' is not"),
        ({"deleted": True}, "marks a deletion"),
    ],
)
def test_what_is_not_certain_is_refused(fields: dict[str, Any], reason: str) -> None:
    with pytest.raises(BadLineError) as refusal:
        parse(**fields)
    assert reason in refusal.value.reason


def test_a_record_without_content_is_refused_unless_it_has_a_title() -> None:
    with pytest.raises(BadLineError, match="no 'content'"):
        parse_drawbar({"key": "k", "type": "fact"})
    assert parse_drawbar({"key": "k", "type": "fact", "title": "t"})[0].title == "t"


def test_paths_are_written_with_slashes_from_the_top() -> None:
    files = ["src\\a.py", "./b.py", ".//c.py", "odd\\name/x", "./", "ci/", "/etc/x", "../y"]
    entry, repairs = parse(files=[*files, "https://example.org//x"])
    assert entry.files == sorted(
        [
            "src/a.py",
            "b.py",
            "c.py",
            "odd/name/x",
            ".",
            "ci",
            "/etc/x",
            "../y",
            "https://example.org//x",
        ]
    )
    assert repairs == ""


def test_other_keys_get_one_of_ours_and_keep_their_name_as_an_alias() -> None:
    entry, _ = parse(key="auth/token rotation", aliases=["L-001"])
    assert entry.key.startswith("auth-token-rotation-")
    assert entry.aliases == ["L-001", "auth/token rotation"]
    assert parse(key=42)[0].key == "42"


def test_a_key_that_differs_from_another_only_in_odd_characters_stays_another() -> None:
    odd = ["a b", "a/b", "a:b", " a-b", "a-b ", "größe", "grosse ", "🙂", "-a", "x" * 129, "a\tb"]
    keys = [valid_key(old) for old in odd]
    assert len(set(keys)) == len(odd)
    assert all(is_key(key) for key in keys)
    assert keys == [valid_key(old) for old in odd]
    assert valid_key("a-b") == "a-b"


@given(nasty_texts(min_size=1))
def test_every_text_has_a_key(old: str) -> None:
    assert is_key(valid_key(old))
    assert valid_key(valid_key(old)) == valid_key(old)


@given(
    st.dictionaries(
        st.sampled_from([*PLAIN, "tags", "files", "source", "issue", "title", "created", "x"]),
        json_values(),
    )
)
def test_whatever_it_is_given_it_answers_a_valid_entry_or_refuses(fields: dict[str, Any]) -> None:
    try:
        entry, _ = parse_drawbar({**PLAIN, **fields})
    except BadLineError:
        return
    assert check_fields(entry.fields) == []
    assert encode_record(entry)
