"""Replace a file so that after a crash it is whole: either as it was or as it was to be."""

from __future__ import annotations

import contextlib
import os
import stat

from gitkb.errors import StateError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

TEMPORARY_SUFFIX = ".tmp"


def replace_file(path: str, data: bytes) -> None:
    """Write a file anew: temp file in the same folder, fsync, rename, fsync of the folder.

    The caller holds the store's lock, so one temporary name a file is enough, and one that a killed
    process left is simply written over. A link is followed, the file's mode is kept.

    Raises:
        StateError: when the disk is full, or the folder or the file cannot be written.
    """
    replace_files([(path, data)])


def replace_files(files: Sequence[tuple[str, bytes]]) -> None:
    """Write files anew, each as `replace_file` does, and in the order in which they are given.

    All are on the disk under their temporary names before the first takes its place, so that a full
    disk or a file that may not be written changes none of them.

    Raises:
        StateError: when the disk is full, or a folder or a file cannot be written.
    """
    waiting: list[tuple[str, str]] = []
    path = ""
    replaced = 0
    try:
        for path, data in files:
            path = os.path.realpath(path)
            folder, name = os.path.split(path)
            os.makedirs(folder, exist_ok=True)
            waiting.append((os.path.join(folder, f".{name}{TEMPORARY_SUFFIX}"), path))
            _write_new(waiting[-1][0], data, _mode_of(path))
        for temporary, path in waiting:
            folder = os.path.dirname(path)
            # What comes later may rest on what came before (the archive comes first): so the
            # names in one folder are on the disk before those in the next one change.
            if replaced and folder != os.path.dirname(waiting[replaced - 1][1]):
                _sync_folder(os.path.dirname(waiting[replaced - 1][1]))
            os.replace(temporary, path)
            replaced += 1
        if waiting:
            _sync_folder(os.path.dirname(path))
    except OSError as error:
        for temporary, _ in waiting[replaced:]:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
        raise StateError(
            f"cannot write '{path}': {error.strerror}",
            "only part was written, and nothing was lost: mend the cause and do it again"
            if replaced
            else "nothing was changed; make room and try again",
        ) from None


def remove_leftovers(folder: str) -> None:
    """Remove temporary files that a killed process left. The caller holds the store's lock."""
    with contextlib.suppress(OSError), os.scandir(folder) as found:
        for item in found:
            if item.name.startswith(".") and item.name.endswith(f".jsonl{TEMPORARY_SUFFIX}"):
                with contextlib.suppress(OSError):
                    os.unlink(item.path)


def _write_new(path: str, data: bytes, mode: int | None) -> None:
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


def _sync_folder(folder: str) -> None:
    if os.name == "nt":  # Windows has no handle of a folder to flush
        return
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
