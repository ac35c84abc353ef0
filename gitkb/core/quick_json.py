r"""Plain lines of JSON, parsed without importing `json`.

`json` imports `re`, and together they cost as much as a whole start of Python. A merge of a small file
has a few lines to parse, so it takes the scanner that `json` itself uses, alone.

1. What is parsed here is what `jsonl` would give. Everything else, broken lines and all escapes that
   have rules of their own (``\u``), is handed over: the answer is None, and `jsonl` decides.
2. The scanner is a part of CPython that nothing promises; without it everything is handed over.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_MANY = 64  # opening brackets; far fewer than may be nested


class _HandOverError(Exception):
    pass


class _Scanning:
    """What `json.decoder.JSONDecoder` tells the scanner; read once, when it is made."""

    strict = True
    object_hook = None
    memo: dict[str, str] = {}  # noqa: RUF012  # the pure scanner's

    @staticmethod
    def object_pairs_hook(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        fields = dict(pairs)
        if len(fields) != len(pairs):
            raise _HandOverError
        return fields

    @staticmethod
    def parse_constant(name: str) -> Any:
        raise _HandOverError

    @staticmethod
    def parse_float(text: str) -> float:
        number = float(text)
        if number - number != 0:
            raise _HandOverError
        return number

    parse_int = int


def _find_scanner() -> Callable[[str, int], tuple[Any, int]] | None:
    try:
        import _json
    except ImportError:  # another Python
        return None
    make: Any = getattr(_json, "make_scanner", None)
    scan: Callable[[str, int], tuple[Any, int]] | None = make and make(_Scanning)
    return scan


_scan = _find_scanner()


def parse_plain(line: bytes) -> dict[str, Any] | None:
    """Parse an object from a line without white space around it; None hands over to `jsonl`."""
    if _scan is None or not line.startswith(b"{") or b"\\u" in line:
        return None
    if line.count(b"{") + line.count(b"[") > _MANY:
        return None
    try:
        text = line.decode("utf-8")
        value, end = _scan(text, 0)
    except (_HandOverError, ValueError, StopIteration, SystemError, RecursionError):
        # SystemError: the scanner looks for the error class of `json`, which may not be there.
        return None
    return value if end == len(text) and type(value) is dict else None
