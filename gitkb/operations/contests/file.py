"""`resolve` on files: data files in conflict become whole by the merge that the driver makes.

1. A file that git left in conflict is merged from its three stages, whatever stands in the work tree:
   without the driver's program git leaves ours there, without a marker. Any other file is merged
   from the markers that it holds.
2. What somebody wrote into the file since the merge stays.
3. A file that came from its stages is staged, that path and no other. One that cannot be merged is left
   as it is, in conflict.
4. The archive is written before the knowledge.
"""

from __future__ import annotations

import os
from typing import Literal, NamedTuple

from gitkb.core.conflicts.marker import has_markers
from gitkb.core.conflicts.marker_merge import Stages, is_edited, merge_marked, merge_stages
from gitkb.core.identity import ARCHIVE, KNOWLEDGE, fits_layout
from gitkb.core.jsonl import split_lines
from gitkb.core.merge.rules import ARCHIVE as ARCHIVE_RULES
from gitkb.core.merge.rules import KNOWLEDGE as KNOWLEDGE_RULES
from gitkb.core.problem import Problem
from gitkb.core.snapshot import iter_records
from gitkb.errors import StateError
from gitkb.git.objects import read_blobs
from gitkb.git.unmerged import (
    BASE,
    OURS,
    THEIRS,
    next_command,
    remembered_paths,
    stage_paths,
    unmerged_paths,
)
from gitkb.operations.checks.unmerged import find_one_sided
from gitkb.operations.contests.place import find_places, repository_of
from gitkb.store.config import read_shards
from gitkb.store.layout import iter_data_files
from gitkb.store.lock import locked
from gitkb.store.rewrite import write_steps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from gitkb.core.merge.file import Merge
    from gitkb.git.repository import Repository
    from gitkb.git.unmerged import Unmerged
    from gitkb.store.layout import Store

Source = Literal["stages", "markers", "nothing"]
_OTHER_LAYOUT = "gitkb fmt, then gitkb compact"


class ResolvedFile(NamedTuple):
    """What became of one file; `file` is its path as from the top of the worktree."""

    file: str
    source: Source
    """Where its sides were taken from; nothing where it was in no conflict."""
    staged: bool
    contested: tuple[str, ...]
    """Keys of which the merge could not decide a field."""


class ResolvedFiles(NamedTuple):
    """What became of all of them, and what is left to do."""

    files: list[ResolvedFile]
    problems: list[Problem]
    """Why a file was left in conflict; warnings about one that was not."""
    left: list[str]
    """Paths that git still has in conflict, of the whole worktree."""
    next: str
    """The command that ends what git has under way; empty where it has nothing."""

    @property
    def is_done(self) -> bool:
        """Whether no file that was meant is left in conflict."""
        return not any(problem.is_error for problem in self.problems)


class _Job(NamedTuple):
    name: str
    path: str
    work: bytes | None
    stages: Stages | None
    are_files: bool = True


def resolve_files(paths: Sequence[str]) -> ResolvedFiles:
    """Settle data files, each in the store that it lies in, found by its path.

    Raises:
        UsageError: when a path is no data file of a store.
        StateError: when a store is locked, full or read-only. GitError: when git refuses.
    """
    results = [resolve_store(store, names) for store, names in find_places(paths)]
    return ResolvedFiles(
        [file for result in results for file in result.files],
        [problem for result in results for problem in result.problems],
        list(dict.fromkeys(path for result in results for path in result.left)),
        next((result.next for result in results if result.next), ""),
    )


def resolve_store(store: Store, names: Collection[str] | None = None) -> ResolvedFiles:
    """Settle the files of one store, all that are in conflict unless some are named. Errors as above."""
    repository = repository_of(store)
    with locked(store):
        jobs = list(_jobs(store, repository, names))
        files, problems = _merge_all(store, jobs)
        if repository is not None:
            stage_paths(repository, [file.file for file in files if file.staged])
            if names is None:
                problems += _check_one_sided(repository, _start(store))
    left = [] if repository is None else sorted(unmerged_paths(repository))
    return ResolvedFiles(
        files, problems, left, "" if repository is None else next_command(repository)
    )


def files_in_conflict(store: Store) -> list[str]:
    """Name the data files of a store that are in conflict, as paths from the top of the worktree."""
    repository = repository_of(store)
    unmerged = {} if repository is None else unmerged_paths(repository)
    start = _start(store)
    marked = {
        start + name for name, _ in iter_data_files(store.root) if has_markers(_read(store, name))
    }
    return sorted(marked.union(path for path in unmerged if _is_data(path, start)))


def _jobs(
    store: Store, repository: Repository | None, names: Collection[str] | None
) -> Iterable[_Job]:
    """Find what is to be settled, the archive first."""
    unmerged = {} if repository is None else unmerged_paths(repository)
    remembered = {} if repository is None else remembered_paths(repository)
    start = _start(store)
    present = dict(iter_data_files(store.root))
    wanted: set[str] = set(present if names is None else names)
    if names is None:
        wanted |= {path[len(start) :] for path in unmerged if _is_data(path, start)}
    works = {name: _read(store, name) for name in wanted if name in present}
    marked = {name for name, work in works.items() if has_markers(work)}
    found = {
        name: one
        for name in wanted
        if (one := unmerged.get(start + name) or remembered.get(start + name)) is not None
        and (start + name in unmerged or name in marked or names is not None)
    }
    blobs = _read_blobs(repository, found.values())
    for name in sorted(wanted, key=lambda name: (not name.startswith(ARCHIVE), name)):
        path, one = start + name, found.get(name)
        if one is None and name not in marked and names is None:
            continue
        stages = None
        if one is not None:
            sides = (blobs.get(one.blobs.get(stage, "")) for stage in (BASE, OURS, THEIRS))
            stages = Stages(*sides)
            if path not in unmerged and not _is_as_git_left_it(works.get(name), stages):
                stages = None
        yield _Job(name, path, works.get(name), stages, one is None or one.are_files)


