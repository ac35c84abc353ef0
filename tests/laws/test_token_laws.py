"""The laws of `core.packs.token_count`, held against the real tokenizer."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from real_tokens import count, real_count
from strategies import nasty_texts

_BLOCKS = [
    (0x20, 0x7F),
    (0xA0, 0x24F),
    (0x2B0, 0x36F),
    (0x370, 0x52F),
    (0x590, 0x6FF),
    (0x900, 0x97F),
    (0xE00, 0xE7F),
    (0x10A0, 0x10FF),
    (0x1100, 0x11FF),
    (0x1C80, 0x1CBF),
    (0x1E00, 0x1FFF),
    (0x2000, 0x20FF),
    (0x3000, 0x30FF),
    (0x4E00, 0x4FFF),
    (0xAC00, 0xADFF),
    (0x1F300, 0x1F6FF),
]
_LETTERS = st.one_of([st.characters(min_codepoint=a, max_codepoint=b) for a, b in _BLOCKS])
_GLUE = st.sampled_from([" ", "  ", "\n", "\r\n", "\t", "/", "\n/", "'s", "'LL", "'", "!", "1", ""])
_WORDS = st.lists(_LETTERS, max_size=6).map("".join)
# Words of one block and of several, with what cuts them between.
MIXED = st.lists(st.tuples(_WORDS, _GLUE), max_size=12).map(
    lambda pairs: "".join(word + glue for word, glue in pairs)
)
RUNS = st.lists(
    st.builds(lambda sign, times: sign * times, _LETTERS | _GLUE, st.integers(1, 300)), max_size=4
).map("".join)
TEXTS = st.one_of(
    MIXED,
    RUNS,
    nasty_texts(),
    st.text(max_size=80),
    st.text(st.sampled_from(" \t\r\n\u00a0\u3000/!'sat0"), max_size=40),
    st.binary(max_size=60).map(lambda data: data.decode("latin-1")),
    st.binary(max_size=60).map(lambda data: data.decode("utf-8", "replace")),
)


@given(TEXTS)
@example("!\n/\U000105c0\n/x  y")
@example("a \n \U000105c0 \n  b")
@example("\u0378")
def test_a_text_never_has_more_tokens_than_are_counted(text: str) -> None:
    assert count(text) >= real_count(text)


@given(MIXED | st.text(st.sampled_from("aéяї语👍\u0301 \t\n/'!1Zs"), max_size=60))
def test_a_text_of_known_characters_is_counted_exactly(text: str) -> None:
    # Unicode 14 knows all of these blocks but for their gaps.
    if all(character.isprintable() or character.isspace() for character in text):
        assert count(text) == real_count(text) or any(_is_unassigned(one) for one in text)


def _is_unassigned(character: str) -> bool:
    import unicodedata

    return (
        unicodedata.category(character) == "Cn" or unicodedata.ucd_3_2_0.category(character) == "Cn"
    )


@given(TEXTS.map(lambda text: "- " + text + "\n"), TEXTS.map(lambda text: "#" + text))
@example("- \n", "#\U00018d09")
def test_lines_add_up(one: str, other: str) -> None:
    assert count(one + other) == count(one) + count(other)
