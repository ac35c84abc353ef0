"""Make ready what is derived from the knowledge, as hooks do after git changed the files."""

from __future__ import annotations

import time

from gitkb.errors import GitkbError, NotFoundError
from gitkb.operations.reading.search_index import open_index
from gitkb.store.discover import find_store
from gitkb.store.view import committed_settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.core.problem import Problem
    from gitkb.operations.writing.numbering import Renumbered
    from gitkb.store.layout import Store


def prepare(worktree: str, deadline_seconds: float) -> bool:
    """Bring the index of the store at a worktree's top up to date, within so many seconds.

    False where there is no store. An index that was not ready in time is right at the next query.
    """
    try:
        store = find_store(worktree)
    except NotFoundError:
        return False
    with open_index(store, deadline=time.monotonic() + deadline_seconds):
        pass
    _prepare_staleness(store)
    return True


def _prepare_staleness(store: Store) -> None:
    from gitkb.operations.history.staleness import prepare_staleness

    try:
        prepare_staleness(store)
    except GitkbError:
        pass  # whoever asks is told


def heal_numbers(worktree: str, *, is_merge: bool) -> list[Renumbered]:
    """Give a number of its own to each learning whose number an older one has, after a merge or rebase.

    Only who made the merge does it (`is_merge`): to all others it comes by fast-forward, and what
    they would write is for the one who merged to commit, or for the next who learns something.

    Raises:
        StateError: when the store is locked.
    """
    try:
        store = find_store(worktree)
    except NotFoundError:
        return []
    from gitkb.operations.writing.numbering import heal_store

    if not heal_store(store, dry_run=True) or (is_merge and not _is_merged_here(worktree)):
        return []
    return heal_store(store)


def _is_merged_here(worktree: str) -> bool:
    from gitkb.git.command import ask_git

    parents = ask_git(["rev-list", "--parents", "-n", "1", "HEAD"], worktree, own_environment=True)
    said = ask_git(["log", "-g", "-1", "--format=%gs", "HEAD"], worktree, own_environment=True)
    return len(parents.stdout.split()) > 2 and b"Fast-forward" not in said.stdout


def tell_unjudged(worktree: str) -> list[Problem]:
    """Say what HEAD brings back that was scrubbed, where git committed without asking pre-commit.

    A revert, a cherry-pick and an applied mail ask no such hook; of what a person commits it has told already.
    """
    from gitkb.git.command import ask_git

    said = ask_git(["log", "-g", "-1", "--format=%gs", "HEAD"], worktree, own_environment=True)
    if said.stdout.startswith(b"commit") or not said.stdout.strip():
        return []
    from gitkb.operations.checks.commit import check_scrubbed_head

    return check_scrubbed_head(worktree)


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
