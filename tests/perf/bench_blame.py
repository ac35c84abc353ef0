"""Who wrote each of 10,000 entries, against `git blame --porcelain` of the same knowledge in one file.

    make bench ARGS="--only blame"

All times are those of whole processes. The first time starts without anything kept; then one more
commit is made and everything is asked again; then the same is asked once more.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from perf.bench import Row
from perf.long_history import write_long_history

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

COMMITS = 1_000
TURNS = 3
# One file of 100,000 entries and its 1,000 versions keep git blame busy for minutes a turn, and
# what they would show is known: both sides grow with the size of the file.
LARGEST = 10_000


def rows(
    folder: Path, sizes: Sequence[int], commits: int = COMMITS, turns: int = TURNS
) -> Iterator[Row]:
    """First time, one commit later and again, in one file and in 256 shards."""
    for size in sizes:
        if size <= LARGEST:
            yield from _rows(folder / str(size), size, commits, turns)


def _rows(folder: Path, size: int, commits: int, turns: int) -> Iterator[Row]:
    one, many = folder / "one", folder / "many"
    for path, shards in ((one, 1), (many, 256)):
        truth = write_long_history(path, entries=size, commits=commits, shards=shards)
        _check(path, truth)
    taken: dict[str, list[float]] = {}

    def take(name: str, run: Callable[[], object]) -> None:
        start = time.perf_counter()
        run()
        taken.setdefault(name, []).append(time.perf_counter() - start)

    for turn in range(turns):
        take("git", lambda: _git_blame(one))
        for path in (one, many):
            (path / ".git" / "gitkb" / "provenance.sqlite").unlink()
            take(f"first {path.name}", lambda path=path: _blame(path))  # type: ignore[misc]
            _commit(path, turn)
            take(f"next {path.name}", lambda path=path: _blame(path))  # type: ignore[misc]
            take(f"again {path.name}", lambda path=path: _blame(path))  # type: ignore[misc]
    median = {name: statistics.median(times) for name, times in taken.items()}
    git = f"git blame, {commits} commits"
    # Below this size git blame takes less than the starts of two programs and proves nothing.
    is_bound = size >= LARGEST
    first, shards, later = (1.0, 10, 40) if is_bound else (0, 0, 0)
    yield Row("blame of all, first, one file", size, median["first one"], git, median["git"], first)
    what = "blame of all, first, 256 shards"
    yield Row(what, size, median["first many"], git, median["git"], shards, True)
    for name, words in (("one", "one file"), ("many", "256 shards")):
        what = f"blame of all, one commit later, {words}"
        yield Row(what, size, median[f"next {name}"], git, median["git"], later, True)
    for name, words in (("one", "one file"), ("many", "256 shards")):
        yield Row(
            f"blame of all, again, {words}", size, median[f"again {name}"], git, median["git"], 0
        )


def _blame(path: Path) -> bytes:
    return subprocess.run(
        [os.path.join(os.path.dirname(sys.executable), "gitkb"), "blame", "--json"],
        cwd=path,
        check=True,
        capture_output=True,
    ).stdout


def _git_blame(path: Path) -> None:
    subprocess.run(
        ["git", "blame", "--porcelain", ".gitkb/knowledge/all.jsonl"],
        cwd=path,
        check=True,
        stdout=subprocess.DEVNULL,
    )


def _commit(path: Path, turn: int) -> None:
    name = next(p for p in sorted((path / ".gitkb" / "knowledge").iterdir()) if p.stat().st_size)
    data = name.read_bytes()
    name.write_bytes(data.replace(b'"content":"', f'"content":"turn {turn} '.encode(), 1))
    identity = ["-c", "user.name=Bench", "-c", "user.email=bench@example.org"]
    subprocess.run(["git", *identity, "commit", "-qam", f"turn {turn}"], cwd=path, check=True)


def _check(path: Path, truth: dict[str, int]) -> None:
    """A wrong answer needs no timing."""
    lines = (path / ".git" / "marks").read_text(encoding="ascii").splitlines()
    ids = dict(line.removeprefix(":").split() for line in lines)
    found = {item["key"]: item["commit"] for item in json.loads(_blame(path))}
    expected = {key: ids[str(truth[key])] for key in found}
    if found != expected or len(found) < len(truth) * 0.9:
        raise RuntimeError(f"blame names the wrong commits in '{path}'")
