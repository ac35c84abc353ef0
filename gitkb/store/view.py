"""The Markdown views of a store: `views/NAME.md`, written from its entries.

1. They are written under the store's lock, whole or not at all, and not at all where the bytes are the
   same; never through a link that leads out of the store.
2. Where the team commits them, whatever changes the knowledge writes them anew before it lets go of the
   lock. A view that cannot be written costs no entry: `gitkb check` tells that it is stale.
3. A store whose config.toml names no views pays one look at that file.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from gitkb.core.entry import Tombstone
from gitkb.core.identity import KNOWLEDGE
from gitkb.errors import GitkbError, StateError
from gitkb.store.config import read_config
from gitkb.store.durable import replace_file
from gitkb.store.layout import iter_data_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gitkb.core.documents.view import View, ViewSettings
    from gitkb.core.entry import Entry
    from gitkb.core.problem import Problem
    from gitkb.store.layout import Store

FOLDER = "views"
_may_name_views = re.compile(rb"""(?m)^[ \t]*\[?[ \t]*["']?views""").search


class ViewFile(NamedTuple):
    """A view beside its file as it stands; `state` is fresh, stale or missing."""

    name: str
    view: View
    state: str

    @property
    def file(self) -> str:
        """Its name in the store, such as ``views/learnings.md``."""
        return file_of(self.name)


def file_of(name: str) -> str:
    """Give the file of a view, as named from the store."""
    return f"{FOLDER}/{name}.md"


def read_settings(store: Store) -> ViewSettings:
    """Read `[views]` and what else decides how views look.

    Raises:
        DataError: when config.toml is broken.
        StateError: when it cannot be read.
    """
    from gitkb.core.documents.view import (
        read_view_settings,  # its dates and patterns, for the few who ask
    )

    return read_view_settings(read_config(store).values)


def committed_settings(store: Store) -> ViewSettings | None:
    """Read the settings where the team commits views; None where it does not, or they cannot be read."""
    try:
        with open(store.config_path, "rb") as file:
            if not _may_name_views(file.read()):
                return None
        settings = read_settings(store)
    except (OSError, GitkbError):
        return None
    return settings if settings.commit else None


def read_views(
    store: Store,
    names: Iterable[str],
    settings: ViewSettings,
    problems: list[Problem] | None = None,
) -> list[ViewFile]:
    """Make views from the knowledge as it stands, and compare them with their files. Lines that cannot
    be read are left out, and added to `problems`.

    Raises:
        StateError: when a data file cannot be read.
    """
    from gitkb.core.documents.view import format_view

    entries = entries_of(_iter_knowledge(store), problems)
    found = []
    for name in names:
        view = format_view(name, entries, settings)
        found.append(ViewFile(name, view, _state(store, name, view)))
    return found


def entries_of(
    files: Iterable[tuple[str, bytes]], problems: list[Problem] | None = None
) -> list[Entry]:
    """Give the entries that stand in the bytes of knowledge files; `problems` takes what cannot be read."""
    from gitkb.core.snapshot import read_snapshot

    snapshot = read_snapshot(files)
    if problems is not None:
        problems += snapshot.problems
    records = (at.record for at in snapshot.current.values())
    return [record for record in records if not isinstance(record, Tombstone)]


def write_views(store: Store, views: Iterable[ViewFile]) -> None:
    """Write those that are not fresh. The caller holds the store's lock.

    Raises:
        StateError: when one cannot be written, or is a link that leads out of the store.
    """
    for found in views:
        if found.state != "fresh":
            replace_file(store.path_to_write(found.file), found.view.text.encode("utf-8"))


def refresh_views(store: Store) -> list[str]:
    """Write the views that the team commits, and give the names of the files that changed.

    The caller holds the store's lock and has written the knowledge, which a fault here does not undo:
    it raises nothing but what stops the whole program.
    """
    settings = committed_settings(store)
    if settings is None:
        return []
    changed = []
    try:
        for found in read_views(store, settings.names, settings):
            if found.state != "fresh":
                write_views(store, [found])
                changed.append(found.file)
    except (GitkbError, OSError):
        return changed
    return changed


def _iter_knowledge(store: Store) -> Iterator[tuple[str, bytes]]:
    for name, path in iter_data_files(store.root):
        if name.startswith(KNOWLEDGE):
            try:
                with open(path, "rb") as file:
                    yield name, file.read()
            except OSError as error:
                message = f"cannot read '{name}': {error.strerror}"
                raise StateError(message, "no view was written; see its permissions") from None


def _state(store: Store, name: str, view: View) -> str:
    try:
        with open(store.path_of(file_of(name)), "rb") as file:
            data = file.read()
    except FileNotFoundError:
        return "missing"
    except OSError as error:
        message = f"cannot read '{file_of(name)}': {error.strerror}"
        raise StateError(message, "see what stands there") from None
    return "fresh" if data == view.text.encode("utf-8") else "stale"
