"""What entries are stale for: bring what is known up to HEAD, and answer for the lines that a reader sees.

1. What is stale at a commit is worked out once and kept; commits are looked at once (`git.path_history`).
2. What a reader sees is what was judged, or nobody has judged it: an entry that differs from HEAD's, or
   was confirmed since, is true as of now.
3. No answer fails because of this: without git, or where git fails, no entry is marked and a notice says
   so. Nothing is started, read or imported where no answer names a file or a review date.
"""

from __future__ import annotations

import os
import time
from typing import NamedTuple

from gitkb.errors import GitError, GitkbError
from gitkb.git.head import read_head_files
from gitkb.index.provenance import world_of
from gitkb.index.staleness import StalenessCache, version_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gitkb.core.entry import Entry
    from gitkb.git.history import Head
    from gitkb.index.staleness import Finding, Mark
    from gitkb.store.layout import Store

MOST_UNASKED = 20_000
"""Commits, that is some ten seconds, that are looked at without anybody having asked for it."""
_LONG = 0.5  # seconds; past that it is said what took them
CUT = "history is cut here (a shallow clone): what changed before is not seen"


class Stale(NamedTuple):
    """What an entry is stale for."""

    findings: tuple[Finding, ...] = ()
    in_doubt: tuple[str, ...] = ()
    """What it depends on, directly or not, and that is no longer true."""
    review_by: str = ""
    """The day by which somebody was to look at it, if that has passed."""

    @property
    def words(self) -> tuple[str, ...]:
        """A few words a reason."""
        words = [*map(finding_words, self.findings)]
        words += [f"depends on {key}, no longer true" for key in self.in_doubt]
        words += [f"to be reviewed by {self.review_by}"] if self.review_by else []
        return tuple(words)


_NOTHING = Stale()


class Judged(NamedTuple):
    """What HEAD's history says of some entries' files."""

    findings: dict[str, tuple[Finding, ...]]
    """By key; a key without any is not there."""
    is_cut: bool


def stale_of(
    store: Store,
    entries: Iterable[Entry],
    in_doubt: Mapping[str, tuple[str, ...]],
    notices: list[str] | None = None,
    *,
    has_files: bool = True,
) -> dict[str, Stale]:
    """Give what entries are stale for, by key, of those that are: what every answer marks.

    `has_files` is false for a tier, whose entries name files of who knows which project.
    """
    stale = {key: Stale(in_doubt=keys) for key, keys in in_doubt.items() if keys}
    present = {entry.key: entry for entry in entries}
    named = {key: entry for key, entry in present.items() if has_files and entry.files}
    if named:
        try:
            judged = judge_files(store, named, notices)
        except GitkbError as error:
            judged = Judged({}, False)
            if store.worktree is not None and notices is not None:
                notices.append(f"cannot see which files changed: {error.message}")
        if judged.findings:
            share = least_share(store)
            for key, findings in judged.findings.items():
                found = tuple(one for one in findings if is_worth_saying(one, share))
                if found:
                    stale[key] = stale.get(key, _NOTHING)._replace(findings=found)
    dated = {key: entry for key, entry in present.items() if "review_by" in entry.fields}
    for key, day in _overdue(store, dated).items() if dated else ():
        stale[key] = stale.get(key, _NOTHING)._replace(review_by=day)
    return stale


def _overdue(store: Store, entries: Mapping[str, Entry]) -> dict[str, str]:
    """Find the review dates that have passed with nobody confirming the entry on that day or later."""
    from gitkb.store.confirmation import read_confirmed

    today = time.strftime("%Y-%m-%d")
    days = {key: str(entry.fields["review_by"]) for key, entry in entries.items()}
    past = {key: day for key, day in days.items() if day and day < today}
    try:
        clocks = read_confirmed(store, past) if past else {}
    except GitkbError:
        clocks = {}  # gitkb check tells
    return {
        key: day
        for key, day in past.items()
        if key not in clocks or time.strftime("%Y-%m-%d", time.localtime(clocks[key])) < day
    }


def finding_words(finding: Finding) -> str:
    """Say in a few words what became of a file."""
    from gitkb.core.staleness import CHANGED, VANISHED

    commits = f"{finding.commits} commit{'' if finding.commits == 1 else 's'}"
    if finding.kind == VANISHED:
        return f"{finding.file} vanished"
    share = "" if finding.share is None else f", {percent(finding.share)} of its lines"
    place = _place_of(finding.moved_to)
    if finding.kind == CHANGED:
        moved = f"; moved out of it: {place}" if place else ""
        return f"{finding.file} changed in {commits}{share}{moved}"
    changed = f", changed in {commits}{share}" if finding.share or finding.commits > 1 else ""
    return f"{finding.file} moved to {place}{changed}"


