"""Does git ignore files of a store, by which rule, and what speaks against that rule.

Invariants:

1. What holds is asked of git (`check-ignore`), never read out of a file.
2. A file that git tracks already is not ignored, whatever the rules say (gitignore(5)).
3. Git does not look into an ignored folder, so no rule inside it can bring a file back: the cure then
   stands beside the folder. That a folder holds files which git tracks changes nothing for the others in it.
"""

from __future__ import annotations

import os
from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitkb.git.repository import Repository

PARTS = (
    ".gitattributes",
    ".gitignore",
    "config.toml",
    "knowledge/00.jsonl",
    "archive/00.jsonl",
)
"""What a store commits; the shards stand for all others, which have names of the same form."""


class Ignored(NamedTuple):
    """One file that git ignores, and the rule."""

    path: str
    """From the top of the worktree."""
    rule: str
    """`FILE:LINE:PATTERN`, the file as git names it."""
    cure: str
    """A command for the top of the worktree."""


def find_ignored(repository: Repository, store: str, names: Iterable[str] = ()) -> Ignored | None:
    """Find the first file of the store at ``store`` that git ignores: of what a store commits, and `names`.

    ``store`` and ``names`` are paths from the top of the worktree, with `/`, without links on the way.
    """
    folders = _folders(store)
    wanted = [f"{store}/{part}" for part in PARTS]
    paths = list(dict.fromkeys([*names, *wanted]))
    rules = _rules(repository, paths)
    found = next((path for path in paths if path in rules), None)
    if found is None:
        return None
    named = _rules(repository, [f"{folder}/" for folder in folders], "--no-index")
    folder = next((folder for folder in folders if f"{folder}/" in named), None)
    return Ignored(found, rules[found], _cure(store, found, folder))


def _rules(repository: Repository, paths: Iterable[str], *options: str) -> dict[str, str]:
    """The rule by which git ignores each of these, of those that it ignores."""
    feed = b"".join(os.fsencode(path) + b"\0" for path in paths)
    answer = repository.ask("check-ignore", "--verbose", *options, "-z", "--stdin", feed=feed)
    fields = [os.fsdecode(field) for field in answer.stdout.split(b"\0")]
    return {
        path: f"{source}:{line}:{pattern}"
        for source, line, pattern, path in zip(
            fields[0::4], fields[1::4], fields[2::4], fields[3::4], strict=False
        )
        if not pattern.startswith("!")
    }


def _folders(store: str) -> list[str]:
    """The folders from the top down to those with data, each of which an ignore rule may name."""
    parts = store.split("/")
    above = ["/".join(parts[: depth + 1]) for depth in range(len(parts))]
    return [*above, f"{store}/knowledge", f"{store}/archive"]


def _cure(store: str, path: str, folder: str | None) -> str:
    from shlex import quote  # only where something is ignored

    if folder is not None:
        above, _, name = folder.rpartition("/")
        line, file = f"!/{_literal(name)}/", f"{above}/.gitignore" if above else ".gitignore"
    else:
        name = path.rpartition("/")[2]
        line, file = "!*.jsonl" if name.endswith(".jsonl") else f"!{name}", f"{store}/.gitignore"
    return f"printf '%s\\n' {quote(line)} >> {quote(file)}"


def _literal(name: str) -> str:
    """A name as gitignore(5) reads it, without wildcards."""
    return "".join("\\" + letter if letter in "*?[\\" else letter for letter in name)
