"""The files of a merge: read whole, and OURS replaced by what came of it.

1. What replaces OURS is written beside it under another name, checked, and renamed; a process that
   is killed leaves OURS as it was.
2. On a full disk the space of BASE and THEIRS is freed first, and OURS is removed where not even both
   sides can be left: git made all three from its own objects for this merge. Files that somebody else
   named are never touched but to put a result into OURS.
"""

from __future__ import annotations

import sys

if sys.platform == "win32":
    import os as system
else:
    import posix as system  # what os is made of: importing os is a tenth of a small merge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_OURS_LABEL, _BASE_LABEL, _THEIRS_LABEL = "ours", "base", "theirs"


class Texts:
    """The three files, and what was in them when they were read."""

    __slots__ = ("are_freed", "base", "base_path", "ours", "ours_path", "theirs", "theirs_path")

    def __init__(self, base_path: str, ours_path: str, theirs_path: str) -> None:
        self.base_path, self.ours_path, self.theirs_path = base_path, ours_path, theirs_path
        self.base, self.ours, self.theirs = map(_read, (base_path, ours_path, theirs_path))
        self.are_freed = False
        """Whether the files of base and theirs were emptied to make room: they say nothing now."""


def _read(path: str) -> bytes:
    with open(path, "rb", buffering=0) as file:
        return file.read()


def replace(texts: Texts, result: bytes) -> None:
    """Put a result in the place of OURS, with its mode.

    Raises:
        OSError: when it cannot be written even after room was made; OURS is then as it was.
    """
    try:
        _replace_once(texts.ours_path, result)
    except OSError as error:
        if not _is_for_lack_of_room(error) or not are_of_git(texts.base_path, texts.theirs_path):
            raise
        texts.are_freed = True
        for path in (texts.base_path, texts.theirs_path):
            _try(lambda path=path: system.truncate(path, 0))  # type: ignore[misc]
        _replace_once(texts.ours_path, result)


def give_up(ours_path: str) -> None:
    """Remove OURS, so that git fails instead of taking one side for the whole."""
    if are_of_git(ours_path):
        _try(lambda: system.remove(ours_path))


def are_of_git(*paths: str) -> bool:
    """Say whether git made files for a merge: all its versions name them so (`create_temp` in merge-ll.c)."""
    names = (path.replace("\\", "/").rpartition("/")[2] for path in paths)
    return all(name.startswith(".merge_file_") for name in names)


def text_merge(texts: Texts, marker_size: int) -> bytes:
    """Merge line by line as git does, with conflict markers; git reads the files, if they are whole."""
    if texts.are_freed:
        return _both_sides(texts, marker_size)
    import subprocess  # only a failure needs it, and it costs as much as all of Python's start

    labels = [word for side in (_OURS_LABEL, _BASE_LABEL, _THEIRS_LABEL) for word in ("-L", side)]
    paths = [texts.ours_path, texts.base_path, texts.theirs_path]
    command = ["git", "merge-file", "-p", "-q", f"--marker-size={marker_size}", *labels, *paths]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    except OSError:
        return _both_sides(texts, marker_size)
    # The number of conflicts up to 127; anything else is an error, such as a NUL byte in the text.
    return done.stdout if 0 <= done.returncode <= 127 else _both_sides(texts, marker_size)


def _both_sides(texts: Texts, marker_size: int) -> bytes:
    if texts.ours == texts.theirs:
        return texts.ours
    begin, middle, end = (mark * marker_size for mark in (b"<", b"=", b">"))
    ours, theirs = (
        text + b"\n" if text and not text.endswith(b"\n") else text
        for text in (texts.ours, texts.theirs)
    )
    first, last = _OURS_LABEL.encode(), _THEIRS_LABEL.encode()
    return b"%s %s\n%s%s\n%s%s %s\n" % (begin, first, ours, middle, theirs, end, last)


def _replace_once(path: str, result: bytes) -> None:
    written = f"{path}.{system.getpid()}"
    mode = system.stat(path).st_mode & 0o7777
    file = system.open(
        written,
        system.O_WRONLY | system.O_CREAT | system.O_EXCL | getattr(system, "O_BINARY", 0),
        0o600,
    )
    try:
        try:
            view = memoryview(result)
            while view:
                view = view[system.write(file, view) :]
            if system.fstat(file).st_size != len(result):
                raise OSError(f"'{written}' has not the length that was written")
            if hasattr(system, "fchmod"):
                system.fchmod(file, mode)
            if not are_of_git(path):  # git reads its own at once, and writes what it keeps anew
                system.fsync(file)
        finally:
            system.close(file)
        system.replace(written, path)
        if not are_of_git(path) and sys.platform != "win32":
            _sync_folder(path.rpartition("/")[0] or ".")
    except BaseException:
        _try(lambda: system.remove(written))
        raise


def _sync_folder(folder: str) -> None:
    place = system.open(folder, system.O_RDONLY)
    try:
        system.fsync(place)
    finally:
        system.close(place)


def end_at_once(code: int) -> None:
    """End the process: nothing is left to clear away, and clearing a large heap takes its time."""
    for stream in filter(None, (sys.stdout, sys.stderr)):
        _try(stream.flush)
    system._exit(code)


def _is_for_lack_of_room(error: OSError) -> bool:
    import errno

    return error.errno in (errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC))


def _try(action: Callable[[], object]) -> None:
    try:
        action()
    except OSError:
        pass
