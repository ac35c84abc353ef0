"""Commits, and which records each of them changed, read from the git program.

1. Every comparison is of a commit with one of its parents, merges with each: whether a merge wrote
   anything itself is decided by what differs from all of them.
2. The objects are taken as they are: replacements (git-replace(1)) are not looked at, so that what
   was found once about a commit stays true.
3. Where a clone is shallow, the commits at its edge look as if they had written all they hold.
   `Head.boundary` names them; nobody may be called the author of what they hold.
"""

from __future__ import annotations

import os
import re
from functools import partial
from io import BytesIO

from gitkb.core.identity import is_shard_name
from gitkb.core.jsonl import split_lines
from gitkb.core.lineage import Commit
from gitkb.git.command import run_git, stream_git
from gitkb.git.head import Head as Head  # others know it from here
from gitkb.git.parallel import in_parallel
from gitkb.git.prefetch import fetch_missing
from gitkb.git.record_diff import (
    CONFIGURATION,
    DIFF_OPTIONS,
    RecordReader,
    Section,
    iter_sections,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gitkb.core.lineage import Changes

_KNOWLEDGE = ":(literal)knowledge"
_ARCHIVE = ":(literal)archive"
# Fields end with NUL, commits with a line feed: %s folds a subject to one line, names have none.
_COMMIT_FORMAT = "%H%x00%P%x00%ct%x00%at%x00%an%x00%ae%x00%s"
# Below this, a second git costs more than it saves (measured on two cores: 1,050 comparisons of
# shards take 430 ms with one process and 220 with two; of one large file, 6.5 s and 3.4).
_FEWEST_FOR_TWO = 100
_FEWEST_TO_PREFETCH = 10
_is_id = re.compile("[0-9a-f]{40}|[0-9a-f]{64}").fullmatch


def read_head(root: str, own_environment: bool = False) -> Head:
    """Read HEAD as seen from a store's folder. GitError outside a repository."""
    answer = run_git(
        ["rev-parse", "--git-path", "shallow", "--revs-only", "HEAD"],
        root,
        own_environment=own_environment,
    )
    lines = os.fsdecode(answer).split("\n")[:-1]
    # Before the first commit the path stands alone. A path may hold a line feed, an id none.
    head = lines.pop() if len(lines) > 1 and _is_id(lines[-1]) else None
    path = "\n".join(lines)
    try:
        with open(os.path.join(root, path), encoding="ascii") as file:
            boundary = frozenset(file.read().split())
    except OSError:
        boundary = frozenset()
    return Head(head, boundary)


def read_commits(
    root: str, head: str, known: Iterable[str] = (), own_environment: bool = False
) -> list[Commit]:
    """Read HEAD's ancestors that are not ancestors of a known commit, each after its parents.

    `rank` is the committer's time as it is. Known commits that are gone are passed over.

    Raises:
        GitError: when objects are missing, as they are where another repository lent them and is gone.
    """
    known = list(known)
    answer = run_git(
        [
            "--no-replace-objects",
            "log",
            "--topo-order",
            "--reverse",
            "--no-show-signature",
            "--no-color",
            "--no-notes",
            "--no-mailmap",
            "--encoding=UTF-8",
            f"--format={_COMMIT_FORMAT}",
            "--ignore-missing",
            head,
            "--not",
            *known,
            "--",
        ],
        root,
        own_environment=own_environment,
    )
    if not answer and head not in known:
        # --ignore-missing is for what was known once; HEAD itself has to be here.
        run_git(["cat-file", "-e", f"{head}^{{commit}}"], root, own_environment=own_environment)
    commits = []
    for line in answer.decode("utf-8", "replace").split("\n")[:-1]:
        id_, parents, committed, time, name, mail, subject = line.split("\0", 6)
        # A commit that some tool wrote without a date has none.
        times = (int(committed or 0), int(time or 0))
        commits.append(Commit(id_, tuple(parents.split()), *times, name, mail, subject))
    return commits


def read_changes(
    root: str, commits: Sequence[Commit], own_environment: bool = False
) -> dict[str, Changes]:
    """Read which keys each commit changed. A commit that changed none is not in the answer.

    One comparison of trees a commit and parent, and one of the files that differ: seconds for a
    thousand commits of one large file, a tenth of that in shards.
    """
    # The newest first: packs keep the newest version of a file whole and older ones as differences
    # from it, so going back in time costs a third less than going forth.
    pairs = [pair for commit in reversed(commits) for pair in _pairs(commit)]
    if len(pairs) >= _FEWEST_TO_PREFETCH:
        fetch_missing(root, commits, _KNOWLEDGE, own_environment)
    workers = 1 if len(pairs) < _FEWEST_FOR_TWO else max(1, min(os.cpu_count() or 1, 8))
    size = -(-len(pairs) // workers) or 1
    parts = [pairs[start : start + size] for start in range(0, len(pairs), size)]
    found = in_parallel([partial(_compare, root, part, own_environment) for part in parts])
    changes: dict[str, Changes] = {}
    answers = (keys for part in found for keys in part)
    for (id_, place, _), keys in zip(pairs, answers, strict=True):
        if not keys:
            continue
        of_commit = changes.setdefault(id_, {})
        for key, more in keys.items():
            mask, lines = of_commit.get(key, (0, 0))
            of_commit[key] = (mask | 1 << place, lines if place else more)
    return changes


def _pairs(commit: Commit) -> list[tuple[str, int, str]]:
    """A commit with the place and id of each parent; a commit without parents with nothing."""
    return [(commit.id, place, parent) for place, parent in enumerate(commit.parents or ("",))]


def _compare(
    root: str, pairs: Sequence[tuple[str, int, str]], own_environment: bool
) -> list[dict[str, int]]:
    reader = RecordReader()
    arguments, feed = _diff_tree(pairs, [_KNOWLEDGE])
    with stream_git(arguments, root, input=feed, own_environment=own_environment) as stream:
        return [reader.changed_keys(section) for section in iter_sections(stream)]


def read_sections(
    root: str, commits: Sequence[Commit], own_environment: bool = False
) -> list[list[Section]]:
    """Read the lines that each commit changed, in the archive too, against each of its parents."""
    pairs = [pair for commit in commits for pair in _pairs(commit)]
    arguments, feed = _diff_tree(pairs, [_KNOWLEDGE, _ARCHIVE])
    with stream_git(arguments, root, input=feed, own_environment=own_environment) as stream:
        sections = iter(list(iter_sections(stream)))
    return [[next(sections) for _ in commit.parents or ("",)] for commit in commits]


def _diff_tree(
    pairs: Sequence[tuple[str, int, str]], paths: Sequence[str]
) -> tuple[list[str], bytes]:
    # --always: one NUL for every pair, in their order, also where nothing differs.
    arguments = ["--no-replace-objects", *CONFIGURATION, "diff-tree", "--stdin", "--always"]
    arguments += ["--root", "-r", "--format=%x00", "--encoding=UTF-8", "--no-show-signature"]
    arguments += ["--no-notes", *DIFF_OPTIONS, "--", *paths]
    lines = [f"{id_} {parent}".rstrip() + "\n" for id_, _, parent in pairs]
    return arguments, "".join(lines).encode("ascii")


def read_work_changes(root: str, own_environment: bool = False) -> dict[str, int]:
    """Read which keys differ between HEAD and the work tree, with how many lines more they have."""
    section = read_work_section(root, [_KNOWLEDGE], own_environment)
    return RecordReader().changed_keys(section) if section else {}


def read_work_section(
    root: str,
    paths: Sequence[str] = (_KNOWLEDGE, _ARCHIVE),
    own_environment: bool = False,
) -> Section | None:
    """Compare the work tree with HEAD.

    None where git says that nothing differs, which costs it one look at each file's times.
    """
    status = run_git(
        [
            "status",
            "--porcelain=v1",
            "-z",
            "--no-renames",
            "--untracked-files=all",
            "--ignored=traditional",
            "--",
            *paths,
        ],
        root,
        own_environment=own_environment,
    )
    if not status:
        return None
    arguments = [*CONFIGURATION, "diff-index", *DIFF_OPTIONS, "HEAD", "--", *paths]
    answer = run_git(arguments, root, own_environment=own_environment)
    section = next(iter_sections(BytesIO(b"\0\n" + answer)))
    for entry in status.split(b"\0"):
        if entry[:2] in (b"??", b"!!"):
            _read_untracked(root, os.fsdecode(entry[3:]), section)
    return section


def _read_untracked(root: str, path: str, section: Section) -> None:
    folder, name = path.split("/")[-2:] if "/" in path else ("", path)
    if folder not in ("knowledge", "archive") or not is_shard_name(name):
        return
    try:
        with open(os.path.join(root, folder, name), "rb") as file:
            lines = [line.rstrip(b"\r") for line in split_lines(file.read())]
    except OSError:
        return  # gone again, or not ours to read: `gitkb check` reports it
    (section.added if folder == "knowledge" else section.archived).extend(lines)


def map_people(
    root: str, people: Sequence[tuple[str, str]], own_environment: bool = False
) -> list[tuple[str, str]]:
    """Give the names and mails that .mailmap (gitmailmap(5)) has for authors as committed."""
    feed = "".join(f"{name} <{mail}>\n" for name, mail in people)
    answer = run_git(
        ["check-mailmap", "--stdin"],
        root,
        input=feed.encode("utf-8", "replace"),
        own_environment=own_environment,
    )
    lines = answer.decode("utf-8", "replace").split("\n")[:-1]
    mapped = []
    for line in lines:
        name, _, mail = line.rpartition("<")
        mapped.append((name.rstrip(), mail.removesuffix(">")))
    return mapped
