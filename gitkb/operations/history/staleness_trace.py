"""Work out what is stale at a commit: from what commits did, what entries name, and who said what when.

The first walk costs about as long as `git log --numstat`; after that a commit is never looked at again.
"""

from __future__ import annotations

from gitkb.core.entry import Entry, parse_record
from gitkb.core.identity import CONFIRMED, KNOWLEDGE
from gitkb.core.jsonl import BadLineError, split_lines
from gitkb.core.progress import begin, is_watched
from gitkb.core.staleness import CHANGED, NameFinder, Subject, find_changes
from gitkb.git import path_history
from gitkb.index.staleness import Finding, Mark, StalenessCache, State, version_of
from gitkb.operations.history.provenance import has_own_environment, trace_head, walk_head
from gitkb.store.confirmation import latest_confirmations, parse_confirmations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from gitkb.core.lineage import Commit
    from gitkb.core.staleness import Change
    from gitkb.store.layout import Store

_COMMITS_AT_ONCE = 2_000  # what a person who interrupts a first walk loses at most
_FEWER_AT_ONCE = 500  # what somebody who watches waits for a step


def bring_up(store: Store, head: str, boundary: frozenset[str], cache: StalenessCache) -> int:
    """Work out what is stale at HEAD, keep it, and say how many commits were new.

    From what was told at an ancestor of HEAD only those entries are judged again that changed since, were
    confirmed since, or name a file that changed since.

    Raises:
        GitError: when git fails, or objects are missing.
    """
    top, own = store.worktree or store.root, has_own_environment(store)
    tree = path_history.read_tree(top, head, own)
    base = None
    if cache.heads_told() or _names_files(_read_entries(store, tree)):
        _, commits, changes = walk_head(store)
        history = _History(store, commits, boundary, cache)
        base = next((id_ for id_ in cache.heads_told() if id_ in history.place), None)
    else:
        cache.keep_told(head, {}, {})  # nobody asks what happened to files
        return 0
    if base is None:
        states = _read_states(store, tree, None)
        judged = set(states)
    else:
        fresh = history.since(base)
        changed = {key for commit in fresh for key in changes.get(commit.id, ())}
        states = cache.states(base)
        for key in changed:
            states.pop(key, None)
        states |= _read_states(store, tree, changed) if changed else {}
        judged = changed | history.confirmed_by(fresh) | history.concerned(states, fresh)
    marks = history.judge({key: states[key] for key in judged & states.keys()}, tree)
    cache.keep_told(head, states, marks, base, judged)
    return history.new


class _History:
    """HEAD's history, with what each commit did to files."""

    def __init__(
        self,
        store: Store,
        commits: Sequence[Commit],
        boundary: frozenset[str],
        cache: StalenessCache,
    ) -> None:
        self.store = store
        self.top, self.own = store.worktree or store.root, has_own_environment(store)
        self.commits = commits
        self.place = {commit.id: number for number, commit in enumerate(commits)}
        self.touches, self.confirmed = cache.touched()
        new = [commit for commit in commits if commit.id not in self.touches]
        self.new = len(new)
        advance = begin("looking at what changed", "commits", len(new)) if new else None
        size = _FEWER_AT_ONCE if is_watched() else _COMMITS_AT_ONCE
        for start in range(0, len(new), size):
            part = new[start : start + size]
            did = path_history.read_touches(self.top, part, store.prefix, boundary, self.own)
            folder = f"{store.prefix}/{CONFIRMED}"
            said = path_history.read_confirmations(self.top, part, folder, self.own)
            keys = {id_: _keys_of(lines) for id_, lines in said.items()}
            cache.keep_touched([commit.id for commit in part], did, keys)
            self.touches |= did
            self.confirmed |= keys
            if advance is not None:
                advance(len(part))

    def since(self, base: str) -> list[Commit]:
        """The commits that cannot be reached from one."""
        seen = {base}
        waiting = [base]
        while waiting:
            for parent in self.commits[self.place[waiting.pop()]].parents:
                if parent in self.place and parent not in seen:
                    seen.add(parent)
                    waiting.append(parent)
        return [commit for commit in self.commits if commit.id not in seen]

    def confirmed_by(self, commits: Iterable[Commit]) -> set[str]:
        """The keys that some commits confirmed."""
        return {key for commit in commits for key in self.confirmed.get(commit.id, ())}

    def concerned(self, states: Mapping[str, State], commits: Iterable[Commit]) -> set[str]:
        """The keys of the entries that name a file which some commits touched, by whatever name."""
        paths = {
            path
            for commit in commits
            for touch in self.touches.get(commit.id, ())
            for path in (touch.path, touch.source)
            if path
        }
        if not paths:
            return set()
        sources: dict[str, set[str]] = {}
        for did in self.touches.values():
            for touch in did:
                if touch.source:
                    sources.setdefault(touch.path, set()).add(touch.source)
        waiting = list(paths)
        while waiting:  # whatever it was called before
            for path in sources.get(waiting.pop(), ()):
                if path not in paths:
                    paths.add(path)
                    waiting.append(path)
        keys: dict[str, list[str]] = {}
        for key, state in states.items():
            for file in state.files:
                keys.setdefault(file, []).append(key)
        meant_by = NameFinder(keys)
        return {key for path in paths for file in meant_by(path) for key in keys[file]}

    def judge(self, states: Mapping[str, State], tree: Mapping[str, str]) -> dict[str, Mark]:
        """Work out the marks of some entries."""
        if not states:
            return {}
        said: dict[str, list[int]] = {}
        for id_, named in self.confirmed.items():
            for key in named if id_ in self.place else ():
                if key in states:
                    said.setdefault(key, []).append(self.place[id_])
        subjects = {
            key: Subject(state.files, self.place[state.written], tuple(said.get(key, ())))
            for key, state in states.items()
            if state.written in self.place
        }
        inside = f"{self.store.prefix}/"
        found = find_changes(
            [
                [self.place[parent] for parent in commit.parents if parent in self.place]
                for commit in self.commits
            ],
            {self.place[id_]: did for id_, did in self.touches.items() if id_ in self.place},
            subjects,
            [path for path in tree if not path.startswith(inside)],
        )
        ids = [commit.id for commit in self.commits]
        clocks = _read_clocks(self.store, tree) if said else {}
        return _marks_of(self.store, found, ids, tree, states, clocks)


