"""The chain of stores that a reader looks through: project, workstation, and further tiers.

1. The nearer comes first and wins: `shadowing` says whom an entry shadows.
2. Nothing of one project reaches another but through a tier: no other project's store is ever a link
   of the chain.
3. A tier that is missing or broken is left out with a notice that names it and the cure. Reading
   never reaches for the network.
"""

# No deferred annotations here: see `core.problem`.
import os
from collections.abc import Callable, Sequence
from typing import NamedTuple

from gitkb.errors import NotFoundError
from gitkb.store.discover import find_store, store_at
from gitkb.store.home import (
    PROJECT,
    WORKSTATION,
    Remote,
    home_folder,
    read_settings,
    tier_folder,
    workstation_folder,
)
from gitkb.store.layout import STORE_NAME, Store

READY, UNMADE, MISSING, EMPTY, BROKEN = "ready", "not made yet", "missing", "empty", "broken"


class Tier(NamedTuple):
    """One store of the chain. `name` is project, workstation, or what its user called it."""

    name: str
    store: Store
    writable: bool


class Listed(NamedTuple):
    """One tier as it is set up, whether or not it can be read."""

    name: str
    path: str
    """The folder that holds the store."""
    url: str
    writable: bool
    state: str
    """``ready``, or why it cannot be read: ``not made yet``, ``missing``, ``empty``, ``broken``."""

    @property
    def root(self) -> str:
        """The store's folder."""
        return os.path.join(self.path, STORE_NAME)


def find_project(directory: str | None) -> Store | None:
    """Find the project's store; None where there is none, and the other tiers still know something.

    Raises:
        NotFoundError: when somebody named one (`--dir`, `GITKB_DIR`) that is not there.
    """
    try:
        return find_store(directory)
    except NotFoundError:
        if directory or os.environ.get("GITKB_DIR"):
            raise
        return None


def read_tiers(store: Store | None, notices: list[str] | None = None) -> list[Tier]:
    """Give the tiers that can be read, the nearest first.

    `store` is the project's, or None where there is none yet. What is left out, and why, is added to
    `notices`.
    """
    notices = [] if notices is None else notices
    home = home_folder()
    tiers = [Tier(PROJECT, store, True)] if store is not None else []
    for listed in _listed(home, notices):
        if listed.state == READY:
            if store is not None and _is_same(listed.root, store.root):
                # Whoever works in the workstation's folder is in that tier, not in a project.
                tiers[0] = Tier(listed.name, store, listed.writable)
                continue
            tiers.append(tier_of(listed))
        elif not listed.writable or listed.state not in (UNMADE, EMPTY):
            # One that may be written and is not begun is made with the first writing.
            notices.append(trouble_of(listed))
    return tiers


def tier_of(listed: Listed) -> Tier:
    """Give a tier that is ready as a link of the chain."""
    store = store_at(listed.root, f"the tier {listed.name}")
    return Tier(listed.name, store, listed.writable)


def list_tiers(store: Store | None, notices: list[str] | None = None) -> list[Listed]:
    """Give all tiers as they are set up, the nearest first."""
    found = []
    if store is not None:
        found.append(Listed(PROJECT, os.path.dirname(store.root), "", True, READY))
    found += _listed(home_folder(), [] if notices is None else notices)
    return found


def find_tier(name: str) -> Listed | None:
    """Find the workstation or a further tier by its name."""
    return next((tier for tier in _listed(home_folder(), []) if tier.name == name), None)


def shadowing(
    tiers: Sequence[str], holds: Callable[[str, str], bool], key: str
) -> tuple[str, tuple[str, ...]]:
    """Say which of several tiers, the nearest first, speaks for a key, and which ones it shadows.

    `holds(tier, key)` says whether a tier has an entry of the key, alive or put aside. A tombstone or
    a redirect is none: what was forgotten or moved in one tier is still known in another. The name is
    empty where no tier holds the key.
    """
    holding = [tier for tier in tiers if holds(tier, key)]
    return (holding[0], tuple(holding[1:])) if holding else ("", ())


def _listed(home: str, notices: list[str]) -> list[Listed]:
    folder = workstation_folder(home)
    found = [Listed(WORKSTATION, folder, "", True, _state(folder, UNMADE))]
    settings = read_settings(home)
    if settings.fault:
        notices.append(
            f"the further tiers are left out: {settings.fault}; "
            "mend the file, or remove it and add the tiers again"
        )
    return [*found, *(_listed_remote(home, remote) for remote in settings.remotes)]


def _listed_remote(home: str, remote: Remote) -> Listed:
    folder = tier_folder(home, remote.name)
    return Listed(remote.name, folder, remote.url, remote.push, _state(folder, MISSING))


def _state(folder: str, absent: str) -> str:
    if not os.path.isdir(folder):
        return BROKEN if os.path.lexists(folder) else absent
    return READY if os.path.isdir(os.path.join(folder, STORE_NAME)) else EMPTY


def trouble_of(tier: Listed) -> str:
    """Say why a tier that is not ready is left out, and the cure."""
    if tier.state == BROKEN:
        return f"the tier '{tier.name}' is left out: '{tier.path}' is no folder; move it away"
    if tier.state == MISSING:
        return (
            f"the tier '{tier.name}' has no copy here and is left out: gitkb tier pull {tier.name}"
        )
    return (
        f"the tier '{tier.name}' holds no {STORE_NAME} and is left out: "
        f"gitkb tier pull {tier.name}, or gitkb tier remove {tier.name}"
    )


def _is_same(one: str, other: str) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)
