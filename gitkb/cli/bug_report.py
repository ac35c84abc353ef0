"""What a bug in gitkb leaves: a traceback in a file, and a block ready to paste."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
import traceback

from gitkb import __version__
from gitkb.core.unsafe import shown_line


def write_report(error: Exception) -> list[str]:
    """Write the traceback to a file; give the lines that tell the user.

    They hold no word of an entry but what the error itself says; the file may.
    """
    cause = traceback.extract_tb(error.__traceback__)[-1]
    name = type(error).__name__
    return [
        shown_line(f"error: a bug in gitkb: {name}: {error}"),
        "hint: nothing that was acknowledged is lost; please report this:",
        f"    gitkb {__version__}, Python {platform.python_version()}, {platform.platform()}",
        f"    {name} at {cause.name}, line {cause.lineno} of {os.path.basename(cause.filename)}",
        f"    traceback: {_write_traceback(error)}",
    ]


def _write_traceback(error: Exception) -> str:
    try:
        with tempfile.NamedTemporaryFile(
            "w",
            encoding="utf-8",
            errors="backslashreplace",
            prefix="gitkb-",
            suffix=".log",
            delete=False,
        ) as file:
            file.write(f"gitkb {__version__}, {sys.argv}\n")
            traceback.print_exception(error, file=file)
    except OSError as failure:
        return f"could not be written: {failure.strerror}"
    return file.name
