"""Finish or forget a change of several files that a kill cut short.

A supersession is two lines in two files, and one half of it would be a lie. So before the first of
several knowledge files takes its new form, a journal beside the search index names them all.

1. The journal is written after every new file is on the disk under its temporary name, and removed
   after the last of them is in its place.
2. Whoever comes next goes through with the renames that are left. He first looks at each file: it
   must be as it was before the change or as it was to be after.
3. Where one is neither, something else wrote it since (`git checkout`, an editor): then nothing is
   touched, and the journal is dropped. No file ever loses what that other program wrote.
4. A change of one knowledge file writes no journal: its one rename is the whole of it.
   A change of the layout names config.toml and the archive among its files.
5. To see that there is no journal costs one look at the file system. Readers look too: `settle`.
"""

from __future__ import annotations

import os

from gitkb.core.canonical import encode_json
from gitkb.core.jsonl import BadLineError, parse_object
from gitkb.errors import StateError
from gitkb.store.durable import put_in_place, remove_leftovers, sync_folder, temporary_of, write_new

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TypeAlias

    from gitkb.core.canonical import Json
    from gitkb.store.layout import Store

    Step: TypeAlias = tuple[str, str, str]
    """The name of a file, and the digests of its bytes before and after; an absent file is empty."""


class Journal:
    """The journal of one change, for `durable.replace_files`."""

    def __init__(self, store: Store, files: Iterable[tuple[str, bytes, bytes]]) -> None:
        """Take the name of each file with its bytes before and after."""
        self._path = store.journal_path
        self._steps = [(name, _digest(old), _digest(new)) for name, old, new in files]

    def begin(self) -> None:
        """Write it. One that is cut short is no JSON, and then no file has been renamed yet."""
        steps: list[Json] = [list(step) for step in self._steps]
        write_new(self._path, encode_json({"renames": steps}), None)
        sync_folder(os.path.dirname(self._path))

    def end(self) -> None:
        """Remove it. One that stays does no harm: the next command finds nothing left to do."""
        _remove(self._path)


def is_interrupted(store: Store) -> bool:
    """Say whether a change is under way, or was cut short."""
    return os.path.exists(store.journal_path)


def finish_interrupted(store: Store) -> None:
    """Finish what a killed writer began; the caller holds the store's lock.

    Raises:
        StateError: when a file cannot be put in its place; the journal stays for the next command.
    """
    if not is_interrupted(store):
        return
    try:
        steps = _read_steps(store)
        waiting = _waiting(store, steps)
        if waiting is None:
            remove_leftovers(store.root)
        else:
            put_in_place(waiting)
    except OSError as error:
        raise StateError(
            f"cannot finish a change that was cut short: {error.strerror}",
            f"mend the cause and do this again; '{store.journal_path}' names the files",
        ) from None
    _remove(store.journal_path)


def _waiting(store: Store, steps: Iterable[Step]) -> list[tuple[str, str]] | None:
    """Give the renames that are left, or None where they are not to be done."""
    waiting = []
    for name, before, after in steps:
        try:
            path = os.path.realpath(store.path_to_write(name))
        except StateError:
            return None
        now = _digest(_read(path))
        if now == after:
            continue
        if now != before or _digest(_read(temporary_of(path))) != after:
            return None
        waiting.append((temporary_of(path), path))
    return waiting


def _read_steps(store: Store) -> list[Step]:
    try:
        found = parse_object(_read(store.journal_path))
        return [(str(name), str(old), str(new)) for name, old, new in found["renames"]]
    except (BadLineError, KeyError, TypeError, ValueError):
        return []  # not ours, or of another version


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return b""


def _digest(data: bytes) -> str:
    from hashlib import sha256

    return sha256(data).hexdigest()


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass  # it is looked at again, and then there is nothing left to do
