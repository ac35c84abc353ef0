"""Lines of the log of what was used, and what of a query may stand in one."""

from __future__ import annotations

import pytest

from gitkb.core.search.ranking import LARGEST_USAGE
from gitkb.core.usage import MOST_KEYS, Openings, Use, format_use, parse_uses, words_to_keep

from secret_samples import KINDS, Maker

DAY = 86_400


def opened(key: str, day: int) -> Use:
    return Use(day * DAY, "show", (key,))


def test_a_line_says_what_it_was_made_of() -> None:
    use = Use(7, "recall", ("k", "org:größe"), ("größe", "db"), True, "sub/.gitkb")
    assert parse_uses(format_use(use)) == [use]


def test_a_line_that_was_cut_short_spoils_no_other() -> None:
    one, two = (Use(moment, "recall", ("k",), ("money",)) for moment in (1, 2))
    data = format_use(one)
    for length in range(len(data)):
        assert parse_uses(data[:length] + format_use(two)) == [two]


@pytest.mark.parametrize(
    "line",
    [b"7", b"[]", b"{}", b'{"t":true,"v":"show"}', b'{"t":1,"v":"show","k":"k"}', b'{"t":1,"v":1}',
     b'{"t":1,"v":"show","k":[1]}', b"\xff", b"[" * 100_000],
)  # fmt: skip
def test_what_is_no_line_says_nothing(line: bytes) -> None:
    assert parse_uses(b"\n" + line + format_use(Use(1, "show"))) == [Use(1, "show")]


def test_a_line_is_short_however_much_was_shown() -> None:
    use = Use(1, "recall", tuple(f"{n}" * 100 for n in range(9)) * 40, ("w" * 30,) * 12)
    assert len(format_use(use)) < 9_000
    assert len(parse_uses(format_use(use))[0].keys) <= MOST_KEYS


@pytest.mark.parametrize(
    ("query", "kept"),
    [
        ("How do we store money?", ("store", "money")),
        ("parseJSONFile in src/http", ("parsejsonfile", "parse", "json", "file", "src", "http")),
        ("oauth2 utf8", ("oauth2", "utf8")),
        ("где деньги", ("деньги",)),
        ("rotate the api key", ("rotate", "api", "key")),
        ("the key hunter22 of s3", ("key",)),
        ("password: correct horse", ()),
        ("secret=ada", ()),
        ("w" * 31, ()),
        ("", ()),
    ],
)
def test_words_are_kept_that_are_no_secret(query: str, kept: tuple[str, ...]) -> None:
    assert words_to_keep(query) == kept


@pytest.mark.parametrize("kind", KINDS)
def test_no_part_of_a_secret_is_kept(kind: str) -> None:
    for seed in range(20):
        secret = Maker(seed).make(kind)
        kept = words_to_keep(f"where is {secret} used")
        assert kept == () or not any(len(word) > 12 and not word.isalpha() for word in kept), secret


def test_openings_of_one_day_are_one_opening() -> None:
    once, often = Openings(), Openings()
    once.add([opened("k", 3)])
    often.add([opened("k", 3)] * 500)
    assert once.factors() == often.factors()


def test_what_was_opened_long_ago_counts_less_and_only_what_is_opened_later_makes_it_so() -> None:
    openings = Openings()
    openings.add([opened("old", 0), opened("new", 400)])
    factors = openings.factors()
    assert 1 < factors["old"] < factors["new"] < LARGEST_USAGE
    alone = Openings()
    alone.add([opened("old", 0)])
    assert alone.factors()["old"] == factors["new"]


def test_being_shown_counts_nothing() -> None:
    openings = Openings()
    openings.add([Use(DAY, "recall", ("k",)), Use(DAY, "context", ("k",))])
    assert openings.factors() == {}


def test_a_clock_that_went_back_neither_raises_nor_lets_openings_count_twice() -> None:
    openings = Openings()
    openings.add([opened("k", 9), opened("k", 2), opened("k", 1)])
    assert openings.amounts == {"k": (1.0, 9)}
