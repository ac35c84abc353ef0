"""Which of an entry's files changed since somebody last said that the entry is true: a calculation over
the graph of commits.

1. Clocks decide nothing. What changed since a commit are the commits of HEAD's history that cannot be
   reached from it, so work of a parallel branch counts once it is merged, whatever its dates.
2. An entry was said to be true by the commit that wrote its line, and by each commit that confirmed it
   and has that one in its history. What any of them has seen does not count.
3. A name means what it means to a search (`core.glob`). A file that is renamed is followed from the
   commit that renames it on, as often as it is; what bore its new name before is another file.
4. A name that nothing in HEAD's history ever had changes nothing.

Commits are told by their place in an order that has each after its parents. Sets of commits are the
bits of a whole number, and only commits that touch a file which some entry names have a bit: the cost is
commits times those, divided by the width of a machine's word, plus what the entries' files went through.
"""

from __future__ import annotations

from typing import NamedTuple

from gitkb.core.glob import GLOB_SIGNS, compile_glob, normal_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import TypeAlias

    Paths: TypeAlias = tuple[str, ...]

CHANGED, MOVED, VANISHED = "changed", "moved", "vanished"


class Touch(NamedTuple):
    """What one commit did to one file."""

    path: str
    added: int
    """Lines; -1 where nobody counted them: a binary file, or contents that this clone lacks."""
    removed: int
    source: str = ""
    """The name that the file had before, if the commit renamed it."""


class Subject(NamedTuple):
    """An entry, as far as it can grow stale."""

    files: Paths
    written: int
    """The place of the commit that wrote its line."""
    confirmed: tuple[int, ...] = ()
    """The places of the commits that said it is still true."""


class Change(NamedTuple):
    """What became of one of an entry's files since."""

    file: str
    commits: int
    added: int
    removed: int
    is_counted: bool
    """Whether `added` and `removed` are all lines there are."""
    matched: Paths
    """What the name means at HEAD."""
    moved_to: Paths
    """Where files that it meant are at HEAD."""
    since: tuple[int, ...] = ()
    """The places of the commits that said the entry is true."""

    @property
    def kind(self) -> str:
        """CHANGED while the name means anything, else MOVED or VANISHED."""
        if self.matched:
            return CHANGED
        return MOVED if self.moved_to else VANISHED

    def share(self, lines: int) -> float | None:
        """The part of the lines that changed, from 0 to 1, of so many there are now; None if unknown.

        All lines before and now count, so one that was changed counts twice on both sides of the
        division; what was changed again and again is at most the whole.
        """
        if not self.is_counted:
            return None
        changed = self.added + self.removed
        before = max(lines - self.added + self.removed, 0)
        return min(1.0, changed / (before + lines)) if before + lines else float(changed > 0)


class _Name:
    """One name that entries give to files."""

    __slots__ = ("exits", "mask", "matched", "touches")

    def __init__(self) -> None:
        self.matched: Paths = ()
        self.touches: dict[int, list[Touch]] = {}
        """What commits did to files of this name, by their bits."""
        self.exits: list[tuple[int, str]] = []
        """Bits of commits that renamed a file of this name to something outside of it, and what."""
        self.mask = 0

    def add(self, bit: int, touch: Touch) -> None:
        self.touches.setdefault(bit, []).append(touch)


def find_changes(
    parents: Sequence[Sequence[int]],
    touches: Mapping[int, Sequence[Touch]],
    subjects: Mapping[str, Subject],
    present: Iterable[str],
) -> dict[str, list[Change]]:
    """Give by key what changed since, for those of the subjects for which anything did.

    `parents` has for each commit the places of its parents, all of them smaller than its own;
    `touches` what the commits did; `present` the paths at HEAD.
    """
    return _History(parents, touches, subjects, present).changes()


