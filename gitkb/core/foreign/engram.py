"""The records of Gentleman-Programming's engram, as entries.

Its forms: observations, sessions, prompts, older versions of observations, and relations between them;
each as its own tool exports it, or as the payload of a mutation in a chunk.

1. A key depends on the record's identity alone: `sync_id`, or where an old record has none its session,
   time and number; every import on every machine gives the same.
2. Types come by a table; a type that is not ours stays as a tag.
3. Times without a zone are UTC, as engram's database writes them.
4. What an entry has no place for stays in its field `FIELD` under its own name. Nothing is left out.
"""

from __future__ import annotations

import datetime
from hashlib import sha256
from typing import NamedTuple

from gitkb.core.canonical import encode_json
from gitkb.core.clock import instant_of
from gitkb.core.entry import TYPES, Entry, check_fields, normalise
from gitkb.core.foreign.drawbar import valid_key
from gitkb.core.jsonl import BadLineError, parse_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from gitkb.core.canonical import Fields, Json

FIELD = "engram"
RELATIONS_FIELD = "engram_relations"
ENGRAM_FIELDS = frozenset(
    {"key", "type", "title", "content", "tags", "scope", "source", "project", FIELD}
)
"""What a record of engram always says; a status it has only where it was deleted or superseded."""
# fmt: off
_TYPES: Mapping[str, str] = {
    **{name: name for name in TYPES},
    "architecture": "decision", "feature": "decision", "design": "decision", "spec": "decision",
    "adr": "decision", "proposal": "decision",
    "bugfix": "pitfall", "bug": "pitfall", "gotcha": "pitfall", "incident": "pitfall",
    "warning": "pitfall", "security": "pitfall",
    "preference": "principle", "policy": "principle", "convention": "principle",
    "rule": "principle",
    "learning": "learned", "discovery": "learned", "lesson": "learned", "passive": "learned",
    "config": "fact", "configuration": "fact", "reference": "fact", "context": "fact",
    "research": "investigation", "exploration": "investigation", "analysis": "investigation",
    "conversation": "discussion",
    "session_summary": "session", "summary": "session",
}
_SCOPES: Mapping[str, str] = {
    "project": "project", "personal": "workstation", "workstation": "workstation",
    "global": "universal", "universal": "universal",
}
_LINKS: Mapping[str, str] = {
    "supersedes": "supersedes", "depends_on": "depends_on", "implements": "implements",
    "caused_by": "caused_by", "part_of": "part_of",
}
# fmt: on
_JUDGED = ("", "judged", "confirmed", "accepted", "resolved")
_UNRELATED = ("not_conflict", "unrelated", "none")
_PLACED = frozenset({"sync_id", "title", "content", "project", "created_at", "updated_at"})


class Parsed(NamedTuple):
    """An entry, whether it was deleted, and what had to be put right."""

    entry: Entry
    is_deleted: bool
    repairs: tuple[str, ...] = ()


class Relation(NamedTuple):
    """What one observation is to another, between their keys; no `rel` where it is no link."""

    source: str
    target: str
    rel: str
    more: Fields


def parse_observation(fields: Fields) -> Parsed:
    """Turn an observation, or a version or payload of one, into an entry.

    Raises:
        BadLineError: when it says nothing that could be kept.
    """
    repairs: list[str] = []
    fields = _without_nul(fields, repairs)
    kind = _text(fields, "type", repairs).strip() or "note"
    new: dict[str, Json] = {"key": observation_key(fields), "type": type_of(kind)}
    _put_texts(new, fields, repairs)
    topic = _text(fields, "topic_key", repairs)
    new["tags"] = [
        word.strip().lower()
        for word in (topic, kind if kind != new["type"] else "")
        if word.strip()
    ]
    scope = _text(fields, "scope", repairs)
    new["scope"] = _SCOPES.get(scope.lower(), "project")
    new["source"] = f"engram:{fields.get('sync_id') or fields.get('id') or new['key']}"
    more = {name: value for name, value in fields.items() if name not in _PLACED}
    if kind == new["type"]:
        more.pop("type", None)
    if scope == new["scope"]:
        more.pop("scope", None)
    deleted = fields.get("deleted_at") or fields.get("deleted") is True
    _put_times(new, fields, more, ("created_at", "captured_at"), ("updated_at", "deleted_at"))
    return _finish(new, more, bool(deleted), repairs)


