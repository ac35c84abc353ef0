"""Which learnings somebody needs before an operation: the ADD learning library's filter.

1. A learning is relevant when its category is one that the operation asks for and its stack has
   something in common with the project's; one without a stack is about every project.
2. The order is whole: the more important first, of those the newer (by the time at which they were
   first written), then by key.
3. Never more than `MOST`: what is read at the start of every piece of work has to stay short.
"""

from __future__ import annotations

from gitkb.core.stack import overlaps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from typing import Any

    from gitkb.core.entry import Entry

MOST = 10

OPERATIONS: Mapping[str, tuple[str, ...]] = {
    "plan": ("architecture", "anti-pattern", "collaboration"),
    "tdd-cycle": ("technical", "anti-pattern", "performance"),
    "test-writer": ("technical", "anti-pattern"),
    "implementer": ("technical", "anti-pattern", "architecture"),
    "deploy": ("performance", "technical", "process"),
    "verify": ("technical", "process"),
    "optimize": ("performance", "technical"),
    "reviewer": ("architecture", "anti-pattern", "process"),
}

SEVERITY_NAMES = {5: "critical", 4: "high", 3: "medium", 2: "low", 1: "low"}
"""Importance as the severity that people and ADD call it."""


def operation_name(text: str) -> str:
    """Give the plain name of an operation: ``/add:plan`` is ``plan``."""
    return text.strip().lower().removeprefix("/").removeprefix("add:").replace("_", "-")


def own_operations(values: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """Read `[operations]` out of the settings; what is no list of texts is left to `check`."""
    table = values.get("operations")
    found = {}
    for name, categories in table.items() if isinstance(table, dict) else ():
        if isinstance(categories, list) and all(isinstance(item, str) for item in categories):
            found[operation_name(name)] = tuple(categories)
    return found


def categories_for(operation: str, own: Mapping[str, tuple[str, ...]]) -> tuple[str, ...] | None:
    """Say which categories an operation asks for; the project's own word comes first.

    None where nobody knows the operation.
    """
    name = operation_name(operation)
    return own[name] if name in own else OPERATIONS.get(name)


def is_relevant(entry: Entry, categories: Collection[str], stack: frozenset[str]) -> bool:
    """Say whether a learning concerns an operation in a project of this stack."""
    return entry.category in categories and overlaps(entry.stack, stack)


def rank(entries: Iterable[Entry], limit: int = MOST) -> Sequence[Entry]:
    """Put the most important first and keep so many of them. O(n log n)."""
    return sorted(entries, key=order)[: min(limit, MOST)]


def order(entry: Entry) -> tuple[int, int, str]:
    """What a learning is sorted by: the smaller comes first."""
    return (-entry.importance, -entry.created, entry.key)
