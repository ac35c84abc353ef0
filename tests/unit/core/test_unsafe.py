"""What must not reach a terminal does not."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitkb.core.unsafe import escaped, shown

# Everything that Unicode calls a control, a format or a line end, but what scripts need.
DANGEROUS = [
    chr(code)
    for code in range(0x110000)
    if unicodedata.category(chr(code)) in ("Cc", "Zl", "Zp")
    or unicodedata.bidirectional(chr(code)) in ("LRE", "RLE", "LRO", "RLO", "PDF")
    or unicodedata.bidirectional(chr(code)) in ("LRI", "RLI", "FSI", "PDI")
    or 0xE0000 <= code <= 0xE007F
]
texts = st.text(st.characters(codec="utf-8") | st.sampled_from(DANGEROUS))


def test_no_dangerous_character_is_left() -> None:
    text = "".join(DANGEROUS)
    assert set(shown(text)) & set(DANGEROUS) == {"\t", "\n"}
    assert not set(escaped(json.dumps(text, ensure_ascii=False))) & set(DANGEROUS)


@given(texts)
def test_escaped_json_says_the_same(text: str) -> None:
    document = json.dumps({text: [text]}, ensure_ascii=False)
    assert json.loads(escaped(document)) == {text: [text]}


@given(texts)
def test_shown_twice_is_shown_once(text: str) -> None:
    assert shown(shown(text)) == shown(text)


@pytest.mark.parametrize(
    "text", ["größe", "中文", "می‌خواهم", "क्‍ष", "👩‍👩‍👧 🏳️‍🌈", "שלום", "a\tb\nc", "\\u{1b}"]
)
def test_what_people_write_stays_as_it_is(text: str) -> None:
    assert shown(text) == escaped(text) == text


def test_what_is_hidden_becomes_visible() -> None:
    assert shown("\x1b[2J\u202e\U000e0041\r") == "\\u{1b}[2J\\u{202e}\\u{e0041}\\u{d}"
    assert escaped('"\x7f\x9b\U000e0041"') == '"\\u007f\\u009b\\udb40\\udc41"'


def test_each_of_them_is_seen_in_a_text_that_holds_no_other() -> None:
    for sign in [*DANGEROUS, *"\xad\u061c\u180e\u200b\u200e\u200f\u2060\u206f\ufeff\ufff9"]:
        text = f"a{sign}\nb"
        assert (shown(text) == text) is (sign in "\t\n"), hex(ord(sign))
        if sign > "\x1f":
            assert escaped(f'"{sign}"') == json.dumps(sign), hex(ord(sign))
