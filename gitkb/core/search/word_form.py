"""What a word is: where it begins and ends in a text, and what does not tell two spellings apart.

1. A word is a run of letters, digits and combining marks of a text in NFKC and lower case, so it
   holds no space, no NUL and no punctuation.
2. Marks are never cut off: without them a word in Hindi falls apart at its vowel signs. Python's
   ``\\w`` leaves them out, hence the table here.
3. A name in camel case gives its parts beside the whole. Scripts that do not part words (Chinese,
   Japanese, Korean, Thai, Lao, Khmer, Burmese) give each two neighbouring characters as a word; one
   that stands alone is a word itself.
4. A text in ASCII pays for none of this: the same rules cut down to ASCII give the same words.
5. Names of one letter that signs tell apart give a word for the whole beside the letter: C# is not C.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise

from gitkb.core.late_pattern import LatePattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from re import Pattern

LONGEST = 64
"""Characters; what follows in a longer run (a checksum, encoded bytes) tells nothing more."""

# Marks (Unicode's categories Mn and Mc) as ranges of hexadecimal numbers. What lies between two of
# them and is a letter, a digit or not assigned is taken in: it changes nothing and the table is short.
_NEAR_MARKS = "300-36f 483-487"
_MARKS = (
    f"{_NEAR_MARKS}"
    " 591-5bd 5bf 5c1-5c2 5c4-5c5 5c7 610-61a 64b-65f 670 6d6-6dc 6df-6e8 6ea-6ed 711-7f3 7fd 816-82d"
    " 859-85b 898-8e1 8e3-963 981-9e3 9fe-a75 a81-ae3 afa-b63 b82-bd7 c00-c63 c81-c83 cbc-d4d d57-d63"
    " d81-df3 e31-e3a e47-e4e eb1-ecd f18-f19 f35 f37 f39 f3e-f84 f86-fbc fc6 102b-103e 1056-109d"
    " 135d-135f 1712-1734 1752-17d3 17dd 180b-180d 180f-193b 1a17-1a1b 1a55-1a7f 1ab0-1abd 1abf-1b44"
    " 1b6b-1b73 1b80-1bf3 1c24-1c37 1cd0-1cd2 1cd4-1dff 20d0-20dc 20e1 20e5-20f0 2cef-2cf1 2d7f-2dff"
    " 302a-302f 3099-309a a66f a674-a67d a69e-a6f1 a802-a827 a82c a880-a8c5 a8e0-a8f1 a8ff-a92d"
    " a947-a953 a980-a9c0 a9e5-aa4d aa7b-aac1 aaeb-aaef aaf5-aaf6 abe3-abea abec-abed fb1e fe00-fe0f"
    " fe20-fe2f 101fd-1037a 10a01-10a3f 10ae5-10ae6 10d24-10eac 10f46-10f50 10f82-10f85 11000-11046"
    " 11070-110ba 110c2 11100-11134 11145-11173 11180-111c0 111c9-111cc 111ce-111cf 1122c-11237 1123e"
    " 112df-11446 1145e-114c3 115af-115c0 115dc-11640 116ab-116b7 1171d-1172b 1182c-1183a 11930-11943"
    " 119d1-119e0 119e4-11a3e 11a47-11a99 11c2f-11c3f 11c92-11ef6 16af0-16af4 16b30-16b36 16f4f-16f92"
    " 16fe4-16ff1 1bc9d-1bc9e 1cf00-1cf46 1d165-1d169 1d16d-1d172 1d17b-1d182 1d185-1d18b 1d1aa-1d1ad"
    " 1d242-1d244 1da00-1da36 1da3b-1da6c 1da75 1da84 1da9b-1e136 1e2ae-1e2ef 1e8d0-1e94a e0100-e01ef"
)
# Scripts in which the reader finds the words and not the writer: Thai, Lao; Burmese, Khmer; kana and
# what repeats them; Han; Hangul, where particles hang on to words.
_UNPARTED = (
    "e01-e3a e40-e4e e81-ece 1000-1049 1050-109d 1780-17d3 3005-3007 3041-3096 3099-309a 309d-309f"
    " 30a1-30fa 30fc-30ff 31f0-31ff 3400-4dbf 4e00-9fff ac00-d7a3 f900-faff 20000-323af"
)
_FIRST_FAR, _FIRST_UNPARTED = "\u0590", "\u0e00"

# What only says how a word is drawn (joiners of Persian and Hindi, a soft hyphen, spaces of no width,
# variation selectors) and the letter that is an apostrophe go. An underscore parts words, though
# Python's \w holds it.
_FOLDED = {
    **dict.fromkeys((0xAD, 0x2BC, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF, *range(0xFE00, 0xFE10))),
    ord("_"): " ",
}

# Letters with an accent that Unicode does not take apart.
_ACCENTED = str.maketrans(
    {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "ł": "l", "þ": "th", "ı": "i", "ħ": "h"}
)  # fmt: skip

# What each byte of ASCII becomes: folded, and as the kind of character that it is.
_FOLD = bytes(ord(chr(c).lower()) if c < 128 and chr(c).isalnum() else 32 for c in range(256))
_KINDS = bytes(
    32 if c >= 128 or not chr(c).isalnum() else ord("0" if c < 58 else "A" if c < 91 else "a")
    for c in range(256)
)
_find_ascii_words = re.compile(r"[A-Za-z0-9]+").findall
# A plural of capitals (IDs), capitals before a new word (HTTPServer), a word, a number.
_find_parts = re.compile(r"[A-Z]+s(?![a-z0-9])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+").findall

_SIGNS = {"++": "plusplus", "#": "sharp"}
_signed = LatePattern(
    # After NFKC: Latin letters that ASCII does not have, and marks, make a letter part of a word.
    "(?<![A-Za-z0-9_\u00c0-\u024f\u0300-\u036f])([A-Za-z])(\\+\\+|#)(?![A-Za-z0-9_+#])"
)


def split_words(text: str) -> list[str]:
    """Give the words of a text, folded, in their order, repeats kept."""
    if not text.isascii():
        return _with_parts(_runs_of(text))
    data = _spell_signs(text).encode("ascii")
    if _has_camel_case(data):
        return _with_parts(_find_ascii_words(data.decode("ascii")))
    words = data.translate(_FOLD).decode("ascii").split()
    if max(map(len, words), default=0) > LONGEST:
        return [word[:LONGEST] for word in words]
    return words


def _spell_signs(text: str) -> str:
    """Write ``C++`` as ``C cplusplus``."""
    if "++" not in text and "#" not in text:
        return text
    return _signed.pattern.sub(
        lambda found: f"{found[1]} {found[1].lower()}{_SIGNS[found[2]]}", text
    )


def _has_camel_case(data: bytes) -> bool:
    kinds = data.translate(_KINDS)
    return b"aA" in kinds or b"0A" in kinds or b"AAa" in kinds


def fold_accents(word: str) -> str:
    """Give a folded word of Latin or Greek letters without accents: many people leave them out."""
    if word.isascii():
        return word
    import unicodedata

    word = unicodedata.normalize("NFD", word.translate(_ACCENTED))
    return "".join([letter for letter in word if not "\u0300" <= letter <= "\u036f"])


def _with_parts(runs: list[str]) -> list[str]:
    words = []
    for run in runs:
        word = run.lower()[:LONGEST]
        words.append(word)
        if word == run or len(run) > LONGEST or not run.isascii():
            continue
        if _has_camel_case(run.encode("ascii")):
            words += [part.lower() for part in _find_parts(run) if len(part) > 1]
    return words


def _runs_of(text: str) -> list[str]:
    import unicodedata  # a megabyte of tables that ASCII does not need

    text = _spell_signs(unicodedata.normalize("NFKC", text)).translate(_FOLDED)
    if "İ" in text:  # whose lower case would be two characters
        text = unicodedata.normalize("NFKC", text.replace("İ", "I"))
    if "'" in text or "\N{RIGHT SINGLE QUOTATION MARK}" in text:
        text = _inner_apostrophe().sub("", text)
    last = max(text, default="")
    if last < _FIRST_FAR:
        return _near_run().findall(text)
    runs = _run().findall(text)
    if last < _FIRST_UNPARTED:
        return runs
    words = []
    for run in runs:
        for unparted, other in _parts().findall(run):
            characters = _characters().findall(unparted)
            if len(characters) < 2:
                words.append(other or unparted)
            else:
                words += map("".join, pairwise(characters))
    return words


# Compiled when a text needs them: together they cost as much as a query.


@cache
def _inner_apostrophe() -> Pattern[str]:
    # Within a word of Ukrainian or Belarusian, п'ять: before these letters, and nowhere else.
    return re.compile("(?<=[^\\W\\d_])['\N{RIGHT SINGLE QUOTATION MARK}](?=[яюєїёЯЮЄЇЁ])")


@cache
def _near_run() -> Pattern[str]:
    return re.compile(rf"\w[\w{_class_of(_NEAR_MARKS)}]*")


@cache
def _run() -> Pattern[str]:
    return re.compile(rf"\w[\w{_class_of(_MARKS)}]*")


# Within a run, what \w does not match is a mark, and goes with the letter before it.


@cache
def _characters() -> Pattern[str]:
    return re.compile(r"\w\W*")


@cache
def _parts() -> Pattern[str]:
    unparted = _class_of(_UNPARTED)
    return re.compile(rf"((?:(?=[{unparted}])\w\W*)+)|((?:(?![{unparted}])\w\W*)+)")


def _class_of(ranges: str) -> str:
    """Write ranges of hexadecimal numbers as the inside of a class of characters."""
    pairs = [one.partition("-") for one in ranges.split()]
    return "".join(f"{chr(int(a, 16))}-{chr(int(b or a, 16))}" for a, _, b in pairs)
