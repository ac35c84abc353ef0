"""What counts as one word."""

from __future__ import annotations

import sys
import unicodedata

import pytest

from gitkb.core.search.word_form import LONGEST, fold_accents, split_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Use Postgres 16, not MySQL.", "use postgres 16 not mysql my sql"),
        ("max_retries in src/http/client.py", "max retries in src http client py"),
        ("c++ it's foo-bar NOT", "c cplusplus it s foo bar not"),
        ("C#, F# (not C)", "c csharp f fsharp not c"),
        ("使用C++ é C#", "使用 c cplusplus é c csharp"),
        ("# a heading, abc#1 a#b #2 x+++ éc#", "a heading abc 1 a b 2 x éc"),
        ("parseJSONFile HTTPServer userIDs OAuth2", None),
        ("", ""),
        (" \x00\n\t-- 🎉 ❤️ \u0301", ""),
        ("naïve ﬁles of 2² ＡＢＣ", "naïve files of 22 abc"),
        ("zero\N{ZERO WIDTH SPACE}width soft\N{SOFT HYPHEN}hyphen", "zerowidth softhyphen"),
        ("Ёлка и ЙОД", "ёлка и йод"),
        ("п'ять об’єктів комп\N{MODIFIER LETTER APOSTROPHE}ютер", "пять обєктів компютер"),
        ("l’école d'été", "l école d été"),
        ("खोज करने वालों की", "खोज करने वालों की"),
        ("می\N{ZERO WIDTH NON-JOINER}خواهم", "میخواهم"),
        ("İSTANBUL IŞIK", "istanbul işik"),
    ],
)
def test_words_are_runs_of_letters_digits_and_marks(text: str, words: str | None) -> None:
    if words is None:
        words = "parsejsonfile parse json file httpserver http server userids user ids oauth2 auth"
    assert split_words(text) == words.split()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("使用Redis缓存", ["使用", "redis", "缓存"]),
        (
            "日本語のテキスト、です",
            ["日本", "本語", "語の", "のテ", "テキ", "キス", "スト", "です"],
        ),
        ("库 and 库", ["库", "and", "库"]),
        ("한국어 문서", ["한국", "국어", "문서"]),
        ("ภาษา", ["ภา", "าษ", "ษา"]),
    ],
)
def test_scripts_that_part_no_words_give_pairs_of_characters(text: str, words: list[str]) -> None:
    assert split_words(text) == words


def test_the_parts_of_a_long_run_are_not_words() -> None:
    run = "aB" * LONGEST
    assert split_words(run) == [run.lower()[:LONGEST]]
    assert split_words(f"é{run}") == [f"é{run}".lower()[:LONGEST]]


def test_no_mark_of_any_script_is_lost() -> None:
    for number in range(0x300, sys.maxunicode + 1):
        mark = chr(number)
        if unicodedata.category(mark) in {"Mn", "Mc"} and unicodedata.is_normalized("NFKC", mark):
            text = f"q{mark}q"
            # Some are of scripts that part no words: there the three are three words.
            drawn = "" if 0xFE00 <= number < 0xFE10 else mark  # variation selectors
            assert "".join(split_words(text)) == f"q{drawn}q", hex(number)


def test_nothing_but_letters_digits_and_marks_joins_words() -> None:
    joining = set()
    for number in range(0x20, sys.maxunicode + 1):
        between = chr(number)
        if unicodedata.category(between)[0] in "PSZC" and unicodedata.is_normalized(
            "NFKC", between
        ):
            if len(split_words(f"жж{between}жж")) == 1:
                joining.add(unicodedata.category(between))
    assert joining <= {"Cf", "Cn"}  # joiners that are folded away, and what is not assigned


@pytest.mark.parametrize(
    ("word", "plain"),
    [("résumé", "resume"), ("straße", "strasse"), ("ångström", "angstrom"), ("αθήνα", "αθηνα")],
)
def test_accents_are_folded_where_people_leave_them_out(word: str, plain: str) -> None:
    assert fold_accents(word) == plain