def parse_session(fields: Fields) -> Parsed:
    """Turn a session into an entry; one that was not summed up has nothing to find, and is put aside.

    Raises:
        BadLineError: when it has no id.
    """
    repairs: list[str] = []
    fields = _without_nul(fields, repairs)
    name = _text(fields, "id", repairs)
    if not name.strip():
        raise BadLineError("a session without 'id'")
    summary = _text(fields, "summary", repairs)
    new: dict[str, Json] = {"key": session_key(name), "type": "session", "aliases": [name]}
    if summary.strip():
        new["content"] = summary
    else:
        about = [_text(fields, "project", repairs), _text(fields, "started_at", repairs)]
        new["title"] = _one_line(" ".join(["Session", *about])) or "Session"
    _put_project(new, fields, repairs)
    new["source"] = f"engram:{name}"
    more = {name: value for name, value in fields.items() if name not in ("summary", "project")}
    deleted = fields.get("deleted_at") or fields.get("deleted") is True
    _put_times(new, fields, {}, ("started_at",), ("ended_at", "deleted_at"))
    return _finish(new, more, bool(deleted) or not summary.strip(), repairs)


def parse_prompt(fields: Fields) -> Parsed:
    """Turn what a person asked into a note, put aside: it is no knowledge yet.

    Raises:
        BadLineError: when it is empty.
    """
    repairs: list[str] = []
    fields = _without_nul(fields, repairs)
    new: dict[str, Json] = {"key": observation_key(fields), "type": "note", "tags": ["prompt"]}
    _put_texts(new, fields, repairs)
    new["importance"] = 1
    new["source"] = f"engram:{fields.get('sync_id') or fields.get('id') or new['key']}"
    more = {name: value for name, value in fields.items() if name not in _PLACED}
    _put_times(new, fields, more, ("created_at",), ("updated_at", "deleted_at"))
    return _finish(new, more, True, repairs)


def parse_relation(fields: Fields) -> Relation:
    """Read a relation; one that is not judged yet, or denies that there is any, is no link.

    Raises:
        BadLineError: when it does not say between what.
    """
    fields = _without_nul(fields, [])
    _check_depth({RELATIONS_FIELD: [fields]})
    source, target = fields.get("source_id"), fields.get("target_id")
    if not isinstance(source, str) or not isinstance(target, str) or not source or not target:
        raise BadLineError("a relation without 'source_id' and 'target_id'")
    name = str(fields.get("relation") or "related").lower()
    judged = str(fields.get("judgment_status") or "").lower() in _JUDGED
    rel = _LINKS.get(name, "relates_to") if judged and name not in _UNRELATED else ""
    return Relation(valid_key(source), valid_key(target), rel, fields)


def type_of(kind: str) -> str:
    """Give our type for one of engram's: by the table, else a note."""
    return _TYPES.get(kind.strip().lower(), "note")


def observation_key(fields: Fields) -> str:
    """Give the key of an observation or a prompt."""
    for name in ("observation_sync_id", "sync_id"):
        value = fields.get(name)
        if isinstance(value, str) and value.strip():
            return valid_key(value)
    parts = [str(fields.get(name, "")) for name in ("session_id", "created_at", "id")]
    return f"obs-{sha256(chr(0).join(parts).encode('utf-8')).hexdigest()[:32]}"


def session_key(name: str) -> str:
    """Give the key of a session by its id."""
    return valid_key(f"ses-{name}")


