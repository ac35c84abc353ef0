"""What an installation changed, so that taking it away again restores every byte.

One JSON file, `<common git dir>/gitkb/install.json`, names each file with the place and length of what
was put in, what stood there before, and the hash of the whole file afterwards.

Invariants:

1. Only the difference is kept, never the file: .git/config may hold passwords in its URLs.
2. A file is restored from here only while its hash is the one we left; whoever edited it since
   keeps the edit, and the caller takes out its own lines alone.
3. `save` comes last; an installation that died before it is found again by its content, and what it
   left of a file that it was writing goes with the next one.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
from typing import NamedTuple

from gitkb.errors import GitError
from gitkb.git.lock_file import remove_leftovers
from gitkb.git.lock_file import replace_file as replace_file


class Change(NamedTuple):
    """How to turn a file's bytes now into its bytes before: cut ``added`` bytes at ``at``, put ``removed``."""

    existed: bool
    at: int
    added: int
    removed: bytes
    before: str
    after: str


class Ledger:
    """The record of one installation: of a repository, or of the person's own git configuration."""

    __slots__ = ("_changes", "_folders", "_pending", "path")

    def __init__(self, path: str) -> None:
        self.path = path
        self._changes: dict[str, Change] = {}
        self._folders: list[str] = []
        self._pending: dict[str, bytes | None] = {}
        self._load()

    def before(self, path: str) -> None:
        """Call before changing ``path``."""
        self._pending.setdefault(self._name(path), read_or_none(path))

    def after(self, path: str) -> None:
        """Call after changing ``path``; several changes of one file add up to one."""
        new = read_or_none(path) or b""
        path = self._name(path)
        old = self._pending.pop(path, None)
        if old == new:
            return
        kept = self._changes.get(path)
        if kept is not None and old is not None and digest(old) == kept.after:
            old = _undo(old, kept)  # the file is as we left it: what was before us still counts
        elif kept is not None:
            # Somebody edited it in between. Nobody knows any more what it was without us.
            del self._changes[path]
            return
        self._changes[path] = _difference(old, new)

    def make_folder(self, path: str) -> None:
        """Make ``path`` with its parents, and remember those that were not there."""
        missing = []
        while not os.path.isdir(path):
            missing.append(path)
            path = os.path.dirname(path)
        for folder in reversed(missing):
            try:
                os.mkdir(folder)
            except OSError as error:
                raise GitError(f"cannot make '{folder}': {error.strerror}") from error
            self._folders.append(self._name(folder))

    def restore(self, path: str) -> bool:
        """Write the bytes from before back (or remove the file). False when somebody edited it since."""
        change = self._changes.pop(self._name(path), None)
        now = read_or_none(path)
        if change is None or now is None or digest(now) != change.after:
            return False
        old = _undo(now, change)
        if digest(old or b"") != change.before:
            return False
        if old is None:
            remove_file(path)
        else:
            replace_file(path, old)
        return True

    def hashes(self, part: str) -> frozenset[str]:
        """The hashes of what we left in files whose path holds ``part``."""
        return frozenset(change.after for path, change in self._changes.items() if part in path)

    def restore_folders(self) -> None:
        """Remove the folders that this installation made and that are empty again."""
        for folder in reversed(self._folders):
            try:
                os.rmdir(self._path(folder))
            except OSError:
                continue
        self._folders.clear()

    def save(self) -> None:
        """Write the record, for its owner's eyes alone."""
        self.sweep()
        if not self._changes and not self._folders:
            self.remove()
            return
        self.make_folder(os.path.dirname(self.path))
        record = {
            "version": 1,
            "folders": self._folders,
            "files": {
                path: {**change._asdict(), "removed": base64.b64encode(change.removed).decode()}
                for path, change in sorted(self._changes.items())
            },
        }
        text = json.dumps(record, indent=1).encode() + b"\n"
        if read_or_none(self.path) != text:
            replace_file(self.path, text, mode=0o600)

    def remove(self) -> None:
        """Forget everything: the last step of taking an installation away."""
        self.sweep()
        self._changes.clear()
        remove_file(self.path)
        self.restore_folders()

    def sweep(self) -> None:
        """Take away what an installation that was killed left of the files that it was writing."""
        own = os.path.dirname(self.path)
        root = os.path.dirname(own)
        places = {os.path.dirname(self._path(name)) for name in self._changes}
        for folder in sorted(
            {own, root, os.path.join(root, "hooks"), os.path.join(root, "info"), *places}
        ):
            remove_leftovers(folder)

    def _name(self, path: str) -> str:
        """Relative within the git folder, so that a repository may be moved; else absolute."""
        root = os.path.dirname(os.path.dirname(self.path)) + os.sep
        return path.removeprefix(root)

    def _path(self, name: str) -> str:
        return os.path.join(os.path.dirname(os.path.dirname(self.path)), name)

    def _load(self) -> None:
        data = read_or_none(self.path)
        if data is None:
            return
        try:
            record = json.loads(data)
            self._folders = [str(folder) for folder in record["folders"]]
            for path, fields in record["files"].items():
                removed = base64.b64decode(fields.pop("removed"))
                self._changes[path] = Change(removed=removed, **fields)
        except (ValueError, KeyError, TypeError, AttributeError):
            # A damaged record is no reason to refuse: without it our lines are found by their content.
            self._changes, self._folders = {}, []


def digest(data: bytes) -> str:
    """The hash by which a file is known again."""
    return hashlib.sha256(data).hexdigest()


def read_or_none(path: str) -> bytes | None:
    """The bytes of ``path``, None when there is no such file. GitError when it cannot be read."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise GitError(f"cannot read '{path}': {error.strerror}") from error


def remove_file(path: str) -> None:
    """Remove a file, if it is there. GitError when it cannot be removed."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return
    except OSError as error:
        raise GitError(f"cannot remove '{path}': {error.strerror}") from error


def _difference(old: bytes | None, new: bytes) -> Change:
    base = old or b""
    start = _common(base, new)
    room = min(len(base), len(new)) - start
    tail = _common(base[::-1][:room], new[::-1][:room])
    return Change(
        existed=old is not None,
        at=start,
        added=len(new) - tail - start,
        removed=base[start : len(base) - tail],
        before=digest(base),
        after=digest(new),
    )


def _common(one: bytes, other: bytes) -> int:
    """How many bytes both begin with."""
    length = min(len(one), len(other))
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (left, right) in pairs if left != right), length)


def _undo(now: bytes, change: Change) -> bytes | None:
    if not change.existed:
        return None
    return now[: change.at] + change.removed + now[change.at + change.added :]
