"""Make ready what is derived from the knowledge, as hooks do after git changed the files."""

from __future__ import annotations

import time

from gitkb.errors import NotFoundError
from gitkb.operations.search_index import open_index
from gitkb.store.discover import find_store
from gitkb.store.view import committed_settings


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


def prepare_views(worktree: str) -> list[str]:
    """Write the views that the team of the store at a worktree's top commits; the paths that changed.

    Raises:
        StateError: when the store is locked.
    """
    try:
        store = find_store(worktree)
    except NotFoundError:
        return []
    if committed_settings(store) is None:
        return []
    from gitkb.operations.view import freshen_views

    return [f"{store.prefix}/{name}" for name in freshen_views(store)]
