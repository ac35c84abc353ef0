"""Change the texts of a store wherever they stand, archive included: all of it or nothing.

1. It happens under the store's lock, on files read after it was taken; lines that nobody changes keep
   their bytes.
2. Every file is on the disk under another name before the first takes its place, and a journal names them
   all: what is cut short, the next command of any kind finishes.
3. What is derived and may hold the text goes too: the search indexes of all worktrees of the repository, and
   logs. Open sessions are scrubbed.
"""

from __future__ import annotations

import os
from contextlib import contextmanager

from gitkb.core.entry import encode_record
from gitkb.core.identity import ARCHIVE, KNOWLEDGE, shard_of
from gitkb.core.snapshot import iter_records
from gitkb.errors import StateError
from gitkb.store.config import read_shards
from gitkb.store.durable import remove_leftovers, replace_file, replace_files
from gitkb.store.file_edit import FileEdit
from gitkb.store.git_lock import refuse_changed, wait_for_git
from gitkb.store.journal import Journal
from gitkb.store.layout import DATABASE_NAME, iter_data_files
from gitkb.store.lock import locked
from gitkb.store.open_session import OpenSession, read_sessions, write_session
from gitkb.store.view import refresh_views

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gitkb.core.entry import Record
    from gitkb.core.problem import Problem
    from gitkb.core.snapshot import Located
    from gitkb.store.layout import Store

_TEXT_LIMIT = 4_000_000


class Scrubbing:
    """A scrubbing under way. Nothing reaches the disk before it ends without an error."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._shards = read_shards(store)
        self._data: dict[str, bytes] = {}
        self._edits: dict[str, FileEdit] = {}
        self.unread: list[str] = []
        self.lines: list[Located] = []
        """Every line that can be read, archive included, in the order of the files."""
        for name, path in iter_data_files(store.root):
            self._open(name, path)
            problems: list[Problem] = []
            self.lines += iter_records(name, self._data[name], problems)
            self.unread += [problem.place for problem in problems if problem.line]

    def _open(self, name: str, path: str) -> FileEdit:
        try:
            with open(path, "rb") as file:
                self._data[name] = file.read()
        except FileNotFoundError:
            self._data[name] = b""
        except OSError as error:
            message = f"cannot read '{name}': {error.strerror}"
            raise StateError(message, "nothing was written; see gitkb check") from None
        edit = self._edits[name] = FileEdit(name, self._data[name])
        return edit

    def replace(self, at: Located, record: Record) -> None:
        """Put a record of the same key in place of a line."""
        line = encode_record(record)
        if line == at.line:
            return
        edit = self._edits[at.file]
        if at.file.startswith(ARCHIVE):  # its place there depends on its bytes
            edit.remove(at)
            if not edit.holds(line):
                edit.insert(record, line)
        else:
            edit.replace(at, line)

    def remove(self, at: Located) -> None:
        """Take a line out."""
        self._edits[at.file].remove(at)

    def archive(self, record: Record) -> None:
        """Add a version to the archive, if it does not stand there."""
        name = f"{ARCHIVE}/{shard_of(record.key, self._shards)}"
        edit = self._edits.get(name) or self._open(name, self.store.path_of(name))
        line = encode_record(record)
        if not edit.holds(line):
            edit.insert(record, line)

    def write(self) -> list[str]:
        """Write what changed as one, and give the names of the files."""
        changed = sorted(name for name, edit in self._edits.items() if edit.is_changed)
        changed.sort(key=lambda name: not name.startswith(ARCHIVE))
        if not changed:
            return []
        paths = [self.store.path_to_write(name) for name in changed]
        contents = [self._edits[name].encode() for name in changed]
        wait_for_git(self.store)
        refuse_changed(self.store, self._data, changed)
        before = [self._data[name] for name in changed]
        journal = Journal(self.store, zip(changed, before, contents, strict=True))
        replace_files(list(zip(paths, contents, strict=True)), journal)
        return changed


@contextmanager
def scrubbing(store: Store) -> Iterator[Scrubbing]:
    """Open a store for scrubbing; what it holds at the end is written, unless it raised.

    Raises:
        StateError: when the store is locked, in conflict, full or read-only.
    """
    with locked(store):
        for folder in (KNOWLEDGE, ARCHIVE):
            remove_leftovers(os.path.join(store.root, folder))
        work = Scrubbing(store)
        yield work
        if work.write():
            refresh_views(store)


def scrub_sessions(store: Store, scrub: Callable[[str], str], *, dry_run: bool) -> list[str]:
    """Scrub the sessions that are open in this worktree, and give their ids."""
    changed = []
    for session in read_sessions(store):
        if isinstance(session, OpenSession):
            lists = [
                tuple(sorted({scrub(text) for text in texts}))
                for texts in (session.tags, session.files, session.stack)
            ]
            new = OpenSession(session.id, scrub(session.goal), session.started, *lists)
            if new != session:
                changed.append(session.id)
                if not dry_run:
                    write_session(store, new)
    return changed


def scrub_views(store: Store, scrub: Callable[[str], str], *, dry_run: bool) -> list[str]:
    """Scrub what lies in `views/`, whoever wrote it, and give the names of the files."""
    folder = store.path_of("views")
    changed = []
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        path = os.path.join(folder, name)
        if os.path.isfile(path) and os.path.getsize(path) <= _TEXT_LIMIT:
            with open(path, "rb") as file:
                text = file.read().decode("utf-8", "surrogateescape")
            new = scrub(text)
            if new != text:
                changed.append(f"views/{name}")
                if not dry_run:
                    data = new.encode("utf-8", "surrogateescape")
                    replace_file(store.path_to_write(f"views/{name}"), data)
    return changed


def drop_derived(folders: list[str]) -> None:
    """Remove the search index and the logs in folders for derived files; they come back when needed."""
    for folder in folders:
        for name in os.listdir(folder) if os.path.isdir(folder) else ():
            if name == DATABASE_NAME + ".lock":
                continue  # somebody may hold it
            if name.startswith(DATABASE_NAME) or name.endswith(".log"):
                try:
                    os.unlink(os.path.join(folder, name))
                except OSError:
                    pass  # another process has it open on Windows; its next query builds it anew
