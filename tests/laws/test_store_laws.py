"""Laws of the files under change: FileEdit, Change and reshard against a simple model.

The model of a file is its list of lines; the model of a store, what each key says. What the laws hold:

1. All other bytes stay: a change touches the lines it must and no other, whether or not they parse.
2. Archived first: what is replaced stands in the archive, byte for byte, before it is gone.
3. Whatever is asked in whatever order, the answers are those of the model.
4. Another number of shards is the same lines in other files, and back again the same bytes.
"""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from contextlib import contextmanager
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from gitkb.core.entry import Entry, Tombstone, encode_record, parse_record
from gitkb.core.identity import SHARD_COUNTS, shard_of
from gitkb.core.jsonl import BadLineError, is_marker
from gitkb.core.snapshot import Located
from gitkb.errors import StateError
from gitkb.store.discover import store_at
from gitkb.store.file_edit import FileEdit
from gitkb.store.reader import iter_files, read_current, read_store
from gitkb.store.reshard import reshard
from gitkb.store.writer import Change, changing

from strategies import (
    SMALL_KEYS,
    bad_lines,
    encode_world,
    entries,
    records,
    small_keys,
    spellings,
    worlds,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hypothesis.strategies import DrawFn

    from gitkb.core.entry import Record
    from gitkb.store.layout import Store


@contextmanager
def some_store(shards: int = 256) -> Iterator[Store]:
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, ".git"))
        root = os.path.join(folder, ".gitkb")
        os.mkdir(root)
        with open(os.path.join(root, "config.toml"), "w", encoding="utf-8") as file:
            file.write(f"shards = {shards}\n")
        yield store_at(root)


def files_of(store: Store) -> dict[str, bytes]:
    return dict(iter_files(store))


def parsed(line: bytes) -> Record | None:
    try:
        return parse_record(line)
    except BadLineError:
        return None


def place_of(line: bytes) -> tuple[bytes, int, bytes]:
    record = parse_record(line)
    return sha256(record.key.encode()).digest(), int(record.fields.get("ts", 0)), line


MARK = b"\xef\xbb\xbf"
# A byte order mark inside of a file is a bad line, but as the first line it is one before the file.
broken_lines = bad_lines().filter(lambda line: not is_marker(line) and not line.startswith(MARK))


@st.composite
def messy_files(draw: DrawFn) -> bytes:
    """Files as people leave them: any order, any spelling, lines that do not parse, a BOM, no end."""
    lines = [draw(spellings(record)) for record in draw(st.lists(records(), max_size=5))]
    for line in draw(st.lists(broken_lines, max_size=3)):
        lines.insert(draw(st.integers(0, len(lines))), line)
    mark = draw(st.sampled_from([b"", b"", MARK]))
    end = draw(st.sampled_from([b"\n", b"\n", b""])) if lines and lines[-1] else b"\n"
    return mark + b"\n".join(lines) + (end if lines else b"")


# --- one file --------------------------------------------------------------------------------


@given(messy_files())
def test_an_edit_that_does_nothing_keeps_every_byte(data: bytes) -> None:
    edit = FileEdit("knowledge/all.jsonl", data)
    for key in SMALL_KEYS:
        edit.find(key)
    has_end = data in (b"", MARK) or data.endswith(b"\n")
    assert edit.encode() == (data if has_end else data + b"\n")
    assert not edit.is_changed


@given(messy_files(), st.booleans())
def test_find_gives_every_line_of_a_key_with_its_place(data: bytes, often: bool) -> None:
    edit = FileEdit("knowledge/all.jsonl", data)
    for _ in range(20 if often else 0):
        edit.find("nobody")
    lines = data.removeprefix(MARK).split(b"\n")
    for key in SMALL_KEYS:
        expected = [
            (number, line)
            for number, line in enumerate(lines, 1)
            if (record := parsed(line)) is not None and record.key == key
        ]
        assert [(at.number, at.line) for at in edit.find(key)] == expected
    assert all(edit.holds(line) for line in lines[:-1])
    assert not edit.holds(b"no such line")


