"""What has been learned that matters before a piece of work, from all tiers.

1. The nearest tier that holds a key speaks for it, also where it has put the entry aside.
2. What cannot be read, in the data or in the settings, is a notice; it never costs the other answers.
3. `across` adds the learnings of the other projects that this workstation has seen and whose stack
   has something in common with this one's. Only then does a reader see another project's store.
4. What ADD keeps in its own files and nobody has imported yet counts as its tier's, and nothing of it
   twice (`operations.add_waiting`). Nothing is written for it.
5. Where a tier's trust list is in force (`trust_rule`), what nobody on it wrote is left out, hides nothing
   in a farther tier, and is counted in a notice.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from gitkb.core.learning import Fault, Learnings
from gitkb.core.relevance import (
    MOST,
    OPERATIONS,
    categories_for,
    is_relevant,
    order,
    own_operations,
)
from gitkb.core.stack import Stack, declared_stack
from gitkb.errors import GitkbError, UsageError
from gitkb.operations.exchange.add_place import own_places, tops_of
from gitkb.operations.reading.stack import project_folder, project_name, project_stack
from gitkb.operations.reading.trust_rule import judge_of, left_out_note
from gitkb.operations.tier import Tier, read_tiers, shadowing
from gitkb.store.config import read_config
from gitkb.store.discover import find_worktree, store_at
from gitkb.store.home import PROJECT, WORKSTATION, home_folder
from gitkb.store.layout import STORE_NAME
from gitkb.store.project_index import Project, read_projects, remember_project
from gitkb.store.reader import iter_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from gitkb.core.entry import Entry
    from gitkb.core.problem import Problem
    from gitkb.store.layout import Store

_MOST_NOTICES = 5
_MOST_NAMED = 50


class Found(NamedTuple):
    """One learning, the tier it comes from, and the tiers that say something else under its key."""

    entry: Entry
    tier: str
    shadows: tuple[str, ...] = ()
    read_from: str = ""
    """The file of ADD's that it stands in, and in no store yet."""
    stale: tuple[str, ...] = ()
    """Why it may no longer be true, in a few words a reason."""


class Answer(NamedTuple):
    """The learnings, the most important first, and what there is to say beside them."""

    found: list[Found]
    stack: Stack
    notices: list[str]


class Seen(NamedTuple):
    """A project that this workstation has seen."""

    name: str
    path: str
    stack: tuple[str, ...]
    learnings: int
    """How many it holds; counted, never stored."""


def learnings(
    store: Store | None,
    operation: str,
    *,
    limit: int = MOST,
    across: bool = False,
    cwd: str | None = None,
) -> Answer:
    """Find the learnings that an operation needs; none is an answer.

    `store` is the project's, or None where there is none yet: the project is then the worktree
    around `cwd`, and the other tiers still speak.

    Raises:
        UsageError: when nobody knows the operation, or `limit` is not between 1 and 10.
    """
    if not 1 <= limit <= MOST:
        raise UsageError(f"--limit must be between 1 and {MOST}", "leave it out for the default")
    notices: list[str] = []
    values = _settings(store, notices)
    categories = _categories(operation, values)
    here = os.getcwd() if cwd is None else cwd
    folder = project_folder(store) if store is not None else find_worktree(here) or here
    stack = project_stack(folder, values)
    notices += [f"{problem.located}; {problem.hint}" for problem in stack.problems]
    tiers = read_tiers(store, notices)
    if tiers and tiers[0].name == PROJECT:
        remember_project(home_folder(), Project(folder, project_name(folder, values), stack.names))
    if across:
        tiers += _other_projects(folder, stack)
    shelves = {tier.name: _read(tier, notices) for tier in tiers}
    stores = {tier.name: tier.store for tier in tiers}
    shelves, origins = _with_waiting(store, folder, stores, shelves, notices)
    hidden = _untrusted(stores, shelves, origins, notices)
    selected = list(_select(shelves, categories, stack.all, hidden))
    found = [
        one._replace(read_from=origins.get((one.tier, one.entry.key), ""))
        for one in selected
        if one.entry.key not in hidden[one.tier]
    ]
    if len(found) < len(selected):
        notices.append(left_out_note(len(selected) - len(found)))
    found.sort(key=lambda one: order(one.entry))
    return Answer(_with_stale(found[:limit], stores, notices), stack, notices)


