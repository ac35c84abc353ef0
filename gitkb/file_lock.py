"""The operating system's lock on a file, for one holder at a time.

1. It dies with its process, however that ends; what lies there afterwards says nothing.
2. Who holds it holds the file of that name: one that was removed or replaced meanwhile is not it.
3. It imports next to nothing. (A library for this takes as long to import as `gitkb recall` takes.)
"""

from __future__ import annotations

import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

_PAUSE = 0.01
# The file is ours alone: a link in its place is somebody's mistake, or worse.
_FLAGS = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)


class LockHeldError(Exception):
    """Others hold the lock."""


class FileLock:
    """A lock to `acquire` and `release`, or to be held by a `with` statement."""

    def __init__(self, path: str, patience: float) -> None:
        self._path = path
        self._patience = patience
        self._handle = -1

    def acquire(self) -> None:
        """Take it; folder and file are made where they are missing.

        Raises:
            LockHeldError: when others hold it for longer than `patience` seconds.
            OSError: when there can be no lock, as in a folder that is read-only.
        """
        os.makedirs(os.path.dirname(self._path), exist_ok=True)
        end = time.monotonic() + self._patience
        while not self._try_once():
            if time.monotonic() > end:
                raise LockHeldError(self._path)
            time.sleep(_PAUSE)

    def release(self) -> None:
        """Give it back."""
        os.close(self._handle)

    def __enter__(self) -> None:
        self.acquire()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()

    def _try_once(self) -> bool:
        handle = os.open(self._path, _FLAGS, 0o666)
        try:
            if _try_lock(handle) and _is_at(handle, self._path):
                self._handle, handle = handle, -1
                return True
        finally:
            if handle >= 0:
                os.close(handle)
        return False


def _is_at(handle: int, path: str) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), os.stat(path))
    except FileNotFoundError:
        return False


if sys.platform == "win32":

    def _try_lock(handle: int) -> bool:
        import msvcrt

        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:

    def _try_lock(handle: int) -> bool:
        import fcntl

        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):  # the latter on some network file systems
            return False
        return True
