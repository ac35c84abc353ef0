"""The content of files in git, whole or not at all.

1. What cannot be read is never taken for an empty file: that would look like lines that somebody
   removed, and a check would let the loss by.
"""

from __future__ import annotations

from gitkb.errors import GitError
from gitkb.git.objects import read_blobs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitkb.git.repository import Repository


def read_all(blobs: Iterable[str], *repositories: Repository) -> dict[str, bytes]:
    """Read blobs, each from the first repository that has it; an empty id stands for no file.

    Raises:
        GitError: when none has one of them.
    """
    wanted = [blob for blob in blobs if blob]
    found = {"": b""}
    missing = wanted
    for repository in repositories:
        found |= read_blobs(repository, missing)
        missing = [blob for blob in dict.fromkeys(wanted) if blob not in found]
    if missing:
        files = "1 file" if len(missing) == 1 else f"{len(missing)} files"
        raise GitError(
            f"the content of {files} of the knowledge base is missing in this clone",
            "git fsck says what is missing; git fetch --refetch brings what the remote has",
        )
    return found
