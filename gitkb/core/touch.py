"""Which entries concern files that are touched, by the files, tags and technologies they name.

1. By its files an entry concerns what lies at a path, below a folder, or is meant by a glob
   (`core.glob`); a folder that is touched also concerns what is said about things in it.
2. By a tag: one that is the name of a touched file, without its ending, or of a folder above it,
   whatever its case, its number and the sign between its words. By a technology: one that the ending
   or name of the file stands for, and only where the entry names no file, for then it is about those.
3. A label that many entries carry tells little: it counts for must-checks alone.
4. The order is whole: must-checks, then what concerns by files, tags, words and technology, in this
   order; of those what is contested, the more important, the closer, the later; then by key.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from gitkb.core.glob import GLOB_SIGNS, compile_glob, normal_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

BY_FILE, BY_TAG, BY_WORDS, BY_STACK = range(4)

_MANY, _SHARE = 5, 5
"""A label of more entries than this, and of more than one in so many, is one of many."""

_MOST_PATHS = 2_000
"""Of a larger change the rest is left to its folders: nobody reads what concerns all of it."""

_test_mark = re.compile(r"^test[_-]|[_-]test$|[._-]spec$|\.test$")

# What an ending, or a whole name, stands for; names as `core.technology` spells them.
_ENDINGS: Mapping[str, str] = {
    "py": "python", "pyi": "python", "js": "javascript", "mjs": "javascript", "cjs": "javascript",
    "jsx": "javascript react", "ts": "typescript", "mts": "typescript", "tsx": "typescript react",
    "vue": "vue", "svelte": "svelte", "astro": "astro", "go": "go", "rs": "rust", "java": "java",
    "kt": "kotlin", "kts": "kotlin", "scala": "scala", "clj": "clojure", "rb": "ruby", "php": "php",
    "cs": "csharp dotnet", "fs": "fsharp dotnet", "ex": "elixir", "exs": "elixir", "erl": "erlang",
    "dart": "dart", "swift": "swift", "c": "c", "h": "c cpp", "cc": "cpp", "cpp": "cpp", "hpp": "cpp",
    "hs": "haskell", "ml": "ocaml", "zig": "zig", "nim": "nim", "nix": "nix", "tf": "terraform",
    "sql": "sql", "sh": "bash", "bash": "bash", "css": "css", "scss": "css sass", "html": "html",
    "lua": "lua", "r": "r", "jl": "julia", "proto": "protobuf", "graphql": "graphql", "gd": "godot",
}  # fmt: skip
_NAMES: Mapping[str, str] = {
    "dockerfile": "docker", "docker-compose.yml": "docker docker-compose", "makefile": "make",
    "docker-compose.yaml": "docker docker-compose", "jenkinsfile": "jenkins", "gemfile": "ruby",
    ".gitlab-ci.yml": "gitlab-ci", "go.mod": "go", "cargo.toml": "rust", "package.json": "javascript",
    "pyproject.toml": "python", "cmakelists.txt": "cmake", "chart.yaml": "helm kubernetes",
}  # fmt: skip


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

    @property
    def order(self) -> tuple[bool, int, bool, int, int, int, str]:
        """What candidates are sorted by: the smallest comes first."""
        band, distance, _ = self.concern
        return (
            not self.must_check,
            band,
            not self.contested,
            -self.importance,
            distance,
            -self.ts,
            self.key,
        )


def make_touch(files: Iterable[str], folders: Iterable[str] = ()) -> Touch:
    """Gather paths relative to the repository, with `/`; of folders all that lies in them is touched."""
    folders = dict.fromkeys(map(normal_path, folders))
    paths = [path for path in dict.fromkeys(map(normal_path, files)) if path][:_MOST_PATHS]
    above: dict[str, int] = {}
    tags: dict[str, int] = {}
    stack: set[str] = set()
    for path in dict.fromkeys((*paths, *folders)):
        names = path.split("/") if path else []
        for steps in range(len(names) + 1):
            place = "/".join(names[: len(names) - steps])
            above[place] = min(above.get(place, steps), steps)
        for steps, name in enumerate(reversed(names)):
            is_file = not steps and path not in folders
            for tag in _tags_of(name, is_file=is_file):
                for spelling in _spellings(tag):
                    tags[spelling] = min(tags.get(spelling, steps), steps)
            if is_file:
                stack.update(technologies_of_file(name))
    below = tuple(f"{folder}/" if folder else "" for folder in folders)
    return Touch((*paths, *folders), above, below, tags, frozenset(stack))


def technologies_of_file(name: str) -> list[str]:
    """Name what a file is written in or is about, by its name alone."""
    low = name.lower()
    found = _NAMES.get(low, "")
    if not found and "." in low.strip("."):
        found = _ENDINGS.get(low.rpartition(".")[2], "")
    return found.split()


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


def _tags_of(name: str, *, is_file: bool) -> set[str]:
    forms = {_form(name)}
    if is_file:
        stem = name.strip(".")
        while "." in stem:  # `login.test.ts`: login
            stem = stem.rpartition(".")[0]
            forms |= {_form(stem), _form(_test_mark.sub("", stem))}
        forms.add(_form(_test_mark.sub("", stem)))
    return forms - {""}


def _spellings(form: str) -> set[str]:
    """Give the tags, in lower case, that `_form` folds into this one."""
    signs = ("-", "_", " ") if "-" in form else ("-",)
    return {form.replace("-", sign) + ending for sign in signs for ending in ("", "s")}


def _form(name: str) -> str:
    """Fold what does not tell two names apart: case, the sign between words, the plural."""
    form = name.lower().replace("_", "-").replace(" ", "-")
    return form[:-1] if len(form) > 3 and form.endswith("s") and not form.endswith("ss") else form
