"""Tell how something came about: what was decided, rejected and suffered before it and after it.

1. The story holds all that is connected by `supersedes`, `rejected_because` and `caused_by`, whatever
   its status: what is no longer in force is what explains.
2. It is told in order of time; nothing in it depends on the order of files.
3. Authors come from git alone; outside a repository the story has none.
4. The story goes on through all tiers: a key means the entry of the nearest one that holds it.
"""

from __future__ import annotations

from typing import NamedTuple

from gitkb.core.graph import REASONS, in_order_of_time, reasons_of
from gitkb.errors import GitError, NotFoundError
from gitkb.operations.reading.linked import Linked
from gitkb.operations.tiers.chain import open_chain
from gitkb.operations.tiers.lookup import seek_across, seek_entry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitkb.core.entry import Entry
    from gitkb.core.link import Edge
    from gitkb.operations.history.provenance import Author
    from gitkb.store.layout import Store

_BEST = 3
"""How many hits of a search are looked at: one is told, the others are named."""


class Step(NamedTuple):
    """One entry of a story."""

    entry: Entry
    archived: bool
    edges: tuple[Edge, ...]
    """Those of the story that leave or reach it, in the order of `REASONS`."""
    author: Author | None
    """Who wrote it first."""
    tier: str = ""
    """Where it comes from; empty where there is no tier but the project."""

    @property
    def status(self) -> str:
        return "archived" if self.archived else self.entry.status


class Story(NamedTuple):
    """What is connected with an entry, in order of time."""

    root: Entry | None
    """The entry that was asked for, or that answers the question best; None where nothing does."""
    steps: list[Step]
    matched: bool
    """Whether a search found the root, rather than its name."""
    missing: tuple[str, ...] = ()
    """Keys that the story names and at which nothing stands."""
    others: tuple[Entry, ...] = ()
    """What else answers the question, and is not part of the story; the best first."""


def why(store: Store, question: str, notices: list[str] | None = None) -> Story:
    """Tell the story of an entry that is named by key or alias, or that answers a question.

    Raises:
        NotFoundError: when it was forgotten.
    """
    matched = False
    try:
        named = _seek_named(store, question.strip())
    except NotFoundError:
        if _is_forgotten(store, question.strip()):
            raise
        named = None
    if named is not None:
        answers = [named]
    else:
        matched = True
        answers = _search(store, question, notices)
    if not answers:
        return Story(None, [], matched)
    root, *others = answers
    with open_chain(store, notices) as chain:
        linked = Linked(chain)
        keys, edges = reasons_of(root.key, linked.edges)
        found = {key: at for key in sorted(keys) if (at := linked.find(key)) is not None}
        tiers = {key: chain.name_of(key) for key in found}
        homes = {link.name: link.store for link in chain.links}
    moments = {key: at.entry.created for key, at in found.items()}
    authors: dict[str, Author] = {}
    for tier in sorted(set(tiers.values())):
        of_tier = [key for key in found if tiers[key] == tier]
        authors.update(_first_authors(homes.get(tier, store), of_tier))
    of_key: dict[str, list[Edge]] = {}
    for edge in edges:
        for key in {edge.source, edge.target}:
            of_key.setdefault(key, []).append(edge)
    steps = []
    for key in in_order_of_time(moments, edges):
        at = found[key]
        own = sorted(of_key.get(key, ()), key=lambda edge: REASONS.index(edge.relation))
        steps.append(Step(at.entry, at.archived, tuple(own), authors.get(key), tiers[key]))
    missing = tuple(sorted(keys - found.keys()))
    return Story(
        root, steps, matched, missing, tuple(other for other in others if other.key not in keys)
    )


def _seek_named(store: Store, name: str) -> Entry | None:
    if " " in name:  # a question is no name; farther tiers are not read through for it
        found = seek_entry(store, name)
        return found.entry if found is not None else None
    located = seek_across(store, name)
    return located.found.entry if located is not None else None


def _search(store: Store, question: str, notices: list[str] | None) -> list[Entry]:
    from gitkb.core.entry import Entry
    from gitkb.core.jsonl import parse_object
    from gitkb.index.search import Filters
    from gitkb.operations.tiers.across import recall_across

    found = recall_across(store, question, Filters(limit=2 * _BEST, include_all=True), notices)
    hits = [one.hit for one in found if not one.shadowed_by][:_BEST]
    return [Entry(parse_object(hit.line)) for hit in hits]


def _is_forgotten(store: Store, name: str) -> bool:
    from gitkb.store.config import read_shards
    from gitkb.store.reader import read_current

    return read_current(store, name, read_shards(store)) is not None


def _first_authors(store: Store, keys: Iterable[str]) -> dict[str, Author]:
    from gitkb.operations.history.provenance import author_of, trace_head

    if store.worktree is None:
        return {}
    try:
        head, commits, origins = trace_head(store)
        first = {key: origins[key][1] for key in keys if key in origins}
        named = [commits[id_] for id_ in sorted(set(first.values())) if id_ in commits]
        authors = author_of(store, head, named)
    except GitError:
        return {}  # git refuses the repository; the story is told all the same
    return {key: authors[id_] for key, id_ in first.items() if id_ in authors}
