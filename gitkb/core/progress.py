"""How far long work has come, for a face that shows it.

1. Work is told of where it is done, and shown by whoever watches; without a watcher it costs a call a step.
2. Whoever watches does so for what is done inside of `watched_by`, in this thread alone.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TypeAlias

    Advance: TypeAlias = Callable[[int], None]
    Watcher: TypeAlias = Callable[[str, str, int | None], Advance]

_watcher: ContextVar[Watcher | None] = ContextVar("gitkb_watcher", default=None)


@contextmanager
def watched_by(watcher: Watcher) -> Iterator[None]:
    """Have a watcher told of the work inside: it is given a name, a unit and how many there are, if known,
    and gives what is to be called with each further number of them."""
    before = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(before)


def is_watched() -> bool:
    """Whether anybody would see smaller steps."""
    return _watcher.get() is not None


def begin(name: str, unit: str, total: int | None = None) -> Advance:
    """Tell of work that begins; what is given is to be called with how much more of it is done."""
    watcher = _watcher.get()
    return _ignore if watcher is None else watcher(name, unit, total)


def _ignore(_count: int) -> None:
    pass
