"""Bring the kept facts about history up to HEAD: what `blame` and `log` stand on.

The first walk of a history costs about as long as `git blame` of one file (a tenth of that in
shards); after that each command pays for the commits that are new, and for a HEAD that has been
answered before, nothing but a look-up.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from gitkb.core import lineage
from gitkb.core.progress import begin, is_watched
from gitkb.errors import GitError, NotFoundError
from gitkb.git import history
from gitkb.index.provenance import ProvenanceCache, world_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitkb.core.lineage import Changes, Commit, Origins
    from gitkb.store.layout import Store

_COMMITS_AT_ONCE = 2_000  # what a person who interrupts a first walk loses at most


class Author(NamedTuple):
    """The commit that wrote a version, and who wrote it, by .mailmap."""

    commit: str
    name: str
    mail: str
    time: int
    """When the author wrote it, in Unix seconds."""
    subject: str
    is_cut: bool
    """History is cut here: somebody wrote it in or before this commit, and nobody knows who."""


class Traced(NamedTuple):
    """The origins of all keys at HEAD."""

    head: history.Head
    commits: dict[str, Commit]
    """At least the commits that `origins` names."""
    origins: Origins


def has_own_environment(store: Store) -> bool:
    """Whether GIT_DIR and its kin are what makes the store's folder a worktree."""
    return store.worktree is not None and not os.path.lexists(os.path.join(store.worktree, ".git"))


def read_head(store: Store) -> history.Head:
    """Read HEAD. GitError where the store lies in no repository."""
    if store.worktree is None:
        raise GitError(
            f"cannot tell who wrote what: the store at '{store.root}' lies in no git repository",
            "git init, then git add and git commit the store",
        )
    return history.read_head(store.root, has_own_environment(store))


def key_of_alias(store: Store, name: str) -> str:
    """Give the key of the entry that answers to a name which is no key.

    Raises:
        NotFoundError: when none does.
    """
    from gitkb.operations.writing.absent import find_archived
    from gitkb.store.reader import read_store  # the whole store, for what is seldom asked

    snapshot = read_store(store)
    at = snapshot.find(name)
    if at is None and (put_aside := find_archived(snapshot, name)) is not None:
        if put_aside.record.key != name:
            return put_aside.record.key
        raise NotFoundError(
            f"'{name}' is archived, and no commit ever had it in force",
            f"gitkb show {name} shows it; gitkb restore {name} brings it back",
        )
    if at is None or at.record.key == name:
        raise NotFoundError(
            f"no entry '{name}', neither in the store nor in its history",
            "gitkb list shows the keys there are",
        )
    return at.record.key


def trace_head(store: Store) -> Traced:
    """Trace every key of a store to the commits that wrote it."""
    head = read_head(store)
    if head.id is None:
        return Traced(head, {}, {})
    with _open_cache(store, head) as cache:
        found = cache.answer(head.id)
        if found is not None:
            return Traced(head, *found)
        try:
            commits, origins = _trace(store, head.id, cache)
        except (
            KeyError
        ):  # a kept commit lacks its parents: the facts are not those of this repository
            cache.forget_all()
            commits, origins = _trace(store, head.id, cache)
        cache.keep_answer(head.id, commits, origins)
    return Traced(head, commits, origins)


def walk_head(store: Store) -> tuple[history.Head, list[Commit], dict[str, Changes]]:
    """Give HEAD's whole history, each commit after its parents, and what each changed."""
    head = read_head(store)
    if head.id is None:
        return head, [], {}
    with _open_cache(store, head) as cache:
        try:
            commits, changes = _walk_all(store, head.id, cache)
            return head, lineage.ancestry(head.id, commits), changes
        except KeyError:
            cache.forget_all()
            commits, changes = _walk_all(store, head.id, cache)
            return head, lineage.ancestry(head.id, commits), changes


