"""Characters that must not reach a terminal, or a reader's eye, as themselves.

Control characters move the cursor or write elsewhere (ECMA-48), direction marks show another order
than the one that is stored (https://trojansource.codes), and tag characters hide whole sentences.
The joiners U+200C and U+200D stay: Persian, Hindi and emoji are misspelt without them.
"""

from __future__ import annotations

_RANGES = (
    (0x00, 0x1F),
    (0x7F, 0x9F),
    (0xAD, 0xAD),
    (0x61C, 0x61C),
    (0x180E, 0x180E),
    (0x200B, 0x200B),
    (0x200E, 0x200F),
    (0x2028, 0x202E),
    (0x2060, 0x206F),
    (0xFEFF, 0xFEFF),
    (0xFFF9, 0xFFFB),
    (0xE0000, 0xE007F),
)
_CODES = [code for first, last in _RANGES for code in range(first, last + 1)]
_VISIBLE = {code: f"\\u{{{code:x}}}" for code in _CODES if code not in (0x09, 0x0A)}


def shown(text: str) -> str:
    r"""Make them visible, as ``\u{1b}``; line ends and tabs stay."""
    return text if _is_plain(text) else text.translate(_VISIBLE)


def escaped(document: str) -> str:
    """Escape them in JSON, which says the same afterwards. Those below U+0020 are so already."""
    if _is_plain(document):
        return document
    return document.translate({code: _escape(code) for code in _CODES if code > 0x1F})


def _is_plain(text: str) -> bool:
    # None of them is printable to Python, which says so ten times faster than it translates.
    return text.replace("\n", " ").isprintable()


def _escape(code: int) -> str:
    if code < 0x10000:
        return f"\\u{code:04x}"
    high, low = divmod(code - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"
