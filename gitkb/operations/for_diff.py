"""What the knowledge says about a change: its paths and the words of its lines."""

from __future__ import annotations

from gitkb.core.search.words import Analyser
from gitkb.core.touch.files import make_touch
from gitkb.core.touch.words import terms_of
from gitkb.errors import GitError
from gitkb.operations.reading.touched import DEFAULT_LIMIT, NOTHING, find_concerning
from gitkb.store.config import read_languages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitkb.operations.reading.touched import Reminder
    from gitkb.store.layout import Store


def for_diff(
    store: Store,
    words: Sequence[str] = (),
    *,
    staged: bool = False,
    cwd: str | None = None,
    limit: int = DEFAULT_LIMIT,
    unasked: bool = False,
    own_environment: bool = False,
    notices: list[str] | None = None,
) -> Reminder:
    """Find the entries that concern a change; `words` and `staged` as in `git.changed_lines`.

    `own_environment`: the staging area is the one that git's variables name, as in a hook.

    Raises:
        GitError: outside a repository, or where git refuses it.
        NotFoundError: for a revision that is not here.
        UsageError: for words that name no change, or a limit of nought.
    """
    import os

    from gitkb.git.changed_lines import iter_lines, read_paths, resolve_change
    from gitkb.git.repository import open_repository
    from gitkb.operations.for_file import top_of
    from gitkb.operations.history.provenance import has_own_environment

    top = top_of(store, os.getcwd() if cwd is None else cwd)
    own = own_environment or (top == store.worktree and has_own_environment(store))
    repository = open_repository(top, own_environment=own)
    if repository.worktree is None:
        raise GitError(f"cannot compare: '{top}' is no work tree", "name two commits: A..B")
    change = resolve_change(repository, words, staged=staged)
    paths = [path for path in read_paths(repository, change) if not _is_of_a_store(path)]
    if not paths and limit > 0:
        return NOTHING
    split = Analyser(read_languages(store)).split
    terms = terms_of(iter_lines(repository, change), split)
    return find_concerning(
        store, make_touch(paths), terms, limit=limit, unasked=unasked, notices=notices
    )


def _is_of_a_store(path: str) -> bool:
    return ".gitkb" in path.split("/")[:-1]
