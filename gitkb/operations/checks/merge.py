"""Whether a merge, by whomever and however, kept what its sides knew.

Where no driver runs (a forge's merge button, a fresh clone, a person in an editor) a merge can drop
lines without a conflict. Three trees say so afterwards: the result, its sides, and their base.

1. A key that one side holds and no side deleted, archived or dropped is in the result.
2. A key that one side alone changed has that side's version, not the old one.
3. A deletion is not undone by the other side's edit.

Only files in which the result differs from a side are read. FILE in a hint stands for the path of the
problem's file, which only the caller knows. What cannot be read stops the judgement: taken for an
empty file, it would look like lines that somebody removed.
"""

from __future__ import annotations

from typing import NamedTuple

from gitkb.core.entry import Entry, Tombstone
from gitkb.core.identity import ARCHIVE, KNOWLEDGE
from gitkb.core.merge.form import is_unchanged
from gitkb.core.merge.record import merge_records
from gitkb.core.merge.rules import KNOWLEDGE as RULES
from gitkb.core.problem import Problem
from gitkb.core.snapshot import iter_records
from gitkb.errors import GitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import TypeAlias

    from gitkb.core.canonical import Fields
    from gitkb.core.snapshot import Located

    ReadBlobs: TypeAlias = Callable[[list[str]], dict[str, bytes]]

STAGED = "the staging area"
"""The label of a result that is not committed yet."""


class Loss(NamedTuple):
    """What a merge lost of one key."""

    key: str
    problem: Problem


class Tree:
    """The data files of one store in a commit or in the staging area, read as far as asked.

    `label` is how git names it; `files` maps names such as ``knowledge/3f.jsonl`` to blobs; `read` gives
    the bytes of many blobs at once.
    """

    def __init__(self, label: str, files: dict[str, str], read: ReadBlobs) -> None:
        self.label = label
        self.files = files
        self._read = read
        self._found: dict[str, dict[str, Located]] = {}

    def differing(self, other: Tree, folder: str) -> list[str]:
        """Name the files of a folder that this tree has with other content than the other one."""
        return [
            name
            for name, blob in self.files.items()
            if name.startswith(folder) and blob != other.files.get(name)
        ]

    def load(self, names: Iterable[str]) -> None:
        """Read files, all those that are not read yet by one git."""
        missing = [name for name in names if name in self.files and name not in self._found]
        blobs = self._read([self.files[name] for name in missing])
        for name in missing:
            data = blobs.get(self.files[name])
            if data is None:
                raise GitError(
                    f"cannot read '{name}' of {self.label}: its content is missing in this clone",
                    "git fetch --refetch, or git fsck, which says what else is missing",
                )
            # Of two lines of one key the later stands, as for every reader.
            lines = sorted(iter_records(name, data, []), key=lambda at: at.age)
            self._found[name] = {at.record.key: at for at in lines}

    def records(self, names: Iterable[str]) -> Iterator[tuple[str, Located]]:
        """Yield key and record for everything that stands in some files."""
        names = list(names)
        self.load(names)
        for name in names:
            yield from self._found.get(name, {}).items()

    def find(self, key: str, name: str) -> Located | None:
        """Find the record of a key in the knowledge files: in the one named, or else in any."""
        self.load([name])
        found = self._found.get(name, {}).get(key)
        if found is not None:
            return found
        return next((at for other, at in self.records(self._in(KNOWLEDGE)) if other == key), None)

    def is_archived(self, key: str, since: int) -> bool:
        """Say whether the archive holds a version of a key that is not older than `since`."""
        return any(
            other == key and at.age[0] >= since for other, at in self.records(self._in(ARCHIVE))
        )

    def _in(self, folder: str) -> list[str]:
        return [name for name in self.files if name.startswith(folder)]


def check_merge(
    result: Tree, sides: list[Tree], bases: list[Tree], *, is_cut: bool = False
) -> list[Problem]:
    """Say what a merge lost. With `is_cut` the history is too short to tell what a side dropped."""
    return list(dict.fromkeys(loss.problem for loss in find_losses(result, sides, bases, is_cut)))


