"""What a person types, as an expression."""

from __future__ import annotations

import pytest

from gitkb.index.query import WORD_LIMIT, match_expression, split_words


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("Token refresh", ["token", "refresh"]),
        ("foo-bar foo_bar", ["foo", "bar"]),
        ("c++ c# it's", ["c", "it", "s"]),
        ("src/auth/login.py", ["src", "auth", "login", "py"]),
        ("größe 中文 हिन्दी", ["größe", "中文", "ह", "न", "द"]),
        ("re\u0301sume\u0301", ["re\u0301sume\u0301"]),
        ("", []),
        (" \t\n", []),
        ("?! -- ** \"' 🚀 \0 \udcff", []),
    ],
)
def test_words_are_letters_and_digits(query: str, words: list[str]) -> None:
    assert split_words(query) == words


def test_any_word_will_do_and_long_ones_find_what_begins_with_them() -> None:
    assert match_expression("api auth") == '"api" OR "auth" OR "auth"*'


def test_words_written_together_count_once_more_together() -> None:
    assert match_expression("mx-57") == '"mx" OR "57" OR "mx 57"'


def test_operators_are_words_like_others() -> None:
    assert match_expression('a AND NOT NEAR("b")') == (
        '"a" OR "and" OR "not" OR "near" OR "near"* OR "b" OR "near b"'
    )


def test_a_query_without_a_word_has_no_expression() -> None:
    assert match_expression("-- 🚀") == ""


def test_a_pasted_text_is_cut() -> None:
    assert len(split_words(" ".join(f"w{n}" for n in range(10_000)))) == WORD_LIMIT
    assert match_expression("x-" * 10_000).count("OR") < 5 * WORD_LIMIT
