"""`import --from engram`: what Gentleman-Programming's engram keeps.

1. PATH is its `.engram` folder (or the project's), one chunk, packed or not, an export of `engram
   export`, or a file of one record a line. Chunks come in the order of the manifest.
2. Its times decide which version is the newer, by the rules of `operations.import_`. What engram
   deleted goes to the archive, unless it was changed here since; so do prompts, and sessions that
   nobody summed up.
3. An observation is part of its session where that was summed up; relations that were judged become
   links, and what is superseded is marked so.
"""

from __future__ import annotations

import gzip
import json
import os
import zlib
from typing import NamedTuple

from gitkb.core.canonical import encode_sorted
from gitkb.core.entry import Entry
from gitkb.core.foreign.engram import (
    ENGRAM_FIELDS,
    FIELD,
    RELATIONS_FIELD,
    Parsed,
    Relation,
    observation_key,
    parse_observation,
    parse_prompt,
    parse_relation,
    parse_session,
    seconds_of,
    session_key,
)
from gitkb.core.foreign.engram_file import Record, read_records
from gitkb.core.jsonl import BadLineError
from gitkb.core.supersession import tenable
from gitkb.errors import NotFoundError
from gitkb.operations.exchange.import_marked import find_old
from gitkb.operations.exchange.import_result import Dropped, Noticed, Repaired
from gitkb.operations.exchange.import_versions import GROWING, Import, Version, importing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitkb.core.canonical import Json
    from gitkb.operations.exchange.import_result import ImportResult
    from gitkb.store.layout import Store

_ENDINGS = (".jsonl", ".jsonl.gz", ".json", ".json.gz")
_GROWING = (*GROWING, "tags", RELATIONS_FIELD)


class File(NamedTuple):
    """One file, unpacked; or why it cannot be read."""

    name: str
    data: bytes
    fault: str = ""


def read_engram(path: str) -> list[File]:
    """Read a folder or a file. A name is empty where there is but one file.

    Raises:
        OSError: when a file cannot be read.
        NotFoundError: when the folder holds nothing of engram.
    """
    if not os.path.isdir(path):
        return [_read(path, "")]
    inside = os.path.join(path, ".engram")
    folder = inside if os.path.isdir(inside) else path
    chunks = os.path.join(folder, "chunks")
    if os.path.isdir(chunks):
        return list(_read_chunks(folder, chunks))
    names = [name for name in _list(folder) if name != "manifest.json"]
    if not names:
        raise NotFoundError(
            f"nothing of engram in '{path}'",
            "engram export FILE writes one that can be given; so can a .engram folder or a chunk",
        )
    return [_read(os.path.join(folder, name), name) for name in names]


def _list(folder: str) -> list[str]:
    names = [name for name in sorted(os.listdir(folder)) if name.lower().endswith(_ENDINGS)]
    return [name for name in names if os.path.isfile(os.path.join(folder, name))]


def _read_chunks(folder: str, chunks: str) -> Iterator[File]:
    there = _list(chunks)
    ordered = [f"{name}.jsonl.gz" for name in _manifest(folder)]
    for name in [*dict.fromkeys(ordered), *(name for name in there if name not in ordered)]:
        if name in there:
            yield _read(os.path.join(chunks, name), f"chunks/{name}")
        else:
            yield File(f"chunks/{name}", b"", "missing")


def _manifest(folder: str) -> list[str]:
    """Give the names of the chunks in their order; a damaged manifest orders nothing."""
    try:
        with open(os.path.join(folder, "manifest.json"), "rb") as file:
            manifest = json.loads(file.read())
    except (OSError, ValueError, RecursionError):
        return []
    listed = manifest.get("chunks") if isinstance(manifest, dict) else None
    found = [chunk.get("id") for chunk in listed or () if isinstance(chunk, dict)]
    return [name for name in found if isinstance(name, str) and name and os.sep not in name]


def _read(path: str, name: str) -> File:
    with open(path, "rb") as file:
        data = file.read()
    if data[:2] != b"\x1f\x8b":
        return File(name, data)
    try:
        return File(name, gzip.decompress(data))
    except (OSError, EOFError, zlib.error) as error:
        return File(name, b"", f"cannot unpack it: {error}")


def import_engram(
    store: Store, files: list[File], *, now: int, dry_run: bool = False
) -> ImportResult:
    """Import files.

    Raises:
        StateError: when the store is locked, in conflict, full or read-only; nothing is written.
    """
    with importing(store, now, ENGRAM_FIELDS, growing=_GROWING, dry_run=dry_run) as coming:
        gathered = _Gathered(coming)
        for file in files:
            if file.fault == "missing":
                message = "the manifest names it, and it is not there"
                coming.noticed.append(Noticed(file.name, message))
            elif file.fault:
                coming.dropped.append(Dropped(1, file.fault, file.name))
            else:
                for record in read_records(file.data):
                    gathered.take(record, file.name)
        coming.take_all(gathered.versions())
    return coming.result()


