"""Find the store: `--dir`, then `GITKB_DIR`, then the nearest `.gitkb` up to the worktree's root.

The git directory is read from `.git` itself (a folder, or a file that names one; gitrepository-
layout(5)) rather than asked of git, because every command does this and a process costs more than
the rest of a recall.
"""

from __future__ import annotations

import os

from gitkb.errors import NotFoundError, StateError
from gitkb.store.layout import DERIVED_NAME, STORE_NAME, Store
from gitkb.store.settle import settle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def find_store(directory: str | None = None, environ: Mapping[str, str] | None = None) -> Store:
    """Find the store that a command is about.

    Raises:
        NotFoundError: when there is none, or `directory` or `GITKB_DIR` names none.
        StateError: when it is a link that leads out of the repository.
    """
    store = _find_store(directory, os.environ if environ is None else environ)
    settle(store)
    return store


def _find_store(directory: str | None, environ: Mapping[str, str]) -> Store:
    if directory:
        return _named_store(directory, "--dir", environ)
    if environ.get("GITKB_DIR"):
        return _named_store(environ["GITKB_DIR"], "GITKB_DIR", environ)
    start = current_folder()
    top = find_worktree(start, environ)
    folder = start
    while True:
        root = os.path.join(folder, STORE_NAME)
        if os.path.isdir(root) or os.path.islink(root):
            where = "the current folder" if folder == start else "a folder above the current one"
            return _store(root, f"found in {where}", environ)
        parent = os.path.dirname(folder)
        if folder in (top, parent):
            break
        folder = parent
    if top:
        raise NotFoundError(
            f"no knowledge base in the repository '{top}'", "gitkb init makes one there"
        )
    raise NotFoundError(
        f"no knowledge base in '{start}' or above it, and no git repository either",
        "git init, then gitkb init; or cd to the project that has one",
    )


def current_folder() -> str:
    """Give the folder that the command was started in.

    Raises:
        StateError: when it was removed meanwhile.
    """
    try:
        return os.getcwd()
    except FileNotFoundError:
        raise StateError(
            "the current folder was removed", "cd to a folder that is there, then do it again"
        ) from None


def find_worktree(start: str, environ: Mapping[str, str] | None = None) -> str | None:
    """Find the top of the git worktree that a folder lies in, or None."""
    environ = os.environ if environ is None else environ
    folder = os.path.abspath(start)
    # A worktree without `.git`: both variables are needed to know its extent.
    named = environ.get("GIT_DIR") and environ.get("GIT_WORK_TREE")
    top = os.path.realpath(named) if named else None
    while True:
        if os.path.lexists(os.path.join(folder, ".git")) or (
            top is not None and os.path.realpath(folder) == top
        ):
            return folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def store_at(root: str, reason: str = "made here") -> Store:
    """Describe the store at a `.gitkb` folder that is known, whether or not it exists yet."""
    return _store(root, reason, os.environ)


def _named_store(directory: str, by: str, environ: Mapping[str, str]) -> Store:
    path = os.path.abspath(directory)
    inside = os.path.join(path, STORE_NAME)
    if os.path.isdir(inside):
        return _store(inside, f"named by {by}", environ)
    if os.path.basename(path) == STORE_NAME and os.path.isdir(path):
        return _store(path, f"named by {by}", environ)
    from shlex import quote  # only an error needs it

    hint = "name a .gitkb folder or the folder that holds it"
    if os.path.isdir(path):
        hint += f"; gitkb init --dir {quote(directory)} makes one there"
    raise NotFoundError(f"no knowledge base at '{directory}', named by {by}", hint)


def _store(root: str, reason: str, environ: Mapping[str, str]) -> Store:
    root = os.path.abspath(root)
    worktree = find_worktree(os.path.dirname(root), environ)
    if worktree is not None:
        _refuse_outward(root, worktree, environ)
    git_dir = _git_dir(worktree, environ) if worktree else None
    derived = _cache_folder(root) if git_dir is None else os.path.join(git_dir, DERIVED_NAME)
    return Store(root, worktree, derived, reason)


def _refuse_outward(root: str, worktree: str, environ: Mapping[str, str]) -> None:
    """Git carries links: one that came with a repository may aim at any folder of its reader."""
    real, top = os.path.realpath(root), os.path.realpath(worktree)
    if real == os.path.join(top, os.path.relpath(root, worktree)):
        return  # no link on the way
    owner = find_worktree(os.path.dirname(real), environ)
    if os.path.isdir(real) and owner is not None and os.path.realpath(owner) == top:
        return
    raise StateError(
        f"'{root}' is a link that leads out of the repository, to '{real}'",
        "put a folder in its place; a store somewhere else is named by --dir or GITKB_DIR",
    )


def _git_dir(worktree: str, environ: Mapping[str, str]) -> str | None:
    dot_git = os.path.join(worktree, ".git")
    if os.path.isdir(dot_git):
        return dot_git
    try:
        with open(dot_git, encoding="utf-8", errors="surrogateescape") as file:
            text = file.read()
    except OSError:
        named = environ.get("GIT_DIR")
        return os.path.abspath(named) if named else None
    if not text.startswith("gitdir: "):
        return None
    path = os.path.normpath(os.path.join(worktree, text[len("gitdir: ") :].rstrip("\r\n")))
    # Where the repository was moved away, nothing of ours may make its old folder anew.
    return path if os.path.isdir(path) else None


def _cache_folder(root: str) -> str:
    # Only a store outside every repository comes here, so the library costs nobody else anything.
    from hashlib import sha256

    from platformdirs import user_cache_dir

    name = sha256(os.fsencode(os.path.realpath(root))).hexdigest()[:16]
    return os.path.join(user_cache_dir("gitkb", appauthor=False), name)
