"""Times in records, compared as exact instants.

1. A time is an integer (Unix seconds) or an RFC 3339 text. Both have one order.
2. Nothing is rounded: ten decimals are compared as ten decimals, an offset moves the instant.
3. Of two values that are the same instant in other words, the larger in bytes is taken, so that
   the choice does not depend on the side.
"""

from __future__ import annotations

from gitkb.core.canonical import encode_sorted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from gitkb.core.canonical import Json

    Instant: TypeAlias = "tuple[int, str]"
    """Seconds since 1970, and the decimals without the zeros at their end: both in order."""

_DATE_LENGTH = len("2026-01-31T00:00:00")


def instant_of(value: Json) -> Instant | None:
    """Read an integer or an RFC 3339 time; None for anything else (RFC 3339 section 5.6)."""
    if isinstance(value, int):
        return None if isinstance(value, bool) else (value, "")
    if not isinstance(value, str) or len(value) <= _DATE_LENGTH or not value.isascii():
        return None
    if value[4] + value[7] + value[13] + value[16] != "--::" or value[10] not in "Tt ":
        return None
    digits = value[:4] + value[5:7] + value[8:10] + value[11:13] + value[14:16] + value[17:19]
    if not digits.isdigit():
        return None
    month, day, hour = int(value[5:7]), int(value[8:10]), int(value[11:13])
    minute, second = int(value[14:16]), int(value[17:19])
    if not 1 <= month <= 12 or not 1 <= day <= 31 or hour > 23 or minute > 59 or second > 60:
        return None
    decimals, rest = "", value[_DATE_LENGTH:]
    if rest[0] == ".":
        decimals = rest[1 : len(rest) - len(rest[1:].lstrip("0123456789"))]
        rest = rest[1 + len(decimals) :]
        if not decimals:
            return None
    offset = _seconds_of_offset(rest)
    if offset is None:
        return None
    seconds = _days_since_1970(int(value[:4]), month, day) * 86400
    return seconds + hour * 3600 + minute * 60 + second - offset, decimals.rstrip("0")


def later(one: Json, other: Json) -> Json:
    """Take the later of two times; both must be instants."""
    return max(one, other, key=_rank)


def earlier(one: Json, other: Json) -> Json:
    """Take the earlier of two times; both must be instants."""
    if instant_of(one) == instant_of(other):
        return later(one, other)
    return min(one, other, key=_rank)


def _rank(value: Json) -> tuple[Instant | None, bytes]:
    return instant_of(value), encode_sorted(value)


def _seconds_of_offset(text: str) -> int | None:
    if text in ("Z", "z"):
        return 0
    digits = text[1:3] + text[4:]
    if len(text) != 6 or text[0] not in "+-" or text[3] != ":" or not digits.isdigit():
        return None
    hours, minutes = int(digits[:2]), int(digits[2:])
    if hours > 23 or minutes > 59:
        return None
    seconds = hours * 3600 + minutes * 60
    return -seconds if text[0] == "-" else seconds


def _days_since_1970(year: int, month: int, day: int) -> int:
    # Years that begin in March put the leap day at their end (H. Hinnant, days_from_civil);
    # importing datetime would cost the driver a tenth of its start.
    year -= month <= 2
    era = year // 400
    year_of_era = year - era * 400
    day_of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    return (
        era * 146097
        + year_of_era * 365
        + year_of_era // 4
        - year_of_era // 100
        + (day_of_year - 719468)
    )
