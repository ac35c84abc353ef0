"""What the doctor found, as advice: the sum first, then what is wrong, why it matters, and what mends it.

What one command mends stands together, the broken before the merely inconvenient.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitkb.operations.health.finding import Finding

_MARGIN = " " * 9


def health_lines(findings: Sequence[Finding], *, with_good: bool) -> Iterator[str]:
    """Give the lines of an examination."""
    bad = [finding for finding in findings if finding.severity != "ok"]
    good = [finding for finding in findings if finding.severity == "ok"]
    yield _sum(bad, len(good))
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
        yield f"{finding.severity:8} {finding.message}"
        if finding.why and finding.why not in said:
            said.add(finding.why)
            yield f"{_MARGIN}{finding.why}"
    if cure := group[0].cure:
        them = "it" if len(group) == 1 else f"these {len(group)}"
        yield f"{_MARGIN}mend {them}: {cure.replace(chr(10), f'{chr(10)}{_MARGIN}  ')}"