def _start(store: Store) -> str:
    return f"{store.prefix}/" if store.prefix else ""


def _read_blobs(repository: Repository | None, found: Iterable[Unmerged]) -> dict[str, bytes]:
    """Read all sides by one git.

    Raises:
        StateError: when a side of a file is not here.
    """
    wanted = {blob: one.path for one in found if one.are_files for blob in one.blobs.values()}
    blobs = {} if repository is None else read_blobs(repository, wanted)
    for blob, path in wanted.items():
        if blob not in blobs:
            raise StateError(
                f"cannot read a side of '{path}': the object {blob[:12]} is not here",
                "git fetch, or git fsck says what else is missing; nothing was written",
            )
    return blobs


def _is_as_git_left_it(work: bytes | None, stages: Stages) -> bool:
    """Say whether a file that was staged since its conflict holds the conflict still: with the markers
    that git wrote, or one side alone, as a driver leaves it that could not be run."""
    if work is not None and has_markers(work):
        return not is_edited(work, stages)
    return work in (stages.ours, stages.theirs)


def _check_one_sided(repository: Repository, start: str) -> Iterable[Problem]:
    """Name the files that were staged in the course of this operation with one side alone."""
    for path, _, is_staged in find_one_sided(repository, start.removesuffix("/")):
        if is_staged:
            message = "was staged with one side alone; the other side is in no file"
            hint = f"gitkb resolve {path} merges both, unless that is meant"
            yield Problem("one-side", message, hint, path, severity="warning")


def _is_data(path: str, start: str) -> bool:
    from gitkb.operations.checks.names import is_data

    return path.startswith(start) and is_data(path[len(start) :])


def _read(store: Store, name: str) -> bytes:
    try:
        with open(store.path_of(name), "rb") as file:
            return file.read()
    except OSError as error:
        message = f"cannot read '{name}': {error.strerror}"
        raise StateError(message, "nothing was written; see gitkb check") from None


def _merge_all(store: Store, jobs: Sequence[_Job]) -> tuple[list[ResolvedFile], list[Problem]]:
    shards = read_shards(store)
    is_known = os.path.exists(store.config_path)  # a sparse checkout may leave it out
    files: list[ResolvedFile] = []
    problems: list[Problem] = []
    written: dict[str, bytes] = {}
    for job in jobs:
        if job.stages is None and (job.work is None or not has_markers(job.work)):
            files.append(ResolvedFile(job.path, "nothing", False, ()))
            continue
        merge = _merge(store, job, written)
        if merge.text is None:
            problems += [
                problem._replace(
                    file=job.path,
                    hint=f"{problem.hint}; the file was left as it is".replace("FILE", job.path),
                )
                for problem in merge.problems
            ]
            continue
        is_gone = (
            job.stages is not None and job.stages.ours is job.stages.theirs is job.work is None
        )
        if not is_gone:
            written[job.name] = merge.text
        source: Source = "markers" if job.stages is None else "stages"
        files.append(ResolvedFile(job.path, source, source == "stages", _contested(job, merge)))
        if not fits_layout(job.name, shards) and merge.text and is_known:
            message = "belongs to another number of files than config.toml says"
            problems.append(Problem("layout", message, _OTHER_LAYOUT, job.path, severity="warning"))
    old = {job.name: job.work or b"" for job in jobs}
    steps = [
        {name: text for name, text in written.items() if name.startswith(folder)}
        for folder in (ARCHIVE, KNOWLEDGE)
    ]
    write_steps(store, old, steps)
    for job in jobs:  # an empty file that was not there yet is written like any other
        if job.work is None and written.get(job.name) == b"":
            with open(store.path_to_write(job.name), "ab"):
                pass
    return files, problems


def _merge(store: Store, job: _Job, written: dict[str, bytes]) -> Merge:
    from gitkb.core.merge.file import Merge

    if not job.are_files:
        message = "a side of the conflict is no file but a link or a submodule"
        return Merge(None, [Problem("no-file", message, "settle it with git: git status")])
    is_archive = job.name.startswith(ARCHIVE)
    rules = ARCHIVE_RULES if is_archive else KNOWLEDGE_RULES
    archived = frozenset[bytes]() if is_archive else _archived(store, job.name, written)
    if job.stages is None:
        return merge_marked(job.work or b"", rules, archived)
    return merge_stages(job.stages, job.work, rules, archived)


def _archived(store: Store, name: str, written: dict[str, bytes]) -> frozenset[bytes]:
    """Give the lines of the archive file beside a knowledge file, as they will be."""
    beside = ARCHIVE + name.removeprefix(KNOWLEDGE)
    if beside in written:
        return frozenset(split_lines(written[beside]))
    return frozenset(split_lines(_read(store, beside))) if _exists(store, beside) else frozenset()


def _exists(store: Store, name: str) -> bool:
    return os.path.exists(store.path_of(name))


def _contested(job: _Job, merge: Merge) -> tuple[str, ...]:
    lines = b"".join(line + b"\n" for line in merge.merged if b'"conflicts"' in line)
    return tuple(
        at.record.key
        for at in iter_records(job.name, lines, [])
        if at.record.fields.get("conflicts") and job.name.startswith(KNOWLEDGE)
    )
