"""Sessions that are open: one small file each, in the derived folder of the worktree.

1. An open session belongs to its worktree and is never committed. Each has its own file, so that
   none can stand in another's way, and there is nothing to repair after a crash.
2. A session's id is the key that its entry will have: so it can be ended twice and is written once.
3. An id is checked before it becomes part of a path.
4. A file that cannot be read is a value with a reason, and hides no other.
"""

from __future__ import annotations

import json
import os
import re
from typing import NamedTuple

from gitkb.core.identity import mint_key
from gitkb.errors import NotFoundError, StateError, UsageError
from gitkb.store.durable import remove_leftovers, replace_file
from gitkb.store.lock import locked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.store.layout import Store

FOLDER = "sessions"
_ENDING = ".json"
_is_id = re.compile("ses_[0-9a-z]{8}").fullmatch
_LISTS = ("tags", "files", "stack")


class OpenSession(NamedTuple):
    """One session that was started and not ended."""

    id: str
    goal: str
    started: int
    """Unix seconds."""
    tags: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    stack: tuple[str, ...] = ()


class UnreadableSession(NamedTuple):
    """A session's file that holds no session."""

    id: str
    path: str
    reason: str


def new_session_id(goal: str) -> str:
    """Make an id that nobody else makes: the form of a key, from 64 random bits."""
    return mint_key("session", goal, 1 + int.from_bytes(os.urandom(8), "big"))


def check_session_id(text: str) -> str:
    """Give an id back.

    Raises:
        UsageError: when it has not the form of one.
    """
    if _is_id(text) is None:
        raise UsageError(
            f"'{text[:40]}' is no id of a session", "gitkb session list shows those that are open"
        )
    return text


def not_open(session_id: str) -> NotFoundError:
    """Make the error that says that a session is not open."""
    return NotFoundError(
        f"no session '{session_id}' is open in this worktree",
        "gitkb session list shows those that are",
    )


def write_session(store: Store, session: OpenSession) -> None:
    """Write the file of a session, whole or not at all.

    Raises:
        StateError: when the disk is full, or the folder cannot be written, or the store is locked.
    """
    data = json.dumps(session._asdict(), ensure_ascii=False).encode("utf-8", "surrogatepass")
    # Under the lock a temporary file is that of a killed writer, and not of one at work.
    with locked(store):
        remove_leftovers(os.path.join(store.derived, FOLDER))
        replace_file(_path(store, session.id), data + b"\n")


def read_session(store: Store, session_id: str) -> OpenSession:
    """Read one open session.

    Raises:
        NotFoundError: when none of that id is open in this worktree.
        StateError: when its file cannot be read.
        UsageError: when the id is none.
    """
    found = _read(_path(store, check_session_id(session_id)), session_id)
    if found is None:
        raise not_open(session_id)
    if isinstance(found, UnreadableSession):
        raise StateError(
            f"cannot read the session '{session_id}': {found.reason}",
            f"gitkb session drop {session_id}",
        )
    return found


def read_sessions(store: Store) -> list[OpenSession | UnreadableSession]:
    """Read all sessions that are open in this worktree, the oldest first, then what is unreadable."""
    try:
        names = os.listdir(os.path.join(store.derived, FOLDER))
    except OSError:
        return []
    ids = sorted(name.removesuffix(_ENDING) for name in names if name.endswith(_ENDING))
    found = [_read(_path(store, id_), id_) for id_ in ids if _is_id(id_)]
    opened = [one for one in found if isinstance(one, OpenSession)]
    unreadable = [one for one in found if isinstance(one, UnreadableSession)]
    return [*sorted(opened, key=lambda one: (one.started, one.id)), *unreadable]


def remove_session(store: Store, session_id: str) -> bool:
    """Remove the file of a session, readable or not, and say whether there was one.

    Raises:
        StateError: when it cannot be removed.
        UsageError: when the id is none.
    """
    path = _path(store, check_session_id(session_id))
    try:
        os.unlink(path)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise StateError(
            f"cannot remove '{path}': {error.strerror}", "remove the file yourself"
        ) from None
    return True


def _path(store: Store, session_id: str) -> str:
    return os.path.join(store.derived, FOLDER, f"{session_id}{_ENDING}")


def _read(path: str, session_id: str) -> OpenSession | UnreadableSession | None:
    try:
        with open(path, "rb") as file:
            values = json.loads(file.read().decode("utf-8", "surrogatepass"))
    except FileNotFoundError:
        return None
    except OSError as error:
        return UnreadableSession(session_id, path, str(error.strerror))
    except (ValueError, RecursionError):
        return UnreadableSession(session_id, path, "it is not JSON")
    if not isinstance(values, dict) or values.get("id") != session_id:
        return UnreadableSession(session_id, path, "it does not hold this session")
    goal, started = values.get("goal"), values.get("started")
    lists = [values.get(name, []) for name in _LISTS]
    fine = all(isinstance(one, list) and all(isinstance(x, str) for x in one) for one in lists)
    if not (isinstance(goal, str) and goal and isinstance(started, int) and fine):
        return UnreadableSession(session_id, path, "its goal, start, tags or files are missing")
    return OpenSession(session_id, goal, started, *(tuple(one) for one in lists))
