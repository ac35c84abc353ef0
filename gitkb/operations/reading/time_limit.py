"""An end to work whose length nobody knows beforehand, such as a search by somebody's expression.

1. What was running is stopped with an error, as `re` looks at signals while it tries its ways.
2. Outside of a main thread, and where there is no such alarm (Windows), there is no limit.
"""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType


class TooLongError(Exception):
    """The work took longer than it was given."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Stop what runs within after that many seconds.

    Raises:
        TooLongError: when it was stopped.
    """
    if (
        not hasattr(signal, "setitimer")
        or threading.current_thread() is not threading.main_thread()
    ):
        yield
        return

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise TooLongError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
