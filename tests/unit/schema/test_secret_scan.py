"""What counts as a secret, where it may hide, and how it is shown."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from gitkb.core.secrets.allowance import hash_of, with_leave
from gitkb.errors import DataError
from gitkb.schema.secret_scan import find_in_text, find_secrets, mask
from gitkb.schema.secret_settings import SecretSettings, parse_settings

from secret_samples import HARMLESS, KINDS, Maker

PLAIN = SecretSettings()
_SECRET = Maker(5).make("github")
_BLOCK = Maker(5).make("private key")
_SEEDS = 40


def _places(**fields: Any) -> set[str]:
    entry = {"key": "k", "type": "fact", "title": "T", **fields}
    return {finding.place for finding in find_secrets(entry, PLAIN)}


@pytest.mark.parametrize("kind", KINDS)
def test_a_secret_of_each_kind_is_found_in_a_sentence(kind: str) -> None:
    maker = Maker(17)
    found = sum(
        bool(find_in_text(f"We use {maker.make(kind)} there.", PLAIN, "content"))
        for _ in range(_SEEDS)
    )
    # A password that happens to be a word with a digit is one that nobody could tell from a word.
    assert found >= 0.8 * _SEEDS


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_looks_like_a_secret_passes(text: str) -> None:
    assert find_in_text(text, PLAIN, "content") == []


@pytest.mark.parametrize(
    "fields",
    [
        {"title": f"The key {_SECRET}"},
        {"content": _SECRET},
        {"tags": ["x", _SECRET.lower()[:4] + _SECRET[4:]]},
        {"files": [f"src/{_SECRET}.py"]},
        {"aliases": [_SECRET]},
        {"source": f"git:{_SECRET}"},
        {"project": _SECRET},
        {"issue": _SECRET},
        {"checkpoint": _SECRET},
        {"done": ["a", _SECRET]},
        {"decided": [_SECRET]},
        {"open": [_SECRET]},
        {"next": [_SECRET]},
        {"links": [{"rel": "part_of", "to": _SECRET}]},
        {"conflicts": [{"field": "content", "value": _SECRET}]},
        {"conflicts": [{"field": _SECRET, "value": 1}]},
        {"x_own": {"deep": [{"deeper": _SECRET}]}},
        {"x_own": {_SECRET: 1}},
        {_SECRET: 1},
        {"key": _SECRET},
        {"allowed_secrets": [{"hash": "0" * 16, "reason": _SECRET}]},
    ],
)
def test_it_is_found_wherever_it_stands(fields: dict[str, Any]) -> None:
    assert _places(**fields)


def test_it_is_found_in_a_tombstone() -> None:
    assert find_secrets({"key": "k", "deleted": True, "ts": 1, "reason": f"had {_SECRET}"}, PLAIN)
    assert find_secrets({"key": "k", "deleted": True, "ts": 1, "by": _SECRET}, PLAIN)


def test_the_name_of_a_field_says_that_its_text_is_a_password() -> None:
    assert _places(db_password="hunter42x!") == {"db_password"}
    assert _places(x_own={"db": {"password": "hunter42x!"}}) == {"x_own/db/password"}
    assert _places(topic_key="release/v1.9.0") == set()


def test_a_secret_that_is_hidden_is_found() -> None:
    half = len(_SECRET) // 2
    assert _places(content=f"{_SECRET[:half]}\n{_SECRET[half:]}")
    assert _places(content=f"{_SECRET[:half]}\\\n    {_SECRET[half:]}")
    assert _places(content=_SECRET.replace("_", "_\u200b"))
    assert _places(content="".join(chr(ord(letter) + 0xFEE0) for letter in _SECRET))
    assert _places(content=base64.b64encode(f"the token is {_SECRET}".encode()).decode())
    assert _places(done=_BLOCK.split("\n"))
    assert _places(content=json.dumps({"private_key": _BLOCK}))


def test_a_key_of_letters_alone_is_found() -> None:
    assert _places(content=f"its id is {'AKIA'}TCHBAQULGYATBOBV") == {"content"}


def test_a_name_of_a_session_in_a_field_for_names_is_none() -> None:
    name = Maker(2).text("ABCDEFGHIJKLMNOPabcdefghijk0123456789", 30)
    assert _places(content=name) == {"content"}
    assert _places(session_id=name) == set()


def test_a_message_names_the_place_and_never_shows_the_secret() -> None:
    [finding] = find_secrets({"key": "k", "type": "fact", "content": f"use {_SECRET}"}, PLAIN)
    assert finding.message == "GitHub Token in 'content': ghp_… (40 characters)"
    assert mask("hunter2") == "… (7 characters)"
    assert mask(_BLOCK).startswith("-----BEGIN…")
    for kind in KINDS:
        for one in find_in_text(Maker(3).make(kind), PLAIN, "content"):
            assert len(one.masked.partition("…")[0]) <= max(10, len(one.text) // 3)


def test_a_leave_lets_by_one_text_of_one_entry() -> None:
    entry = {"key": "k", "type": "fact", "content": _SECRET}
    allowed = with_leave(entry, [_SECRET], "a key of the test server")
    assert find_secrets(allowed, PLAIN) == []
    assert _SECRET not in json.dumps(allowed["allowed_secrets"])
    assert find_secrets({**allowed, "key": "l"}, PLAIN)
    assert find_secrets({**allowed, "content": Maker(6).make("github")}, PLAIN)
    assert hash_of("k", _SECRET) != hash_of("l", _SECRET)


# --- settings --------------------------------------------------------------------------------


def _settings(**secrets: Any) -> SecretSettings:
    return parse_settings({"secrets": secrets})


def test_texts_and_expressions_are_let_by() -> None:
    url = "postgres://app:Tr0ub4dor3@localhost/test"
    assert find_in_text(url, PLAIN, "content")
    assert find_in_text(f"in {url} we trust", _settings(allow=[url]), "content") == []
    assert find_in_text(url.replace("localhost", "db"), _settings(allow=[url]), "content")
    token = f"dop_v1_{Maker(1).text('0123456789abcdef', 64)}"
    assert find_in_text(token, _settings(allow=["/dop_v1_[0-9a-f]+/"]), "content") == []
    assert find_in_text(_SECRET, _settings(allow=["/dop_v1_[0-9a-f]+/"]), "content")


@pytest.mark.parametrize(
    ("secrets", "said"),
    [
        (["x"], "no table"),
        ({"allow": "x"}, "no list of texts"),
        ({"allow": [1]}, "no list of texts"),
        ({"allow": [" "]}, "no list of texts"),
        ({"personal": "yes"}, "neither true nor false"),
        ({"allow": ["/(/"]}, "is none"),
        ({"allow": ["/(a+)+/"]}, "could take for ever"),
        ({"allow": ["/(a|a)*b/"]}, "could take for ever"),
        ({"allow": ["/(?=a)b/"]}, "could take for ever"),
        ({"allow": [r"/(a)\1+x/"]}, "could take for ever"),
        ({"allow": ["/a*b*c*d*e/"]}, "repeats more than 3 times"),
        ({"allow": ["/.*/"]}, "matches everything"),
        ({"allow": [f"/{'a' * 400}/"]}, "is longer"),
    ],
)
def test_a_setting_that_is_none_is_an_error(secrets: Any, said: str) -> None:
    with pytest.raises(DataError, match=said):
        parse_settings({"secrets": secrets})


def test_personal_data_is_found_where_the_team_says_so() -> None:
    text = "Ask jo.doe@acme.io, it runs on 93.184.215.14 and 2a00:1450:4001:80b::200e."
    assert find_in_text(text, PLAIN, "content") == []
    found = find_in_text(text, _settings(personal=True), "content")
    assert {one.text for one in found} == {
        "jo.doe@acme.io",
        "93.184.215.14",
        "2a00:1450:4001:80b::200e",
    }
    harmless = (
        "ada@example.com, git@github.com:x/y, 10.0.0.1, 192.0.2.7, 127.0.0.1, ::1, 12:30:45, v1.2.3"
    )
    assert find_in_text(harmless, _settings(personal=True), "content") == []