class _Gathered:
    """The records of all files, before any of them is weighed against the store."""

    def __init__(self, coming: Import) -> None:
        self._coming = coming
        self._found: list[tuple[Parsed, Record, str]] = []
        self._deletions: list[tuple[Record, str]] = []
        self._relations: list[tuple[Relation, Record, str]] = []

    def take(self, record: Record, file: str) -> None:
        """Take one record in, or drop it."""
        try:
            if record.kind == "fault":
                raise BadLineError(record.reason)
            if record.kind == "repetition":
                self._coming.count("unchanged")
            elif record.kind == "deletion":
                self._deletions.append((record, file))
            elif record.kind == "relation":
                self._relations.append((parse_relation(record.fields), record, file))
            else:
                self._found.append((_PARSERS[record.kind](record.fields), record, file))
        except BadLineError as error:
            self._drop(record, file, error.reason)

    def versions(self) -> Iterator[Version]:
        """Give all versions of all keys, with their links."""
        keys = {parsed.entry.key for parsed, _, _ in self._found}
        live = {parsed.entry.key for parsed, _, _ in self._found if not parsed.is_deleted}
        added = self._weigh_relations(keys)
        for parsed, record, file in self._found:
            entry = _with_links(parsed.entry, added.pop_for(parsed.entry.key))
            session = entry.fields.get(FIELD, {}).get("session_id")
            if isinstance(session, str) and session.strip():
                to = session_key(session)
                if to in live or self._is_live(to):
                    entry = _with_links(entry, {"links": [{"rel": "part_of", "to": to}]})
            if parsed.repairs:
                self._coming.repaired.append(Repaired(record.line, entry.key, parsed.repairs))
            is_put_aside = parsed.is_deleted and not record.is_version
            yield Version(entry, record.line, file, record.is_version, is_put_aside, record.name)
        yield from self._iter_deletions()
        # What has been said stays said: an entry that was set right here since is left alone.
        for key in added.left():
            self._amend(key, added.pop_for(key))

    def _is_live(self, key: str) -> bool:
        at = self._coming.change.find(key)
        return at is not None and isinstance(at.record, Entry)

    def _amend(self, key: str, more: dict[str, Json]) -> None:
        """Put what a relation says on an entry that no record of these files speaks of."""
        at = self._coming.change.find(key)
        if at is None or not isinstance(at.record, Entry):
            return
        new = _with_links(at.record, more)
        if new != at.record:
            ts = max(self._coming.now, at.record.ts + 1)
            self._coming.change.put(Entry({**new.fields, "ts": ts}), keep_old=True)

    def _iter_deletions(self) -> Iterator[Version]:
        for record, file in self._deletions:
            entity = record.fields["entity"]
            name = str(record.fields.get("id", ""))
            key = session_key(name) if entity == "session" else observation_key(record.fields)
            known = [parsed.entry for parsed, _, _ in self._found if parsed.entry.key == key]
            base = known[-1] if known else find_old(self._coming, key)
            if base is None:
                self._drop(record, file, f"it deletes '{key}', which is not here")
                continue
            moment = seconds_of(record.fields.get("deleted_at"))
            ts = max(base.ts, moment if moment is not None else base.ts)
            entry = Entry({**base.fields, "status": "archived", "ts": ts})
            yield Version(entry, record.line, file, is_put_aside=True, name=record.name)

    def _weigh_relations(self, keys: set[str]) -> _Added:
        added = _Added()
        good: list[tuple[Relation, Record, str]] = []
        for relation, record, file in self._relations:
            absent = [
                key
                for key in (relation.source, relation.target)
                if key not in keys and not self._is_live(key)
            ]
            if absent:
                self._drop(
                    record, file, f"it relates '{absent[0]}', which is not here, or archived"
                )
            else:
                good.append((relation, record, file))
        held = tenable(
            (relation.source, relation.target)
            for relation, _, _ in good
            if relation.rel == "supersedes"
        )
        for relation, _, _ in good:
            rel = relation.rel
            if rel == "supersedes" and (relation.source, relation.target) not in held:
                rel = "relates_to" if relation.source != relation.target else ""
            is_known = self._is_known(relation)
            self._coming.count("unchanged" if is_known else "added")
            added.put(relation, rel, is_new=not is_known)
        return added

    def _is_known(self, relation: Relation) -> bool:
        standing = self._coming.change.find(relation.source)
        versions = [standing, *self._coming.change.find_archived(relation.source)]
        return any(
            encode_sorted(relation.more) == encode_sorted(known)
            for at in versions
            if at is not None
            for known in at.record.fields.get(RELATIONS_FIELD, ())
        )

    def _drop(self, record: Record, file: str, reason: str) -> None:
        place = f"{record.name}: " if record.name else ""
        self._coming.dropped.append(Dropped(record.line, f"{place}{reason}", file))


class _Added:
    """What relations add to the entries that they leave or reach."""

    def __init__(self) -> None:
        self._by_key: dict[str, dict[str, Json]] = {}
        self._seen: set[str] = set()
        self._new: set[str] = set()

    def put(self, relation: Relation, rel: str, *, is_new: bool) -> None:
        fields = self._by_key.setdefault(relation.source, {})
        fields.setdefault(RELATIONS_FIELD, []).append(dict(relation.more))
        if rel:
            fields.setdefault("links", []).append({"rel": rel, "to": relation.target})
        if rel == "supersedes":
            self._by_key.setdefault(relation.target, {})["status"] = "superseded"
        if is_new:
            self._new |= {relation.source, relation.target}

    def pop_for(self, key: str) -> dict[str, Json]:
        self._seen.add(key)
        return self._by_key.get(key, {})

    def left(self) -> list[str]:
        return sorted((self._by_key.keys() & self._new) - self._seen)


def _with_links(entry: Entry, more: dict[str, Json]) -> Entry:
    fields = dict(entry.fields)
    for name, value in more.items():
        if name == "status":
            if entry.is_active:
                fields[name] = value
        else:
            known = list(fields.get(name, ()))
            fields[name] = known + [item for item in value if item not in known]
    return Entry(fields)


_PARSERS = {
    "observation": parse_observation,
    "session": parse_session,
    "prompt": parse_prompt,
}
