"""Write one piece of knowledge, or correct it.

1. A key holds one entry. What is given under a key that exists replaces it, and the old copy moves
   to the archive; if nothing but `ts` differs, nothing is written.
2. Without a key the type and title decide: the active entry that has them (or the one of the status
   that is given) is added to (tags and files united, importance the larger, content the newer), or
   a new key is made.
3. What other verbs keep on an entry (links, aliases, conflicts, its creation) survives a correction
   that does not name it.
4. `ts` is later than that of whatever the key said before, also in the archive or as a tombstone;
   `created` is the first moment of an entry, and no later than `ts`.
5. What an entry newly supersedes is marked in the same change, and what it no longer does is not.
"""

from __future__ import annotations

from typing import NamedTuple

from gitkb.core.entry import DEFAULTS, FIELDS, Entry, Tombstone, normalise
from gitkb.core.identity import mint_key, normal_title
from gitkb.core.jsonl import BYTE_ORDER_MARK, BadLineError, parse_object
from gitkb.errors import DataError, GitkbError, SearchIndexError
from gitkb.operations.clock import later_than, now
from gitkb.operations.draft import draft_fields, title_of
from gitkb.operations.supersede import apply_supersedes
from gitkb.store.writer import changing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gitkb.core.canonical import Json
    from gitkb.core.snapshot import Located
    from gitkb.index.search import Hit
    from gitkb.store.layout import Store
    from gitkb.store.writer import Change

_FORM_HINT = """gitkb add takes one JSON object: {"type":"fact","content":"…"}"""
_KEPT = ("created", "links", "aliases", "conflicts", "status", "project", "revives")
_UNITED = ("tags", "files", "stack", "links", "aliases")


class Similar(NamedTuple):
    """Another entry that says the same."""

    key: str
    title: str


class Added(NamedTuple):
    """What became of one entry that was given."""

    written: bool
    superseded: bool
    key: str
    revived: bool = False
    """The key had been forgotten, and lives again."""
    similar: tuple[Similar, ...] = ()
    emptied: tuple[str, ...] = ()
    """Fields that the entry had and what replaced it does not name."""


class Refused(NamedTuple):
    """A line of a batch that was not written."""

    line: int
    error: GitkbError


def add(store: Store, given: Mapping[str, Json]) -> Added:
    """Write one entry.

    Raises:
        DataError: when a field is wrong.
        StateError: when the store is locked, in conflict, full or read-only.
    """
    fields = draft_fields(given, store)
    with changing(store) as change:
        added = put_entry(change, fields)
    [similar] = find_similar(store, [(added.key, fields.get("title", ""))])
    return added._replace(similar=similar)


def add_batch(store: Store, lines: Iterable[bytes]) -> list[Added | Refused]:
    """Write entries given as JSON lines: the good ones in one change, each bad one refused.

    The answer has one item a line that is not blank, in order.
    """
    results: list[Added | Refused] = []
    titles: list[str] = []
    with changing(store) as change:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                fields = draft_fields(parse_given(line), store)
                results.append(put_entry(change, fields))
                titles.append(fields.get("title", ""))
            except GitkbError as error:
                results.append(Refused(number, error))
                titles.append("")
    keys = [result.key if isinstance(result, Added) else "" for result in results]
    found = find_similar(store, list(zip(keys, titles, strict=True)))
    return [
        result._replace(similar=similar) if isinstance(result, Added) else result
        for result, similar in zip(results, found, strict=True)
    ]


def parse_given(text: bytes) -> dict[str, Json]:
    """Parse one JSON object as it was given to `add`.

    Raises:
        DataError: when it is none.
    """
    # Some shells put the mark before whatever they pipe.
    text = text.removeprefix(BYTE_ORDER_MARK).strip()
    if not text:
        raise DataError("cannot add: there is no entry on stdin", _FORM_HINT)
    try:
        return parse_object(text)
    except BadLineError as error:
        where = f" (column {error.column})" if error.column else ""
        is_many = b"\n{" in text and "extra data" in error.reason
        # What the error advises is meant for a line of a file, unless it says what to write.
        hint = "several entries, one a line: gitkb add --batch" if is_many else error.hint
        if not hint or hint.startswith(("gitkb fmt", "gitkb check", "mend the line")):
            hint = _FORM_HINT
        raise DataError(f"cannot read the entry: {error.reason}{where}", hint) from None


