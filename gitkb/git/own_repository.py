"""Work in a repository that gitkb keeps for itself, and clear away what a killed git left there.

Git never removes a lock that is not its own, so one that was killed stops every later one until a person
comes. In the repositories of tiers nobody may ever come. Hence:

1. Whoever works in one holds a lock of the operating system, and while git runs a file `at-work` says so.
2. Who finds that file under the lock knows that git was cut short: locks that are not older than it and
   that nobody has touched for a while are git's of then, and go.
3. A lock of a git that somebody else started there, earlier or later, stays.
"""

from __future__ import annotations

import os
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from gitkb.errors import GitError, StateError

if TYPE_CHECKING:
    from collections.abc import Iterator

MARK = "at-work"
PATIENCE_SECONDS = 30.0
REST_SECONDS = 2.0
"""For so long a git that outlived us may still be at work without touching its locks."""
_STEP_SECONDS = 0.02
_LOCK_SUFFIX = ".lock"


@contextmanager
def at_work(folder: str) -> Iterator[None]:
    """Hold the right to change the repository in a folder, and clear it of what a killed git left.

    Raises:
        StateError: when another gitkb works there for too long.
        GitError: when its git directory cannot be written.
    """
    git_dir = os.path.join(folder, ".git")
    own = os.path.join(git_dir, "gitkb")
    mark = os.path.join(own, MARK)
    with _telling(own):
        os.makedirs(own, exist_ok=True)
        number = _lock(os.path.join(own, "lock-git"))
    try:
        with _telling(own):
            _clear(git_dir, mark)
            os.close(os.open(mark, os.O_WRONLY | os.O_CREAT, 0o666))
        yield
        # After an error of git its locks are gone; after one of ours git may still be at work.
        with _telling(own):
            _remove(mark)
    finally:
        os.close(number)


@contextmanager
def _telling(folder: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise GitError(
            f"cannot write '{folder}': {error.strerror}",
            "make room or mend the permissions, then do it again",
        ) from None


def _clear(git_dir: str, mark: str) -> None:
    try:
        since = os.stat(mark).st_mtime_ns
    except FileNotFoundError:
        return
    for path in _locks(git_dir):
        age = _age(path)
        while age is not None and age < REST_SECONDS:
            time.sleep(_STEP_SECONDS)
            age = _age(path)
        try:
            if os.stat(path).st_mtime_ns >= since:
                os.unlink(path)
        except FileNotFoundError:
            continue  # it lived, and is done
    _remove(mark)


def _locks(git_dir: str) -> Iterator[str]:
    own = os.path.join(git_dir, "gitkb")
    for folder, folders, names in os.walk(git_dir):
        # Locks of ours are no locks by being there; of the objects' folders git has one alone.
        folders[:] = [] if folder == own else [name for name in folders if len(name) > 2]
        if folder != own:
            yield from (os.path.join(folder, name) for name in names if name.endswith(_LOCK_SUFFIX))


def _age(path: str) -> float | None:
    try:
        return max(0.0, time.time() - os.stat(path).st_mtime)
    except FileNotFoundError:
        return None


def _lock(path: str) -> int:
    number = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    end = time.monotonic() + PATIENCE_SECONDS
    while not _try_lock(number):
        if time.monotonic() > end:
            os.close(number)
            raise StateError(
                f"another gitkb has been at work for {PATIENCE_SECONDS:g} seconds",
                f"wait for it, or see who holds '{path}'",
            )
        time.sleep(_STEP_SECONDS)
    return number


def _try_lock(number: int) -> bool:
    if os.name == "nt":
        import msvcrt

        try:
            msvcrt.locking(number, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        except OSError:
            return False
        return True
    import fcntl

    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass
