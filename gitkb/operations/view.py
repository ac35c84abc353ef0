"""`view`: knowledge as Markdown files for people, beside the data they are made from.

1. A file is written only where its bytes change; with `check` nothing is written.
2. What is staged is judged by the staging area alone, entries and views, whatever stands in the worktree;
   nothing is ever staged.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from gitkb.core.documents.view import (
    ACTIVE,
    SMALLEST_BUDGET,
    format_view,
    is_known_view,
    is_view_name,
    read_view_settings,
    view_name,
)
from gitkb.core.identity import KNOWLEDGE
from gitkb.core.problem import Problem
from gitkb.errors import StateError, UsageError
from gitkb.git.objects import read_blobs, staged_changes, staged_files
from gitkb.git.repository import open_repository
from gitkb.operations.checks.names import is_data, split_path
from gitkb.schema.config_file import values_in
from gitkb.store.discover import store_at
from gitkb.store.layout import CONFIG_NAME, STORE_NAME
from gitkb.store.lock import locked
from gitkb.store.view import (
    FOLDER,
    ViewFile,
    committed_settings,
    entries_of,
    file_of,
    read_settings,
    read_views,
    refresh_views,
    write_views,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gitkb.core.documents.view import ViewSettings
    from gitkb.git.repository import Repository
    from gitkb.store.layout import Store


class StoreViews(NamedTuple):
    """The views of one store."""

    store: Store
    views: list[ViewFile]
    problems: Sequence[Problem] = ()
    """What could not be read, and so is in no view."""
    others: Sequence[str] = ()
    """Names that were asked for and stand for no choice of entries: they are files of `learnings`."""

    @property
    def are_fresh(self) -> bool:
        return all(found.state == "fresh" for found in self.views)

    def path_of(self, found: ViewFile) -> str:
        """The file as a person names it: from the top of the worktree, or else absolute."""
        prefix = self.store.prefix
        return f"{prefix}/{found.file}" if prefix else self.store.path_of(found.file)


def make_views(
    store: Store, names: Sequence[str] = (), *, budget: int | None = None, write: bool = False
) -> StoreViews:
    """Make views of a store, those that config.toml names unless `names` says which, and compare them
    with their files; with `write` those that differ are written.

    Raises:
        UsageError: when a name is none for a file, or the budget is too small or for no view.
        DataError: when config.toml is broken.
        StateError: when the store is locked, full or read-only, or a view is a link that leads out.
    """
    settings = read_settings(store)
    chosen = tuple(dict.fromkeys(map(view_name, names))) or settings.names
    for name in chosen:
        if not is_view_name(name):
            raise UsageError(
                f"'{name}' is no name for a view", "letters, digits, '.', '_' and '-', no folder"
            )
    others = [
        name for name in chosen if name not in settings.names and not is_known_view(name, settings)
    ]
    settings = _with_budget(settings, budget, chosen)
    problems: list[Problem] = []
    if not write:
        views = read_views(store, chosen, settings, problems)
        return StoreViews(store, views, problems, others)
    with locked(store):
        views = read_views(store, chosen, settings, problems)
        write_views(store, views)
    return StoreViews(store, views, problems, others)


def make_staged_views(
    cwd: str, named: Sequence[str] = (), *, every: bool = False, write: bool = False
) -> list[StoreViews]:
    """Make the views that teams commit from what is staged of each store, and compare them with the
    views that are staged; with `write` those that differ are written into the worktree.

    Only stores of which the commit under way changes something, or a file is `named` (as from the top
    of the worktree), unless `every` is wanted.

    Raises:
        GitError: outside a repository.
        StateError: as `make_views`.
    """
    repository = open_repository(cwd, own_environment=True)
    found = []
    for prefix in sorted(_stores(repository, named, every=every)):
        store = store_at(os.path.join(repository.worktree or repository.cwd, *prefix.split("/")))
        views = _read_staged(repository, prefix)
        if write:
            with locked(store):
                write_views(store, views)
        found.append(StoreViews(store, views))
    return found


def freshen_views(store: Store) -> list[str]:
    """Write the views that the team commits, as after a merge, and give the names of those that changed.

    Raises:
        StateError: when the store is locked.
    """
    if committed_settings(store) is None:
        return []
    with locked(store):
        return refresh_views(store)


def check_views(store: Store) -> Iterator[Problem]:
    """Warn of views that the team commits and that do not say what the entries do."""
    settings = committed_settings(store)
    try:
        views = read_views(store, settings.names, settings) if settings else []
    except StateError as error:
        hint = error.hint or "gitkb view"
        yield Problem("stale-view", error.message, hint, FOLDER, severity="warning")
        return
    for found in views:
        if found.state != "fresh":
            message = _FAULTS[found.state]
            yield Problem("stale-view", message, "gitkb view", found.file, severity="warning")


def staged_problems(staged: Iterable[StoreViews]) -> list[Problem]:
    """Say of each staged view that is not fresh what is wrong, and how to mend it."""
    problems = []
    for one in staged:
        for found in one.views:
            if found.state != "fresh":
                path = one.path_of(found)
                hint = f"gitkb view --staged, then git add '{path}'"
                problems.append(Problem("stale-view", _STAGED_FAULTS[found.state], hint, path))
    return problems


_FAULTS = {
    "stale": "the view does not say what the entries do",
    "missing": "a view that config.toml names is not there",
}
_STAGED_FAULTS = {
    "stale": "the staged view does not say what the staged entries do",
    "missing": "a view that config.toml names is not staged",
}


def _with_budget(settings: ViewSettings, budget: int | None, names: Sequence[str]) -> ViewSettings:
    if budget is None:
        return settings
    if ACTIVE not in names:
        raise UsageError("a budget is for the active view", "gitkb view --active --budget CHARS")
    if budget < SMALLEST_BUDGET:
        raise UsageError(
            f"a budget of {budget} characters is too small",
            f"at least {SMALLEST_BUDGET}: it covers all that the view says, its headings too",
        )
    return settings._replace(budget=budget)


def _stores(repository: Repository, named: Sequence[str], *, every: bool) -> set[str]:
    """The folders of the stores to look at, as from the top of the worktree."""
    paths = [change.path for change in staged_changes(repository)]
    paths += [path.replace(os.sep, "/") for path in named]
    places = [place for path in paths if (place := split_path(path)) is not None]
    found = {prefix for prefix, name in places if _concerns_views(name)}
    if every:
        configs = staged_files(repository, f":(glob)**/{STORE_NAME}/{CONFIG_NAME}")
        found.update(path.rpartition("/")[0] for path in configs)
    return found


def _concerns_views(name: str) -> bool:
    return is_data(name) or name == CONFIG_NAME or name.startswith(f"{FOLDER}/")


def _read_staged(repository: Repository, prefix: str) -> list[ViewFile]:
    files = {
        path[len(prefix) + 1 :]: blob for path, blob in staged_files(repository, prefix).items()
    }
    config = files.get(CONFIG_NAME, "")
    settings = read_view_settings(values_in(read_blobs(repository, [config]).get(config)))
    if not settings.commit:
        return []
    wanted = {name: blob for name, blob in files.items() if is_data(name) or name.endswith(".md")}
    blobs = read_blobs(repository, wanted.values())
    knowledge = ((name, blobs[wanted[name]]) for name in sorted(wanted) if _is_knowledge(name))
    entries = entries_of(knowledge)
    views = []
    for name in settings.names:
        view = format_view(name, entries, settings)
        staged = blobs.get(wanted.get(file_of(name), ""))
        fresh = "fresh" if staged == view.text.encode("utf-8") else "stale"
        views.append(ViewFile(name, view, "missing" if staged is None else fresh))
    return views


def _is_knowledge(name: str) -> bool:
    return is_data(name) and name.startswith(KNOWLEDGE)
