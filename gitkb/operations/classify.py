"""Say how far a learning reaches: the rules of `core.scope`, held against this project."""

from __future__ import annotations

import os

from gitkb.core.scope import MOST_PATHS, Classified, Surroundings, classify_scope, find_paths
from gitkb.errors import GitkbError
from gitkb.operations.reading.stack import project_folder, project_stack
from gitkb.store.config import read_config

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from gitkb.core.canonical import Fields
    from gitkb.store.layout import Store

_GIT_SECONDS = 5.0


def classify(store: Store, fields: Fields) -> Classified:
    """Say the scope of a learning, and why. It need not be valid, nor stand in the store.

    Settings and manifests that cannot be read say nothing; they are others' to complain of.
    """
    return classifier(store)(fields)


def classifier(store: Store) -> Callable[[Fields], Classified]:
    """Give what classifies learnings of one project; what it is built with is looked up once."""
    values: Mapping[str, Any] = {}
    try:
        values = read_config(store).values
    except GitkbError:
        pass
    folder = project_folder(store)
    table = values.get("project")
    declared = table.get("name") if isinstance(table, dict) else None
    # A folder's name is often an ordinary word, so only a name that was declared counts.
    name = declared.strip() if isinstance(declared, str) else ""
    stack = project_stack(folder, values).all

    def judge(fields: Fields) -> Classified:
        files = _existing(store, find_paths(fields))
        return classify_scope(fields, Surroundings(name, files, stack))

    return judge


def _existing(store: Store, paths: Iterable[str]) -> frozenset[str]:
    """Of paths that a text may mean, those that are files or folders of this project.

    A name without a folder is looked for at any depth, among what git knows.
    """
    tops = {project_folder(store), store.worktree or project_folder(store)}
    found = set()
    bare = []
    for path in paths:
        if os.path.isabs(path) or ".." in path.split("/"):
            continue
        if any(os.path.lexists(os.path.join(top, *path.split("/"))) for top in tops):
            found.add(path)
        elif "/" not in path:
            bare.append(path)
    if bare and store.worktree is not None:
        found |= _known_to_git(store.worktree, bare[:MOST_PATHS])
    return frozenset(found)


def _known_to_git(worktree: str, names: list[str]) -> set[str]:
    from gitkb.errors import GitError
    from gitkb.git.command import ask_git  # a process; only a bare name of a file needs it

    patterns = [f":(glob)**/{name}" for name in names if not set(name) & set("*?[\\")]
    arguments = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *patterns]
    try:
        answer = ask_git(arguments, worktree, seconds=_GIT_SECONDS)
    except GitError:
        return set()
    known = {os.fsdecode(path).rpartition("/")[2] for path in answer.stdout.split(b"\0")}
    return {name for name in names if name in known} if patterns else set()
