"""`export`: what is written, and that it can be taken back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given

from gitkb.core.entry import Entry, Tombstone, encode_record
from gitkb.errors import DataError, UsageError
from gitkb.operations.archive import archive
from gitkb.operations.exchange.export import FORMS, Selection, export, write_export
from gitkb.operations.exchange.import_gitkb import import_gitkb
from gitkb.operations.forget import forget

from store_builder import Shelf, make_shelf
from strategies import encode_world, worlds

if TYPE_CHECKING:
    from pathlib import Path

    from strategies import World

NOW = 1_790_000_000
ALL = Selection(include_all=True)


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    shelf = make_shelf(tmp_path)
    shelf.add(key="a", type="decision", title="Use A", tags=["x", "y"], content="see [[b]]")
    shelf.add(key="b", type="pitfall", content="b", links=[{"rel": "caused_by", "to": "a"}])
    shelf.add(key="c", title="C", status="rejected", tags=["x"])
    shelf.add(key="d", title="D")
    shelf.add(key="e", title="E")
    archive(shelf.store, ["d"])
    forget(shelf.store, ["e"], "wrong")
    return shelf


def keys(shelf: Shelf, selection: Selection) -> set[str]:
    document = json.loads(export(shelf.store, "json", selection).text)
    return {entry["key"] for entry in document["entries"]}


def test_what_holds_is_exported_unless_more_is_asked_for(shelf: Shelf) -> None:
    assert keys(shelf, Selection()) == {"a", "b"}
    assert keys(shelf, ALL) == {"a", "b", "c", "d"}
    assert keys(shelf, Selection(types=("decision",))) == {"a"}
    assert keys(shelf, Selection(tags=("x", "y"))) == {"a"}
    assert keys(shelf, Selection(tags=("x",), include_all=True)) == {"a", "c"}
    assert keys(shelf, Selection(statuses=("archived", "rejected"))) == {"c", "d"}


def test_the_json_document_has_the_entries_and_every_edge(shelf: Shelf) -> None:
    result = export(shelf.store, "json")
    document = json.loads(result.text)
    assert document["links"] == [
        {"from": "a", "rel": "relates_to", "to": "b", "derived": True},
        {"from": "b", "rel": "caused_by", "to": "a"},
    ]
    assert (result.entries, result.links) == (2, 2)
    stored = {line["key"]: line for line in shelf.lines()}
    assert document["entries"] == [stored[entry["key"]] for entry in document["entries"]]


@pytest.mark.parametrize("form", list(FORMS))
def test_the_same_knowledge_gives_the_same_bytes(shelf: Shelf, tmp_path: Path, form: str) -> None:
    other = make_shelf(tmp_path / "other")
    other.write(*reversed((shelf.folder / "knowledge" / "all.jsonl").read_bytes().splitlines()))
    other.write(
        *(shelf.folder / "archive" / "all.jsonl").read_bytes().splitlines(), folder="archive"
    )
    assert export(other.store, form, ALL) == export(shelf.store, form, ALL)


@pytest.mark.parametrize("form", list(FORMS))
def test_an_empty_store_is_exported_too(tmp_path: Path, form: str) -> None:
    result = export(make_shelf(tmp_path).store, form)
    assert (result.entries, result.links) == (0, 0)


def test_what_is_not_known_is_refused(shelf: Shelf) -> None:
    with pytest.raises(UsageError, match="unknown form 'yaml'"):
        export(shelf.store, "yaml")
    with pytest.raises(UsageError, match="unknown type 'x'"):
        export(shelf.store, "json", Selection(types=("x",)))
    with pytest.raises(UsageError, match="unknown status 'x'"):
        export(shelf.store, "json", Selection(statuses=("x",)))


def test_a_file_is_written_whole_or_not_at_all(shelf: Shelf, tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    path.write_text("old, and longer than the new one")
    write_export(shelf.store, "new", str(path))
    assert path.read_text() == "new"
    with pytest.raises(UsageError, match="is a folder"):
        write_export(shelf.store, "x", str(tmp_path))
    with pytest.raises(UsageError, match="there is no folder"):
        write_export(shelf.store, "x", str(tmp_path / "none" / "out.json"))


def test_a_damaged_document_is_refused_whole(shelf: Shelf) -> None:
    text = export(shelf.store, "json").text.encode()
    before = shelf.tree()
    with pytest.raises(DataError, match="cannot read the exported document"):
        import_gitkb(shelf.store, [("", text[:-20])], now=NOW)
    assert shelf.tree() == before


def test_a_bad_entry_of_a_document_is_dropped_with_its_line(tmp_path: Path) -> None:
    text = b'{"gitkb":1,"entries":[\n{"key":"a","type":"fact","content":"x","ts":1},\n3,\n{}\n],"links":[]}'
    result = import_gitkb(make_shelf(tmp_path).store, [("", text)], now=NOW)
    assert (result.imported, [drop.line for drop in result.dropped]) == (1, [3, 4])


@given(worlds(max_size=6))
def test_what_was_exported_comes_back_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, world: World
) -> None:
    one = make_shelf(tmp_path_factory.mktemp("one"))
    (one.folder / "knowledge" / "all.jsonl").write_bytes(encode_world(world))
    text = export(one.store, "json", ALL).text
    other = make_shelf(tmp_path_factory.mktemp("other"))
    result = import_gitkb(other.store, [("", text.encode())], now=NOW)
    live = {key: record for key, record in world.items() if not isinstance(record, Tombstone)}
    assert (result.added, result.dropped) == (len(live), [])
    back = {str(line["key"]): line for line in other.lines()}
    for key, record in live.items():
        # An import fills in when a thing was first known.
        given = json.loads(encode_record(record))
        created = min(given["ts"], given.get("created", given["ts"]))
        assert back[key] == json.loads(encode_record(Entry({**given, "created": created})))
    assert import_gitkb(other.store, [("", text.encode())], now=NOW).unchanged == len(live)
