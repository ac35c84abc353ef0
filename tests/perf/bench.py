"""`make bench`: run every measurement and print one table.

Each module `bench_NAME.py` in this folder has `rows(folder: Path, sizes: Sequence[int]) -> Iterator[Row]`.
What a row compares is measured in turns within one run: a figure without its yardstick, or with one
taken at another time, says more about the machine than about gitkb.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import pkgutil
import platform
import shutil
import sqlite3
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import gitkb

import perf
from repo_builder import run_program
from seal import sealed_environment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import ModuleType

SIZES = (1_000, 10_000, 100_000)


class Row(NamedTuple):
    """One line of the table. Times are in seconds, where no other unit is named."""

    what: str  # what is measured, as a user would say it
    size: int  # entries
    ours: float  # seconds that gitkb takes
    yardstick: str  # what it is compared with; empty for a time that stands alone
    theirs: float  # seconds that the yardstick takes, 0 without one
    allowed: float  # the largest ratio that is allowed, 0 where none is
    at_least: bool = (
        False  # whether `allowed` is how many times faster than the yardstick it must be
    )
    unit: str = ""  # of what is no time

    @property
    def ratio(self) -> float:
        """How many times the yardstick it takes; 0 without one."""
        return self.ours / self.theirs if self.theirs else 0.0

    @property
    def is_met(self) -> bool:
        """Whether the ratio is within what is allowed."""
        if not self.allowed or not self.theirs:
            return True
        return self.ratio <= (1 / self.allowed if self.at_least else self.allowed)


def in_turns(*runs: Callable[[], object], times: int = 7) -> list[float]:
    """Run callables in turns and give the median time of each, in seconds.

    In turns, so that a machine that slows down slows all of them; the median, so that one hiccup
    counts for nothing. The first turn warms caches and is not counted.
    """
    taken: list[list[float]] = [[] for _ in runs]
    for turn in range(times + 1):
        for index, run in enumerate(runs):
            start = time.perf_counter()
            run()
            if turn:
                taken[index].append(time.perf_counter() - start)
    return [statistics.median(each) for each in taken]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; the exit code is 1 if a bound is broken."""
    options = _parse(arguments)
    with tempfile.TemporaryDirectory(prefix="gitkb bench ") as name:
        folder = Path(name)
        sealed = sealed_environment(folder)
        os.environ.clear()
        os.environ.update(sealed)
        os.chdir(folder / "cwd")
        print(_machine())
        print(_HEAD)
        rows = []
        for module in _modules(options.only):
            work = folder / module.__name__
            work.mkdir()
            for row in module.rows(work, options.sizes):
                rows.append(row)
                print(_line(row), flush=True)
            shutil.rmtree(work)
        os.chdir(folder.parent)  # a folder that someone stands in cannot be removed everywhere
    if options.json:
        document = [{**row._asdict(), "ratio": row.ratio, "met": row.is_met} for row in rows]
        Path(options.json).write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    broken = [row for row in rows if not row.is_met]
    print(f"\n{len(rows)} rows, {len(broken)} over their bound")
    return 1 if broken else 0


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--only", metavar="TEXT", default="", help="modules whose name holds TEXT")
    parser.add_argument(
        "--sizes",
        type=lambda text: [int(part.replace("_", "")) for part in text.split(",")],
        default=SIZES,
        metavar="N,N",
        help="numbers of entries (1000,10000,100000)",
    )
    parser.add_argument(
        "--json", type=os.path.abspath, metavar="FILE", help="write the rows there too"
    )
    return parser.parse_args(arguments)


def _modules(only: str) -> Iterator[ModuleType]:
    for found in pkgutil.iter_modules(perf.__path__):
        if found.name.startswith("bench_") and only in found.name:
            yield importlib.import_module(f"perf.{found.name}")


def _machine() -> str:
    git = run_program(["git", "--version"], cwd=Path.cwd()).stdout.split()[2]
    return (
        f"gitkb {gitkb.__version__}, Python {platform.python_version()}, git {git}, "
        f"SQLite {sqlite3.sqlite_version}, {platform.system()} {platform.machine()}, "
        f"{os.cpu_count()} processors\n"
    )


_HEAD = (
    f"{'what':<44} {'entries':>8} {'gitkb':>10}  {'compared with':<34} {'time':>10} {'ratio':>8} "
    f"{'bound':>8}"
)


def _line(row: Row) -> str:
    ours, theirs = _amount(row, row.ours), _amount(row, row.theirs) if row.theirs else ""
    ratio = f"{row.ratio:.3g}x" if row.theirs else ""
    bound = (f"1/{row.allowed:g}" if row.at_least else f"{row.allowed:g}x") if row.allowed else ""
    verdict = "" if row.is_met else "  OVER"
    return (
        f"{row.what:<44} {row.size:>8,} {ours:>10}  {row.yardstick:<34} {theirs:>10} {ratio:>8} "
        f"{bound:>8}{verdict}"
    ).rstrip()


def _amount(row: Row, value: float) -> str:
    if row.unit:
        return f"{value:.0f} {row.unit}"
    return f"{value:.2f} s" if value >= 1 else f"{value * 1000:.1f} ms"


if __name__ == "__main__":
    # Run as `perf.bench`, but imported by the measurements under that name too: one module, not two.
    sys.exit(importlib.import_module("perf.bench").main())
