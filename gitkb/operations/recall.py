"""Search the knowledge, or list it."""

from __future__ import annotations

from gitkb.core.entry import STATUSES, TYPES
from gitkb.errors import UsageError
from gitkb.index.search import WordlessQueryError
from gitkb.operations.reading.search_index import open_index

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitkb.core.problem import Problem
    from gitkb.index.full_text import Explanation
    from gitkb.index.search import Filters, Hit, Index
    from gitkb.store.layout import Store


def recall(
    store: Store, query: str, filters: Filters, notices: list[str] | None = None
) -> list[Hit]:
    """Find what matches a query, best first. A query without a word finds nothing.

    Raises:
        UsageError: when a filter names a type or status that does not exist, or a limit of nought.
    """
    check_filters(filters)
    try:
        with open_index(store, notices=notices) as index:
            note_problems(index, notices)
            return index.search(query, filters)
    except WordlessQueryError as error:
        if notices is not None:
            notices.append(error.message)
        return []


def list_entries(store: Store, filters: Filters, notices: list[str] | None = None) -> list[Hit]:
    """List what passes the filters, the last changed first."""
    check_filters(filters)
    with open_index(store, notices=notices) as index:
        note_problems(index, notices)
        return index.list(filters)


def explain(store: Store, query: str, keys: Sequence[str]) -> list[Explanation | None]:
    """Say of each key why a query finds it; None where it does not."""
    with open_index(store) as index:
        return index.explain(query, keys)


def check_filters(filters: Filters) -> None:
    """Refuse a filter that nothing could ever pass."""
    refuse_unknown("type", filters.types, TYPES)
    refuse_unknown("status", filters.statuses, STATUSES)
    for name, values in (
        ("tag", filters.tags),
        ("file", filters.files),
        ("stack", filters.stacks),
        ("category", filters.categories),
    ):
        if "" in values:
            # An unset variable of a shell; it would let everything pass, or nothing.
            raise UsageError(f"--{name} is empty", "leave it out to see all")
    if filters.limit is not None and filters.limit < 1:
        raise UsageError("--limit must be at least 1", "leave it out for the default")


def note_problems(index: Index, notices: list[str] | None, command: str = "gitkb check") -> None:
    """Tell of lines that cannot be read, and which command names their cures."""
    if notices is not None:
        notices += problem_notes(index.problems(), command)


def problem_notes(problems: Sequence[Problem], command: str = "gitkb check") -> list[str]:
    """Give the one note of lines that cannot be read; none where all can be."""
    if not problems:
        return []
    more = f", and {len(problems) - 1} more" if len(problems) > 1 else ""
    return [f"{problems[0].located}{more}; {command} names the cures"]


def refuse_unknown(name: str, given: Sequence[str], known: Sequence[str]) -> None:
    """Raise a UsageError that names the first word which is not known, and what may be meant."""
    for value in given:
        if value not in known:
            from difflib import get_close_matches  # dear, and only a mistake needs it

            close = get_close_matches(value.lower().replace("-", "_"), known, 1, 0.7)
            meant = f"is it '{close[0]}'? " if close else ""
            raise UsageError(f"unknown {name} '{value}'", f"{meant}one of {', '.join(known)}")
