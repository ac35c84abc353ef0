"""The content of a commit or of the staging area, read by git's object ids.

Invariants:

1. Nothing here looks at a file of the work tree, writes an object or touches the staging area.
2. Whoever asks for the staging area gets the one that git names (GIT_INDEX_FILE) when the repository was
   opened with its own environment: `commit -a` and `commit -- FILE` make one of their own.
3. Object ids are opaque: 40 hexadecimal digits or 64.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from gitkb.errors import GitError, NotFoundError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gitkb.git.repository import Repository

_HEADS = "GITHEAD_"


class StagedChange(NamedTuple):
    """A path whose staged content differs from HEAD's. An id is empty where there is no content."""

    path: str
    old: str
    new: str
    is_unmerged: bool = False
    """Whether git has it in conflict, so that nothing of it is staged."""


def staged_changes(repository: Repository) -> list[StagedChange]:
    """What the commit under way changes against HEAD; before the first commit, all that is staged."""
    # Explicit options, because `git diff` obeys configuration: diff.renames, diff.relative, diff.external.
    answer = repository.run(
        "diff", "--cached", "--raw", "-z", "--no-abbrev", "--no-renames", "--no-relative",
        "--no-ext-diff", "--ignore-submodules=all",
    )  # fmt: skip
    fields = answer.split(b"\0")
    changes = []
    for head, path in zip(fields[0::2], fields[1::2], strict=False):
        _, _, old, new, status = head.decode("ascii").split(" ")
        old, new = old.strip("0") and old, new.strip("0") and new
        changes.append(StagedChange(os.fsdecode(path), old, new, status == "U"))
    return changes


def staged_files(repository: Repository, folder: str = "") -> dict[str, str]:
    """Paths below a folder (relative to the worktree) with their staged blobs; unmerged ones are left out."""
    answer = repository.run("ls-files", "--stage", "-z", "--", folder or ".")
    files = {}
    for line in answer.split(b"\0")[:-1]:
        head, _, path = line.partition(b"\t")
        _, blob, stage = head.decode("ascii").split(" ")
        if stage == "0":
            files[os.fsdecode(path)] = blob
    return files


def tree_files(repository: Repository, revision: str, folder: str = "") -> dict[str, str]:
    """Paths below a folder with their blobs, as they are in a commit or tree."""
    answer = repository.run("ls-tree", "-r", "-z", "--full-tree", revision, "--", folder or ".")
    files = {}
    for line in answer.split(b"\0")[:-1]:
        head, _, path = line.partition(b"\t")
        _, kind, blob = head.decode("ascii").split(" ")
        if kind == "blob":
            files[os.fsdecode(path)] = blob
    return files


def read_blobs(repository: Repository, names: Iterable[str]) -> dict[str, bytes]:
    """Read many blobs by one git. A name is an id, or what git reads as one, such as ``:PATH``.

    A name that names nothing is absent from the answer. In a partial clone git fetches what is missing.
    """
    wanted = [name for name in dict.fromkeys(names) if name and "\n" not in name]
    if not wanted:
        return {}
    feed = b"".join(os.fsencode(name) + b"\n" for name in wanted)
    answer = repository.run("cat-file", "--batch", feed=feed)
    blobs, at = {}, 0
    for name in wanted:
        end = answer.find(b"\n", at)
        head = answer[at:end]
        if end < 0 or head.endswith((b" missing", b" ambiguous")):
            at = end + 1
            continue
        size = int(head.rpartition(b" ")[2])
        blobs[name] = answer[end + 1 : end + 1 + size]
        at = end + 1 + size + 1
    return blobs


def parents_of(repository: Repository, revision: str = "HEAD") -> list[str]:
    """The parents that a commit has here; a shallow clone cuts them off. Empty without a commit."""
    answer = repository.ask("rev-list", "--parents", "--max-count=1", revision, "--")
    return answer.stdout.decode("ascii").split()[1:] if answer.code == 0 else []


def merging_heads(repository: Repository, environ: Mapping[str, str] | None = None) -> list[str]:
    """The commits that the commit under way merges into HEAD; empty when it is no merge.

    After a conflict git has them in MERGE_HEAD. While it runs pre-merge-commit it has not written that file yet,
    and the variables GITHEAD_<id>, by which it names the sides to merge drivers, are all there is
    (seen with 2.39.5). Both outlive the merge, in post-merge and its children, so what HEAD holds
    already does not count.
    """
    try:
        # In the git folder of the worktree, as `Repository.operation` has it: one git less a commit.
        with open(os.path.join(repository.git_dir, "MERGE_HEAD"), encoding="ascii") as file:
            named = file.read().split()
    except FileNotFoundError:
        environ = os.environ if environ is None else environ
        named = [name[len(_HEADS) :] for name in environ if name.startswith(_HEADS)]
    except OSError as error:
        raise GitError(f"cannot read MERGE_HEAD: {error.strerror}") from None
    return [head for head in named if not _is_merged(repository, head)]


def merge_bases(repository: Repository, one: str, other: str) -> list[str]:
    """The best common ancestors of two commits; several after a criss-cross, none if histories are cut."""
    answer = repository.ask("merge-base", "--all", one, other)
    return answer.stdout.decode("ascii").split() if answer.code == 0 else []


def _is_merged(repository: Repository, commit: str) -> bool:
    # A GITHEAD_ variable may name what is no commit here, as `git am` and `checkout -m` do.
    return repository.ask("merge-base", "--is-ancestor", commit, "HEAD").code != 1


def no_commit(repository: Repository, name: str) -> NotFoundError:
    """The error for a name that git knows no commit by, with where the commit may be."""
    message = f"no commit '{name}' in this clone"
    if repository.is_shallow():
        cut = "the clone is shallow: git fetch --unshallow"
        return NotFoundError(
            message, f'{cut} (in a CI job, the whole history: fetch-depth: 0, or GIT_DEPTH: "0")'
        )
    if repository.head() is None:
        return NotFoundError(message, "there is none here yet: git add .gitkb, and git commit")
    remotes = sorted(repository.refs("refs/remotes"))
    if "/" not in name and not repository.refs(f"refs/heads/{name}"):
        for full in remotes:
            if full.endswith(f"/{name}"):
                return NotFoundError(message, f"it is {full.removeprefix('refs/remotes/')} here")
    names = "git branch --all and git tag list the names there are"
    return NotFoundError(message, f"git fetch, then {names}" if remotes else names)
