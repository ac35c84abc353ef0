"""`import --from mcp-memory`: the graph of the reference MCP memory server.

1. An entity becomes an entry, and finds it again by its name: that under which it came, or that
   which `export` gives an entry that was written here. A relation becomes a link of the entry that
   it leaves.
2. The file knows no times: `core.import_mark` tells what has changed since it was last read. An
   entity that says what an entry written here says, or said before, changes nothing.
3. What a relation supersedes is superseded.
"""

from __future__ import annotations

import json
import os
from typing import NamedTuple

from gitkb.core.entry import Entry, normalise
from gitkb.core.foreign.import_mark import MARKS, with_marks
from gitkb.core.foreign.mcp_memory import (
    FIELD,
    SOURCE,
    Entity,
    Leaving,
    Relation,
    fields_of,
    names_of,
    parse_item,
    relation_of,
    title_of,
    type_of,
)
from gitkb.core.identity import mint_key
from gitkb.core.jsonl import BYTE_ORDER_MARK, BadLineError, parse_object, split_lines
from gitkb.core.supersession import tenable
from gitkb.errors import NotFoundError
from gitkb.operations.exchange.export import read_entries
from gitkb.operations.exchange.import_marked import (
    correct_with,
    find_old,
    is_forgotten,
    take_marked,
)
from gitkb.operations.exchange.import_result import Dropped
from gitkb.operations.exchange.import_versions import importing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitkb.core.canonical import Json
    from gitkb.operations.exchange.import_result import ImportResult
    from gitkb.operations.exchange.import_versions import Import
    from gitkb.store.layout import Store

_NAMES = ("memory.jsonl", "memory.json")


class _Node(NamedTuple):
    """An entity with the lines that name it and the relations that leave it."""

    entity: Entity
    lines: list[int]
    relations: list[tuple[int, Relation]]


def read_mcp_memory(path: str) -> bytes:
    """Read the server's file, or that in a folder.

    Raises:
        OSError: when it cannot be read.
        NotFoundError: when the folder has none.
    """
    if os.path.isdir(path):
        places = [os.path.join(path, name) for name in _NAMES]
        found = next((place for place in places if os.path.isfile(place)), None)
        if found is None:
            raise NotFoundError(f"no '{_NAMES[0]}' in '{path}'", "give the file itself")
        path = found
    with open(path, "rb") as file:
        return file.read()


def import_mcp_memory(
    store: Store, data: bytes, *, now: int, dry_run: bool = False
) -> ImportResult:
    """Import the bytes of a file.

    Raises:
        StateError: when the store is locked, in conflict, full or read-only; nothing is written.
    """
    with importing(store, now, dry_run=dry_run) as coming:
        nodes = _read_nodes(data, coming)
        entries = read_entries(store)
        names = names_of(entry.fields for entry in entries.values())
        known = {name: key for key, name in names.items()}
        keys = _keys_of(nodes, entries, known)
        leaving = _follow(nodes, keys, known, coming)
        replaced = {
            relation.target
            for relations in leaving.values()
            for _, relation in relations
            if relation.rel == "supersedes"
        }
        for name, node in nodes.items():
            relations = [relation for _, relation in leaving[name]]
            fate = _take(coming, node, keys[name], relations, replaced)
            lines = [*node.lines[1:], *(line for line, _ in leaving[name])]
            _count_others(coming, fate, lines, keys[name])
    return coming.result()


def _follow(
    nodes: dict[str, _Node], keys: dict[str, str], known: dict[str, str], coming: Import
) -> dict[str, list[tuple[int, Leaving]]]:
    """Find where each relation leads.

    One that cannot mean what it says, to replace itself or what is not in the file, only relates.
    """
    here = set(keys.values())
    leaving: dict[str, list[tuple[int, Leaving]]] = {name: [] for name in nodes}
    claims: list[tuple[str, str, str]] = []
    for name, node in nodes.items():
        for line, relation in node.relations:
            target = keys.get(relation.target) or known.get(relation.target)
            if target is None:
                reason = f"no entity is named '{relation.target[:60]}'"
            elif is_forgotten(coming, target):
                reason = f"'{relation.target[:60]}' was forgotten here"
            else:
                rel = relation_of(relation.kind)
                leaving[name].append((line, Leaving(relation.kind, rel, target)))
                if rel == "supersedes" and target in here:
                    claims.append((name, relation.target, target))
                continue
            coming.dropped.append(Dropped(line, reason))
    # In an order of the names, so that the lines may come in any.
    held = tenable((keys[name], target) for name, _, target in sorted(claims))
    for name, relations in leaving.items():
        for place, (line, one) in enumerate(relations):
            if one.rel == "supersedes" and (keys[name], one.target) not in held:
                relations[place] = (line, one._replace(rel="relates_to"))
    return leaving


