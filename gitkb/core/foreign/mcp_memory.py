"""The graph of the reference MCP memory server, as entries and back.

Its form: JSON lines of ``{"type":"entity","name","entityType","observations":[...]}`` and
``{"type":"relation","from","to","relationType"}``.

1. A name is an entity's identity: it becomes the title, exactly as it is where a title can be so.
2. Observations are the lines of the content, in their order.
3. What an entry has no place for is kept in its field `FIELD`, so that export gives it back: a type
   that is none of ours, observations that are no single lines, the own name of a relation.
4. Export after import gives the lines that were read, and import after export changes nothing.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from gitkb.core.entry import RELATIONS, STATUSES, TYPES, derived_title
from gitkb.core.jsonl import BadLineError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gitkb.core.canonical import Fields, Json

FIELD = "mcp_memory"
SOURCE = "mcp-memory"
_has_line_end = re.compile("[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]").search
_STATUS_LINE = "status: "
_OUTCOME = ("done", "decided", "open", "next")
"""What a session holds beside its content, in the order in which it is told."""
_STATUS_LINES = [f"{_STATUS_LINE}{status}" for status in STATUSES[1:]]
# fmt: off
_TYPES: Mapping[str, str] = {
    **{name: name for name in TYPES},
    "adr": "decision", "choice": "decision", "architecture_decision": "decision",
    "bug": "pitfall", "bugfix": "pitfall", "issue": "pitfall", "gotcha": "pitfall",
    "problem": "pitfall", "incident": "pitfall", "warning": "pitfall",
    "rule": "principle", "convention": "principle", "guideline": "principle",
    "preference": "principle", "policy": "principle", "constraint": "principle",
    "lesson": "learned", "learning": "learned", "insight": "learned",
    "experiment": "investigation", "research": "investigation",
    "meeting": "discussion", "conversation": "discussion",
    "module": "file", "source_file": "file",
    **dict.fromkeys(
        ("person", "user", "organization", "organisation", "company", "team", "project", "tool",
         "technology", "library", "framework", "language", "service", "component", "system",
         "database", "api", "config", "configuration", "location", "event", "concept", "feature"),
        "fact",
    ),
}
_RELATIONS: Mapping[str, str] = {
    **{name: name for name in RELATIONS},
    "related_to": "relates_to",
    "requires": "depends_on", "needs": "depends_on", "relies_on": "depends_on",
    "realizes": "implements", "realises": "implements",
    "replaces": "supersedes",
    "results_from": "caused_by",
    "belongs_to": "part_of", "is_part_of": "part_of", "component_of": "part_of",
    "rejected_due_to": "rejected_because",
}
# fmt: on


class Entity(NamedTuple):
    """A node of the graph; `more` are fields that the reference server does not have."""

    name: str
    kind: str
    observations: tuple[str, ...]
    more: tuple[tuple[str, Json], ...] = ()


class Leaving(NamedTuple):
    """A relation that leaves an entity, with the key it leads to and what it is for us."""

    kind: str
    rel: str
    target: str


class Relation(NamedTuple):
    """An edge of the graph, between names."""

    source: str
    target: str
    kind: str


def parse_item(fields: Fields) -> Entity | Relation:
    """Read one object of the server's file.

    Raises:
        BadLineError: when it is neither an entity nor a relation.
    """
    kind = fields.get("type")
    if kind == "entity":
        observations = fields.get("observations")
        if not isinstance(observations, list) or not all(
            isinstance(item, str) for item in observations
        ):
            raise BadLineError("'observations' is not a list of texts")
        known = ("type", "name", "entityType", "observations")
        more = tuple((name, fields[name]) for name in sorted(fields.keys() - set(known)))
        return Entity(_text(fields, "name"), _text(fields, "entityType"), tuple(observations), more)
    if kind == "relation":
        return Relation(_text(fields, "from"), _text(fields, "to"), _text(fields, "relationType"))
    raise BadLineError("neither an entity nor a relation: 'type' has to say which")


def _text(fields: Fields, name: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str):
        raise BadLineError(f"no '{name}'" if value is None else f"'{name}' is not text")
    return value


def type_of(kind: str) -> str:
    """Give our type for one of theirs: by the table, else a note."""
    return _TYPES.get(_plain(kind), "note")


def relation_of(kind: str) -> str:
    """Give our relation for one of theirs: by the table, else `relates_to`."""
    return _RELATIONS.get(_plain(kind), "relates_to")


def _plain(name: str) -> str:
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name.strip())
    return re.sub(r"[\s_-]+", "_", name).lower()


# --- from the graph to an entry --------------------------------------------------------------


def title_of(name: str) -> str:
    """Give a name as a title: of one line."""
    return name if not _has_line_end(name) else " ".join(name.split())


def fields_of(
    entity: Entity, key: str, relations: Iterable[Leaving], old: Fields | None = None
) -> dict[str, Json]:
    """Give the fields of the entry for an entity, with the relations that leave it. `old` is an entry that
    was written here and has the entity's name: where the entity says of type or content what that
    entry says, the entry's own form of it stays.
    """
    kept: dict[str, Json] = {}
    fields: dict[str, Json] = {"key": key, "type": type_of(entity.kind)}
    if old is not None and kind_of(old) == entity.kind:
        fields["type"] = old["type"]
    if fields["type"] != entity.kind:
        kept["entityType"] = entity.kind
    title = title_of(entity.name) if old is None else str(old.get("title", ""))
    if title:
        fields["title"] = title
    if old is None and (title != entity.name or not title):
        kept["name"] = entity.name
    for name, value in entity.more:
        kept[name] = value
    observations = list(entity.observations)
    if observations and observations[0] in _STATUS_LINES:
        fields["status"] = observations.pop(0).removeprefix(_STATUS_LINE)
    content = "\n".join(observations)
    if old is not None and observations_of(old) == observations:
        if "content" in old:
            fields["content"] = old["content"]
    elif content:
        fields["content"] = content
        if _lines(content) != observations:
            kept["observations"] = observations
    elif observations:
        kept["observations"] = observations
    if not title and "content" not in fields:
        fields["content"] = entity.name.strip() or "(no name)"
        kept["observations"] = observations
    kinds: dict[tuple[str, str], list[str]] = {}
    for kind, rel, target in relations:
        kinds.setdefault((rel, target), []).append(kind)
    links: list[Json] = [{"rel": rel, "to": target} for rel, target in kinds]
    own: list[Json] = [
        {"relationType": kind, "to": target}
        for (rel, target), found in kinds.items()
        for kind in found
        if found != [rel]
    ]
    if links:
        fields["links"] = links
    if own:
        kept["relations"] = own
    if kept:
        fields[FIELD] = kept
    return fields


# --- from an entry to the graph --------------------------------------------------------------


def kind_of(fields: Fields) -> str:
    """Give the type that an entry has in the graph."""
    kept = _kept(fields)
    kind = kept.get("entityType")
    # A type that was corrected here is no longer that of the graph.
    if isinstance(kind, str) and type_of(kind) == fields["type"]:
        return kind
    return str(fields["type"])


def observations_of(fields: Fields) -> list[str]:
    """Give the observations of an entry, without the one that says its status."""
    content = str(fields.get("content", ""))
    outcome = [
        f"{name}: {' '.join(item.split())}" for name in _OUTCOME for item in fields.get(name, ())
    ]
    whole = _kept(fields).get("observations")
    if isinstance(whole, list) and all(isinstance(item, str) for item in whole):
        joined = "\n".join(whole)
        if joined == content or (not joined and "title" not in fields):
            return [*whole, *outcome]
    return [*_lines(content), *outcome]


def _lines(content: str) -> list[str]:
    return [line for line in content.split("\n") if line.strip()]


def names_of(entries: Iterable[Fields]) -> dict[str, str]:
    """Give each key the name it has in the graph: its title, with the key where two share one."""
    keys_by_name: dict[str, list[tuple[bool, str]]] = {}
    for fields in entries:
        # Of several one that came from the graph keeps its name.
        rank = (fields.get("source") != SOURCE, str(fields["key"]))
        keys_by_name.setdefault(_name_of(fields), []).append(rank)
    taken = set(keys_by_name)
    names: dict[str, str] = {}
    for name, ranks in sorted(keys_by_name.items()):
        first, *others = sorted(ranks)
        names[first[1]] = name
        for _, key in others:
            own = f"{name} ({key})"
            while own in taken:
                own += "'"
            names[key] = own
            taken.add(own)
    return names


def _name_of(fields: Fields) -> str:
    kept = _kept(fields)
    name, title = kept.get("name"), str(fields.get("title", ""))
    if isinstance(name, str) and title_of(name) == title:
        return name
    return title or derived_title(str(fields.get("content", ""))) or str(fields["key"])


def entity_of(fields: Fields, name: str, *, is_replaced: bool) -> dict[str, Json]:
    """Give the line of an entry. `is_replaced` where a relation of the graph says so itself."""
    observations = observations_of(fields)
    status = str(fields.get("status", "active"))
    if status != "active" and not (status == "superseded" and is_replaced):
        observations.insert(0, f"{_STATUS_LINE}{status}")
    known = ("entityType", "name", "observations", "relations")
    more = {key: value for key, value in _kept(fields).items() if key not in known}
    return {
        "type": "entity",
        "name": name,
        "entityType": kind_of(fields),
        "observations": observations,
        **more,
    }


def relations_of(fields: Fields, names: Mapping[str, str]) -> list[dict[str, Json]]:
    """Give the lines of an entry's links to what has a name, each under its own name of old."""
    lines: list[dict[str, Json]] = []
    own = _kept(fields).get("relations")
    for link in fields.get("links", ()):
        if link["to"] not in names:
            continue
        rels = {other["rel"] for other in fields["links"] if other["to"] == link["to"]}
        kinds = [
            item["relationType"]
            for item in (own if isinstance(own, list) else ())
            if _is_own_name(item, link, rels)
        ]
        for kind in kinds or [link["rel"]]:
            ends = {"from": names[fields["key"]], "to": names[link["to"]]}
            lines.append({"type": "relation", **ends, "relationType": kind})
    return lines


def _is_own_name(item: Json, link: Fields, rels: set[str]) -> bool:
    if not isinstance(item, dict) or item.get("to") != link["to"]:
        return False
    kind = item.get("relationType")
    if not isinstance(kind, str):
        return False
    rel = relation_of(kind)
    # A relation that could not be what its name says was made a general one.
    return bool(link["rel"] == rel or (link["rel"] == "relates_to" and rel not in rels))


def _kept(fields: Fields) -> Mapping[str, Json]:
    kept = fields.get(FIELD)
    return kept if isinstance(kept, dict) else {}