def _place_of(paths: Sequence[str]) -> str:
    """Name one path, or the folder that several lie in, with their number."""
    if len(paths) < 2:
        return "".join(paths)
    folder = os.path.commonpath(paths)
    first, *more = paths
    return f"{folder}/ ({len(paths)} files)" if folder else f"{first} and {len(more)} more"


def percent(share: float) -> str:
    """Write a part as a whole number of percent; what is above nought is never written as nought."""
    if 0 < share < 0.01:
        return "under 1 %"
    return f"{min(round(share * 100), 99) if share < 1 else 100} %"


def judge_files(
    store: Store,
    entries: Mapping[str, Entry],
    notices: list[str] | None = None,
    *,
    most: int | None = MOST_UNASKED,
) -> Judged:
    """Say what became of the files of entries, given by key as a reader sees them.

    The first call for a HEAD looks at the commits that are new since the last one; where they are more
    than `most`, nobody is kept waiting: nothing is judged, and a notice says how to have it done.

    Raises:
        GitError: where the store lies in no repository, or git fails.
    """
    if store.worktree is None:
        raise GitError(
            f"cannot see which files changed: the store at '{store.root}' lies in no git repository",
            "git init, then git add and git commit the store",
        )
    head = read_head_files(os.path.dirname(store.derived))
    if head is None:
        from gitkb.operations.history.provenance import (
            read_head,  # what imports as much as a search
        )

        head = read_head(store)
    if head.id is None:
        return Judged({}, False)
    with StalenessCache(store.derived, world_of(store.root, head.boundary)) as cache:
        if not cache.is_told(head.id):
            if most is not None and _is_much(store, head.id, cache, most):
                if notices is not None:
                    notices.append(
                        f"over {most} commits were never looked at for what changed in files: gitkb stale does it"
                    )
                return Judged({}, bool(head.boundary))
            _tell(store, head, cache, notices)
            if not cache.is_told(head.id):  # a folder that cannot be written, or a database in use
                cache.work_in_memory()
                _tell(store, head, cache)
        marks = cache.marks(head.id, entries)
    marks = {key: mark for key, mark in marks.items() if mark.version == version_of(entries[key])}
    if marks:
        marks = _unconfirmed(store, marks)
    return Judged({key: mark.findings for key, mark in marks.items()}, bool(head.boundary))


def _is_much(store: Store, head: str, cache: StalenessCache, most: int) -> bool:
    """Whether there are more new commits than that; asking takes as long as looking at a few of them."""
    from gitkb.git.path_history import count_commits
    from gitkb.operations.history.provenance import has_own_environment

    own = has_own_environment(store)
    return count_commits(store.root, head, cache.heads_told(), most + 1, own) > most


def prepare_staleness(store: Store) -> None:
    """Work out what is stale at HEAD, if that is not known: what hooks do beforehand."""
    if store.worktree is not None:
        judge_files(store, {})


def least_share(store: Store) -> float:
    """Read how much of a file must have changed before answers say so: `[stale] share`."""
    from gitkb.store.config import read_config

    try:
        with open(store.config_path, encoding="utf-8") as file:
            if "stale" not in file.read():
                return 0.0  # almost every store; the parser costs as much as a search
        table = read_config(store).values.get("stale")
    except (OSError, UnicodeDecodeError, GitkbError):
        return 0.0  # gitkb check tells
    share = table.get("share") if isinstance(table, dict) else None
    return float(share) if isinstance(share, (int, float)) and not isinstance(share, bool) else 0.0


def is_worth_saying(finding: Finding, share: float) -> bool:
    """Whether so much changed that answers say so; what is gone, or cannot be counted, always is."""
    from gitkb.core.staleness import CHANGED

    return finding.kind != CHANGED or finding.share is None or finding.share >= share


def _unconfirmed(store: Store, marks: dict[str, Mark]) -> dict[str, Mark]:
    from gitkb.store.confirmation import has_confirmations, read_confirmed

    if not has_confirmations(store):
        return marks
    clocks = read_confirmed(store, marks)
    return {key: mark for key, mark in marks.items() if clocks.get(key, 0) <= mark.clock}


def _tell(
    store: Store, head: Head, cache: StalenessCache, notices: list[str] | None = None
) -> None:
    from gitkb.operations.history.staleness_trace import bring_up  # seldom needed, and long

    start = time.monotonic()
    count = bring_up(store, head.id or "", head.boundary, cache)
    seconds = time.monotonic() - start
    if seconds > _LONG and notices is not None:
        commits = f"{count} new commit{'' if count == 1 else 's'}"
        notices.append(
            f"looked once, for {seconds:.1f} seconds, at what {commits} changed in files"
        )
