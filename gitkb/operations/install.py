"""`gitkb install`: what git has to know of gitkb in this clone, since git never carries configuration.

Safe to repeat; nothing of anybody else's is touched. What could not be done is an item with
action `refused` and the lines that a person may add: gitkb works without, only less conveniently.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from gitkb.git.install import (
    Item,
    install_driver,
    install_global,
    install_hooks,
    install_rule,
    install_text,
    open_ledger,
)
from gitkb.git.repository import Repository, open_repository

STORE_NAME = ".gitkb"


class InstallResult(NamedTuple):
    """What was made, kept, mended or refused, in the order in which it was looked at."""

    items: tuple[Item, ...]

    @property
    def changed(self) -> bool:
        """Something was written."""
        return any(item.action in ("made", "mended", "removed") for item in self.items)

    @property
    def advice(self) -> tuple[str, ...]:
        """All lines of advice, under the names of the items that they are about."""
        groups: dict[tuple[str, ...], list[str]] = {}
        for item in self.items:
            if item.advice:
                groups.setdefault(item.advice, []).append(item.what)
        lines: list[str] = []
        for advice, (first, *others) in groups.items():
            names = [first, *(name.removeprefix("hook ") for name in others)]
            lines += [f"{', '.join(names)}:", *(f"  {line}" for line in advice)]
        return tuple(lines)


def install(worktree: str, *, global_: bool = False, store: str | None = None) -> InstallResult:
    """Set up the driver, readable diffs, attributes and the hooks for the clone of ``worktree``.

    ``global_``: only driver and diffs, in the person's own configuration, for every clone. ``store``: the
    store's folder where it is not `.gitkb` at the top. GitError outside a repository.
    """
    if global_:
        return InstallResult(tuple(install_global(worktree)))
    repository = open_repository(worktree)
    relative = store_path(repository, store)
    ledger = open_ledger(repository)
    try:
        items = (
            install_driver(repository, ledger),
            install_text(repository, ledger),
            install_rule(repository, relative, ledger),
            *install_hooks(repository, relative, ledger),
        )
    finally:
        ledger.save()  # what was changed before a failure can still be taken back
    return InstallResult(items)


def store_path(repository: Repository, store: str | None) -> str:
    """The store's folder relative to the top of the worktree, with `/`."""
    if store is None or repository.worktree is None:
        return STORE_NAME
    top = os.path.realpath(repository.worktree)
    return os.path.relpath(os.path.realpath(store), top).replace(os.sep, "/")
