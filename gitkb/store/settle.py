"""Let a reader see a change of several files as a whole, or not at all.

It costs one look at the file system where no change is under way, and imports nothing then: this is
on the way of every recall.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.store.layout import Store

PATIENCE_SECONDS = 2.0


def settle(store: Store) -> None:
    """Finish what a killed writer began, or wait for one that lives, though not for long.

    A store that can only be read is read as it is.
    """
    if not os.path.exists(store.journal_path):
        return
    from gitkb.errors import StateError
    from gitkb.store.lock import locked

    try:
        with locked(store, PATIENCE_SECONDS):
            pass  # taking the lock finishes what there is
    except StateError:
        return
