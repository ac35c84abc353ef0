"""Tell a fresh clone, once, what it lacks."""

from __future__ import annotations

from gitkb.cli.call import say
from gitkb.operations.clone.notice import find_untold

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.store.layout import Store


def tell_once(store: Store) -> None:
    """Say on stderr what is missing in this clone, unless it was said before."""
    for missing in find_untold(store, "cli"):
        say(f"note: {missing.note}")
        say(f"hint: {missing.hint}")