def find_losses(
    result: Tree, sides: list[Tree], bases: list[Tree], is_cut: bool = False
) -> list[Loss]:
    """As `check_merge`, with the key that each problem is about."""
    losses: list[Loss] = []
    lost: set[str] = set()
    for side in sides:
        others = [other for other in sides if other is not side]
        names = side.differing(result, KNOWLEDGE)
        result.load(names)
        for key, at in side.records(names):
            now = result.find(key, at.file)
            if now is None:
                if isinstance(at.record, Entry) and key not in lost:
                    found = list(_check_lost(key, at, side, others, bases, result, is_cut))
                    losses.extend(Loss(key, problem) for problem in found)
                    lost.update(key for _ in found)  # both sides may have it
            elif len(others) == 1 and not (is_cut and not bases):
                found = list(_check_change(key, at, now, side, others[0], bases, result))
                losses.extend(Loss(key, problem) for problem in found)
    return losses


def stands_alike(key: str, name: str, one: Tree, other: Tree) -> bool:
    """Say whether two trees say the same of a key: the same record, or both nothing."""
    here, there = one.find(key, name), other.find(key, name)
    if here is None or there is None:
        return here is there and not other.is_archived(key, 0)
    return _is_any(here.record.fields, [there.record.fields])


def _check_lost(
    key: str,
    at: Located,
    side: Tree,
    others: list[Tree],
    bases: list[Tree],
    result: Tree,
    is_cut: bool,
) -> Iterator[Problem]:
    if result.is_archived(key, at.age[0]):
        return
    known = [base for base in bases if base.find(key, at.file) is not None]
    absent = [other for other in others if other.find(key, at.file) is None]
    if absent and (known or is_cut):
        return  # another side dropped it, or nobody can tell
    message = f"the merge lost '{key}': {side.label} has it, and no side deleted it"
    hint = (
        f"take its line from git show {side.label}:FILE, or delete it for all: gitkb forget {key}"
    )
    yield Problem("lost-key", message, hint, at.file)


def _check_change(
    key: str, at: Located, now: Located, side: Tree, other: Tree, bases: list[Tree], result: Tree
) -> Iterator[Problem]:
    bases_at = [found for base in bases if (found := base.find(key, at.file)) is not None]
    before = [found.record.fields for found in bases_at]
    mine, shown = at.record.fields, now.record.fields
    if _is_any(mine, [*before, shown]):
        return  # the side changed nothing, or its version is the one shown
    found = other.find(key, at.file)
    theirs = None if found is None else found.record.fields
    if not _is_any(shown, [*before, *([] if theirs is None else [theirs])]):
        return  # a new version: what a driver or a person made of the two
    expected = merge_records(before[0] if before else None, theirs, mine, RULES)
    if expected is None or _is_any(shown, [expected]):
        return
    place = (now.file, now.number)
    again = f"take its line from git show {side.label}:FILE"
    if result.label == STAGED:
        again += ", or merge the file by key: gitkb resolve FILE"
    if isinstance(at.record, Tombstone):
        message = f"the merge brought '{key}' back: {side.label} deleted it"
        yield Problem("undeleted", message, f"gitkb forget {key}", *place)
    elif theirs is None or _is_any(theirs, before):
        message = f"the merge lost the change of '{key}' that {side.label} made"
        yield Problem("lost-change", message, again, *place)
    elif result.files.get(now.file) == other.files.get(now.file):
        message = f"the file is that of {other.label} alone: {side.label} changed '{key}' too"
        yield Problem("one-side", message, again, *place)
    else:
        message = f"of two changes of '{key}' the merge kept that of {other.label} alone"
        yield Problem("one-side", message, again, *place, severity="warning")


def _is_any(fields: Fields, others: list[Fields]) -> bool:
    mine = RULES.prepare(fields)
    return any(is_unchanged(mine, RULES.prepare(other), RULES) for other in others)
