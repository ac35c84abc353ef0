"""What became of the files of 10,000 entries in 5,000 commits, against `git log --numstat` of the same.

    make bench ARGS="--only stale"

All times are those of whole processes. The first time starts without anything kept; then one more
commit is made and everything is asked again; then the same is asked once more. A search beside it
shows what the mark costs there: the same search in a store whose entries name no files.
"""

from __future__ import annotations

import json
import os
import random
import statistics
import subprocess
import sys
import time
from hashlib import sha256
from pathlib import Path
from typing import IO, TYPE_CHECKING

from perf.bench import Row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

COMMITS = 5_000
LARGEST = 10_000
TURNS = 3
_START = 1_700_000_000
_BATCHES = 50  # commits that write entries
_LINES = 120


def rows(
    folder: Path, sizes: Sequence[int], commits: int = COMMITS, turns: int = TURNS
) -> Iterator[Row]:
    """First time, one commit later and again; and what a search pays."""
    for size in sizes:
        if size <= LARGEST:
            yield from _rows(folder / f"stale {size}", size, commits, turns)


def _rows(folder: Path, size: int, commits: int, turns: int) -> Iterator[Row]:
    plain, path = folder / "plain", folder / "files"
    write_project(path, entries=size, commits=commits)
    write_project(plain, entries=size, commits=10, has_files=False)
    taken: dict[str, list[float]] = {}

    def take(name: str, run: Callable[[], object]) -> None:
        start = time.perf_counter()
        run()
        taken.setdefault(name, []).append(time.perf_counter() - start)

    for where in (path, plain):
        _gitkb(where, "recall", "queue")
    for turn in range(turns):
        take("git", lambda: _git(path, "log", "--numstat", "-M", "--format=%H"))
        (path / ".git" / "gitkb" / "provenance.sqlite").unlink(missing_ok=True)
        take("first", lambda: _gitkb(path, "stale", "--json"))
        _commit(path, turn)
        take("next", lambda: _gitkb(path, "stale", "--json"))
        take("again", lambda: _gitkb(path, "stale", "--json"))
        _commit(path, turn + turns)
        take("new recall", lambda: _gitkb(path, "recall", "queue"))
        for _ in range(5):
            take("recall", lambda: _gitkb(path, "recall", "queue"))
            take("plain recall", lambda: _gitkb(plain, "recall", "queue"))
    median = {name: statistics.median(times) for name, times in taken.items()}
    git = f"git log --numstat -M, {commits} commits"
    is_bound = size >= LARGEST
    # Most of what `again` takes is the answer: 4 MB about nearly all entries.
    first, later, again = (6.0, 2.0, 1.5) if is_bound else (0.0, 0.0, 0.0)
    yield Row("stale, first", size, median["first"], git, median["git"], first)
    yield Row("stale, one commit later", size, median["next"], git, median["git"], later)
    yield Row("stale, again", size, median["again"], git, median["git"], again)
    search = "recall, nobody names files"
    yield Row("recall with marks", size, median["recall"], search, median["plain recall"], 1.3)
    what = "recall with marks, one commit later, no hooks"
    yield Row(what, size, median["new recall"], search, median["plain recall"], 4.0)


def write_project(path: Path, *, entries: int, commits: int, has_files: bool = True) -> None:
    """Make a repository with source files, entries about them, and side branches that are merged."""
    path.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", "-b", "main", "."], cwd=path, check=True)
    importer = subprocess.Popen(["git", "fast-import", "--quiet"], cwd=path, stdin=subprocess.PIPE)
    assert importer.stdin is not None
    _Project(importer.stdin, random.Random(1)).write(entries, commits, has_files)
    importer.stdin.close()
    if importer.wait():
        raise RuntimeError("git fast-import failed")
    subprocess.run(["git", "reset", "-q", "--hard"], cwd=path, check=True)


