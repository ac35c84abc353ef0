"""Half a character in a message does not cost the message."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitkb.mcp.wire import mend_escapes

from strategies import nasty_texts


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        (r'"a\ud800b"', "a\ufffdb"),
        (r'"a\uDC00"', "a\ufffd"),
        (r'"\ud83d\ude00"', "😀"),
        (r'"\ud83d\ud83d\ude00"', "\ufffd😀"),
        (r'"\ude00\ud83d"', "\ufffd\ufffd"),
        (r'"C:\\ud800"', "C:\\ud800"),
        (r'"\\\ud800"', "\\\ufffd"),
        (r'"a\u0000b"', "a\ufffdb"),
        (r'"\\u0000"', "\\u0000"),
    ],
)
def test_half_a_pair_becomes_the_mark_of_what_is_lost(sent: str, read: str) -> None:
    assert json.loads(mend_escapes(sent)) == read


@given(nasty_texts(), st.booleans())
def test_what_is_whole_stays(text: str, ascii_only: bool) -> None:
    sent = json.dumps(text, ensure_ascii=ascii_only)
    assert mend_escapes(sent) == sent


@given(st.text(st.characters()))
def test_what_was_mended_can_be_written(text: str) -> None:
    broken = json.dumps(text + "\ud800" + text + "\udc00")
    json.loads(mend_escapes(broken)).encode("utf-8")
