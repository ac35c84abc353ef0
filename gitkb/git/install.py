"""Put gitkb into a clone, and take it out again without a trace.

Invariants:

1. Installing twice changes nothing.
2. Nothing that is not ours is edited, replaced or moved; where we find no place of our own the result
   says what to add and where, and everything but the convenience works without.
3. Taking away restores every byte and every folder, through the ledger, as long as nobody
   else changed the file since; otherwise our own lines go and the rest stays.
"""

from __future__ import annotations

import os
from typing import Literal, NamedTuple

from gitkb.errors import GitError
from gitkb.git import driver, hook_path
from gitkb.git.attributes import info_path, remove_clone_rule, write_clone_rule
from gitkb.git.ledger import Ledger, read_or_none, remove_file, replace_file
from gitkb.git.lock_file import remove_leftovers
from gitkb.git.repository import Repository, read_setting

Action = Literal["made", "kept", "mended", "refused", "removed"]
STORE = "gitkb.store"
TEXT_ITEM = "readable diffs"
_MARK = b"#!/bin/sh\n# gitkb hook "
HOOK_SECTIONS = [f"hook.gitkb-{name}" for name in hook_path.HOOK_NAMES]


class Item(NamedTuple):
    """One thing that an installation is made of, and what became of it."""

    what: str
    action: Action
    where: str
    advice: tuple[str, ...] = ()


def open_ledger(repository: Repository) -> Ledger:
    """The record of this clone's installation, one for all its worktrees."""
    return Ledger(os.path.join(repository.common_dir, "gitkb", "install.json"))


def install_driver(repository: Repository, ledger: Ledger) -> Item:
    """The merge driver in the clone's own configuration; a line of an older version is rewritten."""
    path = repository.path("config")
    old = repository.setting(driver.DRIVER)
    wanted = driver.driver_settings()
    changed = driver.write_settings(repository, wanted, "--local", path, ledger)
    if repository.setting(driver.DRIVER) != wanted[driver.DRIVER]:
        origin = repository.setting_origin(driver.DRIVER) or "another file"
        line = f"remove merge.gitkb.driver from {origin}, then run: gitkb install"
        return Item("merge driver", "refused", origin, (line,))
    return Item("merge driver", _group_action(old, wanted[driver.DRIVER], changed), path)


def install_text(repository: Repository, ledger: Ledger) -> Item:
    """The textconv program in the clone's own configuration: `git diff` then shows records as text."""
    path = repository.path("config")
    old = repository.setting(driver.TEXT)
    wanted = driver.text_settings()
    changed = driver.write_settings(repository, wanted, "--local", path, ledger)
    if repository.setting(driver.TEXT) != wanted[driver.TEXT]:
        origin = repository.setting_origin(driver.TEXT) or "another file"
        line = f"remove {driver.TEXT} from {origin}, then run: gitkb install"
        return Item(TEXT_ITEM, "refused", origin, (line,))
    return Item(TEXT_ITEM, _group_action(old, wanted[driver.TEXT], changed), path)


def install_rule(repository: Repository, store: str, ledger: Ledger) -> Item:
    """The rule in `info/attributes`, for branches that are older than the store's .gitattributes."""
    changed = write_clone_rule(repository, store, ledger)
    return Item("attributes", "made" if changed else "kept", info_path(repository))


def install_hooks(repository: Repository, store: str, ledger: Ledger) -> list[Item]:
    """The hooks, by the gentlest way that this git knows, each beside what is there."""
    path = repository.path("config")
    settings = driver.program_settings()
    if store != ".gitkb":
        settings[STORE] = store
    old = repository.setting(driver.HOOK)
    changed = driver.write_settings(repository, settings, "--local", path, ledger)
    program = Item("hook program", _action(old, settings[driver.HOOK]) if changed else "kept", path)
    place = hook_path.find_place(repository)
    states = hook_path.examine_hooks(repository, known_scripts(repository))
    items = []
    for state in states:
        item = _install_hook(repository, place, state, ledger)
        if item.action == "refused":
            item = item._replace(advice=hook_path.advice(state, states))
        items.append(item)
    return [program, *items]


def _install_hook(
    repository: Repository, place: hook_path.HookPlace, state: hook_path.HookState, ledger: Ledger
) -> Item:
    name, where, actions = state.name, state.path, []
    # A hook of another tool that calls us would run us a second time.
    if place.in_configuration and (state.state != "called" or state.configured != "no"):
        where = repository.path("config")
        settings = hook_path.configured_settings(name)
        if driver.write_settings(repository, settings, "--local", where, ledger):
            actions.append("made" if state.configured == "no" else "mended")
    if state.state in ("missing", "outdated") or not state.executable:
        where = os.path.join(place.folder, name)
        ledger.make_folder(place.folder)
        ledger.before(where)
        replace_file(where, hook_path.script(name), mode=0o755)
        ledger.after(where)
        actions.append("made" if state.state == "missing" else "mended")
    elif state.state in ("foreign", "elsewhere") and not place.in_configuration:
        return Item(f"hook {name}", "refused", where)
    action: Action = "mended" if "mended" in actions else "made" if actions else "kept"
    return Item(f"hook {name}", action, where)


