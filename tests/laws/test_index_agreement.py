"""Laws of the search index: it never says anything but what the files say."""

from __future__ import annotations

import json
import tempfile
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitkb.core.entry import Entry
from gitkb.core.glob import compile_glob
from gitkb.core.snapshot import read_snapshot
from gitkb.index import blocks
from gitkb.index.search import Filters, Hit, WordlessQueryError
from gitkb.index.sync import open_synced

from index_builder import ALL, World, keys_of
from strategies import SMALL_KEYS, bad_lines, entries, nasty_texts, records, spellings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hypothesis.strategies import DrawFn

NAMES = ("knowledge/3f.jsonl", "knowledge/all.jsonl", "archive/3f.jsonl", "archive/all.jsonl")
QUERIES = ("auth", "cache oauth", "größe db", "must check", "k0 k1", "L-001", "src a.py", "leading")


@pytest.fixture(autouse=True, scope="module")
def _small_blocks() -> Iterator[None]:
    """Files of a few lines are then of several blocks, as large ones are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "BLOCK", 2)
        yield


_lines = st.one_of([records().flatmap(spellings)] * 5 + [bad_lines()])


@st.composite
def _file_bytes(draw: DrawFn) -> bytes:
    """A file in any state: unordered, with twins, bad lines, a byte order mark, a cut last line."""
    lines = draw(st.lists(_lines, max_size=8))
    twins = draw(st.lists(st.sampled_from(lines), max_size=2)) if lines else []
    data = b"".join(line + draw(st.sampled_from([b"\n", b"\n", b"\r\n"])) for line in lines + twins)
    mark = draw(st.sampled_from([b""] * 9 + [b"\xef\xbb\xbf"]))
    return mark + (data if draw(st.integers(0, 5)) else data[:-1])


@st.composite
def _edited_bytes(draw: DrawFn, data: bytes) -> bytes:
    """A file some lines later: a few dropped, moved, added."""
    lines = data.split(b"\n")
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(lines)))
        action = draw(st.sampled_from(["add", "drop", "copy", "shuffle"]))
        if action == "add":
            lines.insert(at, draw(_lines))
        elif action == "drop":
            del lines[at : at + 1]
        elif action == "copy":
            lines[at:at] = lines[:1]
        else:
            lines = draw(st.permutations(lines))
    return b"\n".join(lines)


@st.composite
def _histories(draw: DrawFn) -> list[dict[str, bytes]]:
    """States of a store, each made from the one before by editing, adding or removing a file or two."""
    state: dict[str, bytes] = {}
    history = []
    for _ in range(draw(st.integers(1, 4))):
        for name in draw(st.lists(st.sampled_from(NAMES), max_size=2, unique=True)):
            if name in state and not draw(st.integers(0, 4)):
                del state[name]
            elif name in state and draw(st.integers(0, 3)):
                state[name] = draw(_edited_bytes(state[name]))
            else:
                state[name] = draw(_file_bytes())
        history.append(dict(state))
    return history


def _put(world: World, state: dict[str, bytes]) -> None:
    for name in NAMES:
        if name in state:
            world.write_bytes(name, state[name])
        else:
            world.path(name).unlink(missing_ok=True)


def _answers(world: World) -> list[Any]:
    with closing(open_synced(str(world.database), world.files())) as index:
        hits = [index.search(query, ALL) for query in QUERIES]
        few = [index.search(query, Filters(limit=2)) for query in QUERIES]
        return [hits, few, index.list(ALL), index.counts(), index.problems()]


@given(_histories())
def test_an_index_kept_up_to_date_equals_one_built_anew(history: list[dict[str, bytes]]) -> None:
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as other:
        kept = World(Path(folder))
        for state in history:
            _put(kept, state)
            answers = _answers(kept)
        built = World(Path(other))
        _put(built, history[-1])
        assert answers == _answers(built)
        assert kept.rows() == built.rows()


@given(
    st.lists(st.sampled_from(NAMES), unique=True).flatmap(
        lambda names: st.fixed_dictionaries({name: _file_bytes() for name in names})
    )
)
def test_the_index_shows_what_the_files_say(state: dict[str, bytes]) -> None:
    snapshot = read_snapshot(state.items())
    expected: dict[str, tuple[bytes, bool]] = {}
    for key in {*snapshot.current, *snapshot.archived}:
        at = snapshot.current.get(key) or snapshot.latest_archived(key)
        if at is not None and isinstance(at.record, Entry):
            away = key not in snapshot.current or at.record.status == "archived"
            expected[key] = (at.line, away)
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder))
        _put(world, state)
        with closing(open_synced(str(world.database), world.files())) as index:
            listed = index.list(ALL)
            counts = index.counts()
            problems = [problem.place for problem in index.problems()]
            got = {key: index.get(key) for key in (*SMALL_KEYS, *expected)}
    assert {json.loads(hit.line)["key"]: (hit.line, hit.archived) for hit in listed} == expected
    assert len(listed) == len(expected)
    assert {key: hit.line for key, hit in got.items() if hit} == {
        key: line for key, (line, _) in expected.items()
    }
    assert counts.duplicate_keys == len({at.record.key for at in snapshot.duplicates})
    assert counts.versions == sum(map(len, snapshot.archived.values()))
    bad = [problem.place for problem in snapshot.problems if problem.code != "tombstone-in-archive"]
    assert problems == sorted(bad, key=_by_place)


def _by_place(place: str) -> tuple[str, int]:
    name, _, line = place.rpartition(":")
    return name, int(line)


@given(st.lists(nasty_texts() | st.text(st.characters()), max_size=4).map(" ".join))
def test_no_query_is_an_error(query: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder))
        world.write("knowledge/all.jsonl", b'{"key":"k","type":"fact","content":"AND x","ts":1}')
        try:
            hits = world.ask(query)
        except WordlessQueryError:
            return
        assert all(isinstance(hit, Hit) for hit in hits)


_word_lists = st.lists(
    st.sampled_from(["auth", "oauth", "cache", "AUTH", "größe"]), max_size=2
).map(tuple)
_filters = st.builds(
    Filters,
    types=st.lists(st.sampled_from(["fact", "decision", "pitfall"]), max_size=2).map(tuple),
    tags=_word_lists,
    files=st.lists(
        st.sampled_from(["src", "src/a.py", "*.md", "**/b*", "größe.txt"]), max_size=2
    ).map(tuple),
    since=st.none() | st.integers(0, 6),
    limit=st.none() | st.integers(1, 3),
    statuses=st.lists(st.sampled_from(["active", "superseded", "rejected"]), max_size=2).map(tuple),
    stacks=_word_lists,
    categories=st.lists(st.sampled_from(["technical", "process"]), max_size=1).map(tuple),
    must_check=st.booleans(),
    include_all=st.booleans(),
    above=st.lists(st.sampled_from(["src/a.py", "docs/größe.txt", "b"]), max_size=2).map(tuple),
    least_importance=st.integers(0, 5),
)


@given(
    st.dictionaries(st.sampled_from(SMALL_KEYS), st.none(), min_size=1).flatmap(
        lambda chosen: st.tuples(*[entries(st.just(key)) for key in chosen])
    ),
    _filters,
)
def test_filters_pass_what_each_entry_by_itself_would(
    drawn: tuple[Entry, ...], filters: Filters
) -> None:
    passed = [entry for entry in drawn if _passes(entry, filters)]
    passed.sort(key=lambda entry: (-entry.ts, entry.key))
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder))
        world.write("knowledge/all.jsonl", *[json.dumps(entry.fields).encode() for entry in drawn])
        with closing(open_synced(str(world.database), world.files())) as index:
            assert keys_of(index.list(filters)) == [e.key for e in passed][: filters.limit]


def _passes(entry: Entry, filters: Filters) -> bool:
    tags = {tag.lower() for tag in entry.tags}
    stack = {word.lower() for word in entry.stack}
    shown = filters.include_all or filters.statuses or entry.is_active
    return bool(
        shown
        and (not filters.types or entry.type in filters.types)
        and (not filters.statuses or entry.status in filters.statuses)
        and (not filters.categories or entry.category in filters.categories)
        and {tag.lower() for tag in filters.tags} <= tags
        and (not filters.stacks or {word.lower() for word in filters.stacks} & stack)
        and (filters.since is None or entry.ts >= filters.since)
        and (not filters.must_check or entry.is_must_check)
        and (
            not filters.files
            or any(compile_glob(glob)(path) for glob in filters.files for path in entry.files)
        )
        and (
            not filters.above
            or any(compile_glob(glob)(path) for path in filters.above for glob in entry.files)
        )
        and entry.importance >= filters.least_importance
    )


_PATHS = [
    "src", "./src", "src/", "src//auth", "src/auth/x.py", "src/./auth", "src/auth/*", "**/x.py", "*.py",
    "src/[ab]uth", "s?c", ".", "./", "/src", "src/authz", "auth", "x.py", "app/[id]/page.tsx", "app",
    ".github/x", "file", "src/file y", "größe",
]  # fmt: skip


@given(
    st.lists(st.sets(st.sampled_from(_PATHS), max_size=3), min_size=1, max_size=4),
    st.sets(st.sampled_from(_PATHS), min_size=1, max_size=3),
)
def test_paths_mean_one_another_however_they_are_spelt(
    files: list[set[str]], asked: set[str]
) -> None:
    lines = [
        json.dumps({"key": f"k{n}", "type": "fact", "content": "x", "files": sorted(f), "ts": 1})
        for n, f in enumerate(files)
    ]
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder))
        world.write("knowledge/all.jsonl", *[line.encode() for line in lines])
        with closing(open_synced(str(world.database), world.files())) as index:
            below = keys_of(index.list(Filters(files=tuple(asked))))
            above = keys_of(index.list(Filters(above=tuple(asked))))
    pairs = [(f"k{n}", path, one) for n, f in enumerate(files) for path in f for one in asked]
    assert set(below) == {key for key, path, one in pairs if compile_glob(one)(path)}
    assert set(above) == {key for key, path, one in pairs if compile_glob(path)(one)}
