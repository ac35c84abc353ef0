"""Laws of healing: after a union merge has put both sides' lines into one file, `compact` and `fmt` fold
them by the rules of the merge, and nothing that a side said is lost.

git itself makes the union (`git merge-file --union`), as `merge=union`, a careless merge tool or a person
who keeps both halves of a conflict does.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hypothesis import given, settings
from hypothesis import strategies as st

from gitkb.core.entry import Entry, Tombstone, encode_record, parse_record
from gitkb.core.jsonl import split_lines
from gitkb.core.merge.file import merge_files
from gitkb.core.merge.rules import KNOWLEDGE
from gitkb.core.tidy import tidy
from gitkb.operations.compact import plan
from gitkb.schema.data_file import check_file
from gitkb.store.rewrite import Files

from merge_laws import fate, form
from strategies import Sides, merges

if TYPE_CHECKING:
    from gitkb.core.entry import Record

_CURRENT, _OLD = "knowledge/all.jsonl", "archive/all.jsonl"
_FEW = settings(max_examples=25)


def union(sides: Sides) -> bytes:
    """What git makes of three texts when both halves of a conflict are kept."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, name) for name in ("ours", "base", "theirs")]
        for path, text in zip(paths, (sides.ours, sides.base, sides.theirs), strict=True):
            path.write_bytes(text)
        command = ["git", "merge-file", "-p", "--union", *map(str, paths)]
        return subprocess.run(command, capture_output=True, check=True).stdout


def heal(current: bytes, old: bytes = b"") -> dict[str, bytes]:
    """`gitkb compact`, then `gitkb fmt`."""
    files = {_CURRENT: current, _OLD: old}
    for step in plan(Files(files, 1)).steps:
        files.update(step)
    tidied = tidy(files, 1)
    files.update(tidied.changed)
    return files


def records(data: bytes) -> dict[str, Record]:
    found = [parse_record(line) for line in split_lines(data)]
    assert len({record.key for record in found}) == len(found)
    return {record.key: record for record in found}


@_FEW
@given(merges())
def test_the_healed_store_is_right_whatever_the_order_of_steps_and_sides(sides: Sides) -> None:
    text = union(sides)
    healed = heal(text)
    for name in (_CURRENT, _OLD):
        assert check_file(name, healed[name], 1).problems == []
    assert heal(healed[_CURRENT], healed[_OLD]) == healed
    tidied = tidy({_CURRENT: text, _OLD: b""}, 1).changed.get(_CURRENT, text)
    assert heal(tidied) == healed
    assert heal(union(Sides(sides.base, sides.theirs, sides.ours))) == healed


@_FEW
@given(merges())
def test_every_key_is_there_that_the_merge_by_key_keeps(sides: Sides) -> None:
    healed = records(heal(union(sides))[_CURRENT])
    merged = records(merge_files(*sides, KNOWLEDGE).text or b"")
    assert merged.keys() <= healed.keys()


@_FEW
@given(merges())
def test_no_entry_is_buried_that_no_side_deleted_and_no_deletion_is_undone(sides: Sides) -> None:
    healed = records(heal(union(sides))[_CURRENT])
    # What was deleted before, and comes back by one side's hand, is no matter of two lines.
    dead = {key for key, one in records(sides.base).items() if isinstance(one, Tombstone)}
    for key, record in healed.items():
        if key in dead:
            continue
        lines = [side[key] for side in map(records, (sides.ours, sides.theirs)) if key in side]
        fates = {fate(dict(one.fields)) for one in lines}
        if isinstance(record, Tombstone):
            assert fates - {"entry"}, key
        elif "deleted" in fates:
            deaths = [one.fields["ts"] for one in lines if isinstance(one, Tombstone)]
            known = [one.fields.get("revives", -1) for one in lines if isinstance(one, Entry)]
            assert max(known) >= max(deaths), key


@_FEW
@given(merges())
def test_every_version_of_a_side_is_shown_contested_or_archived(sides: Sides) -> None:
    text = union(sides)
    healed = heal(text)
    current = records(healed[_CURRENT])
    kept = {
        encode_record(parse_record(line)) for data in healed.values() for line in split_lines(data)
    }
    for line in split_lines(text):
        record = parse_record(line)
        if isinstance(record, Entry) and isinstance(current[record.key], Entry):
            assert encode_record(record) in kept or says_all(current[record.key], record)


def says_all(entry: Record, version: Entry) -> bool:
    """Whether an entry shows or contests every value of a version."""
    said: dict[str, list[Any]] = {}
    for name, value in entry.fields.items():
        said.setdefault(name, []).append(form(value))
    for one in entry.fields.get("conflicts", ()):
        said.setdefault(one["field"], []).append(form(one.get("value")))
    return all(form(value) in said.get(name, ()) for name, value in version.fields.items())


@_FEW
@given(merges(), st.data())
def test_a_line_that_the_archive_has_as_replaced_does_not_contest_what_replaced_it(
    sides: Sides, data: st.DataObject
) -> None:
    # `gitkb add` archives what it replaces. A union brings the old line back beside the new one.
    ours = records(sides.ours)
    live = {key: one for key, one in ours.items() if isinstance(one, Entry)}
    if not live:
        return
    old = live[data.draw(st.sampled_from(sorted(live)))]
    fields = {**old.fields, "content": "written anew", "ts": old.ts + 1}
    new = Entry({name: value for name, value in fields.items() if name != "conflicts"})
    lines = [encode_record(new), encode_record(old)]
    healed = heal(b"".join(one + b"\n" for one in lines), encode_record(old) + b"\n")
    assert json.loads(healed[_CURRENT]) == json.loads(encode_record(new))
    assert healed[_OLD] == encode_record(old) + b"\n"
