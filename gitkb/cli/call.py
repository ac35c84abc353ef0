"""One call of a verb: its values, its store, and where its answer goes.

1. Results go to stdout, all else to stderr.
2. Nothing that an entry says reaches a terminal as a control, direction or invisible character:
   text for people shows them, JSON escapes them.
3. In a pipe and in a file text stands as it is. On a terminal it is folded and coloured, and a long
   answer goes to the pager when the verb is done; what draws there is imported only then.
"""

from __future__ import annotations

import os
import sys
from functools import cached_property

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, TextIO

    from gitkb.cli.terminal.held import Held
    from gitkb.cli.terminal.progress import Bar
    from gitkb.cli.terminal.screen import Screen
    from gitkb.core.canonical import Json
    from gitkb.core.problem import Problem
    from gitkb.store.layout import Store


class AnswerError(Exception):
    """The answer could not be written: the reader went away, or the disk is full."""

    def __init__(self, cause: OSError) -> None:
        super().__init__(str(cause))
        self.cause = cause


def say(text: str) -> None:
    """Write a line or more to stderr, if there is anyone to read it."""
    try:
        sys.stderr.write(_said(text) + "\n")
    except OSError:
        pass  # a full disk behind `2>`; the answer and the exit code still count


def _said(text: str) -> str:
    try:
        screen = screen_of(sys.stderr)
        if screen is not None:
            from gitkb.cli.terminal.message import paint_message

            return paint_message(text, screen)
    except ModuleNotFoundError:  # what draws is missing, and that has to be said
        pass
    from gitkb.core.unsafe import shown

    return shown(text)


def screen_of(stream: TextIO) -> Screen | None:
    """Say what a stream is drawn on; None where it is a pipe or a file that wants no colour either."""
    if not stream.isatty() and "FORCE_COLOR" not in os.environ:
        if "CLICOLOR_FORCE" not in os.environ:
            return None
    from gitkb.cli.terminal.screen import read_screen

    screen = read_screen(stream, os.environ)
    return screen if screen.is_terminal or screen.has_colour else None


def say_error(message: str, hint: str | None) -> None:
    """Write an error on one line, whatever it tells of, and what helps; further lines of that are set in."""
    from gitkb.core.unsafe import shown_line

    lines = [f"error: {shown_line(message)}"]
    if hint:
        first, *more = hint.split("\n")
        lines.append(f"hint: {shown_line(first)}")
        lines += [f"      {shown_line(line.strip())}" for line in more]
    say("\n".join(lines))


