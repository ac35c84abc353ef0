"""Make the workstation's store, add further tiers and take them away.

1. A tier stands in the settings only after its copy is whole: whatever ends a call half-way, the next
   one begins anew.
2. The workstation's store is made with the first writing, in a git repository of its own, and never
   asks anything.
3. What was written here and not sent is never removed.
"""

from __future__ import annotations

import os
import shutil

from gitkb.errors import GitError, NotFoundError, StateError
from gitkb.git import remote
from gitkb.git.own_repository import at_work
from gitkb.operations.tier import EMPTY, READY, Listed, Tier, find_tier, tier_of
from gitkb.store.home import (
    PROJECT,
    UNIVERSAL,
    WORKSTATION,
    Remote,
    check_name,
    home_folder,
    locked_home,
    read_settings,
    settings_to_change,
    tier_folder,
    write_settings,
)
from gitkb.store.layout import CONFIG_NAME, STORE_NAME

_SHARDS = 16
"""Few people write there, and every reader looks through all of its files."""


def add_tier(name: str, url: str, *, push: bool, cwd: str) -> Listed:
    """Clone a further tier and set it up as the farthest; the same call again changes nothing.

    Raises:
        UsageError: when the name or the address cannot be.
        StateError: when another tier has the name.
        NotFoundError: when there is no knowledge base at the address, and one may not write it.
        GitError: when the address cannot be reached.
    """
    check_name(name)
    wanted = Remote(name, remote.checked_url(url, cwd), push)
    home = home_folder()
    with locked_home(home, "tiers"):
        settings = settings_to_change(home)
        for known in settings.remotes:
            if known.name == name and known.url != wanted.url:
                hint = f"gitkb tier remove {name}, or choose another name"
                raise StateError(f"'{name}' is a tier already, at {known.url}", hint)
        folder = tier_folder(home, name)
        if all(known.name != name for known in settings.remotes) or not os.path.isdir(folder):
            fetch_copy(wanted, folder)
        if push and os.path.isdir(os.path.join(folder, STORE_NAME)):
            _install(folder)
        others = [known for known in settings.remotes if known.name != name]
        place = next((at for at, one in enumerate(settings.remotes) if one.name == name), None)
        others.insert(len(others) if place is None else place, wanted)
        write_settings(home, others)
    return _known(name)


def remove_tier(name: str) -> Listed:
    """Forget a further tier, and remove the copy of it that lies here.

    Raises:
        NotFoundError: when there is no such tier.
        StateError: when something was written here and not sent.
    """
    home = home_folder()
    if name in (PROJECT, WORKSTATION, UNIVERSAL):
        raise NotFoundError(
            f"no further tier '{name}' that could be removed",
            "gitkb tier list shows those there are",
        )
    with locked_home(home, "tiers"):
        settings = settings_to_change(home)
        tier = find_tier(name)
        if tier is None:
            check_name(name)
            _remove_folder(tier_folder(home, name))  # of a removal that was cut short
            raise no_tier(name)
        folder = tier.path
        if tier.writable and os.path.isdir(os.path.join(folder, ".git")):
            _refuse_unsent(tier)
        write_settings(home, [known for known in settings.remotes if known.name != name])
        _remove_folder(folder)
    return tier


def make_workstation() -> Tier:
    """Give the workstation's store, which is made if it is not there yet.

    Raises:
        StateError: when the user's folder cannot be written.
        GitError: when git is not there.
    """
    home = home_folder()
    listed = find_tier(WORKSTATION)
    if listed is not None and _is_begun(listed):
        return tier_of(listed)
    with locked_home(home, "workstation"):
        listed = _known(WORKSTATION)
        if not _is_begun(listed):
            _begin(listed.path)
        return tier_of(_known(WORKSTATION))


def begin_tier(name: str) -> Tier:
    """Give a tier to write to: the workstation, or a further tier that one may write.

    Raises:
        NotFoundError: when there is no such tier.
        StateError: when one may not write it, or it has no copy here.
    """
    if name == WORKSTATION:
        return make_workstation()
    listed = find_tier(name)
    if listed is None:
        raise no_tier(name)
    if not listed.writable:
        hint = f"gitkb tier add {name} {listed.url} --push, if you may write there"
        raise StateError(f"the tier '{name}' is only read", hint)
    if listed.state == EMPTY:
        with locked_home(home_folder(), "tiers"):
            _begin(listed.path)
        listed = _known(name)
    if listed.state != READY:
        raise StateError(f"the tier '{name}' has no copy here", f"gitkb tier pull {name}")
    return tier_of(listed)


def save_tier(tier: Tier, message: str, notices: list[str] | None = None) -> bool:
    """Commit what was written to a tier, and send it if it is a further one.

    The project's is its people's to commit, and is left alone. The workstation's is sent by `tier
    pull`, so that writing there never waits for a network. What cannot be sent now stays here, with
    a notice, and `tier pull` sends that too. False where nothing had changed.
    """
    folder = os.path.dirname(tier.store.root)
    if not tier.writable or not _is_within(folder, home_folder()):
        return False
    try:
        with at_work(folder):
            if not remote.commit(folder, message, STORE_NAME):
                return False
            if tier.name != WORKSTATION:
                _send(tier, folder, notices)
    except StateError as error:
        if notices is not None:
            notices.append(
                f"what was written to the tier '{tier.name}' is kept here, not committed yet: "
                f"{error.message}; the next writing there does it"
            )
        return False
    return True


