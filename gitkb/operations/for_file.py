"""What the knowledge says about files that somebody is about to touch, whether or not they exist yet."""

from __future__ import annotations

import os

from gitkb.core.touch.files import make_touch
from gitkb.operations.reading.touched import DEFAULT_LIMIT, NOTHING, find_concerning

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitkb.operations.reading.touched import Reminder
    from gitkb.store.layout import Store


def for_file(
    store: Store,
    paths: Sequence[str],
    *,
    cwd: str | None = None,
    limit: int = DEFAULT_LIMIT,
    unasked: bool = False,
    notices: list[str] | None = None,
) -> Reminder:
    """Find the entries that concern files or folders, given as a person in `cwd` names them.

    A path outside of the repository is left out with a notice.

    Raises:
        UsageError: for a limit of nought.
    """
    here = os.getcwd() if cwd is None else cwd
    top = top_of(store, here)
    files, folders = [], []
    for path in paths:
        named = path_from_top(path, top, here)
        if named is None:
            if notices is not None:
                notices.append(f"'{path}' is outside of '{top}' and left out")
        elif path.endswith(("/", os.sep)) or os.path.isdir(os.path.join(here, path)):
            folders.append(named)
        else:
            files.append(named)
            if not unasked and not os.path.lexists(os.path.join(here, path)):
                folders.append(named)  # it may have been a folder, or become one
    if not files and not folders and limit > 0:
        return NOTHING
    return find_concerning(
        store, make_touch(files, folders), limit=limit, unasked=unasked, notices=notices
    )


def top_of(store: Store, cwd: str) -> str:
    """Give the folder that paths are counted from: of a tier that is no project's, that around `cwd`."""
    from gitkb.store.home_path import home_folder

    home = os.path.realpath(home_folder())
    if os.path.realpath(store.root).startswith(home + os.sep):
        from gitkb.store.discover import find_worktree

        return find_worktree(cwd) or cwd
    return store.worktree or os.path.dirname(store.root)


def path_from_top(path: str, top: str, cwd: str) -> str | None:
    """Name a path as entries do, relative to the top with `/`; None where it lies outside.

    Links above the last name are followed, as git does; the last one may be a link that git knows.
    """
    whole = os.path.normpath(os.path.join(cwd, path))
    folder, name = os.path.split(whole)
    for start, end in (
        (top, whole),
        (os.path.realpath(top), _join(os.path.realpath(folder), name)),
    ):
        relative = os.path.relpath(end, start)
        if relative == os.curdir:
            return ""
        if relative != os.pardir and not relative.startswith(os.pardir + os.sep):
            return relative.replace(os.sep, "/")
    return None


def _join(folder: str, name: str) -> str:
    return os.path.join(folder, name) if name else folder
