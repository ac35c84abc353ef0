"""Which entries concern files that are touched, by the files, tags and technologies they name.

1. By its files an entry concerns what lies at a path, below a folder, or is meant by a glob
   (`core.glob`); a folder that is touched also concerns what is said about things in it.
2. By a tag: one that is the name of a touched file, without its ending, or of a folder above it,
   whatever its case, its number and the sign between its words. By a technology: one that the ending
   or name of the file stands for, and only where the entry names no file, for then it is about those.
3. A label that many entries carry tells little: it counts for must-checks alone.
4. The order is whole: must-checks, then what concerns by files, tags, words and technology, in this
   order; of those what is contested, what the words of the change speak of too, the more important, the
   closer, the later; then by key.
"""

from __future__ import annotations

from typing import NamedTuple

from gitkb.core.glob import GLOB_SIGNS, compile_glob
from gitkb.core.touch.names import normal_path, places_above, tags_above, technologies_of_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

BY_FILE, BY_TAG, BY_WORDS, BY_STACK = range(4)

_MANY, _SHARE = 5, 5
"""A label of more entries than this, and of more than one in so many, is one of many."""

_MOST_PATHS = 2_000
"""Of a larger change the rest is not looked at: each glob is tried on each path, and nobody reads so much."""


class Touch(NamedTuple):
    """What is touched. Make it with `make_touch`."""

    paths: tuple[str, ...]
    above: Mapping[str, int]
    """Each path and each folder above one, with the steps from there to what is touched."""
    below: tuple[str, ...]
    """What a path begins with that lies in a touched folder."""
    tags: Mapping[str, int]
    """Tags that are the name of one of them, in every spelling, with the steps as above."""
    stack: frozenset[str]


class Concern(NamedTuple):
    """How an entry concerns what is touched."""

    band: int
    distance: int
    """Steps between what the entry names and what is touched."""
    by: str
    """The file, tag, words or technology that it is about."""


class Candidate(NamedTuple):
    """One entry that could be shown."""

    key: str
    ts: int
    importance: int
    must_check: bool
    contested: bool
    concern: Concern
    is_spoken_of: bool = False
    """The words of the change speak of it, besides."""

    @property
    def order(self) -> tuple[bool, int, bool, bool, int, int, int, str]:
        """What candidates are sorted by: the smallest comes first."""
        band, distance, _ = self.concern
        return (
            not self.must_check,
            band,
            not self.contested,
            not self.is_spoken_of,
            -self.importance,
            distance,
            -self.ts,
            self.key,
        )


def make_touch(files: Iterable[str], folders: Iterable[str] = ()) -> Touch:
    """Gather paths relative to the repository, with `/`; of folders all that lies in them is touched.

    What is given as both may be either.
    """
    folders = dict.fromkeys(map(normal_path, folders))
    paths = [path for path in dict.fromkeys(map(normal_path, files)) if path][:_MOST_PATHS]
    touched = tuple(dict.fromkeys((*paths, *folders)))
    stack = {name for path in paths for name in technologies_of_file(path)}
    below = tuple(f"{folder}/" if folder else "" for folder in folders)
    above, tags = places_above(touched), tags_above(touched, folders.keys() - set(paths))
    return Touch(touched, above, below, tags, frozenset(stack))


def steps_by_file(file: str, touch: Touch) -> int | None:
    """Give the steps from a file that an entry names to the nearest touched one that it means."""
    if GLOB_SIGNS.isdisjoint(file):
        return _steps(normal_path(file), touch)
    means = compile_glob(file)
    plain = 0
    names = normal_path(file).split("/")
    while plain < len(names) and GLOB_SIGNS.isdisjoint(names[plain]):
        plain += 1
    found = [path.count("/") + 1 - plain for path in touch.paths if means(path)]
    # A name such as `[id].tsx` means itself, too.
    itself = _steps(normal_path(file), touch)
    found += [] if itself is None else [itself]
    return min(found, default=None)


def is_one_of_many(number: int, total: int) -> bool:
    """Say whether a label is carried by so many of all entries that it tells little."""
    return number > _MANY and number * _SHARE > total


def _steps(file: str, touch: Touch) -> int | None:
    steps = touch.above.get(file)
    if steps is None and touch.below and file.startswith(touch.below):
        return 0
    return steps
