"""Programs of gitkb run in the test's own process: the same code without the start of Python.

For tests that look at thousands of cases. What a process is (signals, exit, streams that are closed) is
for tests that start one.
"""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING, NamedTuple

from gitkb.cli.main import run

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path


class Answer(NamedTuple):
    """How a program ended."""

    code: int
    out: str
    err: str


def run_here(
    words: Sequence[str],
    cwd: Path,
    stdin: bytes = b"",
    program: Callable[[list[str]], int] = run,
) -> Answer:
    """Run a program, the command line unless told, with streams and a folder of its own."""
    kept = sys.stdin, sys.stdout, sys.stderr
    before = os.getcwd()
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", "backslashreplace") for _ in range(2))
    sys.stdin, sys.stdout, sys.stderr = io.TextIOWrapper(io.BytesIO(stdin), "utf-8"), out, err
    os.chdir(cwd)
    try:
        code = program(list(words))
    finally:
        sys.stdin, sys.stdout, sys.stderr = kept
        os.chdir(before)
    return Answer(code, _text(out), _text(err))


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    stream.seek(0)
    return stream.read()
