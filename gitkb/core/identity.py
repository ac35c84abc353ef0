"""What an entry is called and where its line stands.

1. A key is compared exactly and never changes.
2. The same type and title give the same key on every machine, so that one decision written down
   twice becomes one entry.
3. Lines are ordered by the SHA-256 of their key; the first hex digits of that hash name the file.
   The order is the same for every number of shards, only cut elsewhere.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# The folders of a store that hold lines: the first two those of entries.
KNOWLEDGE = "knowledge"
ARCHIVE = "archive"
CONFIRMED = "confirmed"

KEY_FORM = r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}"
SHARD_COUNTS = (1, 16, 256, 4096)
DEFAULT_SHARDS = 256
SHARD_NAME_FORM = r"(?:all|[0-9a-f]{1,3})\.jsonl"

KEY_PREFIXES = {
    "decision": "dec",
    "pitfall": "pit",
    "principle": "pri",
    "fact": "fac",
    "discussion": "dis",
    "note": "not",
    "file": "fil",
    "session": "ses",
    "learned": "lrn",
    "pattern": "pat",
    "investigation": "inv",
    "deviation": "dev",
}

_is_key = re.compile(KEY_FORM).fullmatch
_is_shard_name = re.compile(SHARD_NAME_FORM).fullmatch
_HEX_DIGITS = {16: 1, 256: 2, 4096: 3}
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # base 32 without i, l, o, u
_KEY_LENGTH = 8
# Full stops and their like: Latin, Chinese and Japanese, Arabic and Urdu, Hindi, Armenian. Forms of
# full width become those of half width before.
_FINAL_PUNCTUATION = ".!?…:;, 。、؟؛،۔।॥։"
# What nobody sees: a soft hyphen, joiners and spaces of no width, direction marks, variation selectors.
_INVISIBLE = dict.fromkeys(
    (
        *(0xAD, 0x61C, 0xFEFF),
        *range(0x200B, 0x2010),
        *range(0x202A, 0x202F),
        *range(0x2060, 0x206A),
        *range(0xFE00, 0xFE10),
    )
)


def is_key(text: str) -> bool:
    """Say whether a text has the form of a key."""
    return _is_key(text) is not None


def is_shard_name(name: str) -> bool:
    """Say whether a file name is one that some number of shards would give."""
    return _is_shard_name(name) is not None


def order_of(key: str) -> bytes:
    """Give the 32 bytes by which the line of a key is ordered."""
    from hashlib import sha256  # loads OpenSSL, a quarter of Python's own start; recall needs none

    return sha256(key.encode("utf-8")).digest()


def shard_of(key: str, shards: int) -> str:
    """Name the file that holds a key, ``3f.jsonl`` or, with one shard, ``all.jsonl``."""
    if shards == 1:
        return "all.jsonl"
    return f"{order_of(key).hex()[: _HEX_DIGITS[shards]]}.jsonl"


def iter_shards(shards: int) -> Iterator[str]:
    """Name all files of a layout, in their order."""
    if shards == 1:
        yield "all.jsonl"
        return
    for number in range(shards):
        yield f"{number:0{_HEX_DIGITS[shards]}x}.jsonl"


def fits_layout(name: str, shards: int) -> bool:
    """Say whether a data file, such as ``knowledge/3f.jsonl``, is one of a number of shards."""
    stem = name.rpartition("/")[2].removesuffix(".jsonl")
    if shards == 1 or stem == "all":
        return shards == 1 and stem == "all"
    return len(stem) == _HEX_DIGITS[shards]


def normal_title(title: str) -> str:
    """Fold what does not tell two titles apart: Unicode form, case, white space, a final stop."""
    import unicodedata  # a megabyte of tables that only a writer needs

    if not title.isascii():
        visible = title.translate(_INVISIBLE)
        title = visible if visible.strip() else title
    folded = unicodedata.normalize("NFKC", title).casefold()
    folded = unicodedata.normalize("NFKC", folded)
    folded = " ".join(folded.split())
    return folded.rstrip(_FINAL_PUNCTUATION) or folded  # "???" is not "!!!"


def mint_key(type_: str, title: str, salt: int = 0) -> str:
    """Make a key such as ``dec_k3x9q2mf`` from a type of `KEY_PREFIXES` and a title.

    A salt above nought gives another key for the same title, for when the first is taken.
    """
    from hashlib import sha256

    text = f"{type_}\0{normal_title(title)}" + (f"\0{salt}" if salt else "")
    number = int.from_bytes(sha256(text.encode("utf-8")).digest()[:5], "big")
    letters = []
    for _ in range(_KEY_LENGTH):
        number, rest = divmod(number, 32)
        letters.append(_ALPHABET[rest])
    return f"{KEY_PREFIXES[type_]}_{''.join(reversed(letters))}"
