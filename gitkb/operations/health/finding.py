"""What an examination of a store and its clone found: one line of health, good or bad, as a value."""

from __future__ import annotations

from typing import Literal, NamedTuple

Severity = Literal["ok", "warning", "error"]


class Finding(NamedTuple):
    """One finding: what is so, why it matters, and the one command (or line) that mends it."""

    code: str
    severity: Severity
    message: str
    why: str = ""
    cure: str = ""


def has_errors(findings: list[Finding]) -> bool:
    """Something is broken, not merely less convenient: the exit code of `gitkb doctor`."""
    return any(finding.severity == "error" for finding in findings)
