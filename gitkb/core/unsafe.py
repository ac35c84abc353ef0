"""Characters that must not reach a terminal, or a reader's eye, as themselves.

1. Control characters move the cursor or write elsewhere (ECMA-48), direction marks show another order
   than the one that is stored (https://trojansource.codes); what no eye sees hides whole sentences, or
   lets two keys look alike: tags, zero widths, fillers, blanks of Braille, and all else that Unicode
   calls default-ignorable.
2. The joiners U+200C and U+200D stay where a script needs them: after a letter of a script that joins,
   and between two pictures of one emoji. Elsewhere, and twice in a row, they are shown.
3. U+FE0E and U+FE0F stay after a sign that has two forms; all other variation selectors are shown, since
   256 of them can spell any text behind one letter.
4. More than eight marks on one letter, which reach into the lines around it, are shown from the ninth.
5. What was shown once is not changed by being shown again.
"""

from __future__ import annotations

import re
from functools import cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_HIDDEN = (
    r"\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    r"\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    r"\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_JOINING = (
    r"\u0620-\u06ff\u0700-\u074f\u0750-\u077f\u07c0-\u07ff\u0840-\u08ff\u0900-\u0dff\u0f00-\u0fff"
    r"\u1000-\u109f\u1780-\u17b3\u17b6-\u17ff\u1820-\u18af\u1900-\u1cff\ua800-\ua82f\ua840-\ua8ff"
    r"\ua980-\ua9df\uaa60-\uaa7f\uabc0-\uabff\ufb50-\ufdff\ufe70-\ufefc\U00010a00-\U00010aff"
    r"\U00011000-\U00011fff\U0001e900-\U0001e95f"
)
_PICTURES = r"\u2190-\u27ff\u2900-\u2bff\U0001f000-\U0001faff"
_TWO_FORMS = _PICTURES + r"#*0-9\xa9\xae\u203c\u2049\u2122\u2139\u3030\u303d\u3297\u3299"
_MARKS = (
    r"\u0300-\u034e\u0350-\u036f\u0483-\u0489\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0e31"
    r"\u0e34-\u0e3a\u0e47-\u0e4e\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
)


def shown(text: str) -> str:
    r"""Make them visible, as ``\u{1b}``; line ends and tabs stay."""
    return text if _is_plain(text) else _unsafe()(_visible, text)


def shown_line(text: str) -> str:
    r"""Make them visible in a text that is one line: line ends too, as ``\u{a}``, and tabs."""
    text = shown(text)
    return text.replace("\n", "\\u{a}").replace("\t", "\\u{9}")


def escaped(document: str) -> str:
    """Escape them in JSON, which says the same afterwards. Those below U+0020 are so already."""
    return document if _is_plain(document) else _unsafe()(_escape, document)


def _is_plain(text: str) -> bool:
    if text.isascii():
        return text.replace("\n", " ").isprintable()
    # Some of them are printable to Python: fillers are letters to Unicode, and selectors marks.
    return not any(search(text) for search in _searches())


@cache
def _searches() -> tuple[Callable[[str], object], ...]:
    """Two tests that are quick for what people write; what they find may still be harmless."""
    suspects = re.compile(f"[{_HIDDEN}\u200c\u200d\ufe0e\ufe0f]")
    return suspects.search, re.compile(f"[{_MARKS}]{{9}}").search


@cache
def _unsafe() -> Callable[[Callable[[re.Match[str]], str], str], str]:
    return re.compile(
        f"[{_HIDDEN}]"
        f"|(?<![{_JOINING}])\u200c"
        f"|(?<![{_JOINING}{_PICTURES}])(?<![{_TWO_FORMS}]\ufe0f)\u200d"
        f"|(?<![{_JOINING}])\u200d(?![{_PICTURES}])"
        f"|(?<![{_TWO_FORMS}])[\ufe0e\ufe0f]"
        f"|(?<=[{_MARKS}]{{8}})[{_MARKS}]"
    ).sub


def _visible(found: re.Match[str]) -> str:
    return f"\\u{{{ord(found[0]):x}}}"


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x20:  # between values, where JSON allows a line end and no reader looks
        return found[0]
    if code < 0x10000:
        return f"\\u{code:04x}"
    high, low = divmod(code - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"
