"""`gitkb diff`: what changed between two states of the store, entry by entry.

1. Only files that differ are read, and those in which the keys of these would stand as well: a line that
   moved, or another number of shards, is no change.
2. Nothing is written, staged or fetched.
3. What was said to be still true is told where nothing else became of the entry.
4. What cannot be compared (lines that cannot be read, files in conflict) is said.
"""

from __future__ import annotations

from typing import NamedTuple

from gitkb.core.diff.entry import EntryChange, diff_snapshots
from gitkb.core.identity import ARCHIVE, KNOWLEDGE, SHARD_COUNTS, is_key, shard_of
from gitkb.core.snapshot import Snapshot, read_snapshot
from gitkb.errors import NotFoundError, UsageError
from gitkb.git.objects import merge_bases
from gitkb.operations.history.side import (
    Place,
    Side,
    commit_side,
    empty_side,
    find_place,
    is_revision,
    staged_side,
    work_tree_side,
)
from gitkb.store.confirmation import latest_confirmations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from gitkb.store.layout import Store

_FORMS = "gitkb diff, gitkb diff --staged, gitkb diff A..B, gitkb diff A B"


class StoreDiff(NamedTuple):
    """What changed, between which states."""

    old: Side
    new: Side
    changes: list[EntryChange]
    notes: list[str]
    """What could not be compared, as sentences."""
    command: str
    """The call that shows all of it."""


def diff(
    find_store: Callable[[], Store],
    words: Sequence[str] = (),
    *,
    staged: bool = False,
    keys: Sequence[str] = (),
    own_environment: bool = False,
) -> StoreDiff:
    """Compare two states. `words` are revisions as for `git diff`, then keys or aliases.

    None: HEAD and the work tree; `A`: A and the work tree; `A B`, `A..B`: these two; `A...B`: B and where it
    left A. With `staged`, the staging area stands for the work tree. Words behind revisions, and
    `keys`, choose entries.

    Raises:
        GitError: outside a repository, or where git refuses it.
        NotFoundError: for a revision or key that is not there.
        UsageError: for more revisions than can be compared.
    """
    only_commits = (not staged and any(".." in word for word in words)) or len(words) > 1
    place = find_place(find_store, only_commits=only_commits, own=own_environment)
    revisions, names = _split_words(place, list(words))
    names += keys
    notes: list[str] = []
    old, new = _sides(place, revisions, staged, notes)
    confirmed = _confirmed_between(old, new)
    before, after, touched = _read(old, new, confirmed)
    for side, snapshot in ((old, before), (new, after)):
        if snapshot.problems:
            count = len(snapshot.problems)
            lines = "1 line" if count == 1 else f"{count} lines"
            first = snapshot.problems[0].place
            notes.append(f"{side.label}: {lines} cannot be read, the first at {first}: gitkb check")
    changes = diff_snapshots(before, after, touched, confirmed)
    if names:
        changes = _choose(changes, names, old, new)
    command = " ".join(["gitkb diff", *(["--staged"] if staged else []), *revisions, *names])
    return StoreDiff(old, new, changes, notes, command)


def _split_words(place: Place, words: list[str]) -> tuple[list[str], list[str]]:
    """Cut words into revisions, which come first, and names of entries."""
    revisions: list[str] = []
    while words and len(revisions) < 2:
        if ".." in words[0] and not revisions:
            revisions.append(words.pop(0))
            break
        if not is_revision(place.repository, words[0]):
            break
        revisions.append(words.pop(0))
    for word in words:
        if ".." in word or (
            revisions and len(revisions) == 2 and is_revision(place.repository, word)
        ):
            raise UsageError(f"cannot compare more than two states: '{word}'", _FORMS)
    return revisions, words


def _sides(place: Place, revisions: list[str], staged: bool, notes: list[str]) -> tuple[Side, Side]:
    if staged and (len(revisions) > 1 or any(".." in word for word in revisions)):
        raise UsageError(
            "--staged compares with one commit", "gitkb diff --staged, or gitkb diff A..B"
        )
    if len(revisions) == 2:
        return commit_side(place, revisions[0]), commit_side(place, revisions[1])
    if revisions and ".." in revisions[0]:
        return _range(place, revisions[0], notes)
    if revisions:
        old = commit_side(place, revisions[0])
    else:
        old = empty_side("HEAD") if place.repository.head() is None else commit_side(place, "HEAD")
    return old, staged_side(place, notes) if staged else work_tree_side(place, old, notes)


