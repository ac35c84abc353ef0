"""Laws of the analyser, on which every search stands."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from gitkb.core.search.words import Analyser

_SCRIPTS = "aZé ßİıſǅ ёЙґї αΏς ١ﷺ کی क्षि ா հև 库グ한ไา Ⅷ½ªʼ'’_-.+#C\0\u200d\ufe0f\u0301\U0001f389"
TEXTS = st.one_of(st.text(), st.text(_SCRIPTS))
ANALYSERS = st.sampled_from([Analyser(), Analyser(("de",)), Analyser(("tr", "pl", "fi"))])


@given(ANALYSERS, TEXTS)
def test_a_stem_is_one_token_of_fts5(analyser: Analyser, text: str) -> None:
    for word in analyser.split(text):
        for token in (word, analyser.stem(word)):
            assert token
            assert not token.isspace()
            for character in token:
                if character.isascii():
                    assert character.isalnum()
                    assert character == character.lower()
                else:
                    assert unicodedata.category(character)[0] in "LMN"


@given(ANALYSERS, TEXTS)
def test_stems_are_cut_apart_where_they_were_joined(analyser: Analyser, text: str) -> None:
    words = analyser.split(text)
    assert analyser.stems(text).split(" ") == ([analyser.stem(word) for word in words] or [""])


@given(TEXTS)
def test_a_word_is_a_word_by_itself(text: str) -> None:
    analyser = Analyser()
    for word in analyser.split(text):
        assert analyser.split(word) == [word]


@given(TEXTS, TEXTS)
def test_what_stands_apart_is_split_apart(left: str, right: str) -> None:
    analyser = Analyser()
    assert analyser.split(f"{left} | {right}") == analyser.split(left) + analyser.split(right)


@given(TEXTS)
def test_unicode_form_and_remembering_make_no_difference(text: str) -> None:
    analyser = Analyser()
    once = analyser.stems(text)
    assert analyser.stems(text) == once
    assert Analyser().stems(unicodedata.normalize("NFD", text)) == once
