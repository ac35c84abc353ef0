"""Where the parts of a store lie.

1. Data files are known by their exact names; whatever else lies beside them is not data.
2. Derived files never lie in the store: they belong to one worktree, in its git directory.
"""

# No deferred annotations here: see `core.problem`.
from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

from gitkb.core.identity import ARCHIVE, KNOWLEDGE, is_shard_name
from gitkb.errors import StateError

STORE_NAME = ".gitkb"
CONFIG_NAME = "config.toml"
DATABASE_NAME = "index.sqlite"


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
        return os.path.join(self.root, CONFIG_NAME)

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
            StateError: when the file is a link to a place outside of the store. Git carries links, so
                what a repository brings along could aim at any file of its reader.
        """
        path = self.path_of(name)
        root = os.path.realpath(self.root)
        if os.path.commonpath((root, os.path.realpath(path))) != root:
            raise StateError(
                f"'{name}' is a link to a place outside of the store",
                "put the file itself there; nothing was written",
            )
        return path


def iter_data_files(root: str) -> Iterator[tuple[str, str]]:
    """Yield name and path of each data file in a store, sorted, knowledge before archive."""
    for folder in (KNOWLEDGE, ARCHIVE):
        try:
            names = os.listdir(os.path.join(root, folder))
        except (FileNotFoundError, NotADirectoryError):
            continue
        for name in sorted(names):
            if is_shard_name(name):
                yield f"{folder}/{name}", os.path.join(root, folder, name)