def walk_beside(store: Store, other: str) -> tuple[list[Commit], dict[str, Changes]]:
    """Give the commits of another head that HEAD's history lacks, each after its parents, and what each
    changed. HEAD has been walked before."""
    head = read_head(store)
    if head.id is None:
        return [], {}
    with _open_cache(store, head) as cache:
        return _walk(store, other, [head.id], cache)


def author_of(store: Store, head: history.Head, commits: Sequence[Commit]) -> dict[str, Author]:
    """Give the authors of commits by commit id; names and mails are those of .mailmap."""
    people = list({(commit.name, commit.mail) for commit in commits})
    mapped = history.map_people(store.root, people, has_own_environment(store)) if people else []
    names = dict(zip(people, mapped, strict=True))
    return {
        c.id: Author(c.id, *names[c.name, c.mail], c.time, c.subject, c.id in head.boundary)
        for c in commits
    }


def _open_cache(store: Store, head: history.Head) -> ProvenanceCache:
    return ProvenanceCache(store.derived, world_of(store.root, head.boundary))


def _trace(store: Store, head: str, cache: ProvenanceCache) -> tuple[dict[str, Commit], Origins]:
    heads = cache.heads()
    fresh, changes = _walk(store, head, heads, cache)
    base = _base_of(head, fresh, heads)
    if base is not None:
        ids = {commit.id for commit in fresh}
        edge = {parent for commit in fresh for parent in commit.parents} - ids
        if edge != {base} and len(heads) > 1:
            # What other branches had been asked for was left out; the answer needs it as well.
            fresh, changes = _walk(store, head, [base], cache)
        kept = cache.answer(base)
        if kept is not None:
            commits, known = kept
            ranks = {id_: commit.rank for id_, commit in commits.items()}
            origins = lineage.extend(base, known, ranks, head, fresh, changes)
            if origins is not None:
                return {**commits, **{commit.id: commit for commit in fresh}}, origins
    if heads:
        commits, changes = _walk_all(store, head, cache)
    else:
        commits = {commit.id: commit for commit in fresh}
    return commits, lineage.trace(head, commits, changes)


def _base_of(head: str, fresh: Sequence[Commit], heads: Sequence[str]) -> str | None:
    """Find the answered commit that HEAD's line of first parents comes to, if it comes to one."""
    commits = {commit.id: commit for commit in fresh}
    id_: str | None = head
    while id_ in commits:
        parents = commits[id_].parents
        id_ = parents[0] if parents else None
    return id_ if id_ in heads and id_ != head else None


def _walk(
    store: Store, head: str, known: Sequence[str], cache: ProvenanceCache
) -> tuple[list[Commit], dict[str, Changes]]:
    """Give HEAD's ancestors that no known commit has, and what they changed; keep what is new."""
    own = has_own_environment(store)
    listed = history.read_commits(store.root, head, known, own)
    commits, changes = cache.walked(commit.id for commit in listed)
    new = [commit for commit in listed if commit.id not in commits]
    if new:
        inside = {commit.id for commit in listed}
        ranks = {id_: commit.rank for id_, commit in commits.items()}
        ranks |= cache.ranks({p for commit in new for p in commit.parents if p not in inside})
        ranked = []
        for commit in new:
            lifted = lineage.with_rank(commit, ranks)
            ranks[lifted.id] = lifted.rank
            ranked.append(lifted)
        advance = begin("reading git's history", "commits", len(ranked))
        size = _COMMITS_AT_ONCE // 4 if is_watched() else _COMMITS_AT_ONCE
        for start in range(0, len(ranked), size):
            part = ranked[start : start + size]
            found = history.read_changes(store.root, part, own)
            cache.keep_walked(part, found)
            changes |= found
            advance(len(part))
        commits |= {commit.id: commit for commit in ranked}
    return [commits[commit.id] for commit in listed], changes


def _walk_all(
    store: Store, head: str, cache: ProvenanceCache
) -> tuple[dict[str, Commit], dict[str, Changes]]:
    fresh, changes = _walk(store, head, cache.heads(), cache)
    commits, kept_changes = cache.walked()
    commits |= {commit.id: commit for commit in fresh}
    return commits, {**kept_changes, **changes}