def _names_files(contents: Iterable[bytes]) -> bool:
    return any(b'"files"' in data for data in contents)


def _read_entries(
    store: Store, tree: Mapping[str, str], folder: str = KNOWLEDGE
) -> Iterator[bytes]:
    start = f"{store.prefix}/{folder}/"
    blobs = [id_ for path, id_ in tree.items() if path.startswith(start)]
    top, own = store.worktree or store.root, has_own_environment(store)
    return (data for _, data in path_history.read_contents(top, blobs, own))


def _read_states(
    store: Store, tree: Mapping[str, str], keys: Collection[str] | None
) -> dict[str, State]:
    """Read the entries that name files as they are in a commit, all or those of some keys."""
    best: dict[str, tuple[int, bytes, Entry]] = {}
    for data in _read_entries(store, tree):
        for line in split_lines(data):
            if b'"files"' not in line or (keys is not None and _is_of_another(line, keys)):
                continue
            try:
                record = parse_record(line)
            except BadLineError:
                continue  # `gitkb check` tells
            if isinstance(record, Entry) and record.files and (keys is None or record.key in keys):
                known = best.get(record.key)
                if known is None or known[:2] < (record.ts, line):
                    best[record.key] = (record.ts, line, record)
    origins = trace_head(store).origins if best else {}
    return {
        key: State(version_of(entry), origins[key][0], tuple(entry.files))
        for key, (_, _, entry) in best.items()
        if key in origins
    }


def _is_of_another(line: bytes, keys: Collection[str]) -> bool:
    """Whether a line surely is that of a key which is not sought: as gitkb writes it, the key comes first."""
    start = b'{"key":"'
    if not line.startswith(start):
        return False
    key = line[len(start) : line.find(b'"', len(start))]
    return b"\\" not in key and key.decode("utf-8", "replace") not in keys


def _read_clocks(store: Store, tree: Mapping[str, str]) -> dict[str, int]:
    """Read when each key was last confirmed, as of a commit."""
    return latest_confirmations(_read_entries(store, tree, CONFIRMED))


def _keys_of(lines: Sequence[bytes]) -> list[str]:
    return sorted({key for key, _ in parse_confirmations(b"\n".join(lines))})


def _marks_of(
    store: Store,
    found: Mapping[str, list[Change]],
    ids: Sequence[str],
    tree: Mapping[str, str],
    states: Mapping[str, State],
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
    # A submodule has no lines, only a commit that it stands at.
    lineless = {
        file
        for file, of_file in matched.items()
        if of_file and all(tree[path] not in counts for path in of_file)
    }
    return {
        key: Mark(
            states[key].version,
            clocks.get(key, 0),
            tuple(
                Finding(
                    change.file,
                    change.kind,
                    change.commits,
                    None
                    if change.file in lineless
                    else _share_of(change, lengths[change.file] + lines_of(change.moved_to)),
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
