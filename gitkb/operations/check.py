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

from gitkb.core.problem import Problem
from gitkb.core.progress import begin
from gitkb.errors import GitError, OwnerError
from gitkb.git.objects import (
    StagedChange,
    merging_heads,
    read_blobs,
    staged_changes,
    staged_files,
)
from gitkb.git.repository import find_repository, open_repository
from gitkb.operations.checks.names import (
    check_names,
    is_confirmation,
    is_data,
    names_in,
    split_path,
    with_paths,
    within,
)
from gitkb.store.layout import CONFIG_NAME, iter_data_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitkb.core.snapshot import Located
    from gitkb.git.repository import Repository
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

    from gitkb.operations.checks.confirmed import check_confirmed
    from gitkb.operations.checks.entries import check_entries
    from gitkb.operations.checks.secrets import check_other_files, check_secrets, read_settings
    from gitkb.operations.view import check_views
    from gitkb.schema.config_file import categories_in, check_config, shards_in, values_in
    from gitkb.schema.data_file import check_file
    from gitkb.store.reader import iter_files

    problems = check_names(names_in(store))
    config = _read(store.config_path)
    secrets = read_settings(values_in(config), CONFIG_NAME, problems)
    problems += check_other_files(store, secrets)
    if config is not None:
        problems += check_config(CONFIG_NAME, config)
    shards = shards_in(config)
    records: list[Located] = []
    count = 0
    advance = begin("checking", "files", sum(1 for _ in iter_data_files(store.root)))
    for name, data in iter_files(store, problems):
        advance(1)
        found = check_file(name, data, shards)
        problems += found.problems
        problems += check_secrets(name, data, found.records, secrets)
        records += found.records
        count += 1
    problems += check_confirmed(store)
    moment = time.time() if now is None else now
    problems += check_entries(records, categories_in(config), moment)
    problems += check_views(store)
    if with_head and store.worktree is not None:
        try:
            from gitkb.operations.checks.commit import check_head
            from gitkb.operations.checks.unmerged import check_one_sided

            problems += check_head(store)
            repository = find_repository(store.worktree)
            if repository is not None:
                problems += check_one_sided(repository, store.prefix)
        except OwnerError:  # a job that runs as another user would pass, and have judged half of it
            raise
        except GitError as error:  # the files are judged whatever git says of the repository
            message = f"cannot judge HEAD: {error.message}"
            problems.append(Problem("git", message, error.hint or "", severity="warning"))
    problems = with_paths(store.prefix or store.root, problems)
    return CheckResult(_in_order(problems), count, len(records))


def check_staged(worktree: str, named: Sequence[str] = ()) -> CheckResult:
    """Judge what the commit under way brings into the stores of a worktree.

    Files that differ from HEAD's are judged, and those that are `named` (paths relative to
    the worktree) whether or not they differ. During a merge its sides are compared with the result.
    """
    repository = open_repository(worktree, own_environment=True)
    staged: dict[str, dict[str, StagedChange]] = {}
    problems: list[Problem] = []
    for change in staged_changes(repository):
        place = split_path(change.path)
        if place is not None and change.is_unmerged:
            message = "in conflict: nothing of it is staged"
            found = Problem("unmerged", message, "gitkb resolve FILE", place[1])
            problems += within(place[0], [found])
        elif place is not None:
            staged.setdefault(place[0], {})[place[1]] = change
    heads = merging_heads(repository)
    wanted = [
        place for path in named if (place := split_path(path.replace(os.sep, "/"))) is not None
    ]
    for prefix in {prefix for prefix, _ in wanted}:
        names = {name for other, name in wanted if other == prefix}
        _add_unchanged(repository, prefix, staged.setdefault(prefix, {}), names)
    files, records = 0, 0
    is_merged = not problems
    for prefix, changes in sorted(staged.items()):
        # A conflicted revert of a deletion ends in an ordinary commit, and brings back what it means to.
        is_revert = repository.operation() == "revert"
        judged = _check_changes(repository, prefix, changes, not heads and is_merged, is_revert)
        problems += within(prefix, judged.problems)
        files += judged.files
        records += judged.records
    if heads and is_merged:  # before that, whatever is in conflict would look like a loss
        from gitkb.operations.checks.commit import check_staged_merge

        problems += check_staged_merge(repository, heads)
    return CheckResult(_in_order(problems), files, records)


def _check_changes(
    repository: Repository,
    prefix: str,
    changes: dict[str, StagedChange],
    is_plain: bool,
    is_revert: bool,
) -> CheckResult:
    from gitkb.operations.checks.change import check_change, check_scrubbed
    from gitkb.operations.checks.content import read_all
    from gitkb.operations.checks.secrets import check_secrets, check_text, read_settings
    from gitkb.schema.config_file import check_config, shards_in, values_in
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
        problems += check_names(path[len(prefix) + 1 :] for path in files)
    shards = shards_in(config)
    data = {name: change for name, change in changes.items() if is_data(name)}
    ids = [blob for change in changes.values() for blob in (change.old, change.new)]
    blobs = read_all(ids, repository)
    secrets = read_settings(values_in(config), CONFIG_NAME, problems)
    known = b"\n".join(
        blobs.get(change.old, b"") for change in data.values() if change.old != change.new
    )
    for name in changes.keys() - data.keys():
        old, new = changes[name].old, changes[name].new
        problems += check_text(name, blobs[new], secrets, blobs[old] if old != new else b"")
        if is_confirmation(name):
            from gitkb.store.confirmation import check_confirmations

            problems += check_confirmations(name, blobs[new])
    before: list[Located] = []
    after: list[Located] = []
    for name, change in data.items():
        found = check_file(name, blobs[change.new], shards)
        problems += found.problems
        is_named = change.old == change.new
        text = blobs[change.new]
        problems += check_secrets(name, text, found.records, secrets, b"" if is_named else known)
        after += found.records
        if is_plain and change.old != change.new:
            before += check_file(name, blobs[change.old], shards).records
    problems += check_scrubbed(before, after)
    if not is_revert:
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
