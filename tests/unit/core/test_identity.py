"""Keys, titles and the places of lines are the same on every machine."""

from __future__ import annotations

import re
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitkb.core.entry import TYPES
from gitkb.core.identity import (
    KEY_PREFIXES,
    SHARD_COUNTS,
    fits_layout,
    is_key,
    is_shard_name,
    mint_key,
    normal_title,
    order_of,
    shard_of,
)

from strategies import keys, titles


@pytest.mark.parametrize(
    "key", ["a", "0", "A.b_c-d", "mx-5771cb", "L-007", "x" * 128, "a.jsonl", "a--b.."]
)
def test_these_are_keys(key: str) -> None:
    assert is_key(key)


@pytest.mark.parametrize(
    "key",
    [
        "",
        "-a",
        ".a",
        "_a",
        "a b",
        "a/b",
        "a:b",
        "a\n",
        "a\0",
        "größe",
        "x" * 129,
        " a",
        "a ",
        "٣",
        "Å",
    ],
)
def test_these_are_none(key: str) -> None:
    assert not is_key(key)


def test_keys_are_compared_exactly() -> None:
    assert order_of("Auth") != order_of("auth")
    assert order_of("a") == sha256(b"a").digest()


@given(keys())
def test_the_files_of_every_layout_are_the_same_order_cut_elsewhere(key: str) -> None:
    stems = [shard_of(key, count).removesuffix(".jsonl") for count in SHARD_COUNTS]
    assert stems[0] == "all"
    assert [len(stem) for stem in stems[1:]] == [1, 2, 3]
    assert all(sha256(key.encode()).hexdigest().startswith(stem) for stem in stems[1:])
    for count in SHARD_COUNTS:
        assert is_shard_name(shard_of(key, count))
        for other in SHARD_COUNTS:
            name = f"knowledge/{shard_of(key, count)}"
            assert fits_layout(name, other) == (count == other)


@pytest.mark.parametrize(
    "name",
    ["3F.jsonl", "3f.jsonl.bak", ".3f.jsonl.tmp", "3f.json", "base.jsonl", "0000.jsonl", "g.jsonl", ".jsonl", "ALL.jsonl", "all.jsonl\n"],
)  # fmt: skip
def test_other_names_are_no_data(name: str) -> None:
    assert not is_shard_name(name)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Use one queue", "use  ONE\tqueue."),
        ("Use one queue", "  Use one queue!?… "),
        ("Straße", "STRASSE"),
        ("ﬁle", "file"),
        ("Cafe\u0301", "Café"),
        ("ＡＢＣ", "abc"),
        ("Use\u00a0one queue", "Use one queue"),
        ("Why?", "why"),
        ("用整数存钱。", "用整数存钱"),
        ("用整数存钱！", "用整数存钱"),
        ("پول عدد صحیح است؟", "پول عدد صحیح است"),
        ("पैसा पूर्णांक है।", "पैसा पूर्णांक है"),
        ("Use\u200b one qu\u00adeue\ufeff", "Use one queue"),
        ("\u200eUse one queue.\u200f", "Use one queue"),
        ("⚠\ufe0f Careful", "⚠ Careful"),
    ],
)
def test_titles_that_differ_in_nothing_that_matters_are_one(one: str, other: str) -> None:
    assert normal_title(one) == normal_title(other)
    assert mint_key("decision", one) == mint_key("decision", other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("C", "C#"),
        ("C", "C++"),
        (".NET", "NET"),
        ("Use A", "Use B"),
        ("a-b", "a b"),
        ("!!!", "???"),
        ("\u200b", "\ufeff"),
    ],
)
def test_titles_that_differ_are_two(one: str, other: str) -> None:
    assert normal_title(one) != normal_title(other)


@given(titles())
def test_folding_a_title_twice_is_folding_it_once(title: str) -> None:
    assert normal_title(normal_title(title)) == normal_title(title)


@given(st.sampled_from(TYPES), titles(), st.integers(0, 3))
def test_a_minted_key_is_a_key_and_always_the_same(type_: str, title: str, salt: int) -> None:
    key = mint_key(type_, title, salt)
    assert re.fullmatch(f"{KEY_PREFIXES[type_]}_[0-9a-hjkmnp-tv-z]{{8}}", key)
    assert is_key(key)
    assert key == mint_key(type_, title, salt)
    assert key != mint_key(type_, title, salt + 1)


def test_a_minted_key_never_changes() -> None:
    # Written down: teams hold these in their repositories.
    assert mint_key("decision", "Use one queue") == "dec_nazwd3ce"
    assert mint_key("decision", "Use one queue", 1) == "dec_r6eyt0p0"


def test_every_type_has_its_own_prefix() -> None:
    assert len(set(KEY_PREFIXES.values())) == len(TYPES)
    assert all(re.fullmatch("[a-z]{3}", prefix) for prefix in KEY_PREFIXES.values())
