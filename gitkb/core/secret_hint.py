"""Whether a text can hold a secret at all: the cheap question before the dear one.

1. The library is asked only about lines that have a sign of it here; the signs are those that its own
   patterns cannot do without (a property test draws from the patterns themselves).
2. Importing the library costs a dozen starts of Python, so a text without a suspicion never does.
"""

from __future__ import annotations

import re

from gitkb.core.secret_shape import is_password, is_random, iter_passwords, iter_tokens
from gitkb.core.secret_text import as_seen, joined

has_sign = re.compile(
    r"AKC[a-zA-Z0-9]{10}|AP[0-9A-F][a-zA-Z0-9]{8}|(?:A3T[A-Z0-9]|A(?:BIA|CCA|KIA|SIA))[0-9A-Z]{16}"
    r"|AccountKey=|gh[pousr]_\w|gl[a-z]{2,5}-[A-Za-z0-9]|GR1348941|eyJ[A-Za-z0-9_=-]+\.|[0-9a-z]{32}-us[0-9]"
    r"|_authToken=|sk-[A-Za-z0-9_-]{20}|PRIVATE KEY|PuTTY-User-Key|pypi-Ag|SG\.[\w-]{22}|(?i:xox[a-z]-[0-9])"
    r"|(?i:hooks\.slack\.com|softlayer\.com)|sq0csp-|k_live_[0-9a-zA-Z]|[0-9]{8}:[0-9A-Za-z_-]{35}"
    r"|(?:AC|SK)[a-z0-9]{32}|[MNO][\w-]{23,25}\.[\w-]{6}\.|://[^\s/@]*:[^\s/@]+@"
).search
"""Finds what the patterns of the library with a form of their own begin with, or hold."""
_names_secret = re.compile(r"(?i)key|pass|pwd|secret|contrase").search
_quoted = re.compile(r"[\"'`]([^\s\"'`]{6,400})[\"'`]").finditer


def has_word(line: str) -> bool:
    """Say whether a line has a word for a secret and, in quotes, what may be one."""
    return bool(_names_secret(line)) and any(
        is_password(found[1], is_plain=True) for found in _quoted(line)
    )


def may_hold_secret(text: str) -> bool:
    """Say whether the gate may find something in a text. O(its length)."""
    text = as_seen(text)
    if _is_suspicious(text):
        return True
    whole = joined(text)
    return whole != text and has_sign(whole) is not None


def _is_suspicious(text: str) -> bool:
    if has_sign(text) or any(is_random(found[0]) for found in iter_tokens(text)):
        return True
    if next(iter_passwords(text), None) is not None:
        return True
    return bool(_names_secret(text)) and any(has_word(line) for line in text.split("\n"))
