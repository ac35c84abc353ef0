"""Make the search index ready beforehand, as hooks do after git changed the files."""

from __future__ import annotations

import time

from gitkb.errors import NotFoundError
from gitkb.operations.search_index import open_index
from gitkb.store.discover import find_store


def prepare(worktree: str, deadline_seconds: float) -> bool:
    """Bring the index of the store at a worktree's top up to date, within so many seconds.

    False where there is no store. An index that was not ready in time is right at the next query.
    """
    try:
        store = find_store(worktree)
    except NotFoundError:
        return False
    with open_index(store, deadline=time.monotonic() + deadline_seconds):
        return True
