"""Work out what is stale at a commit: from what commits did, what entries name, and who said what when.

The first walk costs about as long as `git log --numstat`; after that a commit is never looked at again.
"""

from __future__ import annotations

from gitkb.core.entry import Entry, parse_record
from gitkb.core.identity import CONFIRMED, KNOWLEDGE
from gitkb.core.jsonl import BadLineError, split_lines
from gitkb.core.staleness import CHANGED, Subject, find_changes
from gitkb.git import path_history
from gitkb.index.staleness import Finding, Mark, StalenessCache, version_of
from gitkb.operations.provenance import has_own_environment, trace_head, walk_head
from gitkb.store.confirmation import parse_confirmations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gitkb.core.staleness import Change
    from gitkb.store.layout import Store

_COMMITS_AT_ONCE = 2_000  # what a person who interrupts a first walk loses at most


def find_marks(
    store: Store, head: str, boundary: frozenset[str], cache: StalenessCache
) -> tuple[dict[str, Mark], int]:
    """Work out the marks of all entries at HEAD, and say how many commits were new.

    Raises:
        GitError: when git fails, or objects are missing.
    """

    top, own = store.worktree or store.root, has_own_environment(store)
    tree = path_history.read_tree(top, head, own)
    entries, clocks = _read_committed(store, tree)
    if not entries:
        return {}, 0  # nobody asks what happened to files
    _, commits, _ = walk_head(store)
    touches, confirmed = cache.touched()
    new = [commit for commit in commits if commit.id not in touches]
    for start in range(0, len(new), _COMMITS_AT_ONCE):
        part = new[start : start + _COMMITS_AT_ONCE]
        did = path_history.read_touches(top, part, store.prefix, boundary, own)
        folder = f"{store.prefix}/{CONFIRMED}"
        said = path_history.read_confirmations(top, part, folder, own)
        keys = {id_: _keys_of(lines) for id_, lines in said.items()}
        cache.keep_touched([commit.id for commit in part], did, keys)
        touches |= did
        confirmed |= keys
    traced = trace_head(store)
    place = {commit.id: number for number, commit in enumerate(commits)}
    said_of: dict[str, list[int]] = {}
    for id_, named in confirmed.items():
        for key in named if id_ in place else ():
            said_of.setdefault(key, []).append(place[id_])
    subjects = {}
    for key, entry in entries.items():
        written = place.get(traced.origins.get(key, ("", "", 0))[0])
        if written is not None:
            subjects[key] = Subject(tuple(entry.files), written, tuple(said_of.get(key, ())))
    project = {path for path in tree if not path.startswith(f"{store.prefix}/")}
    found = find_changes(
        [[place[parent] for parent in commit.parents if parent in place] for commit in commits],
        {place[id_]: did for id_, did in touches.items() if id_ in place},
        subjects,
        project,
    )
    ids = [commit.id for commit in commits]
    return _marks_of(store, found, ids, tree, entries, clocks), len(new)


def _read_committed(
    store: Store, tree: Mapping[str, str]
) -> tuple[dict[str, Entry], dict[str, int]]:
    """Read, as they are in a commit, the entries that name files, and when each key was last confirmed."""

    top, own = store.worktree or store.root, has_own_environment(store)
    knowledge, confirmed = (f"{store.prefix}/{name}/" for name in (KNOWLEDGE, CONFIRMED))
    blobs = [id_ for path, id_ in tree.items() if path.startswith(knowledge)]
    best: dict[str, tuple[int, bytes, Entry]] = {}
    for _, data in path_history.read_contents(top, blobs, own):
        for line in split_lines(data):
            if b'"files"' not in line:
                continue
            try:
                record = parse_record(line)
            except BadLineError:
                continue  # `gitkb check` tells
            if isinstance(record, Entry) and record.files:
                known = best.get(record.key)
                if known is None or known[:2] < (record.ts, line):
                    best[record.key] = (record.ts, line, record)
    clocks: dict[str, int] = {}
    blobs = [id_ for path, id_ in tree.items() if path.startswith(confirmed)]
    for _, data in path_history.read_contents(top, blobs, own):
        for key, ts in parse_confirmations(data):
            clocks[key] = max(ts, clocks.get(key, 0))
    return {key: entry for key, (_, _, entry) in best.items()}, clocks


def _keys_of(lines: Sequence[bytes]) -> list[str]:

    return sorted({key for key, _ in parse_confirmations(b"\n".join(lines))})


def _marks_of(
    store: Store,
    found: Mapping[str, list[Change]],
    ids: Sequence[str],
    tree: Mapping[str, str],
    entries: Mapping[str, Entry],
    clocks: Mapping[str, int],
) -> dict[str, Mark]:

    top, own = store.worktree or store.root, has_own_environment(store)
    same = _unchanged_after_all(top, found, ids, own)
    kept = {
        key: left
        for key, changes in found.items()
        if (left := [change for change in changes if (key, change.file) not in same])
    }
    matched = {change.file: change.matched for left in kept.values() for change in left}
    paths = {path for of_file in matched.values() for path in of_file}
    paths.update(path for left in kept.values() for change in left for path in change.moved_to)
    counts = path_history.count_lines(top, sorted({tree[path] for path in paths}), own)

    def lines_of(paths: Iterable[str]) -> int:
        return sum(counts.get(tree[path], 0) for path in paths)

    lengths = {file: lines_of(of_file) for file, of_file in matched.items()}
    return {
        key: Mark(
            version_of(entries[key]),
            clocks.get(key, 0),
            tuple(
                Finding(
                    change.file,
                    change.kind,
                    change.commits,
                    _share_of(change, lengths[change.file] + lines_of(change.moved_to)),
                    change.moved_to,
                )
                for change in changes
            ),
        )
        for key, changes in kept.items()
    }


def _share_of(change: Change, lines: int) -> float | None:
    share = change.share(lines)
    return None if share is None else round(share, 4)


def _unchanged_after_all(
    top: str, found: Mapping[str, list[Change]], ids: Sequence[str], own: bool
) -> set[tuple[str, str]]:
    """Find the files that are again what they were: what changed them was taken back."""
    from gitkb.core.glob import GLOB_SIGNS, normal_path

    pairs = []
    for key, changes in found.items():
        for change in changes:
            path = normal_path(change.file)
            if change.kind == CHANGED and path and GLOB_SIGNS.isdisjoint(path):
                pairs += [(key, change.file, ids[at], path) for at in change.since]
    if not pairs:
        return set()
    asked = sorted({(commit, path) for _, _, commit, path in pairs})
    asked += sorted({(ids[-1], path) for _, path in asked})
    stood = dict(zip(asked, path_history.read_ids(top, asked, own), strict=True))
    return {
        (key, file)
        for key, file, commit, path in pairs
        if stood[commit, path] is not None and stood[commit, path] == stood[ids[-1], path]
    }
