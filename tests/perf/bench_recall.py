"""What a person or an agent waits for: recall, show and add as processes, in a repository.

    make bench ARGS="--only recall"

The store has the default layout and its search index is warm. The yardstick is a Python that does
nothing: what is above it is ours.
"""

from __future__ import annotations

import json
import random
import sys
import time
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from gitkb.core.identity import order_of, shard_of

from perf.bench import SIZES, Row, in_turns
from repo_builder import Repo, run_program, script

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

BOUND, BOUND_SIZE = 4.0, 10_000
"""A warm recall among so many entries takes at most so many starts of Python."""

QUERY = ("w0060", "w0200", "w0700")
"""Words that neither everybody nor nobody uses."""


def rows(folder: Path, sizes: Sequence[int] = SIZES) -> Iterator[Row]:
    """Each verb against a bare Python, at each size."""
    for size in sizes:
        repo = Repo.init(folder / str(size))
        repo.run("init", "--no-install")
        write_entries(repo, size)
        repo.run("recall", "w0060")
        time.sleep(2.1)  # until then a file may be written again without showing it
        repo.run("recall", "w0060")
        yield from _rows_of(repo, size)


def write_entries(repo: Repo, size: int) -> None:
    """Write entries of about 370 bytes straight into the files, as `add` would have."""
    draw = random.Random(size)
    # As in a language, the second word is half as frequent as the first (Zipf).
    words = [f"w{rank:04}" for rank in range(1, 5001)]
    weights = [1 / rank for rank in range(1, 5001)]
    files: dict[str, list[tuple[bytes, bytes]]] = {}
    for number in range(size):
        title, content = (" ".join(draw.choices(words, weights, k=k)) for k in (6, 24))
        key = f"dec_{number:08x}"
        fields = {
            "key": key,
            "type": draw.choice(["decision", "fact", "pitfall"]),
            "title": title,
            "content": content,
            "tags": sorted(set(draw.choices(words, k=3))),
            "files": [f"src/{draw.choice(words)}/{draw.choice(words)}.py"],
            "created": 1_700_000_000,
            "ts": 1_700_000_000 + number,
        }
        line = json.dumps(fields, separators=(",", ":")).encode()
        files.setdefault(shard_of(key, 256), []).append((order_of(key), line))
    for name, lines in files.items():
        data = b"".join(line + b"\n" for _, line in sorted(lines))
        repo.write(f".gitkb/knowledge/{name}", data)


def _rows_of(repo: Repo, size: int) -> Iterator[Row]:
    gitkb, numbers = script("gitkb"), count()

    def run(*words: str) -> None:
        run_program([gitkb, *words], cwd=repo.path)

    def add() -> None:
        number = next(numbers)
        run("add", "--type", "fact", "--title", f"new {number}", "--content", "w0060 is new")

    reading = {
        "recall --json": lambda: run("recall", *QUERY, "--json"),
        "recall": lambda: run("recall", *QUERY),
        "show": lambda: run("show", "dec_00000007"),
    }
    times = 11 if size > 10_000 else 21
    bare = [sys.executable, "-c", "pass"]
    *taken, theirs = in_turns(
        *reading.values(), lambda: run_program(bare, cwd=repo.path), times=times
    )
    for name, ours in zip(reading, taken, strict=True):
        bound = BOUND if size == BOUND_SIZE and name == "recall --json" else 0.0
        yield Row(f"{name}, warm, as a process", size, ours, "python -c pass", theirs, bound)
    ours, theirs = in_turns(add, lambda: run_program(bare, cwd=repo.path), times=5)
    yield Row("add, as a process", size, ours, "python -c pass", theirs, 0.0)
