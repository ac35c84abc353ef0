"""Who wrote each of the values that a merge could not decide between.

1. Names come from git: of all versions of the key in HEAD's history, the one that brought the value in.
   A merge is asked last, since it only took over what others wrote.
2. What HEAD's history does not have is looked for where git may know it yet: on the other side of a merge
   that is open, where HEAD was before a rebase or pull, in the newest stash.
3. Where no commit has it, nobody is named.
"""

from __future__ import annotations

from typing import NamedTuple

from gitkb.core.canonical import encode_sorted
from gitkb.core.conflicts.contest import shown_value
from gitkb.core.conflicts.value import ABSENT
from gitkb.core.lineage import is_author_of
from gitkb.errors import GitError
from gitkb.git import history
from gitkb.git.record_diff import fields_of
from gitkb.operations.contests.place import repository_of
from gitkb.operations.history.provenance import (
    author_of,
    has_own_environment,
    walk_beside,
    walk_head,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import TypeAlias

    from gitkb.core.canonical import Fields, Json
    from gitkb.core.conflicts.contest import Choice, Contest
    from gitkb.core.lineage import Changes, Commit
    from gitkb.operations.contests.contested import Contested
    from gitkb.operations.history.provenance import Author
    from gitkb.store.layout import Store

    Place: TypeAlias = tuple[str, str, int]
    """A key, a field of it, and the number of a choice."""


_OTHER_HEADS = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REBASE_HEAD", "ORIG_HEAD", "refs/stash")


class _Version(NamedTuple):
    """A version of a key in history, the oldest first among its kind."""

    fields: Fields
    before: Fields
    author: Author
    is_merge: bool


def find_authors(store: Store, contested: Sequence[Contested]) -> dict[Place, Author]:
    """Find who wrote each value, as far as git knows."""
    found: dict[Place, Author] = {}
    if not contested or store.worktree is None:
        return found
    try:
        head, commits, changes = walk_head(store)
        _add_authors(store, contested, head, commits, changes, found)
        for other in _other_heads(store):
            if all(place in found for place in _places(contested)):
                break
            _add_authors(store, contested, head, *walk_beside(store, other), found)
    except GitError:  # the values are shown all the same
        return found
    return found


def _places(contested: Sequence[Contested]) -> Iterator[Place]:
    for one in contested:
        for contest in one.contests:
            for choice in contest.choices:
                if not (choice.is_absent and one.is_kept_change(contest)):
                    yield one.key, contest.field, choice.number


def _other_heads(store: Store) -> Iterator[str]:
    repository = repository_of(store)
    if repository is None:
        return
    for name in _OTHER_HEADS:
        answer = repository.ask("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
        if answer.code == 0:
            yield answer.stdout.decode("ascii").strip()


def _add_authors(
    store: Store,
    contested: Sequence[Contested],
    head: history.Head,
    commits: Sequence[Commit],
    changes: Mapping[str, Changes],
    found: dict[Place, Author],
) -> None:
    versions = _versions(store, {one.key for one in contested}, head, commits, changes)
    for one in contested:
        known = versions.get(one.key, [])
        for contest in one.contests:
            for choice in contest.choices:
                ts = one.record.fields.get("ts") if choice.is_shown else choice.ts
                author = _author(known, contest, choice, ts)
                if author is not None:
                    found.setdefault((one.key, contest.field, choice.number), author)


def _versions(
    store: Store,
    keys: set[str],
    head: history.Head,
    commits: Sequence[Commit],
    changes: Mapping[str, Changes],
) -> dict[str, list[_Version]]:
    writers = [
        commit
        for commit in commits
        if any(
            is_author_of(commit, changes[commit.id][key][0])
            for key in keys & changes.get(commit.id, {}).keys()
        )
    ]
    if not writers:
        return {}
    authors = author_of(store, head, writers)
    read = history.read_sections(store.root, writers, has_own_environment(store))
    versions: dict[str, list[_Version]] = {}
    for commit, sections in zip(writers, read, strict=True):
        before = _records(keys, (line for one in sections for line in one.removed))
        for key, fields in _records(keys, sections[0].added).items():
            version = _Version(fields, before.get(key, {}), authors[commit.id], len(sections) > 1)
            versions.setdefault(key, []).append(version)
    return versions


def _records(keys: set[str], lines: Iterable[bytes]) -> dict[str, Fields]:
    found: dict[str, Fields] = {}
    for line in lines:
        fields = fields_of(line)
        if fields and fields.get("key") in keys:
            found[str(fields["key"])] = fields
    return found


def _author(
    versions: Sequence[_Version], contest: Contest, choice: Choice, ts: Json
) -> Author | None:
    with_value = [
        version for version in versions if _has(version.fields, contest.field, choice.value)
    ]
    brought = [one for one in with_value if not _has(one.before, contest.field, choice.value)]
    of_that_time = [one for one in brought if ts is not ABSENT and one.fields.get("ts") == ts]
    for candidates in (of_that_time, brought):
        for is_merge in (False, True):
            own = [one for one in candidates if one.is_merge is is_merge]
            if own:
                return own[-1].author
    return None


def _has(fields: Fields, field: str, value: Json) -> bool:
    shown = shown_value(fields, field)
    if shown is ABSENT or value is ABSENT:
        return shown is value and bool(fields)
    return encode_sorted(shown) == encode_sorted(value)
