"""Who wrote each record: one walk over the graph of commits, key by key.

The facts of a commit are which keys it changed against each of its parents. They depend on that
commit alone, not on the branch from which it is reached, so they are found once and kept.

1. A commit wrote a version of a key exactly if the record (or its absence) differs from the record
   in every parent. A merge therefore wrote only what none of its sides had.
2. The version at HEAD is traced from HEAD through parents that hold the same, the first such parent
   where several do (as git blame goes), until the commit that wrote it.
3. A key was first written by the earliest commit, by `rank`, that wrote any version of it.
4. Carrying on from what was traced at an earlier HEAD gives what tracing everything gives.
"""

from __future__ import annotations

from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import TypeAlias

    Changes: TypeAlias = dict[str, tuple[int, int]]
    """The keys that differ, each with a mask (bit i set: differs from parent i; a commit without
    parents has bit 0 set for all it holds) and how many lines more than the first parent has."""

    Origins: TypeAlias = dict[str, tuple[str, str, int]]
    """By key, the ids of the commits that wrote the present and the first version, and the number
    of lines that hold the key: 0 where it is gone, more than 1 where a text merge doubled it. The
    first id is empty for a key that some branch wrote and a merge did not take over."""


class Commit(NamedTuple):
    """A commit as far as provenance needs it. Name and mail are the author's, as committed."""

    id: str
    parents: tuple[str, ...]
    rank: int
    """The committer's time in Unix seconds, or the largest rank among the parents plus one where a
    clock went backwards: it rises along every line of descent, whatever the clocks say."""
    time: int
    """The author's time in Unix seconds."""
    name: str
    mail: str
    subject: str


def with_rank(commit: Commit, ranks: Mapping[str, int]) -> Commit:
    """Lift a commit's rank above those of its parents. KeyError where one of them is not known."""
    above = max([ranks[parent] for parent in commit.parents], default=-1)
    return commit if commit.rank > above else commit._replace(rank=above + 1)


def is_author_of(commit: Commit, mask: int) -> bool:
    """Say whether a commit wrote a version, from the mask of a key's change (invariant 1)."""
    return mask == (1 << max(len(commit.parents), 1)) - 1


def ancestry(head: str, commits: Mapping[str, Commit]) -> list[Commit]:
    """All commits reachable from HEAD, each after its parents. O(n log n)."""
    found = {head}
    waiting = [head]
    while waiting:
        for parent in commits[waiting.pop()].parents:
            if parent not in found:
                found.add(parent)
                waiting.append(parent)
    return sorted((commits[id_] for id_ in found), key=_by_rank)


def trace(head: str, commits: Mapping[str, Commit], changes: Mapping[str, Changes]) -> Origins:
    """Trace every key that HEAD's history has ever held. O(commits log commits + changes)."""
    order = ancestry(head, commits)
    first = _first_authors(order, changes)
    lines = _count_lines(_first_parents(head, commits), changes)
    last, _ = _follow(set(first), head, order, changes)
    return {key: (last.get(key, ""), start, lines.get(key, 0)) for key, start in first.items()}


def extend(
    base: str,
    known: Origins,
    ranks: Mapping[str, int],
    head: str,
    fresh: Sequence[Commit],
    changes: Mapping[str, Changes],
) -> Origins | None:
    """Carry on from what was traced at `base`, a first-parent ancestor of HEAD.

    `fresh` holds all of HEAD's ancestors that are not ancestors of `base` or `base` itself;
    `ranks` has the rank of every commit in `known`. O(known + fresh and what they changed).
    None where the answer lies with an older commit, so that everything has to be traced.
    """
    commits = {commit.id: commit for commit in fresh}
    chain = _first_parents(head, commits)
    if not chain or (commits[chain[-1]].parents or ("",))[0] != base:
        return None
    order = sorted(fresh, key=_by_rank)
    first = _first_authors(order, changes)
    lines = _count_lines(chain, changes)
    last, beyond = _follow(set(lines), head, order, changes)
    if any(keys for id_, keys in beyond.items() if id_ != base):
        return None

    def rank(id_: str) -> tuple[int, str]:
        return (commits[id_].rank if id_ in commits else ranks[id_], id_)

    origins = dict(known)
    for key in first.keys() | lines.keys():
        present, start, count = known.get(key, ("", "", 0))
        starts = [id_ for id_ in (start, first.get(key, "")) if id_]
        if not starts:
            return None
        start = min(starts, key=rank)
        origins[key] = (last.get(key, present), start, count + lines.get(key, 0))
    return origins


def _first_authors(order: Sequence[Commit], changes: Mapping[str, Changes]) -> dict[str, str]:
    first: dict[str, str] = {}
    for commit in order:
        for key, (mask, _) in changes.get(commit.id, {}).items():
            if key not in first and is_author_of(commit, mask):
                first[key] = commit.id
    return first


def _count_lines(chain: Sequence[str], changes: Mapping[str, Changes]) -> dict[str, int]:
    """The keys that differ from a first parent somewhere in a chain, and what that adds in lines."""
    lines: dict[str, int] = {}
    for id_ in chain:
        for key, (mask, more) in changes.get(id_, {}).items():
            if mask & 1:
                lines[key] = lines.get(key, 0) + more
    return lines


def _follow(
    keys: set[str], head: str, order: Sequence[Commit], changes: Mapping[str, Changes]
) -> tuple[dict[str, str], dict[str, set[str]]]:
    """Hand keys down from HEAD, the latest commit first, each to the commit that wrote it.

    Answers those commits by key, and the keys that went beyond `order`, by commit. All keys travel
    in one set down the first parents, and only those that a merge took from another side leave it,
    so the cost is that of the changes, not of keys times commits.
    """
    last: dict[str, str] = {}
    pending = {head: keys}
    for commit in reversed(order):
        here = pending.pop(commit.id, None)
        if not here:
            continue
        for key, (mask, _) in changes.get(commit.id, {}).items():
            if key not in here:
                continue
            if is_author_of(commit, mask):
                last[key] = commit.id
                here.discard(key)
            elif mask & 1:
                side = next(i for i in range(1, len(commit.parents)) if not mask >> i & 1)
                here.discard(key)
                pending.setdefault(commit.parents[side], set()).add(key)
        if commit.parents and here:
            waiting = pending.get(commit.parents[0], set())
            small, large = sorted((here, waiting), key=len)
            large |= small
            pending[commit.parents[0]] = large
    return last, pending


def _first_parents(head: str, commits: Mapping[str, Commit]) -> list[str]:
    chain = []
    commit = commits.get(head)
    while commit is not None:
        chain.append(commit.id)
        commit = commits.get(commit.parents[0]) if commit.parents else None
    return chain


def _by_rank(commit: Commit) -> tuple[int, str]:
    return (commit.rank, commit.id)
