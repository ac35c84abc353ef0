"""The time at which a change is written."""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.core.entry import Record

SECONDS_A_DAY = 86_400


def now() -> int:
    """Give the present in Unix seconds."""
    return int(time.time())


def later_than(record: Record | None, moment: int | None = None) -> int:
    """Give `moment` (else the present), but always later than the record that it changes."""
    moment = now() if moment is None else moment
    if record is None:
        return moment
    return max(moment, int(record.fields.get("ts", 0)) + 1)
