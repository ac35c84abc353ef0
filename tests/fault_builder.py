"""Faults of programs and disks, from outside: killed, or no room, at the n-th call that reaches the disk.

`fault_at` puts a `sitecustomize` before a child's own start, which counts the calls and acts.
"""

from __future__ import annotations

import itertools
import os
import shutil
import sys
import textwrap
from typing import TYPE_CHECKING

from gitkb.core.entry import parse_record

from repo_builder import Repo, run_program, script

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from repo_builder import Result

_FAULT = """
import os, sys

_left = int(os.environ["FAULT_AT"])
_kind = os.environ["FAULT_KIND"]
_place = os.environ["FAULT_PLACE"]
_open_files = {}

def _act():
    if _kind == "kill":
        os.kill(os.getpid(), 9)
    raise OSError(28, os.strerror(28))

def _count(what):
    global _left
    if _kind == "full" and what.startswith("after"):
        return  # a disk that is full says so before a call is done, not after
    _left -= 1
    if _left == 0:
        with open(os.environ["FAULT_LOG"], "a") as log:
            log.write(what + "\\n")
        _act()

def _about(path):
    try:
        return _place in os.fspath(path)
    except TypeError:
        return False

def _wrap(name, about):
    original = getattr(os, name)
    def call(*args, **kwargs):
        if about(*args):
            _count("before " + name)
            done = original(*args, **kwargs)
            _count("after " + name)
            return done
        return original(*args, **kwargs)
    setattr(os, name, call)

_original_open = os.open
def _open(path, flags, *args, **kwargs):
    if not _about(path) or not flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
        return _original_open(path, flags, *args, **kwargs)
    _count("before open")
    number = _original_open(path, flags, *args, **kwargs)
    _open_files[number] = os.fspath(path)
    _count("after open")
    return number
os.open = _open

_original_fdopen = os.fdopen
class _Half:
    # A file of which half is written when the process dies.
    def __init__(self, file): self._file = file
    def __enter__(self): return self
    def __exit__(self, *error): self._file.close()
    def __getattr__(self, name): return getattr(self._file, name)
    def write(self, data):
        self._file.write(data[: len(data) // 2])
        self._file.flush()
        _count("in the middle of write")
        self._file.write(data[len(data) // 2 :])
        return len(data)
def _fdopen(number, *args, **kwargs):
    file = _original_fdopen(number, *args, **kwargs)
    return _Half(file) if number in _open_files else file
os.fdopen = _fdopen

_wrap("replace", lambda *paths: any(map(_about, paths)))
_wrap("rename", lambda *paths: any(map(_about, paths)))
_wrap("fsync", lambda number: True)
_wrap("unlink", _about)
_wrap("truncate", _about)
"""


def fault_at(
    folder: Path, number: int, kind: str, place: str = os.sep + ".gitkb" + os.sep
) -> dict[str, str]:
    """The environment of a child in which the `number`-th call about `place` fails."""
    folder.mkdir(exist_ok=True)
    (folder / "sitecustomize.py").write_text(textwrap.dedent(_FAULT), encoding="utf-8")
    return {
        "PYTHONPATH": str(folder),
        "FAULT_AT": str(number),
        "FAULT_KIND": kind,
        "FAULT_PLACE": place,
        "FAULT_LOG": str(folder / "log"),
    }


def data_lines(repo: Repo) -> dict[str, list[bytes]]:
    """The lines of every data file, after holding that each is whole."""
    found = {}
    for name, data in repo.tree().items():
        if name.endswith(".jsonl"):
            assert not data or data.endswith(b"\n"), name
            found[name] = data.split(b"\n")[:-1]
            for line in found[name]:
                parse_record(line)
    return found


def said_in(found: dict[str, list[bytes]]) -> set[tuple[str, str]]:
    """What is said of each key, whether it is in force or archived."""
    records = [parse_record(line) for lines in found.values() for line in lines]
    return {(record.key, str(record.fields.get("content"))) for record in records}


def copies(repo: Repo, folder: Path, step: int = 1) -> Iterator[tuple[int, Repo]]:
    """Yield 1, 2, 3, … each with a fresh copy of a repository."""
    for number in itertools.count(1, step):
        copy = Repo(folder / f"copy-{number}", repo.person)
        shutil.copytree(repo.path, copy.path)
        yield number, copy
        shutil.rmtree(copy.path)


_WITHOUT_PRIVILEGE = """
import ctypes, os, sys
prctl = ctypes.CDLL(None, use_errno=True).prctl
for capability in (1, 2, 3):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_FOWNER
    if os.geteuid() == 0 and prctl(24, capability, 0, 0, 0):  # PR_CAPBSET_DROP
        sys.exit(99)
os.execv(sys.argv[1], sys.argv[1:])
"""


def unprivileged(repo: Repo, *arguments: str, stdin: str = "") -> Result:
    """Run gitkb bound by the modes of files, as everyone but root is (capabilities(7))."""
    words = [sys.executable, "-c", _WITHOUT_PRIVILEGE, script("gitkb"), *arguments]
    return run_program(words, cwd=repo.path, stdin=stdin, exit_code=None)


def set_modes(folder: Path, *, writable: bool) -> None:
    """Let everything below a folder be written, or nothing."""
    for path in (folder, *folder.rglob("*")):
        mode = 0o777 if path.is_dir() or path.stat().st_mode & 0o100 else 0o666
        path.chmod(mode if writable else mode & ~0o222)