@given(messy_files(), records(), st.booleans())
def test_a_new_line_moves_no_other(data: bytes, record: Record, often: bool) -> None:
    edit = FileEdit("knowledge/all.jsonl", data)
    for _ in range(20 if often else 0):
        edit.find("nobody")
    line = encode_record(record)
    edit.insert(record, line)
    before = FileEdit("knowledge/all.jsonl", data).encode()
    assert edit.encode().startswith(MARK) == before.startswith(MARK)
    after = edit.encode().removeprefix(MARK).split(b"\n")
    after.remove(line)
    assert after == before.removeprefix(MARK).split(b"\n")


@given(worlds(), st.lists(records(), max_size=4))
def test_new_lines_keep_a_sorted_file_sorted(world: dict[str, Record], new: list[Record]) -> None:
    edit = FileEdit("archive/all.jsonl", encode_world(world))
    for record in new:
        edit.insert(record, encode_record(record))
    lines = edit.encode().split(b"\n")[:-1]
    assert lines == sorted(lines, key=place_of)
    expected = Counter(encode_record(record) for record in (*world.values(), *new))
    assert Counter(lines) == expected


@given(messy_files(), st.sampled_from([b"<<<<<<< ours", b"=======", b">>>>>>> x", b"||||||| b"]))
def test_a_file_in_conflict_is_not_touched(data: bytes, marker: bytes) -> None:
    edit = FileEdit("knowledge/all.jsonl", marker + b"\n" + data)
    entry = Entry({"key": "k0", "type": "fact", "content": "x"})
    with pytest.raises(StateError, match="conflict markers"):
        edit.insert(entry, encode_record(entry))
    for at in edit.find("k0"):
        with pytest.raises(StateError, match="conflict markers"):
            edit.remove(at)
        with pytest.raises(StateError, match="conflict markers"):
            edit.replace(at, at.line)


class FileModel(RuleBasedStateMachine):
    """Any run of questions and changes to one file agrees with a list of lines."""

    def __init__(self) -> None:
        super().__init__()
        self.edit = FileEdit("archive/all.jsonl", b"")
        self.model: list[bytes] = []

    @rule(record=records())
    def insert(self, record: Record) -> None:
        line = encode_record(record)
        self.edit.insert(record, line)
        self.model = sorted([*self.model, line], key=place_of)

    @precondition(lambda self: self.model)
    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        line = data.draw(st.sampled_from(self.model))
        at = next(at for at in self.edit.find(parse_record(line).key) if at.line == line)
        self.edit.remove(at)
        self.model.remove(line)

    @precondition(lambda self: self.model)
    @rule(data=st.data())
    def replace(self, data: st.DataObject) -> None:
        line = data.draw(st.sampled_from(self.model))
        key = parse_record(line).key
        new = encode_record(data.draw(records(st.just(key))))
        at = next(at for at in self.edit.find(key) if at.line == line)
        self.edit.replace(at, new)
        # A new version takes the place of the old; the model does not know which of two equals.
        self.model = self.edit.encode().split(b"\n")[:-1]
        assert new in self.model

    @rule(times=st.integers(1, 20))
    def ask(self, times: int) -> None:
        for _ in range(times):
            self.edit.find("nobody")

    @invariant()
    def lines_agree(self) -> None:
        assert Counter(self.edit.encode().split(b"\n")[:-1]) == Counter(self.model)
        for key in SMALL_KEYS:
            expected = Counter(line for line in self.model if parse_record(line).key == key)
            found = self.edit.find(key)
            assert Counter(at.line for at in found) == expected
            lines = self.edit.encode().split(b"\n")
            assert all(lines[at.number - 1] == at.line for at in found)
        assert all(self.edit.holds(line) for line in self.model)


FileModel.TestCase.settings = settings(max_examples=40, stateful_step_count=25)
test_a_file_agrees_with_a_list_of_lines = FileModel.TestCase


# --- a store ---------------------------------------------------------------------------------


class StoreModel(RuleBasedStateMachine):
    """Any run of changes to a store, with reshards in between, agrees with two dictionaries."""

    def __init__(self) -> None:
        super().__init__()
        self.context = some_store(16)
        self.store = self.context.__enter__()
        self.current: dict[str, bytes] = {}
        self.archived: set[bytes] = set()

    def teardown(self) -> None:
        self.context.__exit__(None, None, None)

    def _put(self, change: Change, record: Record, keep_old: bool) -> None:
        found = change.find(record.key)
        assert (found.line if found else None) == self.current.get(record.key)
        change.put(record, keep_old=keep_old)
        old = self.current.get(record.key)
        if keep_old and old is not None and isinstance(parse_record(old), Entry):
            self.archived.add(old)
        self.current[record.key] = encode_record(record)

    @rule(chosen=st.lists(st.tuples(records(), st.booleans()), min_size=1, max_size=3))
    def put(self, chosen: list[tuple[Record, bool]]) -> None:
        with changing(self.store) as change:
            for record, keep_old in chosen:
                self._put(change, record, keep_old)

    @rule(key=small_keys())
    def drop(self, key: str) -> None:
        with changing(self.store) as change:
            change.drop(key)
        self.current.pop(key, None)

    @rule(record=entries())
    def archive(self, record: Entry) -> None:
        with changing(self.store) as change:
            change.archive(record)
            assert encode_record(record) in {at.line for at in change.find_archived(record.key)}
        self.archived.add(encode_record(record))

    @rule(record=records())
    def fail(self, record: Record) -> None:
        before = files_of(self.store)
        with pytest.raises(ZeroDivisionError):
            self._put_and_fail(record)
        assert files_of(self.store) == before

    def _put_and_fail(self, record: Record) -> None:
        with changing(self.store) as change:
            change.put(record, keep_old=True)
            change.drop("k0")
            raise ZeroDivisionError

    @rule(shards=st.sampled_from(SHARD_COUNTS))
    def cut_elsewhere(self, shards: int) -> None:
        reshard(self.store, shards)

    @invariant()
    def agrees(self) -> None:
        snapshot = read_store(self.store)
        assert not snapshot.problems
        assert not snapshot.duplicates
        assert {key: at.line for key, at in snapshot.current.items()} == self.current
        found = [at.line for versions in snapshot.archived.values() for at in versions]
        assert Counter(found) == Counter(self.archived)
        with changing(self.store) as change:
            shards = change.shards
        for key, line in self.current.items():
            at = read_current(self.store, key, shards)
            assert at is not None
            assert at.line == line
            assert at.file == f"knowledge/{shard_of(key, shards)}"
        for data in files_of(self.store).values():
            lines = data.split(b"\n")
            assert lines.pop() == b""
            assert lines == sorted(lines, key=place_of)


StoreModel.TestCase.settings = settings(max_examples=20, stateful_step_count=15)
test_a_store_agrees_with_two_dictionaries = StoreModel.TestCase


def standing_of(line: bytes) -> tuple[int, bool, int, bytes]:
    return Located(parse_record(line), line, "", 0).standing


@given(messy_files(), records(), st.booleans())
def test_a_change_of_one_key_leaves_all_other_lines_as_they_are(
    data: bytes, record: Record, keep_old: bool
) -> None:
    with some_store(1) as store:
        os.mkdir(os.path.join(store.root, "knowledge"))
        with open(store.path_of("knowledge/all.jsonl"), "wb") as file:
            file.write(data)
        with changing(store) as change:
            change.put(record, keep_old=keep_old)
        after = files_of(store)
    before = data.removeprefix(MARK).split(b"\n")
    if not before[-1]:
        before.pop()
    mine = [line for line in before if (old := parsed(line)) is not None and old.key == record.key]
    kept = after["knowledge/all.jsonl"].removeprefix(MARK).split(b"\n")[:-1]
    kept.remove(encode_record(record))
    assert kept == [line for line in before if line not in mine]
    latest = max(mine, key=standing_of, default=None)
    gone = set(mine) if keep_old else {line for line in mine if line != latest}
    if not keep_old and latest is not None and mine.count(latest) > 1:
        gone.add(latest)
    # A tombstone has no content to keep.
    gone = {line for line in gone if isinstance(parse_record(line), Entry)}
    archived = after.get("archive/all.jsonl", b"").split(b"\n")[:-1]
    assert Counter(archived) == Counter(gone)


def test_the_archive_is_on_the_disk_before_the_knowledge_changes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    order: list[str] = []
    replace = os.replace

    def watched(source: str, target: str) -> None:
        order.append(os.path.basename(os.path.dirname(target)))
        replace(source, target)

    monkeypatch.setattr(os, "replace", watched)
    with some_store() as store:
        for text in ("old", "new"):
            with changing(store) as change:
                for key in SMALL_KEYS:
                    entry = Entry({"key": key, "type": "fact", "content": text, "ts": 1})
                    change.put(entry, keep_old=True)
    assert order == ["knowledge"] * 6 + ["archive"] * 6 + ["knowledge"] * 6


@given(
    st.dictionaries(st.sampled_from(["knowledge", "archive"]), messy_files(), max_size=2),
    st.lists(st.sampled_from(SHARD_COUNTS), min_size=1, max_size=3),
)
def test_cut_elsewhere_and_back_every_line_is_kept(
    files: dict[str, bytes], counts: list[int]
) -> None:
    with some_store(1) as store:
        for folder, data in files.items():
            os.mkdir(os.path.join(store.root, folder))
            with open(store.path_of(f"{folder}/all.jsonl"), "wb") as file:
                file.write(data)
        said = _lines_said(store)
        bad = _bad_lines(store)
        for count in counts:
            reshard(store, count)
            assert _lines_said(store) == said
            assert _bad_lines(store) == bad
            before = files_of(store)
            assert reshard(store, count) == []
            assert files_of(store) == before
            for name, data in before.items():
                for line in data.split(b"\n")[:-1]:
                    record = parsed(line)
                    assert record is None or name.endswith(shard_of(record.key, count))


def _lines_said(store: Store) -> set[tuple[str, bytes]]:
    return {
        (name.partition("/")[0], line)
        for name, data in files_of(store).items()
        for line in data.removeprefix(MARK).split(b"\n")
        if parsed(line) is not None
    }


def _bad_lines(store: Store) -> Counter[bytes]:
    return Counter(
        line
        for data in files_of(store).values()
        for line in data.removeprefix(MARK).split(b"\n")
        if line and parsed(line) is None
    )


@given(worlds(), small_keys(), st.sampled_from(SHARD_COUNTS), st.sampled_from(SHARD_COUNTS))
def test_a_key_in_a_file_of_another_layout_is_found_and_not_doubled(
    world: dict[str, Record], key: str, written: int, now: int
) -> None:
    """After a merge of two layouts, lines can stand in files of either."""
    with some_store(written) as store:
        with changing(store) as change:
            for record in world.values():
                change.put(record, keep_old=False)
        with open(store.config_path, "w", encoding="utf-8") as file:
            file.write(f"shards = {now}\n")
        entry = Entry({"key": key, "type": "fact", "content": "new", "ts": 10**12})
        with changing(store) as change:
            found = change.find(key)
            assert (found.line if found else None) == (
                encode_record(world[key]) if key in world else None
            )
            change.put(entry, keep_old=True)
        snapshot = read_store(store)
        assert not snapshot.duplicates
        assert snapshot.current.keys() == world.keys() | {key}
        assert snapshot.current[key].record == entry
        reshard(store, now)
        assert read_store(store).current.keys() == world.keys() | {key}


def test_a_tombstone_is_put_like_any_record() -> None:
    with some_store() as store:
        with changing(store) as change:
            change.put(Entry({"key": "a", "type": "fact", "content": "x"}), keep_old=False)
            change.put(Tombstone({"key": "a", "deleted": True, "ts": 2}), keep_old=False)
        at = read_store(store).current["a"]
        assert isinstance(at.record, Tombstone)
        assert read_store(store).archived == {}


def test_only_files_that_changed_are_written() -> None:
    with some_store() as store:
        with changing(store) as change:
            for key in SMALL_KEYS:
                change.put(Entry({"key": key, "type": "fact", "content": "x"}), keep_old=False)
        times = _times(store)
        with changing(store) as change:
            change.find("k0")
            change.put(Entry({"key": "k1", "type": "fact", "content": "y"}), keep_old=False)
        changed = {name for name, time in _times(store).items() if times.get(name) != time}
        assert changed == {f"knowledge/{shard_of('k1', 256)}"}


def _times(store: Store) -> dict[str, Any]:
    return {name: os.stat(store.path_of(name)).st_ino for name in files_of(store)}
