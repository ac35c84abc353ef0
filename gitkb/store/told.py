"""What an agent was told in one of its sessions: a small file each, in the derived folder.

1. A session's name comes from elsewhere, and so never becomes part of a path: its hash does.
2. Two calls at once may tell a thing twice, and never lose one: lines are only added.
3. A file that nobody touched for `KEPT_DAYS` goes with the next session that begins.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitkb.store.layout import Store

FOLDER = "told"
KEPT_DAYS = 7
_MOST_BYTES = 1 << 20


def read_told(store: Store, session: str) -> frozenset[str]:
    """Give what was told in a session; nothing where that cannot be read."""
    try:
        with open(_path(store, session), encoding="utf-8", errors="replace") as file:
            return frozenset(file.read(_MOST_BYTES).split("\n"))
    except OSError:
        return frozenset()


def write_told(store: Store, session: str, names: Iterable[str]) -> None:
    """Add to what was told; where that cannot be written it will be told again."""
    path = _path(store, session)
    data = "".join(f"{name}\n" for name in names).encode("utf-8", "replace")
    try:
        is_new = not os.path.exists(path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        # One write to a file that is only added to: lines of two processes never mix.
        out = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | _NOT_THROUGH_A_LINK, 0o644)
        try:
            os.write(out, data)
        finally:
            os.close(out)
        if is_new:
            _forget_old(os.path.dirname(path))
    except OSError:
        return


def forget_told(store: Store, session: str) -> None:
    """Forget what was told in a session, whose agent has forgotten it too."""
    try:
        os.unlink(_path(store, session))
    except OSError:
        return


_NOT_THROUGH_A_LINK = getattr(os, "O_NOFOLLOW", 0)


def _path(store: Store, session: str) -> str:
    from hashlib import sha256

    name = sha256(session.encode("utf-8", "surrogatepass")).hexdigest()[:20]
    return os.path.join(store.derived, FOLDER, name)


def _forget_old(folder: str) -> None:
    import time

    oldest = time.time() - KEPT_DAYS * 86_400
    with os.scandir(folder) as found:
        for item in found:
            if item.stat(follow_symlinks=False).st_mtime < oldest:
                os.unlink(item.path)
