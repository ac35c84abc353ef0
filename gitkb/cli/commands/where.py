"""gitkb where"""

from __future__ import annotations

from gitkb.cli.arguments import Verb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.cli.call import Call


def run(call: Call) -> int:
    """Print which store is meant, and why."""
    store = call.store
    if call.as_json:
        call.answer(store._asdict())
        return 0
    call.write(store.root)
    call.notice(f"{store.reason}; the search index is in '{store.derived}'")
    if store.worktree is None:
        call.notice("it lies outside of every git repository, so nothing of git works for it")
    return 0


VERB = Verb(
    "where",
    "Say which store is used, and why.",
    run,
    (),
    (),
    """
--dir comes first, then GITKB_DIR, then the nearest .gitkb folder up to the top of the worktree.
""",
)
