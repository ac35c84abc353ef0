"""What a bug in gitkb leaves: a traceback in a file, and a block ready to paste."""

from __future__ import annotations

import platform
import sqlite3
import sys
import tempfile
import traceback

from gitkb import __version__


def write_report(error: Exception) -> list[str]:
    """Write the traceback to a file; give the lines that tell the user."""
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", prefix="gitkb-", suffix=".log", delete=False
    ) as file:
        file.write(f"gitkb {__version__}, {sys.argv}\n")
        traceback.print_exception(error, file=file)
    cause = traceback.extract_tb(error.__traceback__)[-1]
    return [
        f"error: a bug in gitkb: {type(error).__name__}: {error}",
        "hint: nothing that was acknowledged is lost; please report this:",
        f"    gitkb {__version__}, Python {platform.python_version()}, "
        f"SQLite {sqlite3.sqlite_version}, {platform.system()}",
        f"    {type(error).__name__} at {cause.name}, line {cause.lineno}",
        f"    traceback: {file.name}",
    ]
