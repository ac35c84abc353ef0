"""What a path is called by entries: itself, the folders above it, tags, and what it is written in.

Nothing is imported here: a hook asks this before each edit of an agent.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

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


def normal_path(text: str) -> str:
    """Take away what does not tell two relative paths apart: ``./``, doubled and final slashes."""
    return "/".join(part for part in text.split("/") if part not in ("", "."))


def places_above(paths: Iterable[str]) -> dict[str, int]:
    """Give each normal path and each folder above one, with the steps from there down to it."""
    above: dict[str, int] = {}
    for path in paths:
        names = path.split("/") if path else []
        for steps in range(len(names) + 1):
            place = "/".join(names[: len(names) - steps])
            above[place] = min(above.get(place, steps), steps)
    return above


def tags_above(paths: Iterable[str], folders: Collection[str]) -> dict[str, int]:
    """Give the tags that are the name of a path or of a folder above it, in every spelling, with steps."""
    tags: dict[str, int] = {}
    for path in paths:
        for steps, name in enumerate(reversed(path.split("/") if path else [])):
            is_file = not steps and path not in folders
            for form in _forms_of(name, is_file=is_file):
                for tag in _spellings(form):
                    tags[tag] = min(tags.get(tag, steps), steps)
    return tags


def technologies_of_file(path: str) -> list[str]:
    """Name what a file is written in or is about, by its name alone."""
    low = path.rpartition("/")[2].lower()
    found = _NAMES.get(low, "")
    if not found and "." in low.strip("."):
        found = _ENDINGS.get(low.rpartition(".")[2], "")
    return found.split()


def may_name_many(facets: str) -> bool:
    """Say whether a path may be a glob, or be written otherwise than `normal_path` does.

    `facets` are those of an entry in the search index, one a line.
    """
    # Spelt out, because every entry passes by here.
    return (
        "*" in facets
        or "?" in facets
        or "[" in facets
        or "//" in facets
        or "/." in facets
        or "/\n" in facets
        or "\nfile ." in facets
    )


def _forms_of(name: str, *, is_file: bool) -> set[str]:
    forms = {_form(name)}
    if is_file:
        stem = name.strip(".")
        forms.add(_form(_without_test(stem)))
        while "." in stem:  # `login.test.ts`: login
            stem = stem.rpartition(".")[0]
            forms |= {_form(stem), _form(_without_test(stem))}
    return forms - {""}


def _without_test(stem: str) -> str:
    low = stem.lower()
    for start in ("test_", "test-"):
        if low.startswith(start):
            return stem[len(start) :]
    for end in ("_test", "-test", ".test", "_spec", "-spec", ".spec"):
        if low.endswith(end):
            return stem[: -len(end)]
    return stem


def _spellings(form: str) -> set[str]:
    """Give the tags, in lower case, that `_form` folds into this one."""
    signs = ("-", "_", " ") if "-" in form else ("-",)
    return {form.replace("-", sign) + ending for sign in signs for ending in ("", "s")}


def _form(name: str) -> str:
    """Fold what does not tell two names apart: case, the sign between words, the plural."""
    form = name.lower().replace("_", "-").replace(" ", "-")
    return form[:-1] if len(form) > 3 and form.endswith("s") and not form.endswith("ss") else form
