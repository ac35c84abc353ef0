"""The log of what was shown and opened in this clone; it is never committed.

```
usage.log          lines of `core.usage`, the newest last
usage.log.1        those before them
usage-opened.json  what they say about openings, and how far it was read
```

1. All worktrees of a clone share one log. Outside a repository it lies with what can be rebuilt.
2. A call adds its line with one write to a file that is only added to, so lines of two processes never
   mix, and nobody waits. What cannot be written is not, and nobody is told: the call is not about it.
3. Both files together hold at most about two times `MOST_BYTES`. Two processes that turn the log over in
   the same moment could lose the older lines; never a call.
4. What follows for ranking is a function of the two files. The summary only spares their reading: what
   was added since is read on top of it, and it is made anew when it is of another log.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress

from gitkb.core.usage import Openings, Use, format_use, parse_uses

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import BinaryIO

    from gitkb.store.layout import Store

LOG, OLDER, SUMMARY = "usage.log", "usage.log.1", "usage-opened.json"
FILES = (LOG, OLDER, SUMMARY)
MOST_BYTES = 1 << 20
_MOST_UNREAD = 1 << 14
"""From so many bytes on that the summary does not know, it is written again."""
_FORM = 1
_MARK_BYTES = 64
_NOT_THROUGH_A_LINK = getattr(os, "O_NOFOLLOW", 0)


def name_in_log(store: Store) -> str:
    """Name a store as the log does: a repository may have several."""
    prefix = store.prefix
    return "" if prefix == ".gitkb" else prefix


def append_use(store: Store, use: Use) -> None:
    """Add a line. Never raises OSError (2)."""
    folder = store.shared
    path = os.path.join(folder, LOG)
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | _NOT_THROUGH_A_LINK
    data = format_use(use._replace(store=name_in_log(store)))
    try:
        try:
            out = os.open(path, flags, 0o600)
        except FileNotFoundError:
            os.makedirs(folder, exist_ok=True)
            out = os.open(path, flags, 0o600)
        try:
            os.write(out, data)
            state = os.fstat(out)
        finally:
            os.close(out)
        if state.st_size >= MOST_BYTES and os.stat(path).st_ino == state.st_ino:
            os.replace(path, os.path.join(folder, OLDER))
    except OSError:
        return


def read_uses(store: Store) -> list[Use]:
    """Read what was logged for a store, the oldest line first; nothing where there is no log."""
    folder, name = store.shared, name_in_log(store)
    data = b"\n".join(_read(os.path.join(folder, log)) for log in (OLDER, LOG))
    return [use for use in parse_uses(data) if use.store == name]


def size_of_log(store: Store) -> int:
    """Give the bytes that the log has; 0 where there is none."""
    folder, size = store.shared, 0
    for name in (OLDER, LOG):
        try:
            size += os.stat(os.path.join(folder, name)).st_size
        except OSError:
            continue
    return size


def read_usage_factors(store: Store) -> Mapping[str, float]:
    """Give by key (``tier:key`` of another tier) what ranking makes of the log; {} without one.

    Cost: the summary, and what was logged since it was written.
    """
    folder, name = store.shared, name_in_log(store)
    try:
        with open(os.path.join(folder, LOG), "rb") as file:
            mark = _mark_of(file)
            openings, place = _read_summary(folder, name, mark)
            file.seek(place)
            data = file.read(2 * MOST_BYTES)
    except FileNotFoundError:
        # Turned over a moment ago, or never written.
        openings, mark, place, data = Openings(), "", 0, b""
    except OSError:
        return {}
    older = b"" if place else _read(os.path.join(folder, OLDER))
    openings.add(parse_uses(older, opened=True), name)
    # A line that is being written is read when it is whole.
    openings.add(parse_uses(data, opened=True), name)
    if mark and len(older) + len(data) >= _MOST_UNREAD:
        _write_summary(folder, name, mark, place, data, openings)
    return openings.factors()


def _mark_of(log: BinaryIO) -> str:
    """Give what tells a log from the one before it, and is there as soon as it has a line or two."""
    # A number of a file alone is given again when the file before is gone.
    return f"{os.fstat(log.fileno()).st_ino} {log.read(_MARK_BYTES).hex()}"


def _read_summary(folder: str, name: str, mark: str) -> tuple[Openings, int]:
    """Read the summary of the log with this mark, and how far that was read."""
    try:
        kept = json.loads(_read(os.path.join(folder, SUMMARY)))
        if kept["form"] == _FORM and kept["log"] == mark and kept["store"] == name:
            newest, place = int(kept["newest"]), int(kept["place"])
            amounts = {key: (float(one), int(day)) for key, (one, day) in kept["opened"].items()}
            are_sound = all(0 < one < 1_000 and day <= newest for one, day in amounts.values())
            if are_sound and 0 < place <= 2 * MOST_BYTES:
                return Openings(amounts, newest), place
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        pass
    return Openings(), 0


def _write_summary(
    folder: str, name: str, mark: str, place: int, data: bytes, openings: Openings
) -> None:
    """Keep what was worked out, up to the last line that is whole for certain."""
    if parse_uses(data[data.rfind(b"\n") :]) == []:
        return  # its last line is being written; the next call comes soon
    kept = {
        "form": _FORM,
        "log": mark,
        "store": name,
        "place": place + len(data),
        "newest": openings.newest,
        "opened": openings.amounts,
    }
    # No lock, hence a name of its own; and no fsync, for what is broken is made anew.
    waiting = os.path.join(folder, f"{SUMMARY}.{os.getpid()}")
    try:
        with open(waiting, "wb") as file:
            file.write(json.dumps(kept).encode())
        os.replace(waiting, os.path.join(folder, SUMMARY))
    except OSError:
        with suppress(OSError):
            os.unlink(waiting)


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(2 * MOST_BYTES)
    except OSError:
        return b""
