"""What a reminder costs: `for-file`, `for-diff` and an agent's edit, as processes.

    make bench ARGS="--only touch"

The store has the default layout and its search index is warm; the yardsticks are a recall and a Python that
does nothing.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import TYPE_CHECKING

from perf.bench import SIZES, Row, in_turns
from perf.bench_recall import QUERY, write_entries
from repo_builder import Repo, run_program, script

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

BOUND_SIZE = 10_000
FOR_FILE_BOUND = 2.0
"""A warm `for-file` among so many entries takes at most so many recalls."""
EDIT_BOUND = 3.0
"""An edit that nothing concerns takes at most so many starts of Python, its own included."""


def rows(folder: Path, sizes: Sequence[int] = SIZES) -> Iterator[Row]:
    """Each of them, at each size."""
    for size in sizes:
        repo = Repo.init(folder / str(size))
        repo.run("init", "--no-install")
        write_entries(repo, size)
        past = time.time() - 3_600
        for path in (repo.path / ".gitkb" / "knowledge").iterdir():
            os.utime(path, (past, past))
        repo.write("src/w0001/w0007.py", "pass\n")
        repo.commit("Begin")
        yield from _rows_of(repo, size)


def _rows_of(repo: Repo, size: int) -> Iterator[Row]:
    gitkb, hook = script("gitkb"), script("gitkb-hook")
    event = json.dumps(
        {"session_id": "s", "tool_input": {"file_path": str(repo.path / "lib/z.txt")}}
    )

    def recall() -> None:
        run_program([gitkb, "recall", *QUERY, "--json"], cwd=repo.path)

    def for_file() -> None:
        run_program([gitkb, "for-file", "src/w0001/w0007.py", "--json"], cwd=repo.path)

    def for_diff() -> None:
        run_program([gitkb, "for-diff", "--staged", "--json"], cwd=repo.path)

    def edit() -> None:
        run_program([hook, "before-edit"], cwd=repo.path, stdin=event)

    for warm in (recall, for_file, edit):
        warm()
    times = 11
    mine, diff, theirs = in_turns(for_file, for_diff, recall, times=times)
    bound = FOR_FILE_BOUND if size == BOUND_SIZE else 0.0
    yield Row("for-file, warm, as a process", size, mine, "recall", theirs, bound)
    yield Row("for-diff of nothing, as a process", size, diff, "recall", theirs, 0.0)
    ours, bare = in_turns(
        edit, lambda: run_program([sys.executable, "-c", "pass"], cwd=repo.path), times=times
    )
    bound = EDIT_BOUND if size == BOUND_SIZE else 0.0
    yield Row("an edit that nothing concerns", size, ours, "python -c pass", bare, bound)
