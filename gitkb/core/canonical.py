"""JSON as gitkb writes it.

1. Compact, UTF-8, non-ASCII as it is.
2. U+2028, U+2029 and U+0085 are escaped: some readers take them for line ends.
3. One value has one form, so that two values are equal exactly if their sorted forms are.
"""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, TypeAlias

    Json: TypeAlias = Any
    """A JSON value: None, bool, int, float, str, list or dict with str names."""

    Fields: TypeAlias = Mapping[str, Any]
    """The fields of one JSON object."""

_encode_as_given = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, separators=(",", ":")
).encode
_encode_by_name = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, separators=(",", ":"), sort_keys=True
).encode
_LINE_ENDS = {0x85: "\\u0085", 0x2028: "\\u2028", 0x2029: "\\u2029"}


def _to_bytes(text: str) -> bytes:
    # These characters can stand only inside strings, so replacing them anywhere is right.
    if not text.isascii() and ("\x85" in text or "\u2028" in text or "\u2029" in text):
        text = text.translate(_LINE_ENDS)
    return text.encode("utf-8")


def encode_json(value: Json) -> bytes:
    """Encode a value with its names in the order in which they are given."""
    return _to_bytes(_encode_as_given(value))


def encode_sorted(value: Json) -> bytes:
    """Encode a value with sorted names: the form in which two values are compared."""
    return _to_bytes(_encode_by_name(value))