def _with_stale(found: list[Found], stores: Mapping[str, Store], notices: list[str]) -> list[Found]:
    """Mark what may no longer be true."""
    aging = [
        one
        for one in found
        if not one.read_from and (one.entry.files or "review_by" in one.entry.fields)
    ]
    if not aging:
        return found
    from gitkb.operations.history.staleness import stale_of  # not for those who name no file

    words: dict[tuple[str, str], tuple[str, ...]] = {}
    for tier in dict.fromkeys(one.tier for one in aging):
        entries = [one.entry for one in aging if one.tier == tier]
        stale = stale_of(stores[tier], entries, {}, notices, has_files=tier == PROJECT)
        words.update(((tier, key), one.words) for key, one in stale.items())
    return [one._replace(stale=words.get((one.tier, one.entry.key), ())) for one in found]


def seen_projects() -> list[Seen]:
    """Give the projects that this workstation has seen, with what they know as of now."""
    found = []
    for project in read_projects(home_folder()):
        if project.is_there:
            tier = Tier(PROJECT, store_at(os.path.join(project.path, STORE_NAME)), False)
            count = len(_read(tier, []).entries)
            found.append(Seen(project.name, project.path, project.stack, count))
    return found


def _settings(store: Store | None, notices: list[str]) -> Mapping[str, Any]:
    if store is None:
        return {}
    try:
        return read_config(store).values
    except GitkbError as error:
        notices.append(f"the settings are left out: {error.message}; {error.hint}")
        return {}


def _categories(operation: str, values: Mapping[str, Any]) -> tuple[str, ...]:
    own = own_operations(values)
    categories = categories_for(operation, own)
    if categories is None:
        from difflib import get_close_matches  # dear, and only a mistake needs it

        known = sorted({*OPERATIONS, *own})
        close = get_close_matches(operation.lower(), known, 1, 0.7)
        meant = f"is it '{close[0]}'? " if close else ""
        raise UsageError(
            f"unknown operation '{operation}'",
            f"{meant}one of {', '.join(known)}; config.toml can name more: "
            "[operations] NAME = [categories]",
        )
    return categories


def _other_projects(folder: str, stack: Stack) -> Iterator[Tier]:
    here = os.path.realpath(folder)
    names: set[str] = set()
    for project in read_projects(home_folder()):
        shared = not declared_stack(project.stack).all.isdisjoint(stack.all)
        if shared and project.is_there and os.path.realpath(project.path) != here:
            name = f"project {project.name}"
            if name in names:
                name += f" ({project.path})"
            names.add(name)
            yield Tier(name, store_at(os.path.join(project.path, STORE_NAME)), False)


def _read(tier: Tier, notices: list[str]) -> Learnings:
    problems: list[Problem] = []
    try:
        shelf = Learnings(iter_files(tier.store, problems))
    except OSError as error:
        shelf = Learnings(())
        notices.append(
            f"the tier '{tier.name}' is left out: {error.strerror}: '{tier.store.root}'; "
            f"gitkb doctor --dir '{tier.store.root}'"
        )
    notices += [
        f"in the tier '{tier.name}': {problem.located}; {problem.hint}"
        for problem in problems[:_MOST_NOTICES]
    ]
    for fault in shelf.faults[:_MOST_NOTICES]:
        name = f"the learning '{fault.key}'" if fault.key else "a learning"
        where = f"at '{fault.place}' of the tier '{tier.name}'"
        notices.append(f"{name} {where} is left out: {fault.message}; {_cure(tier, fault)}")
    if len(shelf.faults) > _MOST_NOTICES:
        more = shelf.faults[_MOST_NOTICES:]
        keys = [f"'{fault.key}'" if fault.key else f"at '{fault.place}'" for fault in more]
        if len(keys) > _MOST_NAMED:
            keys[_MOST_NAMED:] = ["…"]
        notices.append(
            f"and {len(more)} more of the tier '{tier.name}': {', '.join(keys)}; "
            f"gitkb check --dir '{tier.store.root}'"
        )
    return shelf


