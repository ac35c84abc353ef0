"""Tell a fresh clone, once, that its merge driver is not set up.

Git never carries configuration, so a clone of a repository with a store merges as text until
somebody runs `gitkb install` in it.
"""

from __future__ import annotations

import os

from gitkb.cli.call import say
from gitkb.errors import GitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.store.layout import Store

_TOLD = "setup-told"


def tell_once(store: Store) -> None:
    """Say on stderr what is missing in this clone, unless it was said before."""
    told = os.path.join(store.derived, _TOLD)
    if store.worktree is None or os.path.exists(told):
        return
    from gitkb.operations.setup import is_driver_configured, is_ignored

    try:
        if not is_driver_configured(store.worktree):
            say("note: this clone has no merge driver yet, so git merges knowledge as text")
            say("hint: gitkb install")
        if is_ignored(store):
            say("note: git ignores the files of this store, so nobody else will get what it holds")
            say("hint: gitkb doctor")
    except GitError:
        # Nothing can be set up without git, or where it refuses the repository; a verb that needs it
        # says so, and this one has done its work.
        return
    try:
        os.makedirs(store.derived, exist_ok=True)
        with open(told, "wb"):
            pass
    except OSError:
        return  # a read-only clone is told again, which does no harm
