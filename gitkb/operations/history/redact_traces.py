"""Where git may still hold a text that was scrubbed, with the command for each place.

1. It looks at what this clone can see: every commit that a branch, tag, stash, note or reflog reaches, the
   staging area, and the other worktrees. Blobs are read, so the text never stands on a command line.
2. What it cannot see, it says: clones, forks, and the caches of a forge.
3. Nothing is changed here: to rewrite history is a person's decision, after the secret was made invalid.
"""

from __future__ import annotations

import json
import os
from typing import NamedTuple

from gitkb.git.objects import read_blobs, staged_files
from gitkb.git.repository import open_repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gitkb.git.repository import Repository
    from gitkb.store.layout import Store

_AT_ONCE = 2_000
_MOST_COMMITS = 40
_LEAST = 4
_FILTER = "git filter-repo --replace-text ../texts  # that file: one line a text, TEXT==>[redacted]"


class Held(NamedTuple):
    """A place that may hold the text. `kind` is commit, branch, remote, tag, stash, reflog, staged, worktree or
    clones; `command` deals with it."""

    kind: str
    name: str
    command: str


def find_traces(store: Store, gone: Sequence[str]) -> list[Held]:
    """Find the places that may still hold any of these texts; none outside a repository.

    Raises:
        GitError: when git cannot read the repository.
    """
    if store.worktree is None or not gone:
        return []
    repository = open_repository(store.worktree)
    needles = _needles(gone)
    commits = _commits(repository, store.prefix, needles)
    found = [Held("commit", commit, _FILTER) for commit in commits]
    found += _refs(repository, list(commits)[:_MOST_COMMITS])
    found += _staged(repository, store.prefix, needles)
    found += _worktrees(repository, store, needles)
    if any(held.kind != "worktree" for held in found):
        if any(held.kind in ("commit", "reflog", "stash") for held in found):
            command = "git reflog expire --expire=now --all && git gc --prune=now"
            found.append(Held("objects", "what no branch reaches any more", command))
        found.append(
            Held(
                "clones",
                "every clone and fork, and the forge's own copies",
                "have them cloned anew, and ask the forge to drop what it keeps of old commits",
            )
        )
    return found


def _needles(gone: Iterable[str]) -> list[bytes]:
    forms = set()
    for text in gone:
        if len(text) >= _LEAST:
            forms.add(text.encode("utf-8", "surrogatepass"))
            forms.add(json.dumps(text, ensure_ascii=False)[1:-1].encode("utf-8", "surrogatepass"))
            forms.add(json.dumps(text)[1:-1].encode("ascii"))
    return sorted(forms)


def _holds(data: bytes, needles: list[bytes]) -> bool:
    return any(needle in data for needle in needles)


def _commits(repository: Repository, folder: str, needles: list[bytes]) -> dict[str, None]:
    """The commits that brought a blob with the text into the folder, the latest first."""
    answer = repository.ask(
        "log", "--all", "--reflog", "--full-history", "-m", "--format=commit %H", "--raw", "--no-abbrev",
        "--no-renames", "--", folder or ".",
    )  # fmt: skip
    brought: dict[str, list[str]] = {}
    commit = ""
    for line in answer.stdout.decode("utf-8", "surrogateescape").splitlines():
        if line.startswith("commit "):
            commit = line.split()[1]
        elif line.startswith(":"):
            blob = line.split()[3]
            if blob.strip("0"):
                brought.setdefault(blob, []).append(commit)
    blobs = list(brought)
    found = set()
    for begin in range(0, len(blobs), _AT_ONCE):
        for blob, data in read_blobs(repository, blobs[begin : begin + _AT_ONCE]).items():
            if _holds(data, needles):
                found.update(brought[blob])
    order = {commit: None for commits in brought.values() for commit in commits}
    return {commit: None for commit in order if commit in found}


def _refs(repository: Repository, commits: list[str]) -> list[Held]:
    names: dict[str, None] = {}
    for commit in commits:
        answer = repository.ask("for-each-ref", f"--contains={commit}", "--format=%(refname)")
        names.update(dict.fromkeys(answer.stdout.decode("utf-8", "surrogateescape").split()))
    found, remotes = [], dict[str, None]()
    for name in sorted(names):
        short = name.split("/", 2)[-1]
        if name.startswith("refs/heads/"):
            found.append(Held("branch", short, "git filter-repo rewrites it with all others"))
        elif name.startswith("refs/remotes/"):
            remotes[short.split("/")[0]] = None
        elif name.startswith("refs/tags/"):
            found.append(
                Held("tag", short, f"git tag -d {short} && git push --delete origin {short}")
            )
        elif name == "refs/stash":
            found.append(Held("stash", "git stash list", "git stash drop, or git stash clear"))
        else:
            found.append(Held("branch", name, f"git update-ref -d {name}"))
    for remote in remotes:
        command = f"git push --force {remote} --all && git push --force {remote} --tags, after the rewriting"
        found.append(Held("remote", remote, command))
    if commits and not names:
        found.append(Held("reflog", "git reflog --all", "git reflog expire --expire=now --all"))
    return found


def _staged(repository: Repository, folder: str, needles: list[bytes]) -> list[Held]:
    files = staged_files(repository, folder)
    blobs = read_blobs(repository, files.values())
    held = [path for path, blob in files.items() if _holds(blobs.get(blob, b""), needles)]
    return [Held("staged", path, f"git add {folder}") for path in held]


def _worktrees(repository: Repository, store: Store, needles: list[bytes]) -> list[Held]:
    answer = repository.ask("worktree", "list", "--porcelain")
    found = []
    for line in answer.stdout.split(b"\n"):
        path = os.fsdecode(line.removeprefix(b"worktree "))
        if not line.startswith(b"worktree ") or os.path.realpath(path) == os.path.realpath(
            store.worktree or ""
        ):
            continue
        root = os.path.join(path, store.prefix)
        if any(_holds(data, needles) for data in _files_in(root)):
            found.append(
                Held("worktree", path, f"git -C '{path}' merge, or gitkb --dir '{path}' redact")
            )
    return found


def _files_in(root: str) -> Iterable[bytes]:
    for folder, _, names in os.walk(root):
        for name in names:
            try:
                with open(os.path.join(folder, name), "rb") as file:
                    yield file.read()
            except OSError:
                continue
