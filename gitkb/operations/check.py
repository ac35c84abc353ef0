"""`check`: whether a store, or what is staged of it, is right.

1. Nothing is written, staged or rebuilt.
2. Bad data is a `Problem`, never an exception; only problems that are errors make the answer no.
3. What is staged is read from the staging area, whatever stands in the work tree.
4. A commit costs in proportion to what it changes: one that touches no data file reads none. So the
   warnings that need a whole store (`check_entries`) come from `check_store` alone, and what judges
   lines and merges is imported only when there are any.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from gitkb.core.identity import ARCHIVE, KNOWLEDGE, is_shard_name
from gitkb.core.problem import Problem
from gitkb.errors import GitError
from gitkb.git.objects import (
    StagedChange,
    merge_bases,
    merging_heads,
    parents_of,
    read_blobs,
    staged_changes,
    staged_files,
    tree_files,
)
from gitkb.git.repository import find_repository, open_repository
from gitkb.store.layout import CONFIG_NAME, STORE_NAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gitkb.core.snapshot import Located
    from gitkb.git.repository import Repository
    from gitkb.operations.check_merge import Tree
    from gitkb.store.layout import Store


class CheckResult(NamedTuple):
    """What is wrong, and how much was looked at."""

    problems: list[Problem]
    files: int
    records: int

    @property
    def is_fine(self) -> bool:
        """Whether nothing is wrong but what may be meant so."""
        return not any(problem.is_error for problem in self.problems)


def check_store(store: Store, *, with_head: bool = True, now: float | None = None) -> CheckResult:
    """Judge a whole store as it stands in the work tree, and HEAD too when it is a merge."""
    import time

    from gitkb.operations.check_entries import check_entries
    from gitkb.schema.config_file import categories_in, check_config, shards_in
    from gitkb.schema.data_file import check_file
    from gitkb.store.reader import iter_files

    problems = _check_names(_names_in(store))
    config = _read(store.config_path)
    if config is not None:
        problems += check_config(CONFIG_NAME, config)
    shards = shards_in(config)
    records: list[Located] = []
    count = 0
    for name, data in iter_files(store, problems):
        found = check_file(name, data, shards)
        problems += found.problems
        records += found.records
        count += 1
    moment = time.time() if now is None else now
    problems += check_entries(records, categories_in(config), moment)
    if with_head and store.worktree is not None:
        try:
            problems += check_head(store)
        except GitError as error:  # the files are judged whatever git says of the repository
            message = f"cannot judge HEAD: {error.message}"
            problems.append(Problem("git", message, error.hint or "", severity="warning"))
    problems = _with_paths(store.prefix or store.root, problems)
    return CheckResult(_in_order(problems), count, len(records))


def check_staged(worktree: str, named: Sequence[str] = ()) -> CheckResult:
    """Judge what the commit under way brings into the stores of a worktree.

    Files that differ from HEAD's are judged, and those that are `named` (paths relative to
    the worktree) whether or not they differ. During a merge its sides are compared with the result.
    """
    repository = open_repository(worktree, own_environment=True)
    staged: dict[str, dict[str, StagedChange]] = {}
    for change in staged_changes(repository):
        place = _split(change.path)
        if place is not None:
            staged.setdefault(place[0], {})[place[1]] = change
    heads = merging_heads(repository)
    wanted = [place for path in named if (place := _split(path.replace(os.sep, "/"))) is not None]
    for prefix in {prefix for prefix, _ in wanted}:
        names = {name for other, name in wanted if other == prefix}
        _add_unchanged(repository, prefix, staged.setdefault(prefix, {}), names)
    problems, files, records = [], 0, 0
    for prefix, changes in sorted(staged.items()):
        # A conflicted revert of a deletion ends in an ordinary commit, and brings back what it means to.
        is_plain = not heads and repository.operation() != "revert"
        found = _check_changes(repository, prefix, changes, is_plain)
        problems += _within(prefix, found.problems)
        files += found.files
        records += found.records
    if heads:
        problems += _check_staged_merge(repository, heads)
    return CheckResult(_in_order(problems), files, records)


def check_head(store: Store) -> list[Problem]:
    """Say what HEAD lost of this store, when HEAD is a merge; nothing otherwise."""
    repository = None if store.worktree is None else find_repository(store.worktree)
    if repository is None or repository.head() is None:
        return []
    parents = parents_of(repository)
    if len(parents) < 2:
        return _check_history(repository, len(parents))
    result = _tree(repository, "HEAD", tree_files(repository, "HEAD", store.prefix), store.prefix)
    sides = [
        _tree(
            repository, f"HEAD^{number}", tree_files(repository, parent, store.prefix), store.prefix
        )
        for number, parent in enumerate(parents, 1)
    ]
    return _compare(repository, store.prefix, result, sides, parents)


# --- the staging area ----------------------------------------------------------------------


def _check_changes(
    repository: Repository, prefix: str, changes: dict[str, StagedChange], is_plain: bool
) -> CheckResult:
    from gitkb.operations.check_change import check_change
    from gitkb.schema.config_file import check_config, shards_in
    from gitkb.schema.data_file import check_file

    problems: list[Problem] = []
    config_name = f":{prefix}/{CONFIG_NAME}"
    config = read_blobs(repository, [config_name]).get(config_name)
    if CONFIG_NAME in changes:
        problems += check_config(CONFIG_NAME, config) if config is not None else []
        # Another number of shards concerns every file.
        _add_unchanged(repository, prefix, changes)
    if any(not change.old for change in changes.values()):
        files = staged_files(repository, prefix)
        problems += _check_names(path[len(prefix) + 1 :] for path in files)
    shards = shards_in(config)
    data = {name: change for name, change in changes.items() if _is_data(name)}
    blobs = read_blobs(
        repository, [blob for change in data.values() for blob in (change.old, change.new)]
    )
    before: list[Located] = []
    after: list[Located] = []
    for name, change in data.items():
        found = check_file(name, blobs.get(change.new, b""), shards)
        problems += found.problems
        after += found.records
        if is_plain and change.old != change.new:
            before += check_file(name, blobs.get(change.old, b""), shards).records
    problems += check_change(before, after)
    return CheckResult(problems, len(data), len(after))


def _add_unchanged(
    repository: Repository,
    prefix: str,
    changes: dict[str, StagedChange],
    names: set[str] | None = None,
) -> None:
    for path, blob in staged_files(repository, prefix).items():
        name = path[len(prefix) + 1 :]
        if names is None or name in names:
            changes.setdefault(name, StagedChange(path, blob, blob))


# --- merges --------------------------------------------------------------------------------


def _check_staged_merge(repository: Repository, heads: list[str]) -> Iterator[Problem]:
    from gitkb.operations.check_merge import STAGED

    commits = ["HEAD", *heads]
    labels = ["HEAD", *(head[:12] for head in heads)]
    result = staged_files(repository)
    sides = [tree_files(repository, commit) for commit in commits]
    prefixes = {place[0] for files in (result, *sides) for path in files if (place := _split(path))}
    for prefix in sorted(prefixes):
        found = _compare(
            repository,
            prefix,
            _tree(repository, STAGED, result, prefix),
            [
                _tree(repository, label, files, prefix)
                for label, files in zip(labels, sides, strict=True)
            ],
            commits,
        )
        yield from _within(prefix, found)


def _compare(
    repository: Repository, prefix: str, result: Tree, sides: list[Tree], commits: list[str]
) -> list[Problem]:
    from gitkb.operations.check_merge import check_merge

    if not any(side.differing(result, KNOWLEDGE) for side in sides):
        return []
    ids: dict[str, None] = {}
    for other in commits[1:]:
        ids.update(dict.fromkeys(merge_bases(repository, commits[0], other)))
    bases = [_tree(repository, base, tree_files(repository, base, prefix), prefix) for base in ids]
    is_cut = not bases and repository.is_shallow()
    problems = check_merge(result, sides, bases, is_cut=is_cut)
    return problems + (_cut_history() if is_cut else [])


def _check_history(repository: Repository, parents: int) -> list[Problem]:
    # A shallow clone hides the parents of a commit; the commit itself still names them.
    commit = repository.run("cat-file", "commit", "HEAD").partition(b"\n\n")[0]
    named = sum(line.startswith(b"parent ") for line in commit.split(b"\n"))
    return _cut_history() if named > 1 and parents < named else []


def _cut_history() -> list[Problem]:
    message = "HEAD is a merge, but the history here is too short to see what it may have lost"
    hint = "git fetch --unshallow (in a CI job: fetch the whole history)"
    return [Problem("history-cut", message, hint, severity="warning")]


def _tree(repository: Repository, label: str, files: dict[str, str], prefix: str) -> Tree:
    from gitkb.operations.check_merge import Tree

    start = prefix + "/"
    found = {path[len(start) :]: blob for path, blob in files.items() if path.startswith(start)}
    data = {name: blob for name, blob in found.items() if _is_data(name)}
    return Tree(label, data, lambda blobs: read_blobs(repository, blobs))


# --- names ---------------------------------------------------------------------------------


def _check_names(names: Iterable[str]) -> list[Problem]:
    problems, folded = [], dict[str, str]()
    for name in sorted(names, key=lambda name: (not _is_data(name), name)):
        twin = folded.setdefault(name.casefold(), name)
        if twin != name:
            message = (
                f"differs from '{twin}' in case alone: many file systems hold only one of them"
            )
            hint = "move its lines to the other file, git rm it, then gitkb fmt"
            problems.append(Problem("case-twin", message, hint, name))
        elif name.endswith(".jsonl") and not _is_data(name):
            message = "no data file: nothing reads a file of this name"
            hint = "data files are knowledge/ and archive/ with names such as 3f.jsonl or all.jsonl"
            problems.append(Problem("stray-file", message, hint, name, severity="warning"))
    return problems


def _names_in(store: Store) -> Iterator[str]:
    for folder in ("", KNOWLEDGE, ARCHIVE):
        path = os.path.join(store.root, folder) if folder else store.root
        try:
            names = os.listdir(path)
        except OSError:
            continue
        for name in names:
            if not name.startswith("."):
                yield f"{folder}/{name}" if folder else name


def _is_data(name: str) -> bool:
    folder, _, file = name.rpartition("/")
    return folder in (KNOWLEDGE, ARCHIVE) and is_shard_name(file)


def _split(path: str) -> tuple[str, str] | None:
    """Cut ``sub/.gitkb/knowledge/3f.jsonl`` into the store's folder and the name in it."""
    before, found, name = f"/{path}".rpartition(f"/{STORE_NAME}/")
    return (f"{before}/{STORE_NAME}"[1:], name) if found else None


def _within(prefix: str, problems: Iterable[Problem]) -> list[Problem]:
    """Name files as from the store; in a store that is not at the top, as from the worktree."""
    found = _with_paths(prefix, problems)
    if prefix == STORE_NAME:
        return found
    return [
        problem._replace(file=f"{prefix}/{problem.file}") if problem.file else problem
        for problem in found
    ]


def _with_paths(prefix: str, problems: Iterable[Problem]) -> list[Problem]:
    """Put the path from the worktree, as git wants it, for FILE in the hints."""
    return [
        problem._replace(hint=problem.hint.replace("FILE", f"{prefix}/{problem.file}"))
        for problem in problems
    ]


def _in_order(problems: list[Problem]) -> list[Problem]:
    return sorted(
        dict.fromkeys(problems), key=lambda problem: (problem.file, problem.line, problem.code)
    )


def _read(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None
