"""A fault in the data, as a value: where it is, what it is, and what cures it."""

from __future__ import annotations

from typing import Literal, NamedTuple

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