def put_entry(change: Change, fields: dict[str, Json]) -> Added:
    """Decide the key of drafted fields, and what they do to what stands there."""
    key = fields.get("key") or _key_for(change, fields)
    at = change.find(key)
    old = at.record if at else None
    moment = fields.get("ts", now())
    if isinstance(old, Entry):
        new = _correct(old, fields) if "key" in fields else _unite(old, fields)
        if "created" in fields:
            new["created"] = min(old.created, fields["created"])
        if _is_same(old.fields, new):
            return Added(False, False, key)
        new["ts"] = later_than(old, moment)
    else:
        new = {**fields, "key": key, "ts": later_than(old, moment)}
        if isinstance(old, Tombstone):
            new["revives"] = old.ts
        elif versions := change.find_archived(key):
            latest = Entry(versions[-1].record.fields)
            new["ts"] = later_than(latest, moment)
            new.setdefault("created", latest.created)
        new["created"] = min(new.get("created", new["ts"]), new["ts"])
    entry = Entry(new)
    apply_supersedes(change, entry, old if isinstance(old, Entry) else None)
    change.put(entry, keep_old=isinstance(old, Entry))
    gone = old.fields.keys() - new.keys() - fields.keys() if isinstance(old, Entry) else ()
    return Added(
        written=True,
        superseded=isinstance(old, Entry),
        key=key,
        revived=isinstance(old, Tombstone),
        emptied=tuple(sorted(gone)),
    )


def find_similar(store: Store, written: Sequence[tuple[str, str]]) -> list[tuple[Similar, ...]]:
    """Find, for pairs of a key and a title, other active entries with the title, as titles are
    compared.

    It comes after the writing, so that it cannot fail: without a search index nothing is similar.
    """
    from gitkb.operations.recall import (
        find_titled,
    )  # the search index, if any title is there at all

    if not any(title for _, title in written):
        return [()] * len(written)
    try:
        found = find_titled(store, [title for _, title in written])
    except SearchIndexError:
        return [()] * len(written)
    return [
        _same_titles(hits, key, title) for hits, (key, title) in zip(found, written, strict=True)
    ]


def _same_titles(hits: Iterable[Hit], key: str, title: str) -> tuple[Similar, ...]:
    folded = normal_title(title)
    others = [parse_object(hit.line) for hit in hits]
    return tuple(
        sorted(
            Similar(other["key"], other["title"])
            for other in others
            if other["key"] != key and normal_title(other.get("title", "")) == folded
        )
    )


def _key_for(change: Change, fields: Mapping[str, Json]) -> str:
    title = title_of(fields)
    salt = 0
    while True:
        key = mint_key(fields["type"], title, salt)
        at = change.find(key)
        if _is_free_for(at, fields) and (at or not change.find_archived(key)):
            return key
        salt += 1


def _is_free_for(at: Located | None, fields: Mapping[str, Json]) -> bool:
    if at is None:
        return True
    record = at.record
    return (
        isinstance(record, Entry)
        # Who writes down again what is rejected means the rejected one, not another.
        and record.status == fields.get("status", "active")
        and record.type == fields["type"]
        and normal_title(title_of(record.fields)) == normal_title(title_of(fields))
    )


def _correct(old: Entry, fields: Mapping[str, Json]) -> dict[str, Json]:
    # What gitkb does not know belongs to another tool, which is not asked here.
    kept = {
        name: value for name, value in old.fields.items() if name in _KEPT or name not in FIELDS
    }
    return {**kept, **fields}


def _unite(old: Entry, fields: Mapping[str, Json]) -> dict[str, Json]:
    new = {**old.fields, **fields}
    for name in _UNITED:
        both = [*old.fields.get(name, ()), *fields.get(name, ())]
        if both:
            new[name] = both
    importance = max(old.importance, fields.get("importance", DEFAULTS["importance"]))
    if "importance" in old.fields or "importance" in fields:
        new["importance"] = importance
    return new


def _is_same(old: Mapping[str, Json], new: Mapping[str, Json]) -> bool:
    return _without_ts(old) == _without_ts(new)


def _without_ts(fields: Mapping[str, Json]) -> dict[str, Json]:
    return {name: value for name, value in normalise(fields).items() if name != "ts"}
