"""Whether a text can hold a secret at all: the cheap question before the dear one.

1. The library is asked only about lines that have a sign of it here; the signs are those that its own
   patterns cannot do without (a property test draws from the patterns themselves).
2. Importing the library costs a dozen starts of Python, so a text without a suspicion never does.
"""

from __future__ import annotations

from gitkb.core.entry import FIELDS
from gitkb.core.late_pattern import LatePattern
from gitkb.core.secrets.shape import (
    LEAST_TOKEN,
    is_password,
    is_random,
    iter_passwords,
    iter_tokens,
)
from gitkb.core.secrets.text import as_seen, iter_texts, joined, own_texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitkb.core.canonical import Fields

_in_word = LatePattern(
    r"A3T[A-Z0-9][0-9A-Z]{16}|A(?:BIA|CCA|KIA|SIA)[0-9A-Z]{16}|AccountKey=|gh[pousr]_\w|gl[a-z]{2,5}-[\w-]{4}"
    r"|GR1348941|eyJ[\w=-]+\.|[0-9a-z]{32}-us[0-9]|sk-[\w-]{20}|pypi-Ag|SG\.[\w-]{22}|k_live_[0-9a-zA-Z]"
    r"|[0-9]{8}:[0-9A-Za-z_-]{35}|(?:AC|SK)[a-z0-9]{32}|[MNO][\w-]{23,25}\.[\w-]{6}\."
    r"|(?i:hooks\.slack\.com)"
).search
"""What the patterns of the library with a form of their own begin with or hold. Whatever they match has twenty
letters and more, and nothing in it that puts words apart."""
_ANYWHERE = (
    ("AKC", LatePattern("AKC[a-zA-Z0-9]{10}").search),
    ("AP", LatePattern("AP[0-9A-F][a-zA-Z0-9]{8}").search),
    ("PRIVATE KEY", LatePattern("PRIVATE KEY").search),
    ("PuTTY-User-Key", LatePattern("PuTTY-User-Key").search),
    ("_authToken=", LatePattern("_authToken=").search),
    ("sq0csp-", LatePattern("sq0csp-").search),
    ("://", LatePattern(r"://[^\s/@]{0,300}:[^\s/@]{1,300}@").search),
)
"""The same for those that may be shorter, or hold what puts words apart: what to look for first, and then more
closely."""
_short_slack = LatePattern("(?i)xox[a-z]-[0-9]").search
_NAMES = (
    "password", "passwd", "_pass", "bpass", "epass", "ypass", "pwd", "secret", "contrase",
    "_key", "ikey", "hkey", "ekey", "tkey", "bkey", "vkey",
)  # fmt: skip
"""Of these each word of the library for a secret holds one."""
_quoted = LatePattern(r"[\"'`]([^\s\"'`]{6,400})[\"'`]").finditer


def has_sign(text: str) -> bool:
    """Say whether a text has what a pattern of the library with a form of its own cannot do without."""
    return _has_short_sign(text, text.lower()) or any(map(_in_word, _long_words(text)))


def _has_short_sign(text: str, lower: str) -> bool:
    for anchor, search in _ANYWHERE:
        if anchor in text and search(text):
            return True
    return "softlayer" in lower or ("xox" in lower and _short_slack(text) is not None)


def _long_words(text: str) -> list[str]:
    """Give the words of twenty letters and more; words are put apart by what no key has in it."""
    words = text.encode("utf-8", "surrogatepass").translate(_APART).split()
    return [word.decode("utf-8", "replace") for word in words if len(word) >= LEAST_TOKEN]


def has_word(line: str) -> bool:
    """Say whether a line has a word for a secret and, in quotes, what may be one."""
    lower = line.lower()
    return any(name in lower for name in _NAMES) and any(
        is_password(found[1], is_plain=True) for found in _quoted(line)
    )


def may_hold_secret(text: str) -> bool:
    """Say whether the gate may find something in a text. O(its length)."""
    text = as_seen(text)
    if _is_suspicious(text):
        return True
    whole = joined(text) if "\n" in text else text
    return whole is not text and has_sign(whole)


def may_record_hold_secret(line: bytes, fields: Fields) -> bool:
    """Say whether the gate may find something in a record; `line` is where it was read from."""
    if b"\\u" in line or b"\\\\" in line or b"\\/" in line or b"\\b" in line or b"\\f" in line:
        return any(may_hold_secret(text) for _, text in own_texts(fields))
    # Every string of the line as lines of one text: what it costs is to look at them once, not to walk.
    text = line.decode("utf-8").replace('\\"', "\0").replace('"', "\n").replace("\0", '"')
    text = text.replace("\\n", "\n").replace("\\t", "\t").replace("\\r", "\r")
    return may_hold_secret(text) or _has_telling_name(fields)


def _has_telling_name(fields: Fields) -> bool:
    """Say whether a text stands under a name that is judged with it."""
    return any(
        may_hold_secret(text)
        for name, value in fields.items()
        if name not in FIELDS or isinstance(value, list)
        for place, text in iter_texts({name: value})
        if " = " in text or "\n" in text or name not in FIELDS
    )


def _is_suspicious(text: str) -> bool:
    lower = text.lower()
    if _has_short_sign(text, lower):
        return True
    for word in _long_words(text):
        if _in_word(word):
            return True
        if not word.isalpha() and any(is_random(found[0]) for found in iter_tokens(word)):
            return True
    if next(iter_passwords(text, lower), None) is not None:
        return True
    is_quoted = "'" in text or '"' in text or "`" in text
    return (
        is_quoted
        and any(map(lower.__contains__, _NAMES))
        and any(has_word(_line_at(text, at)) for at in _quoted_passwords(text))
    )


def _quoted_passwords(text: str) -> Iterator[int]:
    for found in _quoted(text):
        if is_password(found[1], is_plain=True):
            yield found.start()


def _line_at(text: str, at: int) -> str:
    return text[text.rfind("\n", 0, at) + 1 :].partition("\n")[0]


_APART = bytes(32 if chr(code) in " \t\n\r\v\f\"'`<>()[]{},;|\\" else code for code in range(256))
"""Puts words apart by what no key has in it."""
