"""Whom the doctor examines: a store, and the clone that it lies in."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import NamedTuple

from gitkb.git.repository import Repository, open_repository
from gitkb.operations.health.finding import Finding
from gitkb.operations.install import store_path
from gitkb.store.layout import iter_data_files


class Patient(NamedTuple):
    """The store's folder, its repository (None outside one) and its data files."""

    store_root: str
    store: str
    """The store's folder relative to the top of the worktree, with `/`."""
    repository: Repository | None
    files: tuple[tuple[str, str], ...]
    """Name within the store and absolute path of each data file, sorted."""

    @property
    def clone(self) -> Repository:
        """The repository, for checks that run only inside one."""
        if self.repository is None:
            raise LookupError("a check of the clone ran outside a repository")
        return self.repository

    @property
    def tracked_names(self) -> list[str]:
        """Each data file relative to the top of the worktree, with `/`, as git names it."""
        return [f"{self.store}/{name}" for name, _ in self.files]


class Check(NamedTuple):
    """One thing to look at, and what to say when it is well."""

    code: str
    good: str
    run: Callable[[Patient], Iterator[Finding]]


def find_patient(store_root: str, worktree: str | None) -> Patient:
    """Gather what the checks look at. GitError when git refuses to read the repository."""
    root = os.path.abspath(store_root)
    repository = None if worktree is None else open_repository(worktree)
    store = store_path(repository, root) if repository else os.path.basename(root)
    return Patient(root, store, repository, tuple(iter_data_files(root)))
