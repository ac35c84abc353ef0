"""Keep out of git's way while it writes the worktree.

A merge, a pull or a checkout looks at the files, works out the new ones and puts those in their
place. What another program writes in between is gone without a word: git overwrites it, or takes
the worktree back to where it began. Half of the `add`s that ran beside a `git pull` were lost so.

1. Git holds the lock of its staging area for that time, so a writer waits until that is free.
2. A file that changed after it was read is not written: what changed it would be lost.
3. The wait is short. Git holds the same lock while an editor is open for `git commit -a`, and one
   that was killed leaves it behind: an old lock stops nobody.
4. A program that git started, a hook for instance, does not wait for git.
"""

from __future__ import annotations

import os
import time

from gitkb.errors import StateError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gitkb.store.layout import Store

PATIENCE_SECONDS = 5.0
_STEP_SECONDS = 0.01
_SETTLED_SECONDS = 0.1


def wait_for_git(store: Store, patience: float = PATIENCE_SECONDS) -> None:
    """Wait while git writes this worktree, until its lock is free or older than `patience`."""
    if store.worktree is None or "GIT_INDEX_FILE" in os.environ:
        return
    lock = os.path.join(os.path.dirname(store.derived), "index.lock")
    now = time.monotonic()
    end, settled = now + patience, now
    while now < end:
        if _is_held(lock, patience):
            # A merge that fails takes the lock again for each step of its way back.
            settled = now + _SETTLED_SECONDS
        elif now >= settled:
            return
        time.sleep(_STEP_SECONDS)
        now = time.monotonic()


def _is_held(lock: str, patience: float) -> bool:
    try:
        age = time.time() - os.stat(lock).st_mtime
    except OSError:
        return False
    return 0 <= age < patience


def refuse_changed(store: Store, read: Mapping[str, bytes], names: Iterable[str]) -> None:
    """Refuse to write files that are no longer what `read` says; one that was not there is empty.

    Raises:
        StateError: when one of them changed, or can no longer be read.
    """
    for name in names:
        try:
            with open(store.path_of(name), "rb") as file:
                data = file.read()
        except FileNotFoundError:
            data = b""
        except OSError as error:
            message = f"cannot read '{name}': {error.strerror}"
            raise StateError(message, "nothing was written; see gitkb check") from None
        if data != read.get(name, b""):
            raise StateError(
                f"'{name}' was changed by another program at the same moment",
                "nothing was written; do it again",
            )
