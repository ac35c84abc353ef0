"""The entry of `gitkb` and `git-kb`, and the one boundary at which errors become exit codes."""

from __future__ import annotations

import os
import sys

from gitkb.cli.arguments import parse_quickly
from gitkb.cli.call import Call
from gitkb.cli.verbs import load_verb
from gitkb.errors import EXIT_BUG, EXIT_INTERRUPTED, GitkbError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def main() -> None:
    """Run the command line of this process and exit with its code."""
    # The store holds every script; a terminal that cannot show one shows its number instead.
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    code = run(sys.argv[1:])
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        code = _leave_pipe()
    # Nothing is left to do, so the interpreter's own tidying up is spared.
    sys.stderr.flush()
    os._exit(code)


def run(words: Sequence[str]) -> int:
    """Run one call and give its exit code; this is the only broad `except` of this face."""
    try:
        return _dispatch(list(words))
    except GitkbError as error:
        sys.stdout.flush()
        sys.stderr.write(f"error: {error.message}\n")
        if error.hint:
            sys.stderr.write(f"hint: {error.hint}\n")
        return error.exit_code
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
    except KeyboardInterrupt:
        sys.stderr.write("\ninterrupted; what was acknowledged is written\n")
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        return _leave_pipe()
    except Exception as error:  # noqa: BLE001  the boundary: a bug ends as exit 70 with a report
        return _report_bug(error)


def _dispatch(words: list[str]) -> int:
    directory: list[str] = []
    while words and (words[0] == "--dir" or words[0].startswith("--dir=")):
        count = 2 if words[0] == "--dir" else 1
        directory, words = words[:count], words[count:]
    verb = load_verb(words[0]) if words else None
    if verb is None:
        from gitkb.cli.click_face import run_group

        return run_group(words, "gitkb")
    rest = words[1:] + directory if "--" not in words else [words[0], *directory, *words[1:]][1:]
    values = parse_quickly(verb, rest)
    if values is None:
        from gitkb.cli.click_face import parse_carefully

        values = parse_carefully(verb, rest)
    call = Call(values)
    code = verb.run(call)
    if "store" in call.__dict__:
        from gitkb.cli.setup_notice import tell_once

        tell_once(call.store)
    return code


def _leave_pipe() -> int:
    # The reader went away. Python would complain again at exit when it flushes stdout.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _report_bug(error: Exception) -> int:
    from gitkb.cli.bug_report import write_report

    for line in write_report(error):
        sys.stderr.write(line + "\n")
    return EXIT_BUG