def _with_waiting(
    store: Store | None,
    folder: str,
    stores: Mapping[str, Store],
    shelves: dict[str, Learnings],
    notices: list[str],
) -> tuple[dict[str, Learnings], dict[tuple[str, str], str]]:
    """Give the shelves with what waits in ADD's files, and by tier and key the file that it is in."""
    origins: dict[tuple[str, str], str] = {}
    names: list[str] = []
    for place in own_places([folder] if store is None else tops_of(store)):
        if place.tier == PROJECT and store is not None and PROJECT not in stores:
            continue  # whoever works in the workstation's folder is in no project
        from gitkb.operations.exchange.add_waiting import read_waiting  # few have such a file

        shelf = shelves.get(place.tier) or Learnings(())
        entries = read_waiting(place, stores.get(place.tier), shelf, notices)
        if entries:
            shelf.entries.update(entries)
            shelves[place.tier] = shelf
            origins.update(((place.tier, key), place.name) for key in entries)
            names.append(f"'{place.name}'")
    if names:
        cure = f"{'gitkb init && ' if store is None else ''}gitkb import --from add"
        notices.append(f"what ADD keeps in {' and '.join(names)} is not imported yet: {cure}")
    near = [name for name in (PROJECT, WORKSTATION) if name in shelves]
    return {name: shelves[name] for name in (*near, *shelves)}, origins


def _untrusted(
    stores: Mapping[str, Store],
    shelves: Mapping[str, Learnings],
    origins: Mapping[tuple[str, str], str],
    notices: list[str],
) -> dict[str, frozenset[str]]:
    """Give for each tier the keys that its trust list leaves out; all of what is not imported yet,
    because nobody knows who wrote it."""
    hidden: dict[str, frozenset[str]] = dict.fromkeys(shelves, frozenset())
    for name, shelf in shelves.items():
        if not shelf.entries or name not in stores:
            continue
        try:
            judge = judge_of(name, stores[name], notices)
        except GitkbError as error:
            # Whom to trust is unknown then, and to trust everybody would be worse.
            notices.append(f"the tier '{name}' is left out: {error.message}; {error.hint}")
            hidden[name] = frozenset(shelf.entries)
            continue
        if judge is not None:
            waiting = frozenset(key for tier, key in origins if tier == name)
            hidden[name] = judge.left_out(shelf.entries.keys() - waiting) | waiting
    return hidden


def _cure(tier: Tier, fault: Fault) -> str:
    if not tier.writable:
        return "those who write there can mend it"
    if tier.name in (PROJECT, WORKSTATION) and fault.key and fault.is_lacking:
        return f"give it whole again: gitkb add --key {fault.key} …"  # wherever of the two it is
    return f"gitkb check --dir '{tier.store.root}'"


def _select(
    shelves: Mapping[str, Learnings],
    categories: tuple[str, ...],
    stack: frozenset[str],
    hidden: Mapping[str, frozenset[str]],
) -> Iterator[Found]:
    """Give what is relevant and speaks for its key. What is hidden is given too, to be counted."""

    def speaks(tier: str, key: str) -> bool:
        return key not in hidden[tier] and shelves[tier].holds(key)

    names = list(shelves)
    for name, shelf in shelves.items():
        for key, entry in shelf.entries.items():
            if not is_relevant(entry, categories, stack):
                continue
            speaker, shadowed = shadowing(names, speaks, key)
            if key in hidden[name]:
                yield Found(entry, name)
            elif speaker == name:
                yield Found(entry, name, shadowed)