def _read_nodes(data: bytes, coming: Import) -> dict[str, _Node]:
    """Gather the entities by their names; a second one of a name adds its observations."""
    nodes: dict[str, _Node] = {}
    relations: list[tuple[int, Relation]] = []
    for line, fields in _iter_objects(data, coming):
        try:
            item = parse_item(fields)
        except BadLineError as error:
            coming.dropped.append(Dropped(line, error.reason))
            continue
        if isinstance(item, Relation):
            relations.append((line, item))
        elif item.name in nodes:
            first = nodes[item.name]
            more = [text for text in item.observations if text not in first.entity.observations]
            entity = first.entity._replace(observations=(*first.entity.observations, *more))
            nodes[item.name] = first._replace(entity=entity, lines=[*first.lines, line])
        else:
            nodes[item.name] = _Node(item, [line], [])
    for line, relation in relations:
        if relation.source in nodes:
            nodes[relation.source].relations.append((line, relation))
        else:
            reason = f"no entity is named '{relation.source[:60]}'"
            coming.dropped.append(Dropped(line, reason))
    return nodes


def _iter_objects(data: bytes, coming: Import) -> Iterator[tuple[int, dict[str, Json]]]:
    data = data.removeprefix(BYTE_ORDER_MARK)
    whole = _read_graph(data)
    if whole is not None:
        yield from enumerate(whole, 1)
        return
    for number, line in enumerate(split_lines(data), 1):
        if not line.strip():
            continue
        try:
            yield number, parse_object(line.strip())
        except BadLineError as error:
            coming.dropped.append(Dropped(number, error.reason))


def _read_graph(data: bytes) -> list[dict[str, Json]] | None:
    """Read the answer of the server's `read_graph`: one document with two lists."""
    if not data.lstrip().startswith(b"{") or b'"entities"' not in data:
        return None
    try:
        json.loads(data)  # one document, over however many lines
        graph = parse_object(b" ".join(data.split(b"\n")).strip())
    except (ValueError, RecursionError, BadLineError):
        return None
    items: list[dict[str, Json]] = []
    for name, kind in (("entities", "entity"), ("relations", "relation")):
        listed = graph.get(name, [])
        if not isinstance(listed, list) or not all(isinstance(item, dict) for item in listed):
            return None
        items += [{**item, "type": kind} for item in listed]
    return items


def _keys_of(
    nodes: dict[str, _Node], entries: dict[str, Entry], known: dict[str, str]
) -> dict[str, str]:
    """Find or make the key of each entity; two names never share one."""
    by_mark: dict[Json, str] = {}
    for key, entry in sorted(entries.items(), reverse=True):
        marks = entry.fields.get(MARKS)
        if entry.fields.get("source") == SOURCE and isinstance(marks, dict):
            by_mark[_mark_of_name(entry)] = key
    keys: dict[str, str] = {}
    taken: set[str] = set()
    for name in nodes:
        key = by_mark.get(_mark(name)) or known.get(name, "")
        if key and key not in taken:
            keys[name] = key
            taken.add(key)
    for name, node in nodes.items():
        salt = 0
        while name not in keys:
            key = mint_key(type_of(node.entity.kind), name, salt)
            salt += 1
            if key not in taken and key not in entries:
                keys[name] = key
                taken.add(key)
    return keys


def _mark(name: str) -> Json:
    title = title_of(name)
    mark = with_marks({"title": title})[MARKS]["title"] if title else None
    return None if title and title == name else name, mark


def _mark_of_name(entry: Entry) -> Json:
    kept = entry.fields.get(FIELD)
    name = kept.get("name") if isinstance(kept, dict) else None
    return name, entry.fields[MARKS].get("title")


def _take(
    coming: Import, node: _Node, key: str, relations: list[Leaving], replaced: set[str]
) -> str:
    old = find_old(coming, key)
    ours = old if old is not None and old.fields.get("source") != SOURCE else None
    fields = fields_of(node.entity, key, relations, ours.fields if ours else None)
    if ours is None:
        fields["source"] = SOURCE
    if key in replaced:
        fields.setdefault("status", "superseded")
    if ours is not None:
        versions = [ours, *(Entry(at.record.fields) for at in coming.change.find_archived(key))]
        if any(_is_said(fields, version) for version in versions):
            coming.count("unchanged")
            return "unchanged"
        return correct_with(coming, ours, fields, line=node.lines[0])
    return take_marked(coming, fields, line=node.lines[0])


def _is_said(given: dict[str, Json], entry: Entry) -> bool:
    new, old = normalise(given), normalise(entry.fields)
    links = old.get("links", [])
    return all(
        all(link in links for link in value) if name == "links" else old.get(name) == value
        for name, value in new.items()
        if name != FIELD
    )


def _count_others(coming: Import, fate: str, lines: list[int], key: str) -> None:
    """Count the other lines that speak of an entity: they share its fate."""
    if fate == "dropped":
        reason = f"it belongs to '{key}', which was dropped"
        coming.dropped.extend(Dropped(line, reason) for line in lines)
    else:
        coming.count(fate, len(lines))
