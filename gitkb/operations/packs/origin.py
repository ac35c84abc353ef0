"""Where git has the entries of a context pack from: branch, author, commit."""

from __future__ import annotations

from typing import NamedTuple

from gitkb.core.packs.text import NO_ORIGIN, UNCOMMITTED, Origin
from gitkb.errors import GitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitkb.git.mainline import Mainline
    from gitkb.operations.history.provenance import Traced
    from gitkb.store.layout import Store

PATIENCE_SECONDS = 15.0
"""A pack is worth having without authors; only the first walk of a very long history takes longer."""


class Origins:
    """The origins of all entries. Git is asked beside the search: both cost about the same."""

    def __init__(
        self,
        store: Store,
        notices: list[str] | None = None,
        patience: float = PATIENCE_SECONDS,
    ) -> None:
        from threading import Thread

        self._patience = patience

        self._store = store
        self._notices = notices
        self._facts: _Facts | None = None
        self._branch = ""
        self._is_answered = False
        self._known: dict[str, Origin] = {}
        self._thread = Thread(target=self._ask, daemon=True) if store.worktree else None
        if self._thread is not None:
            self._thread.start()

    def look_up(self, keys: Iterable[str]) -> str:
        """Find the origins of some keys, and give the branch that is checked out.

        What is not in HEAD as it stands in the work tree is `uncommitted`: no author can be named.
        """
        if self._thread is not None:
            self._thread.join(self._patience)
            if self._thread.is_alive():
                if self._notices is not None:
                    self._notices.append(
                        "git's history has not been read to its end yet, so the pack names no "
                        "authors; gitkb blame reads it once and for all"
                    )
                return ""
            if not self._is_answered:
                self._ask()  # a bug ended the thread; it shall be seen here
        if self._facts is not None:
            self._known = _find(self._store, self._facts, keys)
        return self._branch

    def of(self, key: str) -> Origin:
        """Give the origin of a key that was looked up."""
        return self._known.get(key, NO_ORIGIN)

    def _ask(self) -> None:
        from gitkb.git.history import read_work_changes
        from gitkb.git.mainline import read_mainline, read_unborn_branch
        from gitkb.operations.history.provenance import has_own_environment, trace_head

        root, own = self._store.root, has_own_environment(self._store)
        try:
            traced = trace_head(self._store)
            if traced.head.id is None:
                self._branch = read_unborn_branch(root, own)
                self._facts = _Facts(traced, None, {})
            else:
                mainline = read_mainline(root, traced.head.id, own)
                self._branch = mainline.current
                self._facts = _Facts(traced, mainline, read_work_changes(root, own))
        except GitError:
            pass  # a pack is worth having without; `gitkb blame` and `gitkb doctor` say what is wrong
        self._is_answered = True


class _Facts(NamedTuple):
    traced: Traced
    mainline: Mainline | None
    """None before the first commit."""
    changed: dict[str, int]


def _find(store: Store, facts: _Facts, keys: Iterable[str]) -> dict[str, Origin]:
    from gitkb.operations.history.provenance import author_of

    (head, commits, origins), mainline, changed = facts
    found: dict[str, Origin] = {}
    written: dict[str, str] = {}
    for key in keys:
        found[key] = Origin(UNCOMMITTED)
        if mainline and key in origins and origins[key][0] and key not in changed:
            written[key] = origins[key][0]
    if not mainline or not written:
        return found
    try:
        authors = author_of(store, head, [commits[id_] for id_ in sorted(set(written.values()))])
    except GitError:
        return dict.fromkeys(found, NO_ORIGIN)
    for key, id_ in written.items():
        author = authors[id_]
        name = f"{author.name} or before" if author.is_cut else author.name
        found[key] = Origin(mainline.branch_of(id_), name, id_)
    return found
