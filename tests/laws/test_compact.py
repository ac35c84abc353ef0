"""Laws of `compact`: one line a key, every line kept or folded, and a kill loses nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from gitkb.core.entry import Entry, encode_record, parse_record
from gitkb.core.identity import shard_of
from gitkb.core.jsonl import BadLineError, is_marker, split_lines
from gitkb.operations.compact import plan
from gitkb.store.rewrite import Files

from strategies import SMALL_KEYS, bad_lines, entries, records, spellings

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn

    from gitkb.core.entry import Record

SHARDS = 16
# Few keys, so that they meet.
_KEYS = SMALL_KEYS[:2]
_NAMES = [f"knowledge/{shard_of(key, SHARDS)}" for key in _KEYS] + ["knowledge/all.jsonl"]
_RECORDS = st.one_of([records(st.just(key)) for key in _KEYS]).flatmap(spellings)
_VERSIONS = st.one_of([entries(st.just(key)) for key in _KEYS]).map(encode_record)
# Without markers, which stop it, and without a byte order mark inside a file: it is a bad line, but
# would be the file's own mark once the lines before it are gone.
_BAD = bad_lines().filter(lambda line: not is_marker(line) and not line.startswith(b"\xef"))
_LINES = st.one_of(_RECORDS, _RECORDS, _RECORDS, _BAD)


@st.composite
def stores(draw: DrawFn) -> dict[str, bytes]:
    """Knowledge files with keys that stand several times, and an archive that knows some of it."""
    files: dict[str, bytes] = {}
    written: list[bytes] = []
    for name in _NAMES:
        lines = draw(st.lists(_LINES, max_size=3))
        written += lines
        files[name] = b"".join(line + b"\n" for line in lines)
    for key in _KEYS:
        versions = draw(st.lists(_VERSIONS, max_size=1))
        if written:
            versions += draw(st.lists(st.sampled_from(written), max_size=2))
        own = [line for line in versions if is_version(line, key)]
        name = f"archive/{shard_of(key, SHARDS)}"
        files[name] = b"".join(line + b"\n" for line in dict.fromkeys(own))
    return files


def is_version(line: bytes, key: str) -> bool:
    record = parsed(line)
    return isinstance(record, Entry) and record.key == key


def parsed(line: bytes) -> Record | None:
    try:
        return parse_record(line)
    except BadLineError:
        return None


def apply(files: dict[str, bytes]) -> dict[str, bytes]:
    now = dict(files)
    for step in plan(Files(files, SHARDS)).steps:
        now.update(step)
    return now


def lines_in(files: dict[str, bytes], folder: str = "") -> list[bytes]:
    return [
        line
        for name, data in files.items()
        if name.startswith(folder)
        for line in split_lines(data)
    ]


def forms(lines: list[bytes]) -> set[bytes]:
    """The entries among some lines in their one form, so that spelling does not count."""
    found = [parsed(line) for line in lines]
    return {encode_record(record) for record in found if isinstance(record, Entry)}


def keys_of(files: dict[str, bytes]) -> list[str]:
    found = [parsed(line) for line in lines_in(files, "knowledge")]
    return sorted(record.key for record in found if record is not None)


@given(stores())
def test_every_key_has_one_line_and_none_is_gone(files: dict[str, bytes]) -> None:
    assert keys_of(apply(files)) == sorted(set(keys_of(files)))


@given(stores())
def test_every_version_stays_or_is_archived_unless_it_was_deleted(files: dict[str, bytes]) -> None:
    after = apply(files)
    deleted = {
        record.key
        for line in lines_in(after, "knowledge")
        if (record := parsed(line)) is not None and not isinstance(record, Entry)
    }
    lost = forms(lines_in(files)) - forms(lines_in(after))
    assert {parse_record(line).key for line in lost} <= deleted


@given(stores())
def test_a_second_time_changes_nothing(files: dict[str, bytes]) -> None:
    after = apply(files)
    assert apply(after) == after
    assert plan(Files(after, SHARDS)).result[:4] == ([], 0, 0, 0)


@given(stores())
def test_lines_of_keys_that_stand_once_keep_their_bytes_and_order(files: dict[str, bytes]) -> None:
    several = {key for key in keys_of(files) if keys_of(files).count(key) > 1}
    after = apply(files)
    for name in _NAMES:
        before_lines = [line for line in split_lines(files[name]) if not is_of(line, several)]
        after_lines = [line for line in split_lines(after[name]) if not is_of(line, several)]
        assert after_lines == before_lines


def is_of(line: bytes, keys: set[str]) -> bool:
    record = parsed(line)
    return record is not None and record.key in keys


@given(stores())
def test_a_kill_between_two_files_loses_nothing_and_the_next_run_ends_it(
    files: dict[str, bytes],
) -> None:
    whole, now = apply(files), dict(files)
    for step in plan(Files(files, SHARDS)).steps:
        for name, data in sorted(step.items()):
            now[name] = data
            again = apply(now)
            assert keys_of(again) == keys_of(whole)
            assert forms(lines_in(again, "knowledge")) == forms(lines_in(whole, "knowledge"))
