"""One call of a verb: its values, its store, and where its answer goes.

Results go to stdout, all else to stderr.
"""

from __future__ import annotations

import sys
from functools import cached_property

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from gitkb.core.canonical import Json
    from gitkb.core.problem import Problem
    from gitkb.store.layout import Store


class Call:
    """What a verb's `run` is given."""

    def __init__(self, values: dict[str, Any]) -> None:
        self.values = values

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
        from gitkb.store.discover import find_store

        return find_store(self.directory)

    def answer(self, value: Json) -> None:
        """Print one JSON document on one line."""
        from gitkb.core.canonical import encode_json

        sys.stdout.write(encode_json(value).decode("utf-8") + "\n")

    def write(self, text: str) -> None:
        """Print a line or more of text for people."""
        sys.stdout.write(text + "\n")

    def notice(self, text: str) -> None:
        """Say something beside the answer."""
        sys.stderr.write(text + "\n")

    def report(self, problems: Iterable[Problem], limit: int = 20) -> None:
        """Print problems as errors with their cures."""
        from gitkb.cli.render_text import problem_lines

        for number, problem in enumerate(problems):
            if number == limit:
                self.notice("…and more: gitkb check lists them all")
                break
            for line in problem_lines(problem):
                self.notice(line)
