"""What an agent waits for when it begins, and what stands in the way of each answer: as processes.

    make bench ARGS="--only context"

The store is of all kinds: a rule in twenty entries, a key decision in fourteen. The yardstick is a Python that
does nothing, in turns; times are those of the processor, git's included, so that a busy machine gives
the same ratios.
"""

from __future__ import annotations

import random
import resource
import statistics
import subprocess
import sys
import time
from itertools import accumulate, count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gitkb.core.canonical import encode_json
from gitkb.core.identity import order_of, shard_of

from perf.bench import SIZES, Row
from repo_builder import Repo, script

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

BOUND_SIZE = 10_000
BOUNDS = {"context": 10.0, "context, with a file": 12.0, "add": 7.5, "why, a question": 10.0}
"""In starts of Python, among so many entries."""
LARGEST = 10_000

_WORDS = [f"w{rank:04}" for rank in range(1, 5001)]
_COMMON = list(accumulate(1 / rank for rank in range(1, 5001)))
_TYPES = {"decision": 38, "fact": 37, "pitfall": 15, "principle": 4, "session": 4, "learned": 2}


def rows(folder: Path, sizes: Sequence[int] = SIZES) -> Iterator[Row]:
    """Each verb against a bare Python, at each size up to the largest that is told of."""
    for size in sizes:
        if size <= LARGEST:
            repo = Repo.init(folder / str(size))
            repo.run("init", "--no-install")
            write_mixture(repo, size)
            repo.add(".")
            repo.commit("knowledge")
            repo.run("context", "w0060")
            time.sleep(2.1)  # until then a file may be written again without showing it
            repo.run("context", "w0060")
            repo.git("status")  # so that git as well knows the files for what they are
            yield from _rows_of(repo, size)


def write_mixture(repo: Repo, size: int) -> None:
    """Write entries of every kind straight into the files, as `add` would have."""
    draw = random.Random(size)
    files: dict[str, list[tuple[bytes, bytes]]] = {}
    for number in range(size):
        fields = _entry(draw, number, size)
        key = fields["key"]
        item = order_of(key), encode_json(fields)
        files.setdefault(shard_of(key, 256), []).append(item)
    for name, lines in files.items():
        data = b"".join(line + b"\n" for _, line in sorted(lines))
        repo.write(f".gitkb/knowledge/{name}", data)


def _entry(draw: random.Random, number: int, size: int) -> dict[str, Any]:
    def words(many: int) -> list[str]:
        return draw.choices(_WORDS, cum_weights=_COMMON, k=many)

    [type_] = draw.choices(list(_TYPES), list(_TYPES.values()))
    content = " ".join(words(24))
    if type_ in ("pitfall", "learned") and draw.random() < 0.1:
        content = f"MUST-CHECK: {content}"
    fields: dict[str, Any] = {
        "key": f"dec_{number:08x}",
        "type": type_,
        "title": " ".join(words(6)),
        "content": content,
        "tags": sorted(set(words(3))),
        "created": 1_700_000_000,
        "ts": 1_700_000_000 + draw.randrange(10_000_000),
    }
    if draw.random() < 0.5:
        fields["importance"] = draw.choices([1, 2, 4, 5], [10, 20, 15, 5])[0]
    if paths := {f"src/{draw.choice(_WORDS[:200])}/{words(1)[0]}.py" for _ in range(number % 3)}:
        fields["files"] = sorted(paths)
    if draw.random() < 0.1:
        fields["links"] = [{"rel": "relates_to", "to": f"dec_{draw.randrange(size):08x}"}]
    return fields


def _rows_of(repo: Repo, size: int) -> Iterator[Row]:
    gitkb, numbers = script("gitkb"), count()
    task = "w0060", "w0200", "w0700"

    def add() -> list[str]:
        title = f"new {next(numbers)}"
        return ["add", "--type", "fact", "--title", title, "--content", "w0060 is new"]

    calls: dict[str, Callable[[], list[str]]] = {
        "context": lambda: ["context", *task],
        "context, with a file": lambda: ["context", *task, "--file", "src/w0007/w0003.py"],
        "recall --json": lambda: ["recall", *task, "--json"],
        "show": lambda: ["show", "dec_00000007"],
        "related": lambda: ["related", "dec_00000007"],
        "why, a key": lambda: ["why", "dec_00000007"],
        "why, a question": lambda: ["why", *task],
        "list --json": lambda: ["list", "--json"],
        "list --json --limit 20": lambda: ["list", "--json", "--limit", "20"],
        "add": add,
    }
    runs = [lambda call=call: [gitkb, *call()] for call in calls.values()]
    *taken, bare = _in_turns(repo.path, *runs, lambda: [sys.executable, "-c", "pass"])
    for name, ours in zip(calls, taken, strict=True):
        bound = BOUNDS.get(name, 0.0) if size == BOUND_SIZE else 0.0
        yield Row(f"{name}: processor", size, ours, "python -c pass", bare, bound)


def _in_turns(cwd: Path, *runs: Callable[[], list[str]], times: int = 11) -> list[float]:
    """Run programs in turns and give the median of the processor's seconds that each took."""
    taken: list[list[float]] = [[] for _ in runs]
    for turn in range(times + 1):
        for index, run in enumerate(runs):
            before = _spent_by_children()
            subprocess.run(
                run(), cwd=cwd, check=True, stdin=subprocess.DEVNULL, capture_output=True
            )
            if turn:
                taken[index].append(_spent_by_children() - before)
    return [statistics.median(each) for each in taken]


def _spent_by_children() -> float:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime
