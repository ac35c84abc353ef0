"""The two states that `diff` compares: a commit or tree, the staging area, the work tree.

1. A state is a list of data files with git's ids of their contents. Equal ids are never read: the cost
   is that of what differs.
2. A file of the work tree gets the id that git would give it, from its bytes; neither its times nor git's
   flags (assume-unchanged, skip-worktree) are asked.
3. A revision that is not here is an error that says how to fetch it.
"""

from __future__ import annotations

import hashlib
import os
from types import MappingProxyType
from typing import NamedTuple

from gitkb.errors import GitError, NotFoundError, StateError
from gitkb.git.objects import no_commit, read_blobs, staged_files, tree_files
from gitkb.git.repository import Repository, find_repository, open_repository
from gitkb.operations.checks.names import is_confirmation, is_data
from gitkb.operations.history.provenance import has_own_environment
from gitkb.store.confirmation import confirmation_files, read_confirmations
from gitkb.store.layout import STORE_NAME
from gitkb.store.reader import iter_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from gitkb.core.problem import Problem
    from gitkb.store.layout import Store

STAGED, WORK_TREE = "staged", "work tree"


class Place(NamedTuple):
    """A repository and where in it the store lies."""

    repository: Repository
    store: Store | None
    """None where the store is in commits alone: a bare repository, a sparse checkout."""
    folder: str
    """The store's folder from the top, with `/`."""


class Side(NamedTuple):
    """One of two states that are compared."""

    label: str
    """How a person names it: a revision as given, `staged` or `work tree`."""
    commit: str
    """The id of the commit or tree; empty for the other two."""
    files: dict[str, str]
    """Names such as ``knowledge/3f.jsonl``, each with the id of its content."""
    read: Callable[[Iterable[str]], dict[str, bytes]]
    """Gives the bytes of files by their names."""
    confirmed: Mapping[str, str] = MappingProxyType({})
    """The files of confirmations by their names, with ids as well."""


def find_place(find_store: Callable[[], Store], *, only_commits: bool, own: bool) -> Place:
    """Find the repository and the store in it.

    With `only_commits` the store need not be checked out. `own`: GIT_INDEX_FILE and its kin are meant for
    this repository.

    Raises:
        GitError: where the store lies in no repository, or git refuses it.
        NotFoundError: where there is no store.
    """
    try:
        store = find_store()
    except (NotFoundError, GitError):
        repository = find_repository(os.getcwd(), own_environment=own) if only_commits else None
        if repository is None:
            raise
        return Place(repository, None, _folder_in_commits(repository))
    if store.worktree is None:
        raise GitError(
            f"cannot compare: the store at '{store.root}' lies in no git repository",
            "git init, then git add and git commit the store",
        )
    own = own or has_own_environment(store)
    return Place(open_repository(store.worktree, own_environment=own), store, store.prefix)


def _folder_in_commits(repository: Repository) -> str:
    """The store's folder by the folder we are in: a store of a subproject lies beside its files."""
    if repository.worktree is None:
        return STORE_NAME
    top, here = os.path.realpath(repository.worktree), os.path.realpath(os.getcwd())
    while here != top and len(here) > len(top):
        folder = f"{os.path.relpath(here, top)}/{STORE_NAME}".replace(os.sep, "/")
        if staged_files(repository, folder):
            return folder
        here = os.path.dirname(here)
    return STORE_NAME


def commit_side(place: Place, name: str) -> Side:
    """What a commit, tag or tree holds.

    Raises:
        NotFoundError: when it is not here.
    """
    repository = place.repository
    asked = ("rev-parse", "--verify", "--quiet", "--end-of-options")
    answer = repository.ask(*asked, f"{name}^{{tree}}")
    if answer.code != 0:
        raise no_commit(repository, name)
    tree = answer.stdout.decode("ascii").strip()
    commit = repository.ask(*asked, f"{name}^{{commit}}")
    id_ = commit.stdout.decode("ascii").strip() if commit.code == 0 else tree
    return _side(place, name, id_, tree_files(repository, tree, place.folder))


