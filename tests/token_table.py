"""Make `gitkb/core/packs/o200k_base.bin`, the table from which tokens are counted (`core.packs.token_count`).

    python tests/token_table.py gitkb/core/packs/o200k_base.bin

It needs the development dependency bpe-openai (MIT), which carries the ranks of the encoding o200k_base
as OpenAI publishes them with tiktoken (MIT, https://github.com/openai/tiktoken). A test holds the
file equal to what this makes.

The form: a line of JSON (`counts`: how many tokens have 1, 2, 3 … bytes; `firsts` and
`classes`: first code and class of each range of characters, by Unicode 14), then the tokens without anything
between them, the shorter first and those of one length sorted, then the highest bytes of their ranks, the
middle ones, the lowest ones.
"""

from __future__ import annotations

import base64
import gzip
import json
import sys
import unicodedata
from importlib.util import find_spec
from pathlib import Path

from gitkb.core.packs import token_count as classes

_BY_CATEGORY = {
    "Lu": classes.UPPER,
    "Lt": classes.UPPER,
    "Ll": classes.LOWER,
    "Lm": classes.OTHER_LETTER,
    "Lo": classes.OTHER_LETTER,
}
_BY_FIRST_LETTER = {"M": classes.MARK, "N": classes.NUMBER}
# White_Space of Unicode, which `\\s` means to the encoding's own tokenizer; stable for twenty years.
_BLANKS = {
    9,
    0xB,
    0xC,
    0x85,
    0xA0,
    0x1680,
    *range(0x2000, 0x200B),
    0x2028,
    0x2029,
    0x202F,
    0x205F,
    0x3000,
}
_LONG_S = 0x17F  # "'ſ" is a contraction as well, in whatever case


def class_of(code: int) -> str:
    """Give the class of a character by its code."""
    sign = chr(code)
    category = unicodedata.category(sign)
    if sign.isascii() and sign.isalpha():
        return sign
    if code == _LONG_S:
        return "s"
    if code in (0xA, 0xD):
        return classes.LINE_END
    if sign in (classes.SPACE, classes.SLASH, classes.QUOTE):
        return sign
    if code in _BLANKS:
        return classes.BLANK
    if category == "Cn":
        return classes.UNKNOWN
    return _BY_CATEGORY.get(category) or _BY_FIRST_LETTER.get(category[0], classes.OTHER)


def make_classes() -> list[tuple[int, str]]:
    """Give the first code and the class of each range of characters."""
    ranges: list[tuple[int, str]] = []
    for code in range(sys.maxunicode + 1):
        class_ = class_of(code)
        if not ranges or ranges[-1][1] != class_:
            ranges.append((code, class_))
    return ranges


def read_ranks() -> dict[bytes, int]:
    """Read the tokens and their ranks out of the development dependency."""
    package = find_spec("bpe_openai")
    if package is None or not package.submodule_search_locations:
        raise ModuleNotFoundError("bpe-openai is missing: pip install '.[dev]'")
    folder = Path(package.submodule_search_locations[0])
    packed = (folder / "data" / "o200k_base.tiktoken.gz").read_bytes()
    lines = [line.split() for line in gzip.decompress(packed).splitlines()]
    return {base64.b64decode(token): int(rank) for token, rank in lines}


def make_tokens(ranks: dict[bytes, int]) -> tuple[list[int], bytes]:
    """Give the numbers of tokens by length, and the tokens with their ranks."""
    tokens = sorted(ranks, key=lambda token: (len(token), token))
    counts = [0] * len(tokens[-1])
    for token in tokens:
        counts[len(token) - 1] += 1
    numbers = [ranks[token] for token in tokens]
    planes = [bytes(number >> shift & 0xFF for number in numbers) for shift in (16, 8, 0)]
    return counts, b"".join([*tokens, *planes])


def make_table(ranges: list[tuple[int, str]]) -> bytes:
    """Make the table."""
    counts, body = make_tokens(read_ranks())
    firsts, signs = zip(*ranges, strict=True)
    values = {"counts": counts, "firsts": firsts, "classes": "".join(signs)}
    header = json.dumps(values, separators=(",", ":"))
    return header.encode() + b"\n" + body


if __name__ == "__main__":
    if unicodedata.unidata_version != "14.0.0":
        sys.exit(f"Python 3.11 has Unicode 14; this one has {unicodedata.unidata_version}")
    Path(sys.argv[1]).write_bytes(make_table(make_classes()))
