"""The entry of `gitkb` and `git-kb`, and the one boundary at which errors become exit codes."""

from __future__ import annotations

import gc
import os
import sys

from gitkb.cli.arguments import parse_quickly
from gitkb.cli.call import AnswerError, Call, say, say_error
from gitkb.cli.verbs import load_verb
from gitkb.errors import EXIT_BUG, EXIT_INTERRUPTED, EXIT_STATE, GitkbError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitkb.cli.arguments import Verb

_PATIENCE = 100_000
"""Objects that are made before the collector looks at them."""


def main() -> None:
    """Run the command line of this process and exit with its code."""
    # A call ends before much garbage is there to be found; looking for it took a twentieth of it.
    gc.set_threshold(_PATIENCE)
    _open_streams()
    code = run(sys.argv[1:])
    try:
        sys.stdout.flush()
    except OSError as error:
        code = _refuse_answer(error)
    try:
        sys.stderr.flush()
    except OSError:
        pass  # nobody is left who could be told
    # Nothing is left to do, so the interpreter's own tidying up is spared.
    os._exit(code)


def _open_streams() -> None:
    # Python has None for a stream that was closed by whoever started us.
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    # The store holds every script; what cannot be written shows its number instead.
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]


def run(words: Sequence[str]) -> int:
    """Run one call and give its exit code; this is the only broad `except` of this face."""
    try:
        return _dispatch(list(words))
    except GitkbError as error:
        say_error(error.message, error.hint or error.general_hint)
        return error.exit_code
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
    except KeyboardInterrupt:
        say("\ninterrupted; what was acknowledged is written")
        return EXIT_INTERRUPTED
    except AnswerError as error:
        return _refuse_answer(error.cause)
    except Exception as error:  # noqa: BLE001  the boundary: a bug ends as exit 70 with a report
        return _judge_failure(error)


def _dispatch(words: list[str]) -> int:
    _refuse_foreign_bytes(words)
    directory: list[str] = []
    no_pager = False
    while words and (words[0] in ("--dir", "--no-pager") or words[0].startswith("--dir=")):
        if words[0] == "--no-pager":
            no_pager, words = True, words[1:]
            continue
        count = 2 if words[0] == "--dir" else 1
        if len(words) < count:
            raise UsageError("option '--dir' requires an argument", "gitkb --help")
        directory, words = words[:count], words[count:]
    verb = load_verb(words[0]) if words else None
    if verb is None:
        from gitkb.cli.click_face import run_group

        return run_group(words, "gitkb")
    rest = [*directory, *words[1:]]
    values = parse_quickly(verb, rest)
    if values is None:
        from gitkb.cli.click_face import parse_carefully

        values = parse_carefully(verb, rest)
    call = Call(values)
    if verb.pages and not no_pager:
        call.hold()
    try:
        code = _run_watched(call, verb) if sys.stderr.isatty() else verb.run(call)
    finally:
        call.release()
    if "store" in call.__dict__ and verb.name != "doctor":  # who says it anyway, and more
        from gitkb.cli.setup_notice import tell_once

        tell_once(call.store)
    return code


def _run_watched(call: Call, verb: Verb) -> int:
    """Run a verb, and show how far its work has come where that takes long."""
    from gitkb.cli.terminal.progress import Bar
    from gitkb.cli.terminal.screen import read_screen
    from gitkb.core.progress import watched_by

    bar = call.bar = Bar(sys.stderr, read_screen(sys.stderr, os.environ))
    if os.environ.get("TERM") == "dumb":  # what cannot go back to the start of a line
        return verb.run(call)
    try:
        with watched_by(bar.begin):
            return verb.run(call)
    finally:
        bar.end()


def _refuse_foreign_bytes(words: list[str]) -> None:
    # Python hands on bytes that are no text as lone surrogates, which no entry can hold.
    for number, word in enumerate(words, 1):
        is_text = word.isascii() or not any("\ud800" <= sign <= "\udfff" for sign in word)
        if not is_text and not word.startswith("--dir=") and words[number - 2] != "--dir":
            shown = os.fsencode(word).decode("utf-8", "backslashreplace")
            hint = "locale says how your terminal writes; it has to be UTF-8"
            if words[0] == "add":
                hint += ", or give the entry as JSON on stdin"
            raise UsageError(f"argument {number} is not text in UTF-8: '{shown}'", hint)


def _refuse_answer(error: OSError) -> int:
    # Python would complain again at exit when it flushes stdout.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(error, BrokenPipeError):
        return 0  # the reader has seen enough
    say(f"error: cannot write the answer: {error.strerror}")
    say("hint: what was to be changed is changed; only the answer is lost")
    return EXIT_STATE


def _judge_failure(error: Exception) -> int:
    from gitkb.core.refusal import refusal_of

    refusal = refusal_of(error)
    if refusal is not None:
        say_error(refusal.message, refusal.hint)
        return refusal.exit_code
    from gitkb.cli.bug_report import write_report

    for line in write_report(error):
        say(line)
    return EXIT_BUG
