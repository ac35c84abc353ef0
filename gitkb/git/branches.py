"""What other branches hold: the files of one folder at the tip of every known branch.

Two readers give the same answer (a contract test): pygit2, which reads hundreds of branches in one
process, and the git program for what libgit2 cannot open (SHA-256 objects, reftable, a partial
clone whose objects are not all there).
"""

from __future__ import annotations

from typing import NamedTuple

from gitkb.git.objects import read_blobs, tree_files
from gitkb.git.repository import open_repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


class BranchFiles(NamedTuple):
    """The files of a folder on a branch: name in the folder, and bytes, in git's order."""

    branch: str
    """Its short name, such as ``main`` or ``origin/main``."""
    files: list[tuple[str, bytes]]


def read_branches(worktree: str, folder: str) -> list[BranchFiles]:
    """Read a folder (from the repository's top, with `/`) on each local and remote branch.

    Branches come sorted by their full name. Of several that have the same folder only the first
    comes; one that lacks it does not.
    """
    import pygit2  # seven starts of Python, for the one verb that asks all branches

    try:
        return list(iter_by_library(worktree, folder))
    except (pygit2.GitError, KeyError, OSError, ValueError):
        return list(iter_by_program(worktree, folder))


def iter_by_library(worktree: str, folder: str) -> Iterator[BranchFiles]:
    """Read with pygit2. Raises what pygit2 raises where it cannot read the repository."""
    import pygit2

    repository = pygit2.Repository(worktree)
    seen = set()
    for name in sorted(repository.listall_references()):
        if not name.startswith(("refs/heads/", "refs/remotes/")):
            continue
        reference = repository.references[name]
        if reference.type == pygit2.enums.ReferenceType.SYMBOLIC:
            continue
        tree = reference.peel(pygit2.Commit).tree
        if folder not in tree:
            continue
        found = tree[folder]
        if not isinstance(found, pygit2.Tree) or found.id in seen:
            continue
        seen.add(found.id)
        files = [(str(item.name), item.data) for item in found if isinstance(item, pygit2.Blob)]
        yield BranchFiles(reference.shorthand, files)


def iter_by_program(worktree: str, folder: str) -> Iterator[BranchFiles]:
    """Read with the git program.

    Raises:
        GitError: when git cannot read the repository.
    """
    repository = open_repository(worktree)
    form = "--format=%(symref)%00%(refname)%00%(refname:short)%00%(objectname)"
    refs = repository.run("for-each-ref", form, "refs/heads", "refs/remotes")
    lines = [line.split("\0") for line in refs.decode("utf-8", "surrogateescape").splitlines()]
    seen = set()
    for symbolic, _, short, commit in sorted(lines, key=lambda line: line[1]):
        # Names from the top of the repository, whatever lies deeper.
        names = tree_files(repository, commit, folder)
        ids = {
            path.removeprefix(f"{folder}/"): id_
            for path, id_ in names.items()
            if "/" not in path.removeprefix(f"{folder}/")
        }
        content = tuple(ids.items())
        if symbolic or not content or content in seen:
            continue
        seen.add(content)
        blobs = read_blobs(repository, ids.values())
        yield BranchFiles(short, [(name, blobs[id_]) for name, id_ in ids.items()])