def _put_texts(new: dict[str, Json], fields: Fields, repairs: list[str]) -> None:
    title, content = _text(fields, "title", repairs), _text(fields, "content", repairs)
    one_line = _one_line(title)
    if one_line != title.strip():
        repairs.append("wrote the title on one line")
    if one_line:
        new["title"] = one_line
    if content.strip():
        new["content"] = content
    if not one_line and not content.strip():
        raise BadLineError("neither a title nor a content")
    _put_project(new, fields, repairs)


def _put_project(new: dict[str, Json], fields: Fields, repairs: list[str]) -> None:
    project = _text(fields, "project", repairs).strip()
    if project:
        new["project"] = project


def _put_times(
    new: dict[str, Json],
    fields: Fields,
    more: dict[str, Json],
    first: tuple[str, ...],
    last: tuple[str, ...],
) -> None:
    """Put in when a record was made and last changed; a time that cannot be read stays as it is."""
    begun = [time for time in (seconds_of(fields.get(name)) for name in first) if time is not None]
    ended = [time for time in (seconds_of(fields.get(name)) for name in last) if time is not None]
    if begun:
        new["created"] = min(begun)
    if begun or ended:
        new["ts"] = max([*ended, *begun])
    for name in (*first, *last):
        value = fields.get(name)
        if value is not None and (seconds_of(value) is None or name not in _PLACED):
            more[name] = value


def seconds_of(value: Json) -> int | None:
    """Read one of engram's times in Unix seconds; None where it is none."""
    if isinstance(value, bool) or not isinstance(value, str):
        return None
    text = value.strip()
    found = instant_of(text) or instant_of(f"{text}Z")
    if found is None:
        try:
            day = datetime.datetime.fromisoformat(text)
        except ValueError:
            return None
        zoned = day if day.tzinfo else day.replace(tzinfo=datetime.UTC)
        found = (int(zoned.timestamp()), "")
    return found[0] if found[0] >= 0 else None


def _finish(
    new: dict[str, Json], more: Mapping[str, Json], is_deleted: bool, repairs: list[str]
) -> Parsed:
    kept = {name: value for name, value in more.items() if value is not None and value != ""}
    if kept:
        new[FIELD] = {name: kept[name] for name in sorted(kept)}
    if is_deleted:
        new["status"] = "archived"
    faults = check_fields(new)
    if faults:
        raise BadLineError(faults[0])
    _check_depth(new)
    return Parsed(Entry(normalise(new)), is_deleted, tuple(dict.fromkeys(repairs)))


def _text(fields: Fields, name: str, repairs: list[str]) -> str:
    value = fields.get(name)
    if value is None:
        return ""
    if isinstance(value, int | float) and not isinstance(value, bool):
        repairs.append(f"wrote the number in '{name}' as text")
        return str(value)
    if not isinstance(value, str):
        raise BadLineError(f"'{name}' is not text")
    return value


def _without_nul(fields: Fields, repairs: list[str]) -> dict[str, Json]:
    """Take out characters that no text of knowledge can have, wherever they stand."""
    cleaned = _cleaned(fields)
    if cleaned != fields:
        repairs.append("removed NUL characters")
    return dict(cleaned)


def _cleaned(value: Json) -> Json:
    if isinstance(value, str):
        return value.replace("\0", "")
    if isinstance(value, dict):
        cleaned = {name.replace("\0", ""): _cleaned(item) for name, item in value.items()}
        if len(cleaned) != len(value):
            raise BadLineError("two names that differ in a NUL character alone")
        return cleaned
    return [_cleaned(item) for item in value] if isinstance(value, list) else value


def _check_depth(fields: Fields) -> None:
    """Refuse values that are nested too deep for a line of their own."""
    parse_object(encode_json(fields))


def _one_line(text: str) -> str:
    return (
        " ".join(" ".join(text.splitlines()).split())
        if len(text.splitlines()) > 1
        else text.strip()
    )
