"""The files of stores by their names: which are data, which only look so, and how a problem names them."""

from __future__ import annotations

import os

from gitkb.core.identity import ARCHIVE, CONFIRMED, KNOWLEDGE, is_shard_name
from gitkb.core.problem import Problem
from gitkb.store.layout import STORE_NAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from gitkb.store.layout import Store


def check_names(names: Iterable[str]) -> list[Problem]:
    """Judge the names of the files in one store, such as ``knowledge/3f.jsonl``."""
    problems, folded = [], dict[str, str]()
    for name in sorted(names, key=lambda name: (not is_data(name), name)):
        twin = folded.setdefault(name.casefold(), name)
        if twin != name:
            message = (
                f"differs from '{twin}' in case alone: many file systems hold only one of them"
            )
            hint = "move its lines to the other file, git rm it, then gitkb fmt"
            problems.append(Problem("case-twin", message, hint, name))
        elif name.endswith(".jsonl") and not is_data(name) and not is_confirmation(name):
            message = "no data file: nothing reads a file of this name"
            hint = "data files are knowledge/ and archive/ with names such as 3f.jsonl or all.jsonl"
            problems.append(Problem("stray-file", message, hint, name, severity="warning"))
    return problems


def names_in(store: Store) -> Iterator[str]:
    """Yield the names of a store's own files in the work tree; views are not among them."""
    for folder in ("", KNOWLEDGE, ARCHIVE, CONFIRMED):
        path = os.path.join(store.root, folder) if folder else store.root
        try:
            names = os.listdir(path)
        except OSError:
            continue
        for name in names:
            if not name.startswith("."):
                yield f"{folder}/{name}" if folder else name


def is_data(name: str) -> bool:
    """Say whether a name in a store is that of a data file of any layout."""
    folder, _, file = name.rpartition("/")
    return folder in (KNOWLEDGE, ARCHIVE) and is_shard_name(file)


def is_confirmation(name: str) -> bool:
    """Say whether a name in a store is that of a file of confirmations."""
    folder, _, file = name.rpartition("/")
    return folder == CONFIRMED and is_shard_name(file)


def split_path(path: str) -> tuple[str, str] | None:
    """Cut ``sub/.gitkb/knowledge/3f.jsonl`` into the store's folder and the name in it."""
    before, found, name = f"/{path}".rpartition(f"/{STORE_NAME}/")
    return (f"{before}/{STORE_NAME}"[1:], name) if found else None


def files_below(files: Mapping[str, str], prefix: str) -> dict[str, str]:
    """Give the files of the store at `prefix` by their names in it, out of all files of a commit."""
    start = f"{prefix}/"
    return {path[len(start) :]: blob for path, blob in files.items() if path.startswith(start)}


def within(prefix: str, problems: Iterable[Problem]) -> list[Problem]:
    """Name files as from the store; in a store that is not at the top, as from the worktree."""
    found = with_paths(prefix, problems)
    if prefix == STORE_NAME:
        return found
    return [
        problem._replace(file=f"{prefix}/{problem.file}") if problem.file else problem
        for problem in found
    ]


def with_paths(prefix: str, problems: Iterable[Problem]) -> list[Problem]:
    """Put the path from the worktree, as git wants it, for FILE in the hints."""
    return [
        problem._replace(hint=problem.hint.replace("FILE", f"{prefix}/{problem.file}"))
        for problem in problems
    ]