def is_revision(repository: Repository, name: str) -> bool:
    """Say whether git knows a commit or tree by this name."""
    asked = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{tree}}")
    return bool(name) and repository.ask(*asked).code == 0


def staged_side(place: Place, notes: list[str]) -> Side:
    """What is staged. Files in conflict have no staged content; `notes` gets a word about them."""
    answer = place.repository.run("ls-files", "--unmerged", "-z", "--", place.folder)
    conflicted = sorted(
        {os.fsdecode(line.partition(b"\t")[2]) for line in answer.split(b"\0")[:-1]}
    )
    if conflicted:
        files = "1 file is" if len(conflicted) == 1 else f"{len(conflicted)} files are"
        notes.append(f"{files} in conflict and not compared: {', '.join(conflicted[:3])}")
    files_in = staged_files(place.repository, place.folder)
    side = _side(place, STAGED, "", files_in)
    start = len(place.folder) + 1
    # An id that no content has: `comparable` leaves such a file out on both sides.
    side.files.update({path[start:]: "" for path in conflicted if is_data(path[start:])})
    return side


def work_tree_side(place: Place, like: Side, notes: list[str]) -> Side:
    """What stands in the files; ids are made as those of `like` are."""
    if place.store is None:
        raise StateError("there is no work tree here", "name two commits: gitkb diff A..B")
    problems: list[Problem] = []
    data = dict(iter_files(place.store, problems))
    notes += [problem.located for problem in problems]
    algorithm = "sha256" if any(len(id_) == 64 for id_ in like.files.values()) else "sha1"
    files = {name: _blob_id(algorithm, content) for name, content in data.items()}
    unseen = _unseen(place, like, files)
    files.update(unseen)
    said = {name: read_confirmations(place.store, name) for name in confirmation_files(place.store)}
    confirmed = {name: _blob_id(algorithm, content) for name, content in said.items()}
    data |= said

    def read(names: Iterable[str]) -> dict[str, bytes]:
        names = list(names)
        found = {name: data[name] for name in names if name in data}
        blobs = read_blobs(place.repository, [unseen[name] for name in names if name in unseen])
        return found | {name: blobs[unseen[name]] for name in names if unseen.get(name) in blobs}

    return Side(WORK_TREE, "", files, read, confirmed)


def _unseen(place: Place, like: Side, files: dict[str, str]) -> dict[str, str]:
    """Files that a sparse checkout leaves out of the work tree: git counts them as unchanged."""
    if all(name in files for name in like.files):
        return {}
    answer = place.repository.run("ls-files", "-t", "-z", "--", place.folder)
    start = len(place.folder) + 1
    names = [os.fsdecode(line[2:])[start:] for line in answer.split(b"\0") if line[:2] == b"S "]
    staged = staged_files(place.repository, place.folder)
    return {
        name: staged[f"{place.folder}/{name}"]
        for name in names
        if is_data(name) and name not in files and f"{place.folder}/{name}" in staged
    }


def empty_side(label: str) -> Side:
    """What there is before the first commit."""
    return Side(label, "", {}, lambda names: {})


def _side(place: Place, label: str, commit: str, files: dict[str, str]) -> Side:
    start = place.folder + "/"
    named = {path[len(start) :]: id_ for path, id_ in files.items() if path.startswith(start)}
    data = {name: id_ for name, id_ in named.items() if is_data(name)}
    confirmed = {name: id_ for name, id_ in named.items() if is_confirmation(name)}
    known = data | confirmed

    def read(names: Iterable[str]) -> dict[str, bytes]:
        wanted = {name: known[name] for name in names if known.get(name)}
        blobs = read_blobs(place.repository, wanted.values())
        return {name: blobs[id_] for name, id_ in wanted.items() if id_ in blobs}

    return Side(label, commit, data, read, confirmed)


def _blob_id(algorithm: str, data: bytes) -> str:
    # git's id of a content (gitformat-pack(5)); nothing rests on it but which files are read.
    return hashlib.new(
        algorithm, b"blob %d\0" % len(data) + data, usedforsecurity=False
    ).hexdigest()
