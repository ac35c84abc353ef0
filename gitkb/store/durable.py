"""Replace a file so that after a crash it is whole: either as it was or as it was to be."""

from __future__ import annotations

import contextlib
import errno
import os
import stat

from gitkb.errors import StateError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitkb.store.journal import Journal

TEMPORARY_SUFFIX = ".tmp"
_FOLDERS = ("", "knowledge", "archive", "confirmed", "views")
_LEFT_ENDINGS = tuple(
    f"{name}{TEMPORARY_SUFFIX}"
    for name in (".jsonl", ".json", ".md", "config.toml", "gitattributes", "gitignore")
)


def replace_file(path: str, data: bytes) -> None:
    """Write a file anew: temp file in the same folder, fsync, rename, fsync of the folder.

    The caller holds the store's lock, so one temporary name a file is enough, and one that a killed
    process left is simply written over. A link is followed, the file's mode is kept.

    Raises:
        StateError: when the disk is full, or the folder or the file cannot be written.
    """
    replace_files([(path, data)])


def replace_files(files: Sequence[tuple[str, bytes]], journal: Journal | None = None) -> None:
    """Write files anew, each as `replace_file` does, and in the order in which they are given.

    All are on the disk under their temporary names before the first takes its place, so that a full
    disk or a file that may not be written changes none of them. With a journal a change that is cut
    short between two renames is gone through with by the next command.

    Raises:
        StateError: when the disk is full, or a folder or a file cannot be written.
    """
    waiting: list[tuple[str, str]] = []
    placed: list[str] = []
    path = ""
    try:
        for path, data in files:
            path = os.path.realpath(path)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            waiting.append((temporary_of(path), path))
            write_new(waiting[-1][0], data, _mode_of(path))
        if journal is not None:
            for folder in sorted({os.path.dirname(path) for _, path in waiting}):
                sync_folder(folder)
            journal.begin()
        put_in_place(waiting, placed)
    except OSError as error:
        path = waiting[len(placed)][1] if placed and len(placed) < len(waiting) else path
        message = f"cannot write '{path}': {error.strerror}"
        if placed and journal is not None:
            hint = "only part was written, and the next command that can will write the rest"
            raise StateError(message, hint) from None
        if journal is not None:
            journal.end()
        for temporary, _ in waiting[len(placed) :]:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
        raise StateError(
            message,
            "only part was written, and nothing was lost: mend the cause and do it again"
            if placed
            else f"nothing was changed; {_cure_of(error)}, then try again",
        ) from None
    if journal is not None:
        journal.end()


def _cure_of(error: OSError) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return "make room"
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return "see who may write there"
    return "see to the disk"


def put_in_place(waiting: Sequence[tuple[str, str]], placed: list[str] | None = None) -> None:
    """Rename files that wait under their temporary names, in order; `placed` takes what is done.

    Raises:
        OSError: when one cannot be renamed; those before it are in their places.
    """
    before = ""
    for temporary, path in waiting:
        folder = os.path.dirname(path)
        # What comes later may rest on what came before (the archive comes first): so the names in
        # one folder are on the disk before those in the next one change.
        if before and folder != before:
            sync_folder(before)
        os.replace(temporary, path)
        before = folder
        if placed is not None:
            placed.append(path)
    if before:
        sync_folder(before)


def temporary_of(path: str) -> str:
    """Name the file in which the new content of another one waits."""
    folder, name = os.path.split(path)
    return os.path.join(folder, f".{name}{TEMPORARY_SUFFIX}")


def remove_leftovers(root: str) -> None:
    """Remove temporary files that a killed process left in a store. The caller holds its lock."""
    for folder in _FOLDERS:
        with contextlib.suppress(OSError), os.scandir(os.path.join(root, folder)) as found:
            for item in found:
                if item.name.startswith(".") and item.name.endswith(_LEFT_ENDINGS):
                    with contextlib.suppress(OSError):
                        os.unlink(item.path)


def write_new(path: str, data: bytes, mode: int | None) -> None:
    """Write a file and have it on the disk; `mode` is what it shall have, if that is known."""
    number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
    with os.fdopen(number, "wb") as file:
        file.write(data)
        file.flush()
        if mode is not None:
            os.fchmod(number, mode)
        os.fsync(number)


def _mode_of(path: str) -> int | None:
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return None
    # A file without write permission is meant to stay as it is; rename would not ask.
    if not os.access(path, os.W_OK):
        raise PermissionError(13, os.strerror(13), path)
    return stat.S_IMODE(found.st_mode)


def sync_folder(folder: str) -> None:
    """Have the names in a folder on the disk."""
    if os.name == "nt":  # Windows has no handle of a folder to flush
        return
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
