"""Where git has the entries of a context pack from: branch, author, commit."""

from __future__ import annotations

from gitkb.core.pack_text import NO_ORIGIN, Origin
from gitkb.errors import GitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from gitkb.store.layout import Store

UNCOMMITTED = "uncommitted"


def find_origins(store: Store, keys: Collection[str]) -> tuple[str, Callable[[str], Origin]]:
    """Give the branch that is checked out, and who wrote what stands for each of some keys.

    What is not in HEAD, or not as it stands in the work tree, is `uncommitted`: no author can be
    named for it. Outside a repository both say nothing.
    """
    if store.worktree is None:
        return "", lambda key: NO_ORIGIN
    try:
        return _find(store, keys)
    except GitError:
        # A pack is worth having without; `gitkb blame` and `gitkb doctor` say what is wrong.
        return "", lambda key: NO_ORIGIN


def _find(store: Store, keys: Collection[str]) -> tuple[str, Callable[[str], Origin]]:
    from gitkb.git.history import read_work_changes
    from gitkb.git.mainline import current_branch, read_mainline
    from gitkb.operations.provenance import author_of, has_own_environment, trace_head

    head, commits, origins = trace_head(store)
    own = has_own_environment(store)
    if head.id is None:
        return current_branch(store.root, "", own), lambda key: Origin(UNCOMMITTED)
    mainline = read_mainline(store.root, head.id, own)
    changed = read_work_changes(store.root, own)
    written = {
        key: origins[key][0]
        for key in keys
        if key in origins and origins[key][0] and key not in changed
    }
    authors = author_of(store, head, [commits[id_] for id_ in set(written.values())])

    def origin_of(key: str) -> Origin:
        if key not in written:
            return Origin(UNCOMMITTED)
        author = authors[written[key]]
        name = f"{author.name} or before" if author.is_cut else author.name
        return Origin(mainline.branch_of(author.commit), name, author.commit)

    return mainline.current, origin_of