def _range(place: Place, text: str, notes: list[str]) -> tuple[Side, Side]:
    dots = "..." if "..." in text else ".."
    first, _, second = text.partition(dots)
    first, second = first or "HEAD", second or "HEAD"
    one, other = commit_side(place, first), commit_side(place, second)
    if dots == "..":
        return one, other
    bases = merge_bases(place.repository, one.commit, other.commit)
    if not bases:
        message = f"'{first}' and '{second}' have no commit in common here"
        if place.repository.is_shallow():
            hint = (
                "the clone is shallow: git fetch --unshallow (in a CI job, fetch the whole history)"
            )
        else:
            hint = f"gitkb diff {first}..{second} compares the two as they are"
        raise NotFoundError(message, hint)
    if len(bases) > 1:
        notes.append(f"of {len(bases)} merge bases {bases[0][:12]} is taken")
    label = f"{bases[0][:12]}, where {second} left {first}"
    return commit_side(place, bases[0])._replace(label=label), other


def _confirmed_between(old: Side, new: Side) -> frozenset[str]:
    """Give the keys of which the new state has a confirmation that the old one has not."""
    names = [name for name, id_ in new.confirmed.items() if id_ != old.confirmed.get(name)]
    clocks = []
    for side in (old, new):
        data = side.read(sorted(name for name in names if name in side.confirmed))
        clocks.append(latest_confirmations(data.values()))
    before, after = clocks
    return frozenset(key for key, ts in after.items() if ts > before.get(key, -1))


def _read(old: Side, new: Side, also: Collection[str]) -> tuple[Snapshot, Snapshot, list[str]]:
    """Read what may differ; the keys in it, sorted, are those that are to be compared."""
    names = {*old.files, *new.files}
    in_conflict = {name for name in names if new.files.get(name) == ""}
    differing = {name for name in names - in_conflict if old.files.get(name) != new.files.get(name)}
    data = [side.read(sorted(differing & side.files.keys())) for side in (old, new)]
    first, second = (read_snapshot(sorted(files.items())) for files in data)
    keys = sorted(
        {key for one in (first, second) for key in (*one.current, *one.archived)}.union(also),
    )
    homes = {
        f"{folder}/{shard_of(key, shards)}"
        for key in keys
        for shards in SHARD_COUNTS
        for folder in (KNOWLEDGE, ARCHIVE)
    } - in_conflict
    for side, files in zip((old, new), data, strict=True):
        files.update(side.read(sorted((homes & side.files.keys()) - files.keys())))
    before, after = (read_snapshot(sorted(files.items())) for files in data)
    # A file that is the same on both sides says nothing of the change.
    problems = ([one for one in part.problems if one.file in differing] for part in (before, after))
    before, after = (
        part._replace(problems=found) for part, found in zip((before, after), problems, strict=True)
    )
    return before, after, keys


def _choose(
    changes: list[EntryChange], names: Sequence[str], old: Side, new: Side
) -> list[EntryChange]:
    chosen = [change for change in changes if not change.names.isdisjoint(names)]
    found = {name for change in chosen for name in change.names}
    for name in names:
        if name not in found and not (_knows(new, name) or _knows(old, name)):
            raise NotFoundError(
                f"no commit and no entry '{name}'", f"gitkb recall {name}, or git log --oneline"
            )
    return chosen


def _knows(side: Side, name: str) -> bool:
    if is_key(name):
        homes = {
            f"{folder}/{shard_of(name, shards)}"
            for shards in SHARD_COUNTS
            for folder in (KNOWLEDGE, ARCHIVE)
        }
        snapshot = read_snapshot(side.read(sorted(homes & side.files.keys())).items())
        if name in snapshot.current or name in snapshot.archived:
            return True
    # Another name may stand anywhere.
    whole = read_snapshot(side.read(sorted(side.files)).items())
    return whole.find(name) is not None