def _send(tier: Tier, folder: str, notices: list[str] | None) -> None:
    try:
        remote.push(folder)
    except GitError as error:
        if notices is not None:
            notices.append(
                f"what was written to the tier '{tier.name}' is kept here, not sent yet: "
                f"{error.message}; gitkb tier pull {tier.name} sends it"
            )


def fetch_copy(wanted: Remote, folder: str) -> None:
    """Clone a tier into its folder, all of it or nothing. The caller holds the lock `tiers`."""
    parent, name = os.path.split(folder)
    begun = os.path.join(parent, f".{name}.new")
    _remove_folder(begun)
    _make_folder(parent)
    try:
        remote.clone(wanted.url, begun)
        if not wanted.push and not os.path.isdir(os.path.join(begun, STORE_NAME)):
            raise NotFoundError(
                f"no knowledge base at '{wanted.url}': it has no {STORE_NAME} at its top",
                "whoever may write there begins it: gitkb tier add NAME URL --push",
            )
        _remove_folder(folder)  # what stands there is what is left of a tier that was removed
        os.rename(begun, folder)
    except OSError as error:
        raise StateError(f"cannot write '{folder}': {error.strerror}", "see its folder") from None
    finally:
        _remove_folder(begun)


def no_tier(name: str) -> NotFoundError:
    """The error for a name that no further tier has."""
    names = ", ".join(known.name for known in read_settings(home_folder()).remotes)
    return NotFoundError(
        f"no tier '{name}'", f"one of {names}" if names else "gitkb tier add NAME URL"
    )


def _is_begun(tier: Listed) -> bool:
    """Whether a store was made to the end, which its first commit is."""
    if tier.state != READY or not os.path.isfile(os.path.join(tier.root, CONFIG_NAME)):
        return False
    return not os.path.isdir(os.path.join(tier.path, ".git")) or remote.head(tier.path) != ""


def _begin(folder: str) -> None:
    """Make a repository with an empty store; what a killed call left of it is made whole."""
    from gitkb.operations.clone.setup import make_store

    _make_folder(folder)
    _make_repository(folder)
    make_store(os.path.join(folder, STORE_NAME), _SHARDS)
    _remove_stale_locks(os.path.join(folder, ".git"))
    _install(folder)
    with at_work(folder):
        remote.commit(folder, "Start a knowledge base", STORE_NAME)


def _make_repository(folder: str) -> None:
    """Make one beside the folder and move it in: what a killed `git init` leaves is none that git knows."""
    parent, name = os.path.split(folder)
    begun = os.path.join(parent, f".{name}.new")
    _remove_folder(begun)
    if os.path.isdir(os.path.join(folder, ".git")):
        return
    _make_folder(begun)
    try:
        remote.init(begun)
        os.rename(os.path.join(begun, ".git"), os.path.join(folder, ".git"))
    except OSError as error:
        raise StateError(f"cannot write '{folder}': {error.strerror}", "see its folder") from None
    finally:
        _remove_folder(begun)


def _remove_stale_locks(git_dir: str) -> None:
    """Remove what a killed `install` left of its writing; the lock of our folder keeps others out."""
    for part in ("", "hooks", "info"):
        where = os.path.join(git_dir, part)
        for name in os.listdir(where) if os.path.isdir(where) else ():
            # git's own are those of its staging area and references.
            if name.endswith(".lock") and (part or name == "config.lock"):
                os.unlink(os.path.join(where, name))


def _install(folder: str) -> None:
    from gitkb.operations.install import install

    install(folder, store=os.path.join(folder, STORE_NAME))


def _refuse_unsent(tier: Listed) -> None:
    unsent = remote.count_unsent(tier.path)
    if unsent or remote.is_changed(tier.path):
        what = (
            f"{unsent} commits that were never sent" if unsent else "changes that are not committed"
        )
        raise StateError(
            f"the tier '{tier.name}' holds {what}",
            f"gitkb tier pull {tier.name} sends them; what you do not want, remove in '{tier.path}'",
        )


def _known(name: str) -> Listed:
    listed = find_tier(name)
    if listed is None:
        raise no_tier(name)
    return listed


def _make_folder(folder: str) -> None:
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise StateError(
            f"cannot make '{folder}': {error.strerror}",
            "see what stands there, or name another folder with GITKB_HOME",
        ) from None


def _remove_folder(folder: str) -> None:
    if not os.path.lexists(folder):
        return
    try:
        if os.path.isdir(folder) and not os.path.islink(folder):
            shutil.rmtree(folder)
        else:
            os.unlink(folder)
    except OSError as error:
        raise StateError(
            f"cannot remove '{folder}': {error.strerror}", "remove it yourself"
        ) from None


def _is_within(folder: str, home: str) -> bool:
    folder, home = os.path.realpath(folder), os.path.realpath(home)
    return os.path.commonpath((folder, home)) == home