class Call:
    """What a verb's `run` is given."""

    def __init__(self, values: dict[str, Any]) -> None:
        self.values = values
        self.bar: Bar | None = None
        """What shows on stderr how far the work has come; it goes before anything is printed."""
        self._held: Held | None = None

    def __getitem__(self, name: str) -> Any:
        return self.values[name]

    @property
    def as_json(self) -> bool:
        return bool(self.values.get("json"))

    @property
    def directory(self) -> str | None:
        value: str | None = self.values.get("dir")
        return value

    @cached_property
    def store(self) -> Store:
        """The store that the call is about.

        Raises:
            NotFoundError: when there is none.
        """
        from gitkb.errors import NotFoundError
        from gitkb.store.discover import find_store

        try:
            return find_store(self.directory)
        except NotFoundError as error:
            from gitkb.operations.clone.absence import explain_absence

            raise explain_absence(error, self.directory) from None

    @cached_property
    def readable(self) -> Store:
        """The store that a reader begins with: where there is no project, the nearest tier's.

        Raises:
            NotFoundError: when there is none.
        """
        from gitkb.errors import NotFoundError
        from gitkb.store.discover import find_store

        try:
            # A clone that lacks something is told of it by whoever reads there first.
            self.store = find_store(self.directory)
            return self.store
        except NotFoundError:
            from gitkb.operations.tiers.chain import find_readable

            try:
                return find_readable(self.directory)
            except NotFoundError as error:
                from gitkb.operations.clone.absence import explain_absence

                raise explain_absence(error, self.directory) from None

    def answer(self, value: Json) -> None:
        """Print one JSON document on one line."""
        from gitkb.core.canonical import encode_json

        try:
            text = encode_json(value).decode("utf-8")
        except UnicodeEncodeError:  # a path that is not UTF-8; os.fsencode undoes what this gives
            from json import dumps

            text = dumps(value, separators=(",", ":"))
        if not text.isascii() or "\x7f" in text:
            from gitkb.core.unsafe import escaped

            text = escaped(text)
        self._print(text)

    @cached_property
    def screen(self) -> Screen | None:
        """What the answer is drawn on; None where it is bytes for a pipe or a file."""
        return screen_of(sys.stdout)

    @property
    def is_on_terminal(self) -> bool:
        """Whether a person looks at the answer as it comes."""
        return self.screen is not None and self.screen.is_terminal

    def write(self, text: str) -> None:
        """Print a line or more of text for people."""
        self.write_lines(text.split("\n"))

    def write_lines(self, lines: Iterable[str]) -> None:
        """Print lines of text for people; a terminal shows what the parts of a `Line` are."""
        if self.screen is not None:
            from gitkb.cli.terminal.paint import paint

            self._print(paint(lines, self.screen))
            return
        from gitkb.core.unsafe import shown

        self._print(shown("\n".join(lines)))

    def write_document(self, lines: Iterable[str]) -> None:
        """Print what other programs read, such as a script: never folded, so that it can be copied.

        Not for what entries say: where the terminal breaks a line itself, the rest of it stands where our
        own lines begin.
        """
        if self.screen is not None:
            from gitkb.cli.terminal.paint import paint

            self._print(paint(lines, self.screen._replace(width=None)))
            return
        self.write_lines(lines)

    def write_drawn(self, text: str) -> None:
        """Print what was made safe and drawn for the screen already."""
        self._print(text)

    def notice(self, text: str) -> None:
        """Say one line beside the answer, after what was printed of it."""
        from gitkb.core.unsafe import shown_line

        if self.bar is not None:
            self.bar.end()
        if self._held is not None:
            self._held.notice(_said(shown_line(text)))
            return
        try:  # what goes into one file or pipe stands there in the order in which it was said
            sys.stdout.flush()
        except OSError as error:
            raise AnswerError(error) from None
        say(shown_line(text))

    def ask(self, question: str) -> str:
        """Ask whoever is at the terminal, and give the line that is typed; empty where nobody answers."""
        try:
            sys.stdout.flush()
            sys.stderr.write(f"{_said(question)} ")
            sys.stderr.flush()
        except OSError as error:
            raise AnswerError(error) from None
        answer = sys.stdin.readline()
        if not answer.endswith("\n"):
            say("")  # what comes next begins a line
        return answer

    def hold(self) -> None:
        """Keep what is printed until `release`, if it could be more than the terminal shows at once."""
        if self.values.get("no_pager") or not sys.stdout.isatty() or not sys.stdin:
            return
        if self.screen is not None and sys.stdin.isatty():
            from gitkb.cli.terminal.held import Held

            self._held = Held(self.screen)

    def release(self) -> None:
        """Print what was held, through the pager if it is long."""
        held, self._held = self._held, None
        if held is None:
            return
        try:
            held.show()
        except OSError as error:
            raise AnswerError(error) from None

    def _print(self, text: str) -> None:
        if self.bar is not None:
            self.bar.end()
        if self._held is not None:
            self._held.write(text)
            return
        try:
            sys.stdout.write(text + "\n")
        except OSError as error:
            raise AnswerError(error) from None

    def report(self, problems: Iterable[Problem], limit: int | None = 20) -> None:
        """Print problems as errors with their cures."""
        from gitkb.cli.render_text import problem_lines

        for number, problem in enumerate(problems):
            if number == limit:
                self.notice("…and more: gitkb check lists them all")
                break
            for line in problem_lines(problem):
                self.notice(line)
