"""What a hook says: a line for the person, the whole of it in a log in the derived folder."""

from __future__ import annotations

import os
import sys

LOG_LIMIT = 256 * 1024
"""Bytes of log that are kept; beyond it the log starts anew."""


def cause_of(error: BaseException) -> str:
    """What went wrong: an error of ours in its words and with its hint, another with its kind."""
    from gitkb.errors import GitkbError

    if isinstance(error, GitkbError):
        return f"{error.message}; {error.hint}" if error.hint else error.message
    return f"{type(error).__name__}: {error}"


def report(folder: str | None, name: str, error: BaseException) -> None:
    """One line for the person, the whole of it for the log."""
    import traceback

    path = log(folder, name, "".join(traceback.format_exception(error)))
    where = f"; see '{path}'" if path else ""
    if name.startswith("post-"):
        say(f"gitkb: {name} could not make the search index ready; the next search will{where}")
    else:
        say(f"gitkb: {name} failed: {cause_of(error)}{where}")


def drop_answer() -> None:
    """Let Python not try again at its end what could not be written: it would end with 120."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError, AttributeError):  # there is no stdout
        pass


def log(folder: str | None, name: str, text: str) -> str | None:
    """Add to the log in the derived folder; its path, None when it cannot be written."""
    import time

    if folder is None:
        return None
    path = os.path.join(folder, "hook.log")
    try:
        os.makedirs(folder, exist_ok=True)
        fresh = not os.path.exists(path) or os.path.getsize(path) > LOG_LIMIT
        with open(path, "w" if fresh else "a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(
                f"{time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())} {name}: {text.rstrip()}\n"
            )
    except OSError:
        return None
    return path


def say(*lines: str) -> None:
    """Write lines to the person; where there is nobody to read them, nothing happens."""
    # What they tell of was written by others: each stays one line, and nothing in it is a command.
    from gitkb.core.unsafe import shown_line

    try:
        sys.stderr.write("".join(f"{shown_line(line)}\n" for line in lines))
    except (OSError, ValueError, AttributeError):  # no terminal to speak to
        pass
