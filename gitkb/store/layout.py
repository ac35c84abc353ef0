"""Where the parts of a store lie.

1. Data files are known by their exact names; whatever else lies beside them is not data.
2. Derived files never lie in the store: they belong to one worktree, in its git directory.
3. Nothing is read or written through a link that leads out of the store. Git carries links, so what a
   repository brings along could aim at any file or device of its reader.
"""

# No deferred annotations here: see `core.problem`.
import os
from collections.abc import Iterator
from typing import NamedTuple

from gitkb.core.identity import ARCHIVE, KNOWLEDGE, is_shard_name
from gitkb.errors import StateError, UsageError

STORE_NAME = ".gitkb"
CONFIG_NAME = "config.toml"
DATABASE_NAME = "index.sqlite"
DERIVED_NAME = "gitkb"
"""The name of the folder for derived files in a git directory."""


class Store(NamedTuple):
    """A store that was found. All paths are absolute."""

    root: str
    """The `.gitkb` folder."""
    worktree: str | None
    """The top of the git worktree that it lies in, or None outside a repository."""
    derived: str
    """The folder for files that can be rebuilt; it need not exist yet."""
    reason: str
    """Why this store and no other, for `gitkb where`."""

    @property
    def config_path(self) -> str:
        """Raises StateError where a link stands there that leads out of the store."""
        path = os.path.join(self.root, CONFIG_NAME)
        if os.path.islink(path):
            _refuse_outward(self.root, CONFIG_NAME)
        return path

    @property
    def shared(self) -> str:
        """The folder for what all worktrees of a clone share; `derived` outside of git, or where the
        repository was moved away and nothing can be shared."""
        git_dir, name = os.path.split(self.derived)
        if name != DERIVED_NAME:
            return self.derived
        try:
            with open(os.path.join(git_dir, "commondir"), encoding="utf-8") as file:
                git_dir = os.path.normpath(os.path.join(git_dir, file.read().strip()))
        except (OSError, UnicodeDecodeError):
            pass  # the main worktree; gitrepository-layout(5)
        return os.path.join(git_dir, DERIVED_NAME)

    @property
    def database_path(self) -> str:
        return os.path.join(self.derived, DATABASE_NAME)

    @property
    def lock_path(self) -> str:
        return os.path.join(self.derived, "lock")

    @property
    def journal_path(self) -> str:
        return os.path.join(self.derived, "journal")

    @property
    def prefix(self) -> str:
        """The store's folder relative to the worktree, with `/`; empty outside a repository."""
        if self.worktree is None:
            return ""
        return os.path.relpath(self.root, self.worktree).replace(os.sep, "/")

    def path_of(self, name: str) -> str:
        """Turn a name such as ``knowledge/3f.jsonl`` into a path."""
        return os.path.join(self.root, *name.split("/"))

    def path_to_write(self, name: str) -> str:
        """Turn a name into a path that may be written.

        Raises:
            StateError: when the file is a link to a place outside of the store.
        """
        _refuse_outward(self.root, name)
        return self.path_of(name)


def _refuse_outward(root: str, name: str) -> None:
    inside = os.path.realpath(root)
    if os.path.commonpath((inside, os.path.realpath(os.path.join(root, name)))) != inside:
        raise StateError(
            f"'{name}' is a link to a place outside of the store",
            "put the file itself there; nothing was read or written through it",
        )


def iter_data_files(root: str) -> Iterator[tuple[str, str]]:
    """Yield name and path of each data file in a store, sorted, knowledge before archive.

    Raises:
        StateError: when one of them, or its folder, is a link to a place outside of the store.
    """
    for folder in (KNOWLEDGE, ARCHIVE):
        path = os.path.join(root, folder)
        if os.path.islink(path):
            _refuse_outward(root, folder)
        try:
            with os.scandir(path) as found:
                names = sorted((item.name, item.is_symlink()) for item in found)
        except (FileNotFoundError, NotADirectoryError):
            continue
        for name, is_link in names:
            if is_shard_name(name):
                if is_link:
                    _refuse_outward(root, f"{folder}/{name}")
                yield f"{folder}/{name}", os.path.join(path, name)


def split_data_path(path: str, verb: str) -> tuple[str, str]:
    """Give the store's folder and the name in it of a data file that a person named.

    Raises:
        UsageError: when it is none; `verb` says what happens to all files without names.
    """
    folder, file = os.path.split(os.path.abspath(path))
    root, part = os.path.split(folder)
    is_in_store = os.path.basename(root) == STORE_NAME and part in (KNOWLEDGE, ARCHIVE)
    if not is_in_store or not is_shard_name(file):
        raise UsageError(
            f"'{path}' is no data file of a knowledge base",
            f"they are named like {STORE_NAME}/{KNOWLEDGE}/3f.jsonl; without names all are {verb}",
        )
    return root, f"{part}/{file}"
