"""A leave for one text that looks like a secret and is none, kept on its entry.

1. A leave is ``{"hash", "reason"}`` in the entry's `allowed_secrets`. It travels with the entry, so that a
   colleague's hooks accept the same text, and exactly that.
2. The hash is of the text and the key of the entry: it says nothing about another entry, and cannot be
   looked up in a table. It is short: 64 bits tell texts of one entry apart.
3. Where the text is scrubbed, its leave goes as well: a hash of a weak password would betray it.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitkb.core.canonical import Fields, Json

ALLOWED = "allowed_secrets"
_LENGTH = 16
_is_hash = re.compile("[0-9a-f]{16}").fullmatch


def hash_of(key: str, text: str) -> str:
    """Give the hash under which a leave names a text: 16 hexadecimal digits."""
    from hashlib import sha256

    return sha256(f"gitkb\0{key}\0{text}".encode("utf-8", "surrogatepass")).hexdigest()[:_LENGTH]


def is_allowed(fields: Fields, text: str) -> bool:
    """Say whether a record has a leave for a text."""
    leaves = fields.get(ALLOWED)
    if not isinstance(leaves, list) or not leaves:
        return False
    wanted = hash_of(str(fields.get("key", "")), text)
    return any(isinstance(leave, dict) and leave.get("hash") == wanted for leave in leaves)


def with_leave(fields: Fields, texts: Iterable[str], reason: str) -> dict[str, Json]:
    """Give the fields of a record with a leave for each of these texts."""
    key = str(fields.get("key", ""))
    new = [{"hash": hash_of(key, text), "reason": reason} for text in texts]
    hashes = {leave["hash"] for leave in new}
    old = [leave for leave in fields.get(ALLOWED, ()) if leave.get("hash") not in hashes]
    return {**fields, ALLOWED: [*old, *new]}


def fault_of_leaves(name: str, value: Json) -> str:
    """Say what is wrong with the leaves of an entry; nothing if they are right."""
    if not isinstance(value, list):
        return f"'{name}' is not a list"
    for leave in value:
        if not isinstance(leave, dict) or not isinstance(leave.get("hash"), str):
            return "an allowed secret needs 'hash', 16 hexadecimal digits"
        if _is_hash(leave["hash"]) is None:
            return "an allowed secret needs 'hash', 16 hexadecimal digits"
        if not isinstance(leave.get("reason"), str) or not leave["reason"]:
            return "an allowed secret needs 'reason', a text"
    return ""
