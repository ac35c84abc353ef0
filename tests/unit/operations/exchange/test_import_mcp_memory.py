"""`import --from mcp-memory`, and the way back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gitkb.core.entry import Entry
from gitkb.operations.archive import archive
from gitkb.operations.exchange.export import Selection, export
from gitkb.operations.exchange.import_ import import_file
from gitkb.operations.exchange.import_mcp_memory import import_mcp_memory
from gitkb.operations.forget import forget
from gitkb.store.reader import read_store

from store_builder import Shelf, make_shelf
from strategies import encode_world, worlds

if TYPE_CHECKING:
    from pathlib import Path

    from gitkb.operations.exchange.import_result import ImportResult

    from strategies import World

NOW = 1_790_000_000


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return make_shelf(tmp_path)


def entity(name: str, *observations: str, kind: str = "person", **more: Any) -> dict[str, Any]:
    observed = list(observations)
    return {"type": "entity", "name": name, "entityType": kind, "observations": observed, **more}


def relation(source: str, kind: str, target: str) -> dict[str, Any]:
    return {"type": "relation", "from": source, "to": target, "relationType": kind}


def lines(*items: dict[str, Any] | str) -> bytes:
    texts = (item if isinstance(item, str) else json.dumps(item) for item in items)
    return "".join(text + "\n" for text in texts).encode()


def bring(shelf: Shelf, *items: dict[str, Any] | str, now: int = NOW) -> ImportResult:
    """Import, and hold what holds for every import."""
    data = lines(*items)
    dry = import_mcp_memory(shelf.store, data, now=now, dry_run=True)
    result = import_mcp_memory(shelf.store, data, now=now)
    assert dry == result
    assert result.imported + len(result.dropped) == result.total
    before = shelf.tree()
    again = import_mcp_memory(shelf.store, data, now=now + 1000)
    assert shelf.tree() == before
    assert again.unchanged == again.imported == result.imported
    assert again.dropped == result.dropped
    return result


def give(shelf: Shelf, *, include_all: bool = False) -> list[dict[str, Any]]:
    text = export(shelf.store, "mcp-memory", Selection(include_all=include_all)).text
    return [json.loads(line) for line in text.splitlines()]


def by_title(shelf: Shelf, title: str) -> dict[str, Any]:
    found = [line for line in shelf.lines() if line.get("title") == title]
    assert len(found) == 1
    return found[0]


def in_any_order(items: list[dict[str, Any]]) -> list[str]:
    return sorted(json.dumps(item, sort_keys=True) for item in items)


def test_an_entity_becomes_an_entry(shelf: Shelf) -> None:
    result = bring(shelf, entity("John_Smith", "speaks Spanish", "lives in Kyiv"))
    assert (result.total, result.added) == (1, 1)
    fields = by_title(shelf, "John_Smith")
    del fields["imported"]
    assert fields == {
        "key": fields["key"],
        "type": "fact",
        "title": "John_Smith",
        "content": "speaks Spanish\nlives in Kyiv",
        "source": "mcp-memory",
        "created": NOW,
        "ts": NOW,
        "mcp_memory": {"entityType": "person"},
    }


@pytest.mark.parametrize(
    ("kind", "type_"),
    [
        ("decision", "decision"),
        ("Bug", "pitfall"),
        ("codingConvention", "note"),
        ("Convention", "principle"),
        ("source file", "file"),
        ("sourceFile", "file"),
        ("person", "fact"),
        ("wombat", "note"),
        ("", "note"),
    ],
)
def test_types_come_by_a_table(shelf: Shelf, kind: str, type_: str) -> None:
    bring(shelf, entity("a", "x", kind=kind))
    assert by_title(shelf, "a")["type"] == type_
    assert give(shelf)[0]["entityType"] == kind


def test_relations_become_links_and_keep_their_names(shelf: Shelf) -> None:
    items = [
        entity("a"),
        entity("b"),
        relation("a", "depends on", "b"),
        relation("a", "works_at", "b"),
        relation("b", "part_of", "a"),
    ]
    result = bring(shelf, *items)
    assert (result.total, result.imported) == (5, 5)
    a, b = by_title(shelf, "a"), by_title(shelf, "b")
    assert [(link["rel"], link["to"]) for link in a["links"]] == [
        ("depends_on", b["key"]),
        ("relates_to", b["key"]),
    ]
    assert [(link["rel"], link["to"]) for link in b["links"]] == [("part_of", a["key"])]
    assert in_any_order(give(shelf)) == in_any_order(items)


def test_what_a_relation_supersedes_is_superseded(shelf: Shelf) -> None:
    items = [entity("new"), entity("old"), relation("new", "replaces", "old")]
    bring(shelf, *items)
    assert by_title(shelf, "old")["status"] == "superseded"
    assert in_any_order(give(shelf, include_all=True)) == in_any_order(items)


def test_relations_in_a_circle_or_to_itself_only_relate(shelf: Shelf) -> None:
    items = [
        entity("a"),
        entity("b"),
        relation("a", "supersedes", "b"),
        relation("b", "supersedes", "a"),
        relation("a", "supersedes", "a"),
    ]
    bring(shelf, *items)
    rels = [link["rel"] for line in shelf.lines() for link in line.get("links", ())]
    assert sorted(rels) == ["relates_to", "relates_to", "supersedes"]
    assert in_any_order(give(shelf, include_all=True)) == in_any_order(items)


def test_names_that_differ_in_case_alone_are_two(shelf: Shelf) -> None:
    items = [entity("Cache", "x"), entity("cache", "y"), entity("cache!", "z")]
    assert bring(shelf, *items).added == 3
    assert in_any_order(give(shelf)) == in_any_order(items)


def test_lines_that_are_none_are_dropped_with_the_reason(shelf: Shelf) -> None:
    result = bring(
        shelf,
        "no json",
        "",
        entity("a", "x"),
        {"type": "entity", "name": "b"},
        {"type": "thing"},
        relation("a", "knows", "nobody"),
        relation("nobody", "knows", "a"),
        '{"type":"entity","name":"cut o',
    )
    assert (result.imported, result.total) == (1, 7)
    assert [drop.line for drop in result.dropped] == [1, 4, 5, 6, 7, 8]
    assert all(drop.reason for drop in result.dropped)


def test_a_second_line_of_one_name_adds_its_observations(shelf: Shelf) -> None:
    result = bring(shelf, entity("a", "x"), entity("a", "x", "y"))
    assert result.imported == 2
    assert by_title(shelf, "a")["content"] == "x\ny"


def test_a_changed_file_updates_and_what_was_changed_here_stays(shelf: Shelf) -> None:
    bring(shelf, entity("a", "x"), entity("b"))
    a = by_title(shelf, "a")
    shelf.add(**{**a, "title": "A renamed", "importance": 5})
    assert bring(shelf, entity("a", "x"), entity("b")).unchanged == 2
    result = bring(shelf, entity("a", "x", "y"), entity("b"), now=NOW + 9)
    assert (result.updated, result.unchanged, result.added) == (1, 1, 0)
    fields = by_title(shelf, "A renamed")
    assert (fields["key"], fields["content"], fields["importance"]) == (a["key"], "x\ny", 5)


def test_a_forgotten_entity_does_not_come_back(shelf: Shelf) -> None:
    items = [
        entity("a", "x"),
        entity("b"),
        relation("a", "knows", "b"),
        relation("b", "knows", "a"),
    ]
    bring(shelf, *items)
    forget(shelf.store, [by_title(shelf, "a")["key"]], "wrong")
    result = bring(shelf, *items)
    assert [drop.line for drop in result.dropped] == [1, 3, 4]
    assert all(
        ("forgotten" in drop.reason) or ("dropped" in drop.reason) for drop in result.dropped
    )


def test_our_own_export_changes_nothing(shelf: Shelf) -> None:
    shelf.add(key="d", type="decision", title="Use X", content="# Why\n\n- a\n- b\n", tags=["t"])
    shelf.add(key="e", type="pitfall", title="Use X", content="no", status="rejected")
    shelf.add(key="f", content="untitled\n\nknowledge", links=[{"rel": "caused_by", "to": "d"}])
    shelf.add(key="g", title="Put aside")
    archive(shelf.store, ["g"])
    before = shelf.tree()
    for include_all in (False, True):
        text = export(shelf.store, "mcp-memory", Selection(include_all=include_all)).text
        result = import_mcp_memory(shelf.store, text.encode(), now=NOW)
        assert (result.unchanged, result.dropped) == (result.total, [])
        assert shelf.tree() == before


def test_what_was_archived_is_so_here_too(shelf: Shelf) -> None:
    bring(shelf, entity("old", "status: archived", "x"))
    assert shelf.lines() == []
    [line] = shelf.lines("archive")
    assert (line["title"], line["content"], line["status"]) == ("old", "x", "archived")


def test_the_outcome_of_a_session_is_observed(shelf: Shelf) -> None:
    shelf.add(key="s", type="session", title="G", content="c", done=["a\nb"], next=["d"])
    [line] = give(shelf)
    assert line["observations"] == ["c", "done: a b", "next: d"]
    before = shelf.tree()
    bring(shelf, line)
    assert shelf.tree() == before


def test_an_old_export_does_not_undo_what_was_changed_since(shelf: Shelf) -> None:
    shelf.add(key="d", title="Use X", content="old")
    text = export(shelf.store, "mcp-memory").text
    shelf.add(key="d", title="Use X", content="new")
    assert import_mcp_memory(shelf.store, text.encode(), now=NOW).unchanged == 1
    assert shelf.lines()[0]["content"] == "new"


def test_what_an_agent_added_to_our_export_comes_in(shelf: Shelf) -> None:
    shelf.add(key="d", type="decision", title="Use X", content="a\n\nb", importance=4)
    [line] = give(shelf)
    line["observations"].append("c")
    result = bring(shelf, line)
    assert (result.updated, result.added) == (1, 0)
    [fields] = shelf.lines()
    assert (fields["key"], fields["content"], fields["importance"]) == ("d", "a\nb\nc", 4)


def test_the_servers_own_answer_is_read_too(shelf: Shelf, tmp_path: Path) -> None:
    graph = {
        "entities": [{"name": "a", "entityType": "x", "observations": ["o"]}],
        "relations": [{"from": "a", "to": "a", "relationType": "knows"}],
    }
    path = tmp_path / "memory.json"
    path.write_text(json.dumps(graph, indent=2))
    result = import_file(shelf.store, "mcp-memory", str(tmp_path), now=NOW)
    assert (result.imported, result.dropped) == (2, [])


_texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12)
_observed = st.sampled_from(["", " ", "a", "b", "two\nlines", "status: rejected", "#"]) | _texts
_names = st.sampled_from(["a", "A", "a.", "b\nc", "b c", "", " "]) | _texts
_kinds = st.sampled_from(["decision", "Bug", "person", "", "note"]) | _texts
_relations = st.sampled_from(["supersedes", "replaces", "depends on", "knows", "part_of", ""])


@st.composite
def graphs(draw: st.DrawFn) -> list[dict[str, Any]]:
    names = draw(st.lists(_names, unique=True, min_size=1, max_size=5))
    nodes = [
        entity(name, *draw(st.lists(_observed, max_size=4)), kind=draw(_kinds)) for name in names
    ]
    ends = st.tuples(st.sampled_from(names), _relations, st.sampled_from(names))
    edges = draw(st.lists(ends, unique=True, max_size=6))
    return [*nodes, *(relation(*edge) for edge in edges)]


@given(graphs())
def test_what_comes_in_goes_out_as_it_came(
    tmp_path_factory: pytest.TempPathFactory, items: list[dict[str, Any]]
) -> None:
    shelf = make_shelf(tmp_path_factory.mktemp("store"))
    result = bring(shelf, *items)
    assert result.dropped == []
    assert not read_store(shelf.store).problems
    assert in_any_order(give(shelf, include_all=True)) == in_any_order(items)
    other = make_shelf(tmp_path_factory.mktemp("other"))
    text = export(shelf.store, "mcp-memory", Selection(include_all=True)).text
    import_mcp_memory(other.store, text.encode(), now=NOW)
    assert export(other.store, "mcp-memory", Selection(include_all=True)).text == text


def test_an_entry_of_another_source_stays_that_sources(shelf: Shelf) -> None:
    folder = shelf.folder.parent / "adr"
    folder.mkdir()
    (folder / "0001-a.md").write_text("# Use A\n\nStatus: Accepted\n\nBecause.\n")
    import_file(shelf.store, "adr", str(folder), now=NOW)
    before = shelf.tree()
    [line] = give(shelf)
    assert bring(shelf, line).unchanged == 1
    assert shelf.tree() == before
    line["observations"].append("And more.")
    assert bring(shelf, line, now=NOW + 1).updated == 1
    assert import_file(shelf.store, "adr", str(folder), now=NOW + 2).unchanged == 1
    assert by_title(shelf, "Use A")["content"] == "Because.\nAnd more."


def test_an_entry_put_aside_comes_back_when_the_graph_says_more_of_it(shelf: Shelf) -> None:
    shelf.add(key="d", title="Use X", content="a")
    archive(shelf.store, ["d"])
    assert bring(shelf, entity("Use X", "a", kind="fact")).unchanged == 1
    assert shelf.lines() == []
    assert bring(shelf, entity("Use X", "a", "b", kind="fact")).updated == 1
    [fields] = shelf.lines()
    assert (fields["key"], fields["content"], "status" in fields) == ("d", "a\nb", False)


def test_what_is_nested_too_deep_for_a_line_of_ours_is_dropped(shelf: Shelf) -> None:
    deep: Any = 1
    for _ in range(127):
        deep = [deep]
    (dropped,) = bring(shelf, entity("a", more=deep)).dropped
    assert "nested" in dropped.reason


@given(worlds(max_size=6), st.booleans())
def test_whatever_is_known_here_its_own_export_changes_nothing(
    tmp_path_factory: pytest.TempPathFactory, world: World, include_all: bool
) -> None:
    assume(not has_half_supersession(world))
    shelf = make_shelf(tmp_path_factory.mktemp("store"))
    (shelf.folder / "knowledge" / "all.jsonl").write_bytes(encode_world(world))
    before = shelf.tree()
    text = export(shelf.store, "mcp-memory", Selection(include_all=include_all)).text
    result = import_mcp_memory(shelf.store, text.encode(), now=NOW)
    assert (result.unchanged, result.dropped) == (len(text.splitlines()), [])
    assert shelf.tree() == before


def has_half_supersession(world: World) -> bool:
    """Whether an edge supersedes what is active, or itself: an import mends the one and the other."""
    entries = [record for record in world.values() if isinstance(record, Entry)]
    active = {entry.key for entry in entries if entry.is_active}
    links = [(entry.key, link) for entry in entries for link in entry.links]
    return any(
        link["rel"] == "supersedes" and (link["to"] in active or link["to"] == key)
        for key, link in links
    )
