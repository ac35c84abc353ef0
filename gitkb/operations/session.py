"""Working sessions: open one under a goal, keep its outcome, or drop it.

1. Ending writes the entry first and removes the open session afterwards: a kill in between loses
   nothing, and ending again finds the entry by its key and adds to it what is new.
2. The entry unites what was given at the start and at the end.
3. Sessions of the same goal stay apart: their keys are not made from the title.
"""

from __future__ import annotations

from typing import NamedTuple

from gitkb.core.entry import LIST_FIELDS, Entry
from gitkb.errors import NotFoundError, StateError, UsageError
from gitkb.operations.writing.clock import now
from gitkb.store.open_session import (
    OpenSession,
    UnreadableSession,
    check_session_id,
    new_session_id,
    not_open,
    read_session,
    read_sessions,
    remove_session,
    write_session,
)
from gitkb.store.secret_gate import refuse_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gitkb.core.canonical import Json
    from gitkb.store.layout import Store

_TITLE_LENGTH = 200


class Ended(NamedTuple):
    """What became of a session that was ended."""

    written: bool
    """Whether its entry was written or changed; not when all of it stood there already."""
    key: str
    goal: str


def start_session(
    store: Store,
    goal: str,
    *,
    files: Sequence[str] = (),
    tags: Sequence[str] = (),
    stack: Sequence[str] = (),
) -> OpenSession:
    """Open a session in this worktree.

    Raises:
        DataError: when a file lies outside the repository, or something looks like a secret.
        StateError: when it cannot be written.
        UsageError: without a goal.
    """
    from gitkb.operations.writing.draft import relative_file

    # What cannot be written as text: undecodable arguments, and NUL.
    goal = goal.encode("utf-8", "replace").decode("utf-8").replace("\0", " ").strip()
    if not goal:
        raise UsageError("a session needs a goal", "gitkb session start 'Move payments to cents'")
    refuse_secrets(store, {"goal": goal, "tags": list(tags), "files": list(files)})
    session = OpenSession(
        new_session_id(goal),
        goal,
        now(),
        tuple(sorted({tag.lower() for tag in tags if tag})),
        tuple(sorted({relative_file(path, store) for path in files if path})),
        tuple(sorted({name.lower() for name in stack if name})),
    )
    write_session(store, session)
    return session


def end_session(
    store: Store,
    session_id: str = "",
    *,
    done: Sequence[str] = (),
    decided: Sequence[str] = (),
    open: Sequence[str] = (),  # noqa: A002  the field's own name
    next: Sequence[str] = (),  # noqa: A002
    summary: str = "",
    files: Sequence[str] = (),
    tags: Sequence[str] = (),
) -> Ended:
    """Keep the outcome of a session as an entry; the id may be left out while one is open.

    A session that was ended before is not written again: what is new is added to its entry.

    Raises:
        NotFoundError: when there is neither an open session nor an entry of that id.
        StateError: when no session is open, or several and none is named; when the store is locked,
            in conflict, full or read-only.
        UsageError: when the id is none.
    """
    from gitkb.operations.writing.draft import draft_fields
    from gitkb.operations.writing.put import put_entry
    from gitkb.store.writer import changing

    outcome = {"done": done, "decided": decided, "open": open, "next": next}
    lists = {name: [text for text in texts if text.strip()] for name, texts in outcome.items()}
    session = _find(store, session_id)
    key = session.id if session else session_id
    with changing(store) as change:
        at = change.find(key)
        old = at.record if at and isinstance(at.record, Entry) else None
        if old is None and session is None:
            raise not_open(session_id)
        fields = _fields(key, session, old, lists, summary.strip())
        for name, more in (("files", files), ("tags", tags)):
            if more:
                fields[name] = [*fields.get(name, ()), *more]
        added = put_entry(change, draft_fields(fields, store))
    if session is not None:
        remove_session(store, session.id)
    return Ended(added.written, key, session.goal if session else str(fields.get("title", "")))


def list_sessions(store: Store) -> list[OpenSession | UnreadableSession]:
    """Give the sessions that are open in this worktree, the oldest first."""
    return read_sessions(store)


def drop_session(store: Store, session_id: str) -> None:
    """Discard an open session; nothing is kept of it.

    Raises:
        NotFoundError: when none of that id is open in this worktree.
        UsageError: when the id is none.
    """
    if not remove_session(store, session_id):
        raise not_open(session_id)


def _find(store: Store, session_id: str) -> OpenSession | None:
    """The session that is meant; None for an id under which none is open any more."""
    if session_id:
        check_session_id(session_id)
        try:
            return read_session(store, session_id)
        except NotFoundError:
            return None
    opened = [one for one in read_sessions(store) if isinstance(one, OpenSession)]
    if not opened:
        raise StateError("no session is open in this worktree", "gitkb session start GOAL")
    if len(opened) > 1:
        raise StateError(
            f"{len(opened)} sessions are open in this worktree: say which one",
            "\n      ".join(f"gitkb session end {one.id}   # {one.goal}" for one in opened),
        )
    return opened[0]


def _fields(
    key: str,
    session: OpenSession | None,
    old: Entry | None,
    lists: Mapping[str, Sequence[str]],
    summary: str,
) -> dict[str, Json]:
    """The fields of the entry: what it says already, with what is new."""
    fields: dict[str, Json] = dict(old.fields) if old else {"key": key, "type": "session"}
    fields.pop("ts", None)
    if session and old is None:
        fields["created"] = session.started
        fields["title"] = " ".join(session.goal.split())
        if len(fields["title"]) > _TITLE_LENGTH or "\n" in session.goal:
            fields["title"] = fields["title"][:_TITLE_LENGTH]
            fields["content"] = session.goal
        for name in ("tags", "files", "stack"):
            if getattr(session, name):
                fields[name] = list(getattr(session, name))
    if summary and summary not in fields.get("content", ""):
        before = fields.get("content")
        fields["content"] = f"{before}\n\n{summary}" if before else summary
    for name in sorted(LIST_FIELDS):
        both = [*fields.get(name, ()), *lists[name]]
        if both:
            fields[name] = list(dict.fromkeys(both))
    return fields
