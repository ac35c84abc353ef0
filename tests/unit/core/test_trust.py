"""Who is on a trust list, and who only seems to be."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitkb.core.trust import EVERYBODY, TrustList, parse_author, read_trust
from gitkb.errors import DataError, UsageError


def test_nobody_listed_limits_nothing() -> None:
    assert not EVERYBODY.is_set
    assert TrustList(("a",)).is_set
    assert TrustList(signed=True).is_set


@pytest.mark.parametrize(
    ("author", "name", "mail", "is_meant"),
    [
        ("Ann", "Ann", "x@y", True),
        ("Ann", "ann", "x@y", False),
        ("Ann", "Ann B", "x@y", False),
        ("a@b.c", "Ann", "A@B.C", True),
        ("a@b.c", "a@b.c", "x@y", False),
        ("<a@b.c>", "Ann", "a@b.c", True),
        ("Ann <a@b.c>", "Ann", "a@b.c", True),
        ("Ann <a@b.c>", "Bob", "a@b.c", False),
        ("Ann <a@b.c>", "Ann", "x@y", False),
        ("Ann <a@b.c>", "Ann <a@b.c>", "x@y", False),
        ("", "", "", False),
        ("<>", "", "", False),
        ("Аnn", "Ann", "x@y", False),  # a Cyrillic letter
    ],
)
def test_a_word_of_the_list_means(author: str, name: str, mail: str, is_meant: bool) -> None:
    assert TrustList((author,)).names(name, mail) is is_meant


@given(st.text(), st.text(), st.text())
def test_an_empty_list_names_nobody(name: str, mail: str, other: str) -> None:
    assert not EVERYBODY.names(name, mail)
    if "@" not in other and "<" not in other and " ".join(other.split()) != " ".join(name.split()):
        assert not TrustList((other,)).names(name, mail)


@pytest.mark.parametrize("text", ["", " ", "<>", "a\x1b", "a\u200bb"])
def test_an_author_has_to_be_seen(text: str) -> None:
    with pytest.raises(UsageError):
        parse_author(text)


def test_an_author_is_kept_with_single_blanks() -> None:
    assert parse_author("  Ann   B <a@b> ") == "Ann B <a@b>"


@pytest.mark.parametrize(
    "table", ["x", [1], {"authors": "x"}, {"authors": [1]}, {"signed": 1}, {"signed": "yes"}]
)
def test_a_list_that_is_none_is_never_everybody(table: object) -> None:
    with pytest.raises(DataError):
        read_trust({"trust": table}, "config.toml")


def test_settings_without_a_list_say_everybody() -> None:
    assert read_trust({}, "c") == EVERYBODY
    assert read_trust({"trust": {"authors": ["a"], "signed": True}}, "c") == TrustList(("a",), True)
