"""Words and their stems, language by language."""

from __future__ import annotations

import subprocess
import sys

import pytest
import Stemmer  # type: ignore[import-not-found]  # a C extension without stubs

from gitkb.core.search.words import ANALYSER_VERSION, STOP_WORDS, Analyser


@pytest.mark.parametrize(
    "forms",
    [
        "authenticate authenticated authenticating",
        "résumé resume résumés",
        "кэш кэша кэшем кэшу",
        "ёлка елка ёлки",
        "миграция миграции миграцией миграций",
        "кеш кешу кешем кеші",
        "база бази базу базою базами",
        "налаштування налаштуванням налаштуваннями",
        "об'єкт обʼєкта об’єктами",
        "αρχείο αρχεία αρχειο",
        "किताब किताबों",
        "كتاب الكتاب",
    ],
)
def test_forms_of_a_word_have_one_stem(forms: str) -> None:
    stems = Analyser().stems(forms).split()
    assert len(set(stems)) == 1, stems


def test_words_that_differ_keep_different_stems() -> None:
    words = Analyser().split("дом дым код кот база бар мережа межа auth author cache case")
    assert len({Analyser().stem(word) for word in words}) == len(words)


def test_a_store_may_name_its_languages() -> None:
    assert Analyser(("de",)).stem("häuser") == Analyser(("de",)).stem("haus") == "haus"
    assert Analyser(("German",)).stem("häuser") == "haus"
    assert Analyser().stem("häuser") != "haus"
    both = Analyser(("de-AT", "en"))
    assert both.stem("häuser") == "haus"
    assert both.stem("running") == "run"


@pytest.mark.parametrize("languages", [(), ("ru", "uk"), ("tlh",), ("en",), ("no such",)])
def test_languages_without_an_algorithm_for_latin_letters_change_nothing(
    languages: tuple[str, ...],
) -> None:
    text = "running häuser кэша"
    assert Analyser(languages).stems(text) == Analyser().stems(text)


def test_the_stems_of_a_text_are_those_of_its_words() -> None:
    analyser, text = Analyser(), "How HTTPServer handles 缓存 и кэши"
    assert analyser.stems(text).split(" ") == [analyser.stem(w) for w in analyser.split(text)]
    assert analyser.stems("--") == ""


def test_stop_words_are_words_as_texts_give_them() -> None:
    analyser = Analyser()
    assert all(analyser.split(word) == [word] for word in STOP_WORDS)


def test_the_version_tells_which_stemmer_it_is() -> None:
    assert Stemmer.version() in ANALYSER_VERSION


def test_a_query_in_ascii_loads_no_tables_of_unicode() -> None:
    code = (
        "import sys; from gitkb.core.search.words import Analyser; Analyser().stems('how to cache');"
        " print('unicodedata' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "False\n"
