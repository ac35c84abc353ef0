"""What a fresh clone lacks, told once to each face.

Git never carries configuration, so a clone of a repository with a store merges as text until
somebody runs `gitkb install` in it.
"""

# No deferred annotations here: see `core.problem`.
import os
from typing import NamedTuple

from gitkb.errors import GitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.store.layout import Store

TOLD = {"cli": "setup-told", "mcp": "setup-told-mcp"}
"""The files that remember it; whom an agent tells is not who types."""


class Missing(NamedTuple):
    """Something that is not as it should be, and the command that helps."""

    note: str
    hint: str


def find_untold(store: "Store", face: str) -> list[Missing]:
    """Give what is missing in this clone, unless this face was told of it before."""
    told = os.path.join(store.derived, TOLD[face])
    if store.worktree is None or os.path.exists(told):
        return []
    from gitkb.operations.clone.setup import ignored_in, is_driver_configured

    missing = []
    try:
        if not is_driver_configured(store.worktree):
            note = "this clone has no merge driver yet, so git merges knowledge as text"
            missing.append(Missing(note, "gitkb install"))
        if (ignored := ignored_in(store)) is not None:
            note = "git ignores the files of this store, so nobody else will get what it holds"
            note += f" (rule {ignored.rule})"
            missing.append(Missing(note, "gitkb doctor"))
    except GitError:
        # Nothing can be set up without git, or where it refuses the repository; a verb that needs it
        # says so, and this one has done its work.
        return missing
    try:
        os.makedirs(store.derived, exist_ok=True)
        with open(told, "wb"):
            pass
    except OSError:
        pass  # a read-only clone is told again, which does no harm
    return missing
