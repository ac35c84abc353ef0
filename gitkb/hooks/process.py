"""The process that a hook runs in: an end in time, no terminal, and Python's site only where it is needed."""

from __future__ import annotations

import os
import sys

from gitkb.hooks.report import log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

SECONDS = 10.0
"""How long a post-* hook may take; GITKB_HOOK_SECONDS changes it."""


class TimeUpError(BaseException):
    """The time limit passed. Not an Exception: nothing on the way may take it for a fault of its own."""


def allowed_seconds() -> float:
    """How long this hook may take."""
    try:
        return max(0.1, float(os.environ.get("GITKB_HOOK_SECONDS", SECONDS)))
    except ValueError:
        return SECONDS


def set_limit(seconds: float, folder: str | None) -> None:
    """Two limits: an exception that ends children properly, and, a moment later, the end of the process.

    The second one is a thread because a signal waits for the end of a long call into SQLite.
    """
    import _thread
    import signal
    import time

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise TimeUpError

    def end() -> None:
        time.sleep(seconds + 1)
        log(folder, "hook", f"ended after {seconds + 1:g} seconds; the next search does the rest")
        os._exit(0)

    if hasattr(signal, "setitimer"):  # not on Windows
        signal.signal(signal.SIGALRM, stop)
        signal.setitimer(signal.ITIMER_REAL, seconds)
    _thread.start_new_thread(end, ())


def close_terminal() -> None:
    """Nobody is asked anything and nothing is coloured, even if a person's terminal is at hand."""
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.environ["NO_COLOR"] = "1"
    os.environ["GIT_TERMINAL_PROMPT"] = "0"


def run_with_site_if_needed(work: Callable[[], int]) -> int:
    """Run ``work``; again with Python's site where something it imports lies in another folder than we."""
    try:
        return work()
    except ModuleNotFoundError:
        if not sys.flags.no_site or "site" in sys.modules:
            raise
        import site

        site.main()
        return work()
