"""A fault in the data, as a value: where it is, what it is, and what cures it."""

# No deferred annotations here: a NamedTuple with them costs a millisecond at import, ten times as
# much, and this module is on the way of every recall.
from typing import Literal, NamedTuple

from gitkb.core.jsonl import BadLineError, is_marker

Severity = Literal["error", "warning"]


class Problem(NamedTuple):
    """One fault. `file` is relative to the store; `line` counts from 1, 0 is the file as a whole."""

    code: str
    message: str
    hint: str = ""
    file: str = ""
    line: int = 0
    severity: Severity = "error"

    @property
    def is_error(self) -> bool:
        """Whether it has to be mended before the data is right; a warning may be meant so."""
        return self.severity == "error"

    @property
    def place(self) -> str:
        """``knowledge/3f.jsonl:17``, or the file alone, or nothing."""
        return f"{self.file}:{self.line}" if self.line else self.file

    @property
    def located(self) -> str:
        """The message with the place in it: ``cannot read entry at 'knowledge/3f.jsonl:17': …``."""
        if not self.file:
            return self.message
        failure, colon, reason = self.message.partition(": ")
        if failure == "cannot read":
            return f"cannot read '{self.place}'{colon}{reason}"
        return f"{failure} at '{self.place}'{colon}{reason}"


def problem_of(line: bytes, error: BadLineError, name: str, number: int) -> Problem:
    """Describe a line that could not be read."""
    code = "marker" if is_marker(line) else "bad-line"
    where = f" (column {error.column})" if error.column else ""
    return Problem(code, f"cannot read entry: {error.reason}{where}", error.hint, name, number)
