"""Make a store, and see whether this clone is set up for it."""

from __future__ import annotations

import os
from typing import NamedTuple

from gitkb.core.identity import ARCHIVE, DEFAULT_SHARDS, KNOWLEDGE, SHARD_COUNTS, iter_shards
from gitkb.errors import GitError, OwnerError, StateError, UsageError
from gitkb.git.command import ask_git, run_git
from gitkb.git.ignored import Ignored, find_ignored
from gitkb.git.repository import find_repository, open_repository
from gitkb.operations.clone.absence import bare_error
from gitkb.store.config import CONFIG_TEXT, read_shards
from gitkb.store.discover import current_folder, find_worktree, store_at
from gitkb.store.durable import remove_leftovers, replace_file
from gitkb.store.layout import CONFIG_NAME, STORE_NAME, iter_data_files
from gitkb.store.lock import locked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.store.layout import Store

ATTRIBUTES = (
    "*.jsonl merge=gitkb diff=gitkb text eol=lf\n"
    # Where nothing of ours is configured, union never ends in a conflict; a forge folds the diff.
    "views/*.md merge=union text eol=lf linguist-generated\n"
)
# The second part undoes ignore rules of others, such as a global `*.jsonl`, `*.toml` or `.*`.
IGNORED = ".*.tmp\n*.sqlite*\n!*.jsonl\n!config.toml\n!.gitattributes\n!.gitignore\n"
_FEW = 16
_PARTS = ((".gitattributes", ATTRIBUTES), (".gitignore", IGNORED))


class Made(NamedTuple):
    """One part of a store, relative to it, and whether it was made or stood there."""

    name: str
    made: bool


class NewStore(NamedTuple):
    """The store and its parts."""

    store: Store
    parts: list[Made]


def make_store(directory: str | None, shards: int | None) -> NewStore:
    """Make a store at the top of the worktree, or in `directory`; what is there stays as it is.

    Raises:
        UsageError: when `shards` is no possible number.
        StateError: when the store exists with another number of shards or cannot be written, or git
            has one here that is not checked out.
    """
    if shards is not None and shards not in SHARD_COUNTS:
        raise UsageError(f"cannot cut a store into {shards}", f"one of {_listed(SHARD_COUNTS)}")
    store = store_at(_root_for(directory))
    _refuse_bare(store)
    parts = []
    with locked(store):
        remove_leftovers(store.root)
        _refuse_other_layout(store, shards)
        _refuse_unseen(store)
        config = CONFIG_TEXT.format(shards=shards or DEFAULT_SHARDS)
        for folder in (KNOWLEDGE, ARCHIVE):
            path = store.path_of(folder)
            parts.append(Made(f"{folder}/", not os.path.isdir(path)))
            try:
                os.makedirs(path, exist_ok=True)
            except OSError as error:
                raise StateError(
                    f"cannot make '{path}': {error.strerror}",
                    "see what stands there, and whose it is",
                ) from None
        for name, text in ((CONFIG_NAME, config), *_PARTS):
            parts.append(_make_file(store, name, text))
        if Made(CONFIG_NAME, True) in parts:
            _make_data_files(store, shards or DEFAULT_SHARDS)
    return NewStore(store, parts)


def is_driver_configured(worktree: str) -> bool:
    """Say whether git would find a merge driver for knowledge in this clone.

    Raises:
        GitError: when git is not there, or refuses the repository, and so does not say.
    """
    if ask_git(["config", "--get", "merge.gitkb.driver"], worktree).code == 0:
        return True
    # Where it refuses a repository, git config answers from what else it has.
    run_git(["rev-parse", "--git-dir"], worktree)
    return False


def ignored_in(store: Store) -> Ignored | None:
    """Find the rule by which git ignores files of a store, so that they would stay on this machine.

    Raises:
        GitError: when git is not there, or refuses the repository.
    """
    if store.worktree is None:
        return None
    from gitkb.operations.install import store_path

    repository = open_repository(store.worktree)
    return find_ignored(repository, store_path(repository, store.root))


def _refuse_bare(store: Store) -> None:
    """In a bare repository, or a git folder, nobody would ever commit what a store holds."""
    folder = store.worktree or os.path.dirname(store.root)
    while not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    try:
        repository = find_repository(folder)
    except OwnerError:
        return  # who sets it up for git is told
    except GitError as error:
        if error.hint is None or "git worktree" not in error.hint:
            return  # a store needs no git
        raise
    if repository is not None and repository.is_bare:
        raise bare_error(repository)
    if repository is None and os.environ.get("GIT_DIR"):
        raise GitError(
            "cannot tell where the worktree of the repository begins that GIT_DIR names",
            "set GIT_WORK_TREE too, or unset GIT_DIR",
        )


def _root_for(directory: str | None) -> str:
    given = directory or os.environ.get("GITKB_DIR")
    if given:
        path = os.path.abspath(given)
        return path if os.path.basename(path) == STORE_NAME else os.path.join(path, STORE_NAME)
    here = current_folder()
    return os.path.join(find_worktree(here) or here, STORE_NAME)


def _refuse_other_layout(store: Store, shards: int | None) -> None:
    if not os.path.isdir(store.root) or shards is None:
        return
    is_store = os.path.exists(store.config_path) or any(iter_data_files(store.root))
    if is_store and read_shards(store) != shards:
        raise StateError(
            f"the store exists, with {read_shards(store)} shards", f"gitkb reshard {shards}"
        )


def _refuse_unseen(store: Store) -> None:
    """A second store over one that a sparse checkout leaves out would have another layout."""
    if store.worktree is None or os.path.exists(store.config_path):
        return
    if ask_git(["ls-files", "--error-unmatch", "--", store.config_path], store.worktree).code == 0:
        folder = os.path.relpath(store.root, store.worktree)
        raise StateError(
            f"git has a knowledge base at '{store.root}' that is not checked out",
            f"git checkout -- {folder}; in a sparse checkout: git sparse-checkout add {folder}",
        )


def _make_file(store: Store, name: str, text: str) -> Made:
    path = store.path_of(name)
    try:
        # What else stands in the file stays as it is, text or not.
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            present = file.read()
    except FileNotFoundError:
        replace_file(store.path_to_write(name), text.encode())
        return Made(name, True)
    except OSError as error:
        raise StateError(
            f"cannot read '{path}': {error.strerror}", "see what stands there"
        ) from None
    missing = (
        []
        if name == "config.toml"
        else [line for line in text.splitlines() if line not in present.splitlines()]
    )
    if missing:
        end = "" if present.endswith("\n") or not present else "\n"
        whole = present + end + "\n".join(missing) + "\n"
        replace_file(store.path_to_write(name), whole.encode(errors="surrogateescape"))
    return Made(name, bool(missing))


def _make_data_files(store: Store, shards: int) -> None:
    # Git calls no merge driver where one side removes a file, as a revert does of the change that
    # made it. With few files that is likely, so they are there from the beginning.
    if shards > _FEW:
        return
    for folder in (KNOWLEDGE, ARCHIVE):
        for name in iter_shards(shards):
            path = store.path_to_write(f"{folder}/{name}")
            if not os.path.exists(path):
                replace_file(path, b"")


def _listed(numbers: tuple[int, ...]) -> str:
    return ", ".join(map(str, numbers))


def require_worktree(store: Store) -> str:
    """Give the worktree of a store.

    Raises:
        GitError: when the store lies outside of every git repository.
    """
    if store.worktree is None:
        raise GitError(f"'{store.root}' lies in no git repository", "git init, then gitkb install")
    return store.worktree
