"""How long the programs that git starts take to start."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from perf.bench import Row, in_turns
from repo_builder import run_program, script

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path


def rows(folder: Path, sizes: Sequence[int]) -> Iterator[Row]:
    """The driver against a bare Python, on three files of one line: start-up and nothing else."""
    line = b'{"key":"k","type":"fact","content":"x","ts":1}\n'
    for name in ("base", "ours", "theirs"):
        (folder / name).write_bytes(line)
    driver = [script("gitkb-merge-driver"), "base", "ours", "theirs"]
    ours, theirs = in_turns(
        lambda: run_program(driver, cwd=folder),
        lambda: run_program([sys.executable, "-c", "pass"], cwd=folder),
        times=41,
    )
    yield Row("merge driver, start", 1, ours, "python -c pass", theirs, 2.0)
