"""What the doctor found, as advice: the sum first, then what is wrong, why it matters, and what mends it.

What one command mends stands together, the broken before the merely inconvenient.
"""

from __future__ import annotations

from gitkb.cli.terminal.line import Span, line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitkb.operations.health.finding import Finding

_MARGIN = " " * 9
_ROLES = {"error": "alarm", "warning": "warning"}


def health_lines(findings: Sequence[Finding], *, with_good: bool) -> Iterator[str]:
    """Give the lines of an examination."""
    bad = [finding for finding in findings if finding.severity != "ok"]
    good = [finding for finding in findings if finding.severity == "ok"]
    yield line(Span(_sum(bad, len(good)), "title"))
    for group in _groups(bad):
        yield ""
        yield from _advice(group)
    if with_good and good:
        yield ""
        for finding in good:
            yield f"ok       {finding.message}"


def _sum(bad: Sequence[Finding], good: int) -> str:
    if not bad:
        return f"all is well: {good} things looked at"
    errors = sum(finding.severity == "error" for finding in bad)
    parts = []
    if errors:
        parts.append("1 thing is broken" if errors == 1 else f"{errors} things are broken")
    if warnings := len(bad) - errors:
        what = "" if parts else (" thing" if warnings == 1 else " things")
        parts.append(f"{warnings}{what} could be better")
    commands = len({finding.cure for finding in bad if finding.cure})
    mended = "one command mends it" if commands == 1 else f"{commands} commands mend that"
    return f"{', '.join(parts)}{f'; {mended}' if commands else ''}:"


def _groups(bad: Sequence[Finding]) -> list[list[Finding]]:
    groups: dict[str, list[Finding]] = {}
    for finding in sorted(bad, key=lambda one: one.severity != "error"):
        groups.setdefault(finding.cure or finding.message, []).append(finding)
    return list(groups.values())


def _advice(group: Sequence[Finding]) -> Iterator[str]:
    said: set[str] = set()
    for finding in group:
        severity = Span(f"{finding.severity:8}", _ROLES[finding.severity])
        yield line(severity, f" {finding.message}", hang=len(_MARGIN))
        if finding.why and finding.why not in said:
            said.add(finding.why)
            yield f"{_MARGIN}{finding.why}"
    if cure := group[0].cure:
        them = "it" if len(group) == 1 else f"these {len(group)}"
        first, *more = cure.split("\n")
        yield line(f"{_MARGIN}mend {them}: ", Span(first, "hint"), hang=len(_MARGIN) + 2)
        yield from (line(f"{_MARGIN}  ", Span(one, "hint")) for one in more)
