"""What holds of every text on every screen."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st
from wcwidth import wcwidth

from gitkb.cli.terminal.line import Span, line
from gitkb.cli.terminal.paint import ROLES, paint
from gitkb.cli.terminal.screen import Screen
from gitkb.cli.terminal.width import NARROWEST, cells, fit, fold, hang_of
from gitkb.core.search.snippet import cut_snippet, find_matches
from gitkb.core.search.word_form import split_words
from gitkb.core.unsafe import shown

from strategies import nasty_texts

_texts = st.one_of(
    nasty_texts(),
    st.text(st.sampled_from("ab 日本（。）가е́ · \t-👩\u200d💻✔\ufe0f"), max_size=80),
)
_widths = st.integers(NARROWEST, 60)
_spans = st.lists(
    st.builds(Span, _texts.map(lambda t: t.replace("\n", " ")), st.sampled_from([*ROLES]))
)
_COLOUR = re.compile(r"\x1b\[[0-9;]+m")


@given(st.characters(codec="utf-8"))
def test_no_sign_is_taken_for_narrower_than_a_terminal_shows_it(sign: str) -> None:
    if shown(sign) == sign and sign not in "\n\t":
        assert cells(sign) >= max(wcwidth(sign), 0)


@given(_texts.map(lambda text: " ".join(text.split())), _widths)
def test_rows_fit_and_lose_nothing_but_blanks(text: str, width: int) -> None:
    hang = min(hang_of(text), width // 4)
    rows = [text[start:end] for start, end in fold(text, width, hang)]
    assert "".join(rows).replace(" ", "") == text.replace(" ", "")
    for number, row in enumerate(rows):
        assert cells(row) <= width - (hang if number else 0)


@given(_texts.map(lambda text: " ".join(text.split())), st.integers(1, 60))
def test_a_cut_text_fits(text: str, room: int) -> None:
    assert cells(fit(text, room)) <= max(room, 3)


@given(_spans, _widths)
def test_colour_is_all_that_colour_adds(spans: list[Span], width: int) -> None:
    drawn = [paint([line(*spans)], Screen(width, 24, colour)) for colour in (False, True)]
    assert "\x1b" not in drawn[0]
    assert _COLOUR.sub("", drawn[1]) == drawn[0]


@given(_spans, _widths)
def test_what_follows_a_break_is_set_in(spans: list[Span], width: int) -> None:
    _, *further = paint([line(*spans)], Screen(width, 24, False)).split("\n")
    assert all(row.startswith(" ") for row in further)


@given(_spans)
def test_in_a_pipe_a_line_is_its_text(spans: list[Span]) -> None:
    made = line(*spans)
    assert paint([made], Screen(None, 24, False)) == shown(made)


@given(_texts.map(lambda text: " ".join(text.split())), st.integers(10, 60), st.data())
def test_a_snippet_is_a_piece_of_the_text_and_marks_words_of_it(
    text: str, length: int, data: st.DataObject
) -> None:
    held = split_words(text)
    words = set(data.draw(st.lists(st.sampled_from(held), max_size=3))) if held else set()
    snippet = cut_snippet(text, words, length)
    assert len(snippet.text) <= length
    assert snippet.text.strip("…") in text
    for match in snippet.matches:
        assert 0 <= match.start < match.end <= len(snippet.text)
    starts = [match.start for match in find_matches(text, words)]
    assert starts == sorted(set(starts))
