"""TOML that somebody else wrote: read, or refused with a reason, whatever it is."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


_DEEPEST = 50
_TOO_DEEP = "too many arrays or tables within each other"


class TomlError(ValueError):
    """The text is no TOML, or none that anybody wrote by hand."""


def parse_toml(text: str) -> dict[str, Any]:
    """Parse a document.

    Raises:
        TomlError: when it is no TOML. The library itself gives up in other ways on arrays in thousands of
            arrays and on numbers of thousands of digits.
    """
    import tomllib  # dearer than Python's own start

    try:
        values = tomllib.loads(text)
    except RecursionError:
        raise TomlError(_TOO_DEEP) from None
    except ValueError as error:
        raise TomlError(str(error)) from None
    if _is_deep(values):  # dotted keys get there without recursion, and whoever compares does not
        raise TomlError(_TOO_DEEP)
    return values


def _is_deep(values: dict[str, Any]) -> bool:
    level: list[Any] = [values]
    for _ in range(_DEEPEST):
        level = [
            inner
            for value in level
            for inner in (value.values() if isinstance(value, dict) else value)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return False
    return True
