"""How long the programs that git and people start most take to start."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from gitkb.git.driver import interpreter, package_path

from perf.bench import Row, in_turns
from repo_builder import run_program, script

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

TURNS = 41
BARE = "python -c pass"


def rows(folder: Path, sizes: Sequence[int]) -> Iterator[Row]:
    """Each program against a bare Python, with next to nothing to do.

    The driver merges three files of one line. git starts it by the line that `gitkb install` writes;
    the command beside it is what that line falls back to, and costs what pip's wrapper adds.
    """
    line = b'{"key":"k","type":"fact","content":"x","ts":1}\n'
    for name in ("base", "ours", "theirs"):
        (folder / name).write_bytes(line)
    sides = ("base", "ours", "theirs")
    programs = {
        "merge driver, start, as git starts it": (
            [interpreter(), "-I", "-S", package_path("drivers", "merge.py"), *sides],
            2.0,
        ),
        "merge driver, start, as a command": ([script("gitkb-merge-driver"), *sides], 0.0),
        "hook post-commit outside a store": ([script("gitkb-hook"), "post-commit"], 0.0),
        "gitkb --version": ([script("gitkb"), "--version"], 0.0),
    }
    runs = [lambda words=words: run_program(words, cwd=folder) for words, _ in programs.values()]
    *ours, bare = in_turns(
        *runs, lambda: run_program([sys.executable, "-c", "pass"], cwd=folder), times=TURNS
    )
    for (what, (_, allowed)), seconds in zip(programs.items(), ours, strict=True):
        yield Row(what, 1, seconds, BARE, bare, allowed)