class _Project:
    def __init__(self, stream: IO[bytes], chance: random.Random) -> None:
        self.stream, self.random = stream, chance
        self.files = {f"src/part{n % 40}/file{n}.py": self._text() for n in range(1_500)}
        self.shards: dict[str, dict[str, bytes]] = {}
        self.number = 0

    def write(self, entries: int, commits: int, has_files: bool) -> None:
        self._begin()
        for name, lines in self.files.items():
            self._put(name, lines)
        batch = max(1, commits // _BATCHES)
        written, tip = 0, 1
        while self.number < commits:
            if self.number % batch == 1:
                upto = min(entries, entries * (self.number // batch + 1) // _BATCHES + 1)
                tip = self._begin(tip)
                self._write_entries(range(written, upto), has_files)
                written = upto
            elif self.number % 50 == 30:
                side = self._edit(tip)
                tip = self._edit(tip)
                tip = self._begin(tip, side)
            else:
                tip = self._edit(tip)
        self._begin(tip)
        self._write_entries(range(written, entries), has_files)

    def _begin(self, *parents: int) -> int:
        self.number += 1
        who = f"Ada <ada@example.org> {_START + 60 * self.number} +0000"
        out = [f"commit refs/heads/main\nmark :{self.number}\nauthor {who}\ncommitter {who}\n"]
        out.append("data 1\nx\n")
        out += [f"{'merge' if n else 'from'} :{parent}\n" for n, parent in enumerate(parents)]
        self.stream.write("".join(out).encode())
        return self.number

    def _edit(self, parent: int) -> int:
        number = self._begin(parent)
        for name in self.random.sample(sorted(self.files), self.random.randint(1, 3)):
            lines = self.files[name]
            for _ in range(self.random.randint(1, 10)):
                lines[self.random.randrange(len(lines))] = self._line()
            if self.random.random() < 0.03:
                self.stream.write(f"D {name}\n".encode())
                lines = self.files.pop(name)
                name = f"src/part{self.random.randrange(40)}/moved{number}.py"
                self.files[name] = lines
            self._put(name, lines)
        return number

    def _write_entries(self, numbers: range, has_files: bool) -> None:
        names = sorted(self.files)
        for number in numbers:
            key = f"key_{number:06}"
            files = self.random.sample(names, 2) if has_files else []
            if has_files and number % 10 == 0:
                files = [names[number % len(names)].rpartition("/")[0]]
            words = " ".join(self.random.choices(("queue", "lock", "retry", "index"), k=12))
            fields = {
                "key": key,
                "type": "fact",
                "title": f"{words} {number}",
                "content": words * 4,
            }
            more: dict[str, object] = {"files": sorted(files)} if files else {}
            line = json.dumps({**fields, **more, "ts": _START + number}, separators=(",", ":"))
            self.shards.setdefault(sha256(key.encode()).hexdigest()[:2], {})[key] = line.encode()
        for name, lines in self.shards.items():
            order = sorted(lines, key=lambda key: sha256(key.encode()).digest())
            self._put(f".gitkb/knowledge/{name}.jsonl", [lines[key].decode() for key in order])

    def _put(self, name: str, lines: list[str]) -> None:
        data = "".join(f"{line}\n" for line in lines).encode()
        self.stream.write(f"M 100644 inline {name}\ndata {len(data)}\n".encode() + data + b"\n")

    def _text(self) -> list[str]:
        return [self._line() for _ in range(_LINES)]

    def _line(self) -> str:
        return f"value = {self.random.getrandbits(48)}"


def _gitkb(path: Path, *words: str) -> bytes:
    program = os.path.join(os.path.dirname(sys.executable), "gitkb")
    return subprocess.run([program, *words], cwd=path, check=True, capture_output=True).stdout


def _git(path: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=path, check=True, stdout=subprocess.DEVNULL)


def _commit(path: Path, turn: int) -> None:
    name = min((path / "src").rglob("*.py"))
    name.write_text(f"turn = {turn}\n" + name.read_text(encoding="utf-8"), encoding="utf-8")
    identity = ["-c", "user.name=Bench", "-c", "user.email=bench@example.org"]
    subprocess.run(["git", *identity, "commit", "-qam", f"turn {turn}"], cwd=path, check=True)