class _History:
    def __init__(
        self,
        parents: Sequence[Sequence[int]],
        touches: Mapping[int, Sequence[Touch]],
        subjects: Mapping[str, Subject],
        present: Iterable[str],
    ) -> None:
        self._subjects = subjects
        self._present = frozenset(present)
        self._names = {file: _Name() for subject in subjects.values() for file in subject.files}
        self._meant_by = NameFinder(self._names)
        matched: dict[str, list[str]] = {}
        for path in sorted(self._present):
            for file in self._meant_by(path):
                matched.setdefault(file, []).append(path)
        for file, paths in matched.items():
            self._names[file].matched = tuple(paths)
        followed = self._followed(touches)
        self._bits = self._number(touches, followed)
        self._paths: dict[str, _Name] = {path: _Name() for path in followed}
        for place in sorted(touches.keys() & self._bits.keys()):
            self._record(self._bits[place], touches[place])
        for name in (*self._names.values(), *self._paths.values()):
            name.mask = _mask_of(name.touches)
        self._seen = self._reach(parents)
        self._found: dict[tuple[str, int], Change] = {}

    def changes(self) -> dict[str, list[Change]]:
        found: dict[str, list[Change]] = {}
        for key, subject in self._subjects.items():
            said = [subject.written]
            # Who confirms has to have seen what they confirm (invariant 2).
            said += [
                place
                for place in subject.confirmed
                if self._seen[place] >> self._bits[subject.written] & 1
            ]
            known = 0
            for place in said:
                known |= self._seen[place]
            for file in subject.files:
                left = self._names[file].mask & ~known
                if left:
                    change = self._change(file, left)._replace(since=tuple(said))
                    found.setdefault(key, []).append(change)
        return found

    def _followed(self, touches: Mapping[int, Sequence[Touch]]) -> set[str]:
        """The names to which files that entries name were ever renamed, directly or not."""
        renamed: dict[str, set[str]] = {}
        for of_commit in touches.values():
            for touch in of_commit:
                if touch.source:
                    renamed.setdefault(touch.source, set()).add(touch.path)
        followed: set[str] = set()
        waiting = [path for path in renamed if self._meant_by(path)]
        while waiting:
            for path in renamed.get(waiting.pop(), ()):
                if path not in followed:
                    followed.add(path)
                    waiting.append(path)
        return followed

    def _number(self, touches: Mapping[int, Sequence[Touch]], followed: set[str]) -> dict[int, int]:
        places = {
            place
            for place, of_commit in touches.items()
            if any(
                touch.path in followed
                or self._meant_by(touch.path)
                or (touch.source and (touch.source in followed or self._meant_by(touch.source)))
                for touch in of_commit
            )
        }
        places |= {subject.written for subject in self._subjects.values() if subject.confirmed}
        return {place: bit for bit, place in enumerate(sorted(places))}

    def _record(self, bit: int, of_commit: Sequence[Touch]) -> None:
        for touch in of_commit:
            ours = self._meant_by(touch.path)
            before = self._meant_by(touch.source) if touch.source else ()
            for file in {*ours, *before}:
                self._names[file].add(bit, touch)
            for file in before:
                if file not in ours:
                    self._names[file].exits.append((bit, touch.path))
            for path in {touch.path, touch.source} & self._paths.keys():
                self._paths[path].add(bit, touch)
                if path == touch.source:
                    self._paths[path].exits.append((bit, touch.path))

    def _reach(self, parents: Sequence[Sequence[int]]) -> dict[int, int]:
        """For the commits that matter, what can be reached from each, itself included."""
        wanted = {place for s in self._subjects.values() for place in (s.written, *s.confirmed)}
        # Whether a commit comes after a rename is asked of those that touch what was renamed.
        bits = {bit for name in self._paths.values() for bit in name.touches}
        wanted |= {place for place, bit in self._bits.items() if bit in bits}
        children = [0] * len(parents)
        for of_commit in parents:
            for parent in of_commit:
                children[parent] += 1
        seen: dict[int, int] = {}
        for place, of_commit in enumerate(parents):
            mask = 0
            for parent in of_commit:
                mask |= seen[parent]
            bit = self._bits.get(place)
            seen[place] = mask if bit is None else mask | 1 << bit
            for parent in of_commit:
                children[parent] -= 1
                if not children[parent] and parent not in wanted:
                    del seen[parent]
        self._places = sorted(self._bits)
        return seen

    def _change(self, file: str, left: int) -> Change:
        known = self._found.get((file, left))
        if known is None:
            known = self._found[file, left] = self._follow(file, left)
        return known

    def _follow(self, file: str, left: int) -> Change:
        name = self._names[file]
        commits = left
        # Few commits touch a file, and there are many: it is their bits that are looked at.
        did = {
            (bit, touch)
            for bit, touches in name.touches.items()
            if left >> bit & 1
            for touch in touches
        }
        exits = [(bit, path) for bit, path in name.exits if left >> bit & 1]
        done: set[tuple[int, str]] = set()
        moved_to = set()
        while exits:
            step = exits.pop()
            if step in done:
                continue
            done.add(step)
            start, path = step
            if path in self._present:
                moved_to.add(path)
            way = self._paths[path]
            after = {
                bit
                for bit in way.touches
                if bit != start and self._seen[self._places[bit]] >> start & 1
            }
            commits |= _mask_of(after)
            did.update((bit, touch) for bit in after for touch in way.touches[bit])
            exits += [(bit, other) for bit, other in way.exits if bit in after]
        return Change(
            file,
            bin(commits).count("1"),  # int.bit_count came with Python 3.10
            sum(max(touch.added, 0) for _, touch in did),
            sum(max(touch.removed, 0) for _, touch in did),
            all(touch.added >= 0 for _, touch in did),
            name.matched,
            tuple(sorted(moved_to.difference(name.matched))) if moved_to else (),
        )


class NameFinder:
    """Finds the names, of those that entries give, that mean a path."""

    def __init__(self, files: Iterable[str]) -> None:
        self._plain: dict[str, list[str]] = {}
        self._globs = []
        for file in files:
            self._plain.setdefault(normal_path(file), []).append(file)
            if not GLOB_SIGNS.isdisjoint(file):
                self._globs.append((file, compile_glob(file)))
        self._everything = self._plain.pop("", [])
        self._answers: dict[str, Paths] = {}

    def __call__(self, path: str) -> Paths:
        """Give the names that mean a path, sorted."""
        answer = self._answers.get(path)
        if answer is None:
            answer = self._answers[path] = tuple(sorted({*self._find(path)}))
        return answer

    def _find(self, path: str) -> Iterator[str]:
        yield from self._everything
        end = len(path)
        while end > 0:
            yield from self._plain.get(path[:end], ())
            end = path.rfind("/", 0, end)
        yield from (file for file, is_meant in self._globs if is_meant(path))


def _mask_of(bits: Iterable[int]) -> int:
    """Make a set of many bits at once; one by one each would copy the whole number."""
    found = list(bits)
    if not found:
        return 0
    octets = bytearray(max(found) // 8 + 1)
    for bit in found:
        octets[bit >> 3] |= 1 << (bit & 7)
    return int.from_bytes(octets, "little")
