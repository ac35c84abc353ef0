"""Records of engram, and the files they stand in."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gitkb.core.foreign.engram import (
    parse_observation,
    parse_prompt,
    parse_relation,
    parse_session,
    seconds_of,
    type_of,
)
from gitkb.core.foreign.engram_file import read_records
from gitkb.core.jsonl import BadLineError

OBSERVATION = {
    "id": 7,
    "sync_id": "obs-abc",
    "session_id": "s1",
    "type": "bugfix",
    "title": "Fixed N+1",
    "content": "**What**: a join",
    "project": "shop",
    "scope": "personal",
    "topic_key": "Perf/Users",
    "revision_count": 2,
    "created_at": "2026-02-27 20:43:49",
    "updated_at": "2026-02-27 21:00:00",
}


def test_an_observation_becomes_an_entry_and_nothing_is_left_out() -> None:
    parsed = parse_observation(OBSERVATION)
    assert not parsed.is_deleted
    assert parsed.entry.fields == {
        "key": "obs-abc",
        "type": "pitfall",
        "title": "Fixed N+1",
        "content": "**What**: a join",
        "project": "shop",
        "scope": "workstation",
        "tags": ["bugfix", "perf/users"],
        "source": "engram:obs-abc",
        "created": 1772225029,
        "ts": 1772226000,
        "engram": {
            "id": 7,
            "revision_count": 2,
            "scope": "personal",
            "session_id": "s1",
            "topic_key": "Perf/Users",
            "type": "bugfix",
        },
    }


@pytest.mark.parametrize(
    ("kind", "type_"),
    [
        ("decision", "decision"),
        ("architecture", "decision"),
        ("bugfix", "pitfall"),
        ("pattern", "pattern"),
        ("discovery", "learned"),
        ("learning", "learned"),
        ("config", "fact"),
        ("preference", "principle"),
        ("session_summary", "session"),
        ("manual", "note"),
        ("anything", "note"),
    ],
)
def test_types_come_by_a_table(kind: str, type_: str) -> None:
    assert type_of(kind) == type_


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("2026-02-27 20:43:49", 1772225029),
        ("2026-02-27T20:43:49Z", 1772225029),
        ("2026-02-27T22:43:49.5+02:00", 1772225029),
        ("2026-02-27", 1772150400),
        ("yesterday", None),
        ("", None),
        (None, None),
        (5, None),
        ("1969-01-01 00:00:00", None),
    ],
)
def test_times_are_utc_where_they_do_not_say(text: Any, seconds: int | None) -> None:
    assert seconds_of(text) == seconds


def test_a_record_without_an_id_of_its_own_gets_a_key_of_what_does_not_change() -> None:
    old = {name: value for name, value in OBSERVATION.items() if name != "sync_id"}
    key = parse_observation(old).entry.key
    assert key.startswith("obs-")
    assert parse_observation({**old, "title": "other", "revision_count": 3}).entry.key == key
    assert parse_observation({**old, "id": 8}).entry.key != key


def test_what_was_deleted_is_archived_at_that_time() -> None:
    parsed = parse_observation({**OBSERVATION, "deleted_at": "2026-03-01 00:00:00"})
    assert parsed.is_deleted
    assert (parsed.entry.status, parsed.entry.ts) == ("archived", 1772323200)
    assert parsed.entry.fields["engram"]["deleted_at"] == "2026-03-01 00:00:00"


def test_a_session_is_its_summary() -> None:
    fields = {
        "id": "s1",
        "project": "shop",
        "directory": "/home/x",
        "started_at": "2026-02-27 20:00:00",
        "ended_at": "2026-02-27 21:00:00",
        "summary": "Did things.",
    }
    parsed = parse_session(fields)
    assert not parsed.is_deleted
    assert parsed.entry.fields == {
        "key": "ses-s1",
        "type": "session",
        "content": "Did things.",
        "project": "shop",
        "source": "engram:s1",
        "created": 1772222400,
        "ts": 1772226000,
        "aliases": ["s1"],
        "engram": {
            "directory": "/home/x",
            "ended_at": "2026-02-27 21:00:00",
            "id": "s1",
            "started_at": "2026-02-27 20:00:00",
        },
    }
    empty = parse_session({**fields, "summary": None})
    assert empty.is_deleted
    assert empty.entry.title == "Session shop 2026-02-27 20:00:00"


def test_a_prompt_is_a_note_put_aside() -> None:
    entry = parse_prompt({"id": 1, "sync_id": "p-1", "session_id": "s1", "content": "do it"}).entry
    assert (entry.type, entry.importance, entry.tags) == ("note", 1, ["prompt"])
    assert entry.status == "archived"


@pytest.mark.parametrize(
    ("relation", "status", "rel"),
    [
        ("supersedes", "judged", "supersedes"),
        ("related", "", "relates_to"),
        ("conflicts_with", "judged", "relates_to"),
        ("supersedes", "pending", ""),
        ("not_conflict", "judged", ""),
    ],
)
def test_a_relation_is_a_link_once_it_was_judged(relation: str, status: str, rel: str) -> None:
    fields = {"source_id": "a", "target_id": "b", "relation": relation, "judgment_status": status}
    assert parse_relation(fields).rel == rel


@pytest.mark.parametrize(
    "change",
    [{"title": "", "content": " "}, {"title": ["x"]}, {"content": {}}, {"project": [1]}],
)
def test_what_says_nothing_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(BadLineError):
        parse_observation({**OBSERVATION, **change})


def test_what_is_put_right_is_said() -> None:
    parsed = parse_observation({**OBSERVATION, "title": "two\nlines", "content": "a\0b"})
    assert (parsed.entry.title, parsed.entry.content) == ("two lines", "ab")
    assert parsed.repairs == ("removed NUL characters", "wrote the title on one line")


# --- files -----------------------------------------------------------------------------------

SESSION = {"id": "s1", "project": "p", "directory": "", "started_at": "2026-01-01 00:00:00"}
PROMPT = {"id": 1, "session_id": "s1", "content": "c", "created_at": "2026-01-01 00:00:00"}
RELATION = {"source_id": "a", "target_id": "b", "relation": "related"}


def kinds(data: bytes) -> list[tuple[str, int, str]]:
    return [(record.kind, record.line, record.name) for record in read_records(data)]


def test_an_export_is_one_document_over_many_lines() -> None:
    export = {
        "version": "0.1.0",
        "exported_at": "x",
        "sessions": [SESSION],
        "observations": [OBSERVATION, 3],
        "prompts": None,
        "relations": [RELATION],
    }
    assert kinds(json.dumps(export, indent=2).encode()) == [
        ("session", 1, "sessions[0]"),
        ("observation", 1, "observations[0]"),
        ("fault", 1, "observations[1]"),
        ("relation", 1, "relations[0]"),
    ]


def test_lines_are_known_by_their_fields() -> None:
    lines = [json.dumps(item) for item in (SESSION, OBSERVATION, PROMPT, RELATION, {"x": 1})]
    text = "\ufeff" + "\r\n".join([*lines, "", "no json"]) + "\n"
    found = kinds(text.encode())
    assert [kind for kind, _, _ in found] == [
        "session", "observation", "prompt", "relation", "fault", "fault",
    ]  # fmt: skip
    assert [line for _, line, _ in found] == [1, 2, 3, 4, 5, 7]


def test_a_damaged_document_is_one_fault() -> None:
    text = json.dumps({"sessions": [SESSION], "observations": [OBSERVATION]}, indent=2)
    (record,) = read_records(text[:-30].encode())
    assert (record.kind, record.line) == ("fault", 1)
    assert "damaged" in record.reason


def mutation(payload: Any, *, op: str = "upsert", entity: str = "observation") -> dict[str, Any]:
    text = payload if isinstance(payload, str) else json.dumps(payload)
    key = payload.get("sync_id", "") if isinstance(payload, dict) else ""
    return {
        "seq": 1,
        "entity": entity,
        "entity_key": key,
        "op": op,
        "payload": text,
        "occurred_at": "2026-02-27 22:00:00",
    }


def test_a_mutation_that_says_no_more_is_a_repetition() -> None:
    same = {name: OBSERVATION[name] for name in ("sync_id", "session_id", "type", "title")}
    other = {**same, "title": "before"}
    chunk = {
        "sessions": [],
        "observations": [OBSERVATION],
        "mutations": [
            mutation(same),
            mutation(other),
            mutation({"sync_id": "gone", "deleted": True}, op="delete"),
            mutation(RELATION, entity="relation"),
            mutation("{", entity="prompt"),
            mutation({}, entity="ghost"),
        ],
    }
    records = read_records(json.dumps(chunk).encode())
    assert [record.kind for record in records] == [
        "observation", "repetition", "observation", "deletion", "relation", "fault", "fault",
    ]  # fmt: skip
    assert records[2].fields["updated_at"] == "2026-02-27 22:00:00"
