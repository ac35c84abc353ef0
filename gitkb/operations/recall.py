"""Search the knowledge, or list it."""

from __future__ import annotations

import re

from gitkb.core.entry import STATUSES, TYPES
from gitkb.errors import UsageError
from gitkb.index.query import PREFIX_LENGTH, split_words
from gitkb.index.search import WordlessQueryError
from gitkb.operations.search_index import open_index

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitkb.core.entry import Entry
    from gitkb.index.search import Filters, Hit
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
            return index.search(query, filters)
    except WordlessQueryError as error:
        if notices is not None:
            notices.append(error.message)
        return []


def list_entries(store: Store, filters: Filters, notices: list[str] | None = None) -> list[Hit]:
    """List what passes the filters, the last changed first."""
    check_filters(filters)
    with open_index(store, notices=notices) as index:
        return index.list(filters)


def explain(entry: Entry, query: str) -> dict[str, list[str]]:
    """Say which words of a query an entry holds, and in which of its fields."""
    words = {word: _fold(word) for word in split_words(query)}
    found = {}
    for field, text in (
        ("title", entry.display_title),
        ("tags", " ".join([*entry.tags, *entry.stack, entry.category])),
        ("content", entry.content),
        ("files", " ".join(entry.files)),
        ("names", " ".join([entry.key, *entry.aliases, str(entry.fields.get("issue") or "")])),
    ):
        there = re.findall(r"[^\W_]+", _fold(text))
        held = [word for word, folded in words.items() if _is_held(folded, there)]
        if held:
            found[field] = held
    return found


def _is_held(word: str, there: list[str]) -> bool:
    # As the search index does it: a long word is found as a beginning too.
    return word in there or (
        len(word) >= PREFIX_LENGTH and any(other.startswith(word) for other in there)
    )


def _fold(text: str) -> str:
    import unicodedata  # only for an explanation

    plain = unicodedata.normalize("NFKD", text.lower())
    return "".join(sign for sign in plain if not unicodedata.combining(sign))


def check_filters(filters: Filters) -> None:
    """Refuse a filter that nothing could ever pass."""
    _refuse_unknown("type", filters.types, TYPES)
    _refuse_unknown("status", filters.statuses, STATUSES)
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


def _refuse_unknown(name: str, given: Sequence[str], known: Sequence[str]) -> None:
    for value in given:
        if value not in known:
            raise UsageError(f"unknown {name} '{value}'", f"one of {', '.join(known)}")
