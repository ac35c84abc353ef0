"""Relate two entries by a typed edge, and take an edge away.

1. A `supersedes` edge and the status of its target go together, whichever way they are changed.
2. To link what is linked, or unlink what is not, writes nothing and is no error.
"""

from __future__ import annotations

from typing import NamedTuple

from gitkb.core.entry import RELATIONS
from gitkb.core.link import DERIVED_RELATION, edges_of
from gitkb.errors import NotFoundError, StateError
from gitkb.operations.supersede import (
    SUPERSEDES,
    has_link,
    put_changed,
    put_supersession,
    reactivate,
)
from gitkb.operations.writing.naming import key_of, live_entry
from gitkb.store.writer import changing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.core.entry import Entry
    from gitkb.store.layout import Store
    from gitkb.store.writer import Change


class Linked(NamedTuple):
    """An edge that is there now; not `written` where it was there before."""

    source: str
    relation: str
    target: str
    written: bool


class Unlinked(NamedTuple):
    """An edge that is gone now; not `written` where it was not there."""

    source: str
    relation: str
    target: str
    written: bool
    reactivated: bool = False
    """The target was superseded by this alone, and is no longer."""
    derived: bool = False
    """The content of the source names the target, which relates them as long as it does."""


def link(store: Store, source: str, relation: str, target: str) -> Linked:
    """Add an edge between two live entries, named by key or alias.

    Raises:
        UsageError: for a relation that does not exist.
        NotFoundError: when an entry is not there, or was forgotten.
        StateError: when one is archived or both are the same, or as `supersede` says.
    """
    _check_relation(relation)
    with changing(store) as change:
        one, other = live_entry(change, source), live_entry(change, target)
        if relation == SUPERSEDES:
            done = put_supersession(change, other, one)
            return Linked(one.key, relation, other.key, done.written)
        if one.key == other.key:
            raise StateError(f"'{one.key}' cannot be linked to itself", f"gitkb show {one.key}")
        is_new = not has_link(one, relation, other.key)
        if is_new:
            put_changed(change, one, links=[*one.links, {"rel": relation, "to": other.key}])
        return Linked(one.key, relation, other.key, is_new)


def unlink(store: Store, source: str, relation: str, target: str) -> Unlinked:
    """Take an edge away; whether anything stands at its target does not matter.

    Raises:
        UsageError: for a relation that does not exist.
        NotFoundError: when the source is not there, or was forgotten.
        StateError: when the source is archived.
    """
    _check_relation(relation)
    with changing(store) as change:
        entry = live_entry(change, source)
        key = target if has_link(entry, relation, target) else _key_of(change, target)
        derived = relation == DERIVED_RELATION and _is_derived(entry, key)
        if not has_link(entry, relation, key):
            return Unlinked(entry.key, relation, key, False, False, derived)
        left = [link for link in entry.links if (link["rel"], link["to"]) != (relation, key)]
        put_changed(change, entry, links=left)
        reactivated = relation == SUPERSEDES and reactivate(change, key)
        return Unlinked(entry.key, relation, key, True, reactivated, derived)


def _key_of(change: Change, name: str) -> str:
    try:
        return key_of(change, name)
    except NotFoundError:
        return name


def _is_derived(entry: Entry, key: str) -> bool:
    # Stored edges are not derived, so they are left out to see what the content says by itself.
    fields = {**entry.fields, "links": []}
    return any(edge.target == key for edge in edges_of(fields))


def _check_relation(relation: str) -> None:
    from gitkb.operations.recall import refuse_unknown

    refuse_unknown("relation", (relation,), RELATIONS)
