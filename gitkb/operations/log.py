"""The history of one key: every version, who wrote it, and what it changed, field by field, through
merges, the archive, tombstones and revivals, and wherever its line stood; and who confirmed it in between.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from gitkb.core.diff.record import FieldChange, diff_fields
from gitkb.core.entry import is_tombstone
from gitkb.core.lineage import is_author_of
from gitkb.git import history
from gitkb.git.record_diff import Section, fields_of
from gitkb.operations.history.provenance import (
    Author,
    author_of,
    has_own_environment,
    key_of_alias,
    walk_head,
)
from gitkb.store.confirmation import (
    has_confirmations,
    name_of_confirmations,
    parse_confirmations,
    read_confirmed,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gitkb.core.canonical import Fields
    from gitkb.core.lineage import Changes, Commit
    from gitkb.store.layout import Store

Kind = Literal[
    "written",  # the key was new
    "changed",
    "archived",
    "restored",  # back from where it had been archived or removed to
    "forgotten",  # a tombstone took its place
    "moved",  # to another store; a redirect took its place
    "revived",  # an entry took the place of a tombstone
    "removed",  # its line is gone without a trace in the archive: gc, or a hand
    "doubled",  # a second line of the key came, as a text merge lets happen
    "collapsed",  # of several lines of the key one is left
    "confirmed",  # said to be still true; nothing of it changed
]


class Version(NamedTuple):
    """One version of a record."""

    kind: Kind
    author: Author | None
    """None for what stands in the work tree and no commit has."""
    changes: list[FieldChange]
    """Against the version before; of a merge's parents, against the first that has the key."""
    fields: Fields | None
    """The record as this version has it; None where it (or its second line) went, or was confirmed."""
    is_merge: bool
    """A merge commit wrote it: it differs from what each side had."""


def log(store: Store, key: str) -> list[Version]:
    """Give every version of a key or alias and each time that it was confirmed, the newest first, what is not
    committed before all others.

    Versions are those that HEAD's history wrote, also on branches whose version a merge did not take.

    Raises:
        GitError: outside a repository, or where git refuses it.
        NotFoundError: for a key that neither the work tree nor history knows.
    """
    head, commits, changes = walk_head(store)
    own = has_own_environment(store)
    writers = [
        commit
        for commit in commits
        if key in changes.get(commit.id, {}) and is_author_of(commit, changes[commit.id][key][0])
    ]
    confirmers = _confirmers(store, key, commits) if writers else []
    authors = author_of(store, head, [*writers, *confirmers])
    by_id = {commit.id: commit for commit in commits}
    versions: list[Version] = []
    if writers:
        for commit, sections in zip(
            writers, history.read_sections(store.root, writers, own), strict=True
        ):
            version = _version(key, sections, authors[commit.id], bool(versions))
            if version.kind in ("archived", "removed", "restored"):
                lines = _lines_at(commit, key, by_id, changes)
                if lines > 1:
                    version = version._replace(kind="doubled")
                elif lines == 1 and version.fields is None:
                    version = version._replace(kind="collapsed", changes=[])
            versions.append(version)
    if confirmers:
        place = {commit.id: number for number, commit in enumerate(commits)}
        versions += [Version("confirmed", authors[one.id], [], None, False) for one in confirmers]
        versions.sort(key=lambda one: place[one.author.commit] if one.author else -1)
    work = _read_work(store, head, key, own)
    if work is not None:
        version = _version(key, [work], None, bool(versions))
        if version.changes:
            versions.append(version)
    if versions and _is_confirmed_here(store, key, head):
        versions.append(Version("confirmed", None, [], None, False))
    if not versions:
        return log(store, key_of_alias(store, key))
    versions.reverse()
    return versions


def _confirmers(store: Store, key: str, commits: Sequence[Commit]) -> list[Commit]:
    """Give the commits that said of a key that it is still true, the oldest first."""
    if not has_confirmations(store):
        return []
    from gitkb.git.path_history import read_confirmations

    top, own = store.worktree or store.root, has_own_environment(store)
    path = f"{store.prefix}/{name_of_confirmations(key)}"
    said = read_confirmations(top, commits, path, own)
    return [
        commit
        for commit in commits
        if any(name == key for name, _ in parse_confirmations(b"\n".join(said.get(commit.id, ()))))
    ]


def _is_confirmed_here(store: Store, key: str, head: history.Head) -> bool:
    """Say whether the work tree has a later confirmation than HEAD."""
    here = read_confirmed(store, [key]).get(key)
    if here is None:
        return False
    if head.id is None:
        return True
    from gitkb.git.path_history import read_contents, read_ids

    top, own = store.worktree or store.root, has_own_environment(store)
    path = f"{store.prefix}/{name_of_confirmations(key)}"
    ids = [id_ for id_ in read_ids(top, [(head.id, path)], own) if id_ is not None]
    there = [
        ts
        for _, data in read_contents(top, ids, own)
        for name, ts in parse_confirmations(data)
        if name == key
    ]
    return here > max(there, default=-1)


def _read_work(store: Store, head: history.Head, key: str, own: bool) -> Section | None:
    if head.id is not None:
        return history.read_work_section(store.root, own_environment=own)
    from gitkb.store.reader import read_store  # before the first commit

    snapshot = read_store(store)
    at = snapshot.current.get(key)
    archived = [version.line for version in snapshot.archived.get(key, [])]
    return Section([], [at.line] if at else [], archived)


def _version(
    key: str, sections: Sequence[Section], author: Author | None, is_known: bool
) -> Version:
    befores = [_latest(key, section.removed) for section in sections]
    before = next((fields for fields in befores if fields is not None), None)
    after = _latest(key, sections[0].added)
    archived = _latest(key, sections[0].archived)
    kind = _kind(before, after, archived, is_known)
    return Version(kind, author, diff_fields(before, after), after, len(sections) > 1)


def _kind(
    before: Fields | None, after: Fields | None, archived: Fields | None, is_known: bool
) -> Kind:
    if after is None:
        return (
            "archived"
            if archived is not None and archived.get("status") == "archived"
            else "removed"
        )
    if is_tombstone(after):
        return "moved" if "moved" in after else "forgotten"
    if before is None:
        return "restored" if is_known else "written"
    return "revived" if is_tombstone(before) else "changed"


def _latest(key: str, lines: Sequence[bytes]) -> Fields | None:
    """The latest record of a key among lines; None where there is none."""
    needle = key.encode()
    # A key may be spelled with escapes, as in "\\u0061bc", though gitkb itself never does.
    found = [
        (fields, line)
        for line in lines
        if (needle in line or b"\\u" in line)
        and (fields := fields_of(line))
        and fields["key"] == key
    ]
    return max(found, key=_age)[0] if found else None


def _age(pair: tuple[Fields, bytes]) -> tuple[int, bytes]:
    ts = pair[0].get("ts")
    return (ts if isinstance(ts, int) else 0, pair[1])


def _lines_at(
    commit: Commit | None, key: str, commits: Mapping[str, Commit], changes: Mapping[str, Changes]
) -> int:
    """How many lines hold a key at a commit: more than one only after a text merge."""
    lines = 0
    while commit is not None:
        mask, more = changes.get(commit.id, {}).get(key, (0, 0))
        lines += more if mask & 1 else 0
        commit = commits.get(commit.parents[0]) if commit.parents else None
    return lines
