"""What is read for a name says of it what the whole store says."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from gitkb.operations.writing.absent import find_archived
from gitkb.store.discover import store_at
from gitkb.store.reader import read_named, read_store

NAMES = ["a", "b", "c", "L-1", "größe", 'say "x"', "p/q", "\\", "x y"]


@st.composite
def _lines(draw: st.DrawFn) -> bytes:
    fields: dict[str, object] = {"key": draw(st.sampled_from("abc")), "ts": draw(st.integers(0, 3))}
    aliases = draw(st.lists(st.sampled_from(NAMES), max_size=2, unique=True))
    if draw(st.booleans()):
        fields |= {"deleted": True}
    else:
        fields |= {"type": "fact", "content": draw(st.sampled_from(NAMES)), "aliases": aliases}
    text = json.dumps(fields, ensure_ascii=draw(st.booleans()))
    return text.replace("/", draw(st.sampled_from(["/", "\\/"]))).encode()


@given(
    st.dictionaries(
        st.sampled_from(["knowledge/00.jsonl", "knowledge/ff.jsonl", "archive/00.jsonl"]),
        st.lists(_lines() | st.sampled_from([b"<<<<<<< ours", b"", b"{"]), max_size=5),
    ),
    st.sampled_from([*NAMES, "nobody", "\udcff", ""]),
)
def test_a_name_means_what_it_means_in_the_whole_store(
    files: dict[str, list[bytes]], name: str
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / ".gitkb"
        for file, lines in files.items():
            (root / file).parent.mkdir(parents=True, exist_ok=True)
            (root / file).write_bytes(b"\n".join(lines))
        root.mkdir(exist_ok=True)
        store = store_at(str(root))
        whole, part = read_store(store), read_named(store, name)
    for find in (lambda snapshot: snapshot.find(name), lambda each: find_archived(each, name)):
        expected, found = find(whole), find(part)
        assert (found and found.record) == (expected and expected.record)
        if expected is not None and found is not None:
            key = expected.record.key
            versions = [[at.line for at in each.archived.get(key, ())] for each in (whole, part)]
            assert versions[0] == versions[1]
