"""One writer at a time, by a lock of the operating system that dies with its process, and none
while git writes the worktree."""

from __future__ import annotations

import os
from contextlib import contextmanager

from gitkb.errors import StateError
from gitkb.store.durable import remove_leftovers
from gitkb.store.git_lock import wait_for_git
from gitkb.store.journal import finish_interrupted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitkb.store.layout import Store

PATIENCE_SECONDS = 30.0


@contextmanager
def locked(store: Store, patience: float = PATIENCE_SECONDS) -> Iterator[None]:
    """Hold the lock of a store while it is written; what a killed writer began is finished first.

    Raises:
        StateError: when another process holds it for longer than `patience` seconds, or when the
            lock file cannot be made, or when what was begun cannot be finished.
    """
    # The library costs as much as four starts of Python, and only writers need it.
    from filelock import FileLock, Timeout

    try:
        os.makedirs(store.derived, exist_ok=True)
        lock = FileLock(store.lock_path)
        lock.acquire(timeout=patience, poll_interval=0.01)
    except Timeout:
        raise StateError(
            f"the store is locked: another gitkb has been writing for {patience:g} seconds",
            f"wait for it, or see who holds '{store.lock_path}'",
        ) from None
    except OSError as error:
        raise StateError(
            f"cannot lock the store: {error.strerror}: '{store.lock_path}'",
            "a writer needs to be able to write into the git directory",
        ) from None
    try:
        wait_for_git(store)
        finish_interrupted(store)
        remove_leftovers(store.derived)
        yield
    finally:
        lock.release()