def known_scripts(repository: Repository) -> frozenset[str]:
    """Hashes of the hook scripts that this clone's ledger says we wrote, of whatever version."""
    return open_ledger(repository).hashes("hooks" + os.sep)


def uninstall_clone(repository: Repository) -> list[Item]:
    """Take everything of ours out of the clone."""
    ledger = open_ledger(repository)
    known = known_scripts(repository)
    items = [*_remove_hooks(repository, ledger, known)]
    path = info_path(repository)
    if remove_clone_rule(repository, ledger):
        items.append(Item("attributes", "removed", path))
    path = repository.path("config")
    names = [driver.PYTHON, driver.HOOK, STORE]
    if ledger.restore(path) or driver.remove_settings(
        repository, [*driver.SECTIONS, *HOOK_SECTIONS], names, path
    ):
        items.append(Item("configuration", "removed", path))
    ledger.remove()
    return items


def _remove_hooks(repository: Repository, ledger: Ledger, known: frozenset[str]) -> list[Item]:
    items = []
    # Only the repository's own folder: a copy of our script in a folder that core.hooksPath names was
    # put there by a person.
    folder = repository.own_hooks_dir()
    for name in hook_path.HOOK_NAMES:
        # The pre-commit framework renames what it finds; there it is ours still.
        for path in (os.path.join(folder, name), os.path.join(folder, name + ".legacy")):
            data = read_or_none(path)
            if hook_path.is_our_script(data, name, known):
                if not ledger.restore(path):
                    remove_file(path)
                items.append(Item(f"hook {name}", "removed", path))
            elif data is not None and data.startswith(_MARK):
                # Lines of a person are in it now, which only that person can take out.
                items.append(Item(f"hook {name}, changed by hand since", "kept", path))
    return items


def global_config_path() -> str:
    """The file that `git config --global` writes (git-config(1), FILES)."""
    named = os.environ.get("GIT_CONFIG_GLOBAL")
    if named is not None:
        return os.path.abspath(named)
    home = os.path.join(os.path.expanduser("~"), ".gitconfig")
    folder = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    elsewhere = os.path.join(folder, "git", "config")
    return elsewhere if not os.path.exists(home) and os.path.exists(elsewhere) else home


def global_ledger() -> Ledger:
    """The record of the driver in a person's own configuration."""
    home = os.path.join(os.path.expanduser("~"), ".local", "state")
    return Ledger(os.path.join(os.environ.get("XDG_STATE_HOME") or home, "gitkb", "install.json"))


def install_global(cwd: str) -> list[Item]:
    """The driver and readable diffs for every clone of this person. Hooks stay a matter of each clone."""
    path = global_config_path()
    if os.path.exists(path) and not os.path.isfile(path):
        # git replaces what it writes by a file; as root that has destroyed /dev/null (H29).
        raise GitError(
            f"cannot write git's global configuration '{path}': not a regular file",
            "unset GIT_CONFIG_GLOBAL, or name a file with it",
        )
    ledger = global_ledger()
    items = []
    for what, name, wanted in (
        ("merge driver (global)", driver.DRIVER, driver.driver_settings()),
        (f"{TEXT_ITEM} (global)", driver.TEXT, driver.text_settings()),
    ):
        old = read_setting(cwd, name, "--global")
        changed = driver.write_settings(cwd, wanted, "--global", path, ledger)
        items.append(Item(what, _group_action(old, wanted[name], changed), path))
    # Killed at its last step, an earlier call is in no ledger, and there is nothing left to change.
    remove_leftovers(os.path.dirname(os.path.realpath(path)))
    ledger.save()
    return items


def uninstall_global(cwd: str) -> list[Item]:
    """Take the driver and readable diffs out of the person's own configuration."""
    path, ledger = global_config_path(), global_ledger()
    found = ledger.restore(path) or driver.remove_settings(cwd, [*driver.SECTIONS], [], path)
    remove_leftovers(os.path.dirname(os.path.realpath(path)))
    ledger.remove()
    what = f"merge driver, {TEXT_ITEM} (global)"
    return [Item(what, "removed", path)] if found else []


def _group_action(old: str | None, wanted: str, changed: list[str]) -> Action:
    action = _action(old, wanted) if changed else "kept"
    # Another name of ours was missing, as in an installation that is older than views.
    return "mended" if action == "kept" and changed else action


def _action(old: str | None, wanted: str) -> Action:
    if old is None:
        return "made"
    return "kept" if old == wanted else "mended"
