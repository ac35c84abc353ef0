"""Write a file that git may be writing too, under git's own lock, so that nobody is ever locked out.

git's protocol is a file `NAME.lock`, made if it is not there, written, and renamed to NAME. A program
that is killed in between leaves it, and from then on git refuses to write NAME. So here:

1. The new content grows in `NAME.gitkb-new`, which its writer has locked with the operating system: that
   lock dies with the process.
2. `NAME.lock` is a second name of that same file, given at the end. Whoever can lock `NAME.gitkb-new`
   and finds both names on one file knows that the writer is dead, and takes them away.
3. A lock that is anybody else's is never touched.
4. git edits its configuration in a copy: several settings take their place at once.
"""

from __future__ import annotations

import os
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from gitkb.errors import GitError, StateError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

NEW_SUFFIX = ".gitkb-new"
EDIT_SUFFIX = ".gitkb-edit"
_PATIENCE_SECONDS = 5.0
_STEP_SECONDS = 0.02


def replace_file(path: str, data: bytes, *, mode: int | None = None) -> None:
    """Put ``data`` in place of ``path`` at once: another process sees the old bytes or the new.

    StateError while another git or gitkb writes the file. A symbolic link stays one.
    """
    path = os.path.realpath(path)
    with _claimed(path) as number:
        _write(number, path, data, mode)
        _link(path)
        _put_in_place(path)


def edit_file(path: str, edit: Callable[[str], None]) -> None:
    """Let ``edit`` change a copy of ``path``, whose name it is given, and put that in its place.

    Nobody who keeps git's protocol writes the file meanwhile. StateError as `replace_file`.
    """
    path = os.path.realpath(path)
    copy = path + EDIT_SUFFIX
    with _claimed(path) as number:
        _link(path)
        try:
            old = _read(path)
            with _telling(path), open(copy, "wb") as file:
                file.write(old)
            edit(copy)
            new = _read(copy)
            if new != old:
                _write(number, path, new, None)
                _put_in_place(path)
        finally:
            _remove(path + ".lock")
            _remove(copy)


def remove_leftovers(folder: str) -> None:
    """Take away what killed writers left in a folder; what a living one holds stays."""
    try:
        names = os.listdir(folder)
    except OSError:
        return
    for name in names:
        if name.endswith(NEW_SUFFIX):
            path = os.path.join(folder, name.removesuffix(NEW_SUFFIX))
            try:
                with _claimed(path, patience=0.0):
                    pass
            except (GitError, StateError):
                continue


@contextmanager
def _claimed(path: str, patience: float = _PATIENCE_SECONDS) -> Iterator[int]:
    """Hold `NAME.gitkb-new`, open and empty; it is gone afterwards."""
    with _telling(path):
        number = _open_locked(path, patience)
    try:
        yield number
    finally:
        _remove(path + NEW_SUFFIX)
        os.close(number)


def _open_locked(path: str, patience: float) -> int:
    own, lock = path + NEW_SUFFIX, path + ".lock"
    end = time.monotonic() + patience
    while True:
        number = os.open(own, os.O_RDWR | os.O_CREAT, 0o600)
        if _try_lock(number) and _is_same(number, own):
            if _is_same(number, lock):
                os.unlink(lock)  # of a writer that was killed before its rename
            if not _is_same(number, path):
                for rest in (path + EDIT_SUFFIX, path + EDIT_SUFFIX + ".lock"):
                    _remove(rest)
                return number
            os.unlink(own)  # … or right after it: this is the file itself, by a second name
        elif time.monotonic() > end:
            os.close(number)
            raise StateError(
                f"cannot write '{path}': another gitkb is writing it",
                "wait for it, then do it again",
            )
        else:
            time.sleep(_STEP_SECONDS)
        os.close(number)


def _write(number: int, path: str, data: bytes, mode: int | None) -> None:
    with _telling(path):
        if mode is None:
            mode = os.stat(path).st_mode & 0o7777 if os.path.exists(path) else 0o644
        os.ftruncate(number, 0)
        with open(number, "wb", closefd=False) as file:
            file.seek(0)
            file.write(data)
            file.flush()
        os.chmod(path + NEW_SUFFIX, mode)
        os.fsync(number)


def _link(path: str) -> None:
    lock = path + ".lock"
    try:
        os.link(path + NEW_SUFFIX, lock)
    except FileExistsError:
        raise StateError(
            f"cannot write '{path}': another git is at work on it",
            f"wait for it to end; if none runs, remove '{lock}'",
        ) from None
    except OSError:
        _exclude(path, lock)


def _exclude(path: str, lock: str) -> None:
    # A file system without second names: then a kill can leave the lock, which its error names.
    with _telling(path):
        os.close(os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


def _put_in_place(path: str) -> None:
    own, lock = path + NEW_SUFFIX, path + ".lock"
    with _telling(path):
        try:
            # By the name that keeps git out, as git does: after it nobody is locked out any more.
            os.replace(lock if os.path.samefile(own, lock) else own, path)
        finally:
            _remove(lock)


@contextmanager
def _telling(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise GitError(
            f"cannot write '{path}': {error.strerror}",
            "make room or mend the permissions, then do it again",
        ) from error


def _is_same(number: int, path: str) -> bool:
    try:
        return os.path.samestat(os.fstat(number), os.stat(path))
    except FileNotFoundError:
        return False


def _try_lock(number: int) -> bool:
    if os.name == "nt":
        return True  # an open file cannot be removed or renamed there by anybody else
    import fcntl

    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return b""


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass
