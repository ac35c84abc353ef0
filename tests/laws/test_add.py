"""A store is a dictionary that forgets nothing: random sequences of the verbs that write.

1. Every key is live, archived or forgotten, as the model says, and has what was acknowledged last.
2. The knowledge files hold one line a key, canonical and in order.
3. Whatever line is in the archive stays there; a correction puts the old line there, byte for byte.
4. A change that changes nothing leaves every byte as it is.
5. The `ts` of a key grows with every change, and `created` is kept and never later.
"""

from __future__ import annotations

import json
import tempfile
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from gitkb.core.entry import FIELDS, encode_record, normalise, parse_record
from gitkb.core.identity import mint_key, normal_title
from gitkb.errors import DataError, StateError
from gitkb.operations.add import add_batch, parse_given
from gitkb.operations.archive import archive, restore
from gitkb.operations.clone.setup import make_store
from gitkb.operations.forget import forget
from gitkb.operations.writing.draft import draft_fields
from gitkb.operations.writing.put import Added, put_entry
from gitkb.store.layout import Store
from gitkb.store.writer import Change

from strategies import bad_lines, fields_of_entries, in_hash_order, json_values

KEYS = ("k0", "k1", "k2")
TITLES = ("Money is kept in cents", "money is  kept in CENTS.", "C", "C#")

_extras = st.fixed_dictionaries(
    {},
    optional={
        "status": st.sampled_from(["active", "superseded", "rejected"]),
        "importance": st.integers(1, 5),
        "tags": st.lists(st.sampled_from(["a", "B", "ß"]), max_size=2),
        "files": st.lists(st.sampled_from(["./x.py", "y\\z.py"]), max_size=2),
        "links": st.just([{"rel": "relates_to", "to": "k1"}]) | st.just([]),
        "issue": st.sampled_from([None, "#1"]),
        "ts": st.sampled_from([5, 1_000_000_000]),
        "unknown": st.sampled_from([None, 1, [1, {"a": 2}]]),
    },
)
_contents = st.sampled_from(["one", "two\nlines", "  drei ", "\u2028"])


class StoreAsDictionary(RuleBasedStateMachine):
    @initialize(shards=st.sampled_from([1, 16, 256]))
    def begin(self, shards: int) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="gitkb-law-")
        self.store: Store = make_store(self.folder.name, shards).store
        self.live: dict[str, dict[str, Any]] = {}
        self.aside: dict[str, dict[str, Any]] = {}
        self.forgotten: set[str] = set()
        self.ts: dict[str, int] = {}
        self.created: dict[str, int] = {}
        self.kept: set[bytes] = set()
        """Every line that was ever seen in the archive."""

    def teardown(self) -> None:
        if hasattr(self, "folder"):
            self.folder.cleanup()

    # -- what is there

    def lines(self, folder: str) -> list[bytes]:
        paths = sorted(Path(self.store.root, folder).glob("*.jsonl"))
        return [line for path in paths for line in path.read_bytes().split(b"\n")[:-1]]

    def line_of(self, key: str) -> bytes:
        [line] = [line for line in self.lines("knowledge") if json.loads(line)["key"] == key]
        return line

    def bytes_of_all(self) -> dict[Path, bytes]:
        return {path: path.read_bytes() for path in Path(self.store.root).rglob("*.jsonl")}

    def add(self, given: dict[str, Any]) -> Added:
        before = self.bytes_of_all()
        [added] = add_batch(self.store, [json.dumps(given).encode()])
        assert isinstance(added, Added)
        if not added.written:
            assert not added.superseded
            assert self.bytes_of_all() == before
        return added

    # -- what people do

    @rule(key=st.sampled_from(KEYS), content=_contents, extras=_extras)
    def add_by_key(self, key: str, content: str, extras: dict[str, Any]) -> None:
        given = {"key": key, "type": "fact", "content": content, **extras}
        before = self.live.get(key)
        old_line = self.line_of(key) if before is not None else None
        added = self.add(given)
        expected = _plain(given)
        if before is not None:
            for name in ("links", "status", "unknown"):
                # Null is "not given": what another tool wrote is not taken away by it.
                is_given = name in given and (name != "unknown" or given[name] is not None)
                if not is_given and name in before:
                    expected[name] = before[name]
        assert added.key == key
        assert added.written == (before != expected)
        assert added.superseded == (before is not None and added.written)
        assert added.revived == (key in self.forgotten)
        if added.superseded:
            assert old_line in self.lines("archive")
        if before is None and key not in self.aside:
            self.created.pop(key, None)
        self._is_now(key, expected)

    @rule(title=st.sampled_from(TITLES), content=_contents, extras=_extras)
    def add_by_title(self, title: str, content: str, extras: dict[str, Any]) -> None:
        given = {"type": "decision", "title": title, "content": content, **extras}
        key = next(key for salt in count() if self._may_be(key := _mint(title, salt), given))
        before = self.live.get(key)
        added = self.add(given)
        expected = _plain(given)
        if before is not None:
            united = {
                name: [*before.get(name, ()), *expected.get(name, ())]
                for name in ("tags", "files", "links")
            }
            importance = max(before.get("importance", 3), expected.get("importance", 3))
            expected = _plain({**before, **expected, **united, "importance": importance})
        assert added.key == key
        assert added.written == (before != expected)
        assert not added.revived
        self._is_now(key, expected)

    def _may_be(self, key: str, given: dict[str, Any]) -> bool:
        there = self.live.get(key)
        if there is None:
            return key not in self.aside and key not in self.forgotten
        status = given.get("status", "active")
        same_title = normal_title(there["title"]) == normal_title(given["title"])
        return there.get("status", "active") == status and same_title

    def _is_now(self, key: str, expected: dict[str, Any]) -> None:
        self.live[key] = expected
        self.aside.pop(key, None)
        self.forgotten.discard(key)

    @precondition(lambda self: self.live)
    @rule(data=st.data())
    def add_the_same_again(self, data: st.DataObject) -> None:
        key = data.draw(st.sampled_from(sorted(self.live)))
        given = json.loads(self.line_of(key))
        del given["ts"]
        assert not self.add(given).written

    @precondition(lambda self: self.live)
    @rule(data=st.data())
    def archive_one(self, data: st.DataObject) -> None:
        key = data.draw(st.sampled_from(sorted(self.live)))
        assert [moved.key for moved in archive(self.store, [key])] == [key]
        self.aside[key] = self.live.pop(key)
        self.ts[key] = max(_ts(line) for line in self.lines("archive") if _key(line) == key)

    @precondition(lambda self: self.aside)
    @rule(data=st.data())
    def restore_one(self, data: st.DataObject) -> None:
        key = data.draw(st.sampled_from(sorted(self.aside)))
        versions = [json.loads(line) for line in self.lines("archive") if _key(line) == key]
        assert [moved.key for moved in restore(self.store, [key])] == [key]
        fields = self.live[key] = self.aside.pop(key)
        if fields.get("status") == "superseded":  # by nothing, so it is what it was before
            known = [version.get("status", "active") for version in versions]
            before = [status for status in known if status not in ("superseded", "archived")]
            fields["status"] = before[-1] if before else "active"
            if fields["status"] == "active":
                del fields["status"]

    @precondition(lambda self: self.live or self.aside)
    @rule(data=st.data())
    def forget_one(self, data: st.DataObject) -> None:
        key = data.draw(st.sampled_from(sorted(self.live.keys() | self.aside.keys())))
        assert [item.written for item in forget(self.store, [key])] == [True]
        self.live.pop(key, None)
        self.aside.pop(key, None)
        self.forgotten.add(key)

    @precondition(lambda self: self.live or self.aside or self.forgotten)
    @rule(verb=st.sampled_from(["archive", "restore", "forget"]))
    def ask_again_for_what_is_done(self, verb: str) -> None:
        before = self.bytes_of_all()
        if verb == "archive":
            days = None if self.aside else 99_999  # nobody wrote anything before 1970
            assert archive(self.store, sorted(self.aside), days) == []
        elif verb == "restore":
            active = [key for key, fields in self.live.items() if "status" not in fields]
            assert restore(self.store, sorted(active)) == []
        else:
            assert not any(item.written for item in forget(self.store, sorted(self.forgotten)))
        assert self.bytes_of_all() == before

    # -- what holds at any moment

    @invariant()
    def it_is_as_the_model_says(self) -> None:
        if not hasattr(self, "store"):
            return
        current = {_key(line): json.loads(line) for line in self.lines("knowledge")}
        assert len(current) == len(self.lines("knowledge"))
        alive = {key: fields for key, fields in current.items() if "deleted" not in fields}
        assert {key: _plain(fields) for key, fields in alive.items()} == self.live
        assert current.keys() - alive.keys() == self.forgotten
        for key, fields in current.items():
            if fields["ts"] != self.ts.get(key):
                assert fields["ts"] > self.ts.get(key, -1)
            self.ts[key] = fields["ts"]
            if key in alive:
                assert fields["created"] <= fields["ts"]
                assert fields["created"] <= self.created.get(key, fields["created"])
                self.created[key] = fields["created"]

    @invariant()
    def the_archive_only_grows(self) -> None:
        if not hasattr(self, "store"):
            return
        lines = self.lines("archive")
        assert self.kept <= set(lines)
        assert len(set(lines)) == len(lines)
        self.kept = set(lines)
        for key, fields in self.aside.items():
            latest = max((line for line in lines if _key(line) == key), key=_ts)
            assert _plain(json.loads(latest)) == {**fields, "status": "archived"}

    @invariant()
    def every_file_is_canonical_and_in_order(self) -> None:
        if not hasattr(self, "store"):
            return
        for data in self.bytes_of_all().values():
            lines = data.split(b"\n")[:-1]
            assert lines == [encode_record(parse_record(line)) for line in lines]
            keys = [_key(line) for line in lines]
            assert keys == in_hash_order(keys)


def _mint(title: str, salt: int) -> str:
    return mint_key("decision", title, salt)


def _plain(given: dict[str, Any]) -> dict[str, Any]:
    """What an entry says apart from its key and times, as it is written."""
    fields = {
        name: value
        for name, value in given.items()
        if name not in ("key", "ts", "created", "revives") and value is not None
    }
    if "files" in fields:
        fields["files"] = [path.removeprefix("./").replace("\\", "/") for path in fields["files"]]
    return normalise(fields)


def _key(line: bytes) -> str:
    return str(json.loads(line)["key"])


def _ts(line: bytes) -> int:
    return int(json.loads(line)["ts"])


# --- whatever is given -----------------------------------------------------------------------

_known = st.sampled_from([*FIELDS, "severity", "deleted", "moved", "x"])
_anything = st.dictionaries(_known, json_values(), max_size=5)
_nearly = st.builds(
    lambda fields, odd: {**fields, **odd},
    fields_of_entries(),
    st.dictionaries(_known, json_values(), max_size=1),
)
_lines = st.one_of(
    st.one_of(_nearly, _anything).map(lambda given: json.dumps(given).encode()),
    bad_lines(),
    st.binary(max_size=40).filter(lambda data: b"\n" not in data),
)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory, _sealed_session: None) -> Store:
    return make_store(str(tmp_path_factory.mktemp("law")), 1).store


@given(line=_lines)
def test_whatever_is_given_is_written_well_or_refused(store: Store, line: bytes) -> None:
    """No line is a bug of ours; what is written can be read, and is the same when given again."""
    change = Change(store, 1)  # nothing reaches the disk before it is told to write

    def put(text: bytes) -> Added:
        return put_entry(change, draft_fields(parse_given(text), store))

    try:
        added = put(line)
    except (DataError, StateError):  # the latter where it would supersede itself
        return
    at = change.find(added.key)
    assert at is not None
    record = parse_record(at.line)
    assert record.key == added.key
    assert encode_record(record) == at.line
    again = Added(False, False, added.key, alias=added.alias)
    assert put(line) == put(at.line) == again


TestStoreAsDictionary = StoreAsDictionary.TestCase
TestStoreAsDictionary.settings = settings(
    max_examples=max(25, settings().max_examples // 4), stateful_step_count=25
)
