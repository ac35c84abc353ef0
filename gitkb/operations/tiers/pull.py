"""Bring the tiers up to date with where they come from, and send what was written here.

1. Each tier is seen to whatever became of the others; what failed is in its answer.
2. Only those with another side are: further tiers, and a workstation whose user gave it one.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from gitkb.errors import GitkbError, StateError
from gitkb.git import remote
from gitkb.git.own_repository import at_work
from gitkb.operations.tier import READY, UNMADE, Listed, find_tier, list_tiers, tier_of
from gitkb.operations.tiers.setup import fetch_copy, no_tier
from gitkb.operations.writing.numbering import heal_store
from gitkb.store.home import (
    PROJECT,
    WORKSTATION,
    Remote,
    home_folder,
    locked_home,
    settings_to_change,
)
from gitkb.store.layout import STORE_NAME


class Pulled(NamedTuple):
    """What became of one tier."""

    name: str
    changed: bool
    """Something new came."""
    sent: int
    """Commits that the other side now has."""
    error: GitkbError | None = None


def pull_tiers(name: str | None = None) -> list[Pulled]:
    """Bring one tier, or all, up to date.

    Raises:
        NotFoundError: when there is no tier of this name.
        StateError: when nobody can tell which tiers there are.
    """
    settings_to_change(home_folder())
    if name is None:
        wanted = [tier for tier in list_tiers(None) if _has_other_side(tier)]
    else:
        found = find_tier(name)
        if found is None or name == PROJECT:
            raise no_tier(name)
        wanted = [found]
    with locked_home(home_folder(), "tiers"):
        return [_pull(tier) for tier in wanted]


def _heal(tier: Listed) -> None:
    """Two machines may have given one number to two learnings."""
    if tier.state == READY:
        ready = tier_of(tier)
        if heal_store(ready.store):
            remote.commit(tier.path, "Give learnings numbers of their own", STORE_NAME)


def _has_other_side(tier: Listed) -> bool:
    if tier.name == WORKSTATION:
        return tier.state == READY and _may_follow(tier)
    return True


def _may_follow(tier: Listed) -> bool:
    return remote.has_remote(tier.path) or bool(remote.remotes(tier.path))


def _bring_and_send(tier: Listed) -> Pulled:
    before = remote.head(tier.path)
    # Each machine begins a workstation of its own, before anybody gives it another side.
    begins = tier.name == WORKSTATION and remote.begin_to_follow(tier.path)
    remote.pull(tier.path, writable=tier.writable, begins=begins)
    if tier.writable and remote.head(tier.path) != before:
        _heal(tier)
    after = remote.head(tier.path)
    unsent = remote.count_unsent(tier.path) if tier.writable else 0
    if unsent:
        remote.push(tier.path)
    return Pulled(tier.name, before != after, unsent)


def _pull(tier: Listed) -> Pulled:
    try:
        if tier.name == WORKSTATION and (tier.state == UNMADE or not _may_follow(tier)):
            return Pulled(tier.name, False, 0)
        if not os.path.isdir(os.path.join(tier.path, ".git")):
            if os.path.isdir(tier.path) and os.listdir(tier.path):
                raise StateError(
                    f"'{tier.path}' is no copy of '{tier.url}'", "move it away, then pull again"
                )
            fetch_copy(Remote(tier.name, tier.url, tier.writable), tier.path)
            return Pulled(tier.name, True, 0)
        with at_work(tier.path):
            return _bring_and_send(tier)
    except GitkbError as error:
        return Pulled(tier.name, False, 0, error)
