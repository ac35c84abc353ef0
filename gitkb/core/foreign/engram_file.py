"""The files of engram, read into records: an export, a chunk, or one record a line.

1. Every record that a file holds is given, in order, or is a fault with its place and the reason.
2. A mutation stands for the record that is its payload; what the same file says in full as well is
   given once, and the other counts as a repetition.
"""

from __future__ import annotations

from typing import NamedTuple

from gitkb.core.foreign.engram import observation_key
from gitkb.core.jsonl import BYTE_ORDER_MARK, BadLineError, parse_foreign, split_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Literal, TypeAlias

    from gitkb.core.canonical import Fields, Json

    Kind: TypeAlias = Literal[
        "observation", "session", "prompt", "relation", "deletion", "repetition", "fault"
    ]

_LISTS = {
    "sessions": "session",
    "observations": "observation",
    "observation_versions": "version",
    "versions": "version",
    "prompts": "prompt",
    "user_prompts": "prompt",
    "relations": "relation",
    "memory_relations": "relation",
    "mutations": "mutation",
}


class Record(NamedTuple):
    """A record, and where it stands: a line, or where one document holds all its name in it."""

    kind: Kind
    fields: Fields
    line: int
    name: str = ""
    is_version: bool = False
    reason: str = ""


def read_records(data: bytes) -> list[Record]:
    """Read the bytes of one file, unpacked already."""
    data = data.removeprefix(BYTE_ORDER_MARK)
    records = list(_iter_records(data))
    told: dict[str, list[Fields]] = {}
    for record in records:
        if record.kind == "observation" or record.kind == "prompt":
            told.setdefault(observation_key(record.fields), []).append(record.fields)
        elif record.kind == "session":
            told.setdefault(f"session {record.fields.get('id')}", []).append(record.fields)
    return [_resolve(record, told) for record in records]


def _iter_records(data: bytes) -> Iterator[Record]:
    document, fault = _whole(data)
    if document is not None:
        yield from _from_document(document, 1)
        return
    lines = [(number, line) for number, line in enumerate(split_lines(data), 1) if line.strip()]
    parsed = [(number, *_parse(line)) for number, line in lines]
    if len(parsed) > 1 and data.lstrip()[:1] in b"{[" and all(f is None for _, f, _ in parsed):
        yield Record("fault", {}, 1, reason=f"the document is damaged: {fault}")
        return
    for number, fields, reason in parsed:
        if fields is None:
            yield Record("fault", {}, number, reason=reason)
        elif _is_document(fields):
            yield from _from_document(fields, number)
        else:
            yield _record(_kind_of(fields), fields, number, "")


def _whole(data: bytes) -> tuple[dict[str, Json] | None, str]:
    """Read a file that is one document over any number of lines."""
    try:
        document = parse_foreign(data.replace(b"\r", b" ").replace(b"\n", b" ").strip())
    except BadLineError as error:
        return None, error.reason
    return (document if _is_document(document) else None), ""


def _parse(line: bytes) -> tuple[dict[str, Json] | None, str]:
    try:
        return parse_foreign(line.strip()), ""
    except BadLineError as error:
        return None, error.reason


def _is_document(fields: Fields) -> bool:
    return any(
        name in fields and (fields[name] is None or isinstance(fields[name], list))
        for name in ("sessions", "observations", "prompts", "mutations")
    )


def _from_document(document: Fields, line: int) -> Iterator[Record]:
    for name, value in document.items():
        kind = _LISTS.get(name)
        if kind is None or value is None:
            continue
        for place, item in enumerate(value if isinstance(value, list) else [value]):
            where = f"{name}[{place}]"
            if isinstance(item, dict):
                yield _record(kind, item, line, where)
            else:
                yield Record("fault", {}, line, where, reason="not an object")


def _kind_of(fields: Fields) -> str:
    """Tell a record on a line of its own by its fields."""
    if {"entity", "op", "payload"} <= fields.keys():
        return "mutation"
    if {"source_id", "target_id"} <= fields.keys():
        return "relation"
    if "observation_sync_id" in fields:
        return "version"
    if "started_at" in fields and "session_id" not in fields:
        return "session"
    if "session_id" in fields and "type" not in fields and "title" not in fields:
        return "prompt"
    if {"title", "content", "type"} & fields.keys():
        return "observation"
    return "unknown"


def _record(kind: str, fields: Fields, line: int, name: str) -> Record:
    if kind == "mutation":
        return _mutation(fields, line, name)
    if kind == "version":
        return Record("observation", fields, line, name, is_version=True)
    if kind in ("observation", "session", "prompt", "relation"):
        return Record(kind, fields, line, name)  # type: ignore[arg-type]  # narrowed above
    return Record("fault", {}, line, name, reason="no record of engram: no title and no content")


def _mutation(fields: Fields, line: int, name: str) -> Record:
    """Read what a mutation carries; a payload without times is as old as the mutation."""
    payload = fields.get("payload")
    if isinstance(payload, str):
        payload, reason = _parse(payload.encode("utf-8", "surrogatepass"))
        if payload is None:
            return Record("fault", {}, line, name, reason=f"its payload: {reason}")
    if not isinstance(payload, dict):
        return Record("fault", {}, line, name, reason="a mutation without 'payload'")
    entity, moment = fields.get("entity"), fields.get("occurred_at")
    if entity not in ("observation", "session", "prompt", "relation"):
        reason = f"a mutation of '{str(entity)[:40]}', which is not known"
        return Record("fault", {}, line, name, reason=reason)
    payload = dict(payload)
    if entity in ("observation", "prompt") and not payload.get("sync_id"):
        payload["sync_id"] = fields.get("entity_key")
    if entity == "session":
        payload.setdefault("id", fields.get("entity_key"))
    if fields.get("op") == "delete":
        payload["deleted"] = True
        payload.setdefault("deleted_at", moment)
        if not payload.get("title") and not payload.get("content"):
            return Record("deletion", {**payload, "entity": entity}, line, name)
    stamp = "started_at" if entity == "session" else "updated_at"
    if moment and not any(payload.get(time) for time in (stamp, "created_at", "ended_at")):
        payload[stamp] = moment
        return Record(entity, payload, line, name, reason=stamp)
    return Record(entity, payload, line, name, reason="mutation")


def _resolve(record: Record, told: dict[str, list[Fields]]) -> Record:
    """See whether a mutation says no more than a record that is told in full beside it."""
    if record.kind not in ("observation", "prompt", "session") or not record.reason:
        return record
    key = (
        f"session {record.fields.get('id')}"
        if record.kind == "session"
        else observation_key(record.fields)
    )
    said = {
        name: value
        for name, value in record.fields.items()
        if value not in (None, "", 0, False) and name != record.reason
    }
    for other in told.get(key, ()):
        if other is not record.fields and all(other.get(n) == v for n, v in said.items()):
            return record._replace(kind="repetition", reason="")
    return record._replace(reason="")
