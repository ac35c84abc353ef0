"""What must not reach a terminal does not."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitkb.core.unsafe import escaped, shown, shown_line

# Everything that Unicode calls a control, a format or a line end, but what scripts need.
DANGEROUS = [
    chr(code)
    for code in range(0x110000)
    if unicodedata.category(chr(code)) in ("Cc", "Zl", "Zp")
    or unicodedata.bidirectional(chr(code)) in ("LRE", "RLE", "LRO", "RLO", "PDF")
    or unicodedata.bidirectional(chr(code)) in ("LRI", "RLI", "FSI", "PDI")
    or 0xE0000 <= code <= 0xE007F
]
FILLERS = "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180f\u2800\u3164\ufe00\ufe0d\uffa0\ufff0\U0001bca0\U0001d173\U000e0080\U000e0100\U000e0fff"
"""What nobody sees, though Python calls most of it printable."""
JOINERS = "\u200c\u200d\ufe0e\ufe0f"
texts = st.text(
    st.characters(codec="utf-8")
    | st.sampled_from([*DANGEROUS, *FILLERS, *JOINERS * 9, *"\u0301" * 30, "क", "👩"])
)


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


@pytest.mark.parametrize("sign", FILLERS)
def test_what_nobody_sees_is_shown(sign: str) -> None:
    assert shown(f"a{sign}b") == f"a\\u{{{ord(sign):x}}}b"
    assert json.loads(escaped(f'"a{sign}b"')) == f"a{sign}b"
    assert sign not in escaped(f'"a{sign}b"')


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("pass\u200dword", "pass\\u{200d}word"),
        ("\u200cx", "\\u{200c}x"),
        ("क\u200d\u200dष", "क\u200d\\u{200d}ष"),
        ("👩\u200d\u200d👩", "👩\\u{200d}\\u{200d}👩"),
        ("👩\u200dx", "👩\\u{200d}x"),
        ("a\ufe0f", "a\\u{fe0f}"),
        ("❤\ufe0f\ufe0f", "❤\ufe0f\\u{fe0f}"),
        ("a" + "\u0301" * 10, "a" + "\u0301" * 8 + "\\u{301}" * 2),
        ("🏴\U000e0067\U000e007f", "🏴\\u{e0067}\\u{e007f}"),
    ],
)
def test_joiners_and_marks_stay_only_where_a_script_needs_them(text: str, expected: str) -> None:
    assert shown(text) == expected


def test_a_line_stays_one() -> None:
    assert shown_line("a\nerror: b\tc\r") == "a\\u{a}error: b\\u{9}c\\u{d}"


def test_each_of_them_is_seen_in_a_text_that_holds_no_other() -> None:
    for sign in [*DANGEROUS, *"\xad\u061c\u180e\u200b\u200e\u200f\u2060\u206f\ufeff\ufff9"]:
        text = f"a{sign}\nb"
        assert (shown(text) == text) is (sign in "\t\n"), hex(ord(sign))
        if sign > "\x1f":
            assert escaped(f'"{sign}"') == json.dumps(sign), hex(ord(sign))
