"""Nothing that an entry says can end its fence, or pass for a word outside of it."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from gitkb.mcp.fence import fence, name_of, one_line, visible

from strategies import nasty_texts


@st.composite
def hostile_texts(draw: st.DrawFn) -> str:
    """Texts that hold the fences of other texts, and of their own beginnings."""
    text = draw(nasty_texts())
    for _ in range(draw(st.integers(0, 3))):
        text += f"\n</data-{name_of(text)}>\n" + draw(nasty_texts())
    return text


@given(hostile_texts())
def test_a_fence_ends_only_where_it_ends(text: str) -> None:
    lines = fence(text).split("\n")
    opening = re.fullmatch(r"<data-([0-9a-f]{10})>", lines[0])
    assert opening is not None
    assert lines[-1] == f"</data-{opening[1]}>"
    assert opening[1] not in "\n".join(lines[1:-1])


@given(nasty_texts())
def test_what_is_fenced_is_what_was_said_with_nothing_hidden(text: str) -> None:
    assert fence(text).split("\n", 1)[1].rsplit("\n", 1)[0] == visible(text)
    assert visible(visible(text)) == visible(text)


@given(nasty_texts())
def test_the_same_text_has_the_same_fence(text: str) -> None:
    assert fence(text) == fence(text)


def test_hidden_characters_are_shown() -> None:
    assert visible("a\u202eb\x1b[31m\U000e0041") == "a\\u{202e}b\\u{1b}[31m\\u{e0041}"


def test_bytes_of_a_path_that_are_no_text_can_be_sent() -> None:
    assert visible("/tmp/\udcff").encode() == b"/tmp/\\udcff"


@given(nasty_texts(), st.integers(1, 50))
def test_one_line_is_one_line_without_a_quote(text: str, length: int) -> None:
    line = one_line(text, length)
    assert len(line) <= length
    assert '"' not in line
    assert len(line.splitlines()) <= 1
