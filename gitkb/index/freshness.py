"""Whether the data files still say what the search index says.

1. A file is believed unchanged only if size, both times, inode and device are what they were when
   it was read, and both times were then at least two seconds old. (Written again within the grain
   of the clock, a file can change and keep its times: git's rule for a racy index,
   https://git-scm.com/docs/racy-git.) Every other file is read and its bytes compared by hash.
2. `ctime` is compared too, because nobody can set it back.
3. On Windows every file is read: its inode and ctime say too little.
"""

# No deferred annotations here: see `core.problem`.
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3

RACY = 2 * 10**9
"""Nanoseconds: the coarsest clock of a file system in use (FAT)."""

_READING = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
_READ_SIZE = 2**20

STAMPS_TELL = os.name != "nt"


class DataFile(NamedTuple):
    """One data file: its name in the store, such as ``knowledge/3f.jsonl``, and where it lies."""

    name: str
    path: str


class Reading(NamedTuple):
    """A file as it was read."""

    name: str
    stamp: str
    """What `stat` said before it was read."""
    signature: str
    """The stamp, if it will tell a change; else an empty text."""
    digest: bytes
    data: bytes
    error: str = ""
    """Why it could not be read."""


class Delta(NamedTuple):
    """What makes the files differ from what the search index holds."""

    changed: list[Reading]
    gone: list[str]
    resigned: list[tuple[str, str]]
    """Name and signature of files with the same bytes under another signature that will tell."""

    @property
    def is_fresh(self) -> bool:
        return not self.changed and not self.gone


def compare(
    connection: "sqlite3.Connection",
    files: Sequence[DataFile],
    readings: dict[str, Reading],
    *,
    distrust: bool,
) -> Delta:
    """Compare the files with what is recorded of them.

    `readings` holds what this command has read already and takes what it reads now, so that no file
    is read twice. With `distrust` stamps count for nothing. Costs one stat a file, and reads those
    whose stamp does not tell.
    """
    known = {
        name: (signature, digest)
        for name, signature, digest in connection.execute(
            "SELECT name, signature, digest FROM file"
        )
    }
    delta = Delta([], [], [])
    trust = STAMPS_TELL and not distrust
    for file in files:
        name = file.name
        stamp = stamp_of(file.path)
        if not stamp:
            continue  # removed since the files were listed
        signature, digest = known.pop(name, ("", b"-"))
        if trust and stamp == signature:
            continue
        reading = readings.get(name)
        if reading is None or reading.stamp != stamp:
            reading = readings[name] = read(file, stamp)
        if reading.digest != digest:
            delta.changed.append(reading)
        elif reading.signature not in ("", signature):
            delta.resigned.append((name, reading.signature))
    delta.gone.extend(known)
    return delta


def iter_readings(files: Iterable[DataFile], readings: dict[str, Reading]) -> Iterator[Reading]:
    """Read file after file, but those whose reading in `readings` still holds."""
    for file in files:
        reading = readings.get(file.name)
        if reading is None or reading.stamp != stamp_of(file.path):
            reading = read(file)
            if not reading.stamp:
                continue
            readings[file.name] = reading
        yield reading


def stamp_of(path: str) -> str:
    """Give all that `stat` says of a file's content; an empty text if there is no such file."""
    try:
        return _stamp(os.stat(path))
    except OSError:
        return "" if not os.path.lexists(path) else "?"


def _stamp(at: os.stat_result) -> str:
    return f"{at.st_size} {at.st_mtime_ns} {at.st_ctime_ns} {at.st_ino} {at.st_dev}"


def read(file: DataFile, stamp: str = "") -> Reading:
    """Read one file, of which `stamp` was just taken, if there is one.

    One that cannot be read is read as empty, and one that does not exist has no stamp.
    """
    from hashlib import sha256  # a search in a fresh index hashes nothing

    now = time.time_ns()
    try:
        # A file object asks the system three times more.
        handle = os.open(file.path, _READING)
        try:
            before = os.fstat(handle)
            data = _read_whole(handle, before.st_size)
            at = os.fstat(handle)
        finally:
            os.close(handle)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        return Reading(file.name, stamp or stamp_of(file.path), "", b"", b"", reason)
    stamp, after = stamp or _stamp(before), _stamp(at)
    # Replaced or written meanwhile, or so lately that the next write may look the same.
    is_told = stamp == after and now - max(at.st_mtime_ns, at.st_ctime_ns) >= RACY
    return Reading(file.name, stamp, stamp if is_told else "", sha256(data).digest(), data)


def _read_whole(handle: int, size: int) -> bytes:
    data = os.read(handle, size + 1)
    if len(data) == size:
        return data
    # It has another size by now, or the system gives no more at once.
    parts = [data]
    while parts[-1]:
        parts.append(os.read(handle, _READ_SIZE))
    return b"".join(parts)
