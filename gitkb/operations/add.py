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
5. What says much the same is named and warned of; only who is strict has it refused.
6. What an entry newly supersedes is marked in the same change, and what it no longer does is not.
"""

from __future__ import annotations

from typing import NamedTuple

from gitkb.core.entry import DEFAULTS, FIELDS, Entry, Tombstone, normalise
from gitkb.core.identity import mint_key, normal_title
from gitkb.core.jsonl import BYTE_ORDER_MARK, BadLineError, parse_object
from gitkb.errors import DataError, GitkbError
from gitkb.operations.clock import later_than, now
from gitkb.operations.draft import draft_fields, title_of
from gitkb.operations.similar import find_similar, text_of
from gitkb.operations.supersede import apply_supersedes
from gitkb.store.writer import changing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gitkb.core.canonical import Json
    from gitkb.core.snapshot import Located
    from gitkb.index.similar import Similar
    from gitkb.store.layout import Store
    from gitkb.store.writer import Change

_FORM_HINT = """gitkb add takes one JSON object: {"type":"fact","content":"…"}"""
_KEPT = ("created", "links", "aliases", "conflicts", "status", "project", "revives")
_UNITED = ("tags", "files", "stack", "links", "aliases")


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
    refused: bool = False
    """Nothing was written, because `similar` says it already."""


class Refused(NamedTuple):
    """A line of a batch that was not written."""

    line: int
    error: GitkbError


def add(store: Store, given: Mapping[str, Json], *, strict: bool = False) -> Added:
    """Write one entry; if `strict`, not a new one that another says already (`similar.is_double`).

    Raises:
        DataError: when a field is wrong.
        StateError: when the store is locked, in conflict, full or read-only.
        SearchIndexError: if `strict`, and nothing can be compared; nothing is written then.
    """
    fields = draft_fields(given, store)
    with changing(store) as change:
        if strict and (refused := _refuse_doubles(store, change, [fields])[0]):
            return refused
        added = put_entry(change, fields)
    [similar] = find_similar(store, [text_of(added.key, fields)])
    return added._replace(similar=similar)


def add_batch(
    store: Store, lines: Iterable[bytes], *, strict: bool = False
) -> list[Added | Refused]:
    """Write entries given as JSON lines: the good ones in one change, each bad one refused.

    The answer has one item a line that is not blank, in order. `strict` is as for `add`, and of two
    lines of the batch that say the same the second is refused.
    """
    results: dict[int, Added | Refused] = {}
    drafts: dict[int, dict[str, Json]] = {}
    with changing(store) as change:
        for number, line in enumerate(lines, 1):
            if line.strip():
                try:
                    drafts[number] = draft_fields(parse_given(line), store)
                except GitkbError as error:
                    results[number] = Refused(number, error)
        refused = _refuse_doubles(store, change, list(drafts.values())) if strict else ()
        doubles = dict(zip(drafts, refused, strict=strict))
        for number, fields in drafts.items():
            try:
                results[number] = doubles.get(number) or put_entry(change, fields)
            except GitkbError as error:
                results[number] = Refused(number, error)
    written = {
        number: result
        for number, result in results.items()
        if isinstance(result, Added) and not result.refused
    }
    texts = [text_of(added.key, drafts[number]) for number, added in written.items()]
    for (number, added), similar in zip(written.items(), find_similar(store, texts), strict=True):
        results[number] = added._replace(similar=similar)
    return [results[number] for number in sorted(results)]


def _refuse_doubles(
    store: Store, change: Change, drafts: Sequence[dict[str, Json]]
) -> list[Added | None]:
    """Say of each new entry, before it is written, what says the same already; None lets it pass."""
    from gitkb.operations.search_index import open_index
    from gitkb.operations.similar import Gate

    refused: list[Added | None] = []
    with open_index(store) as index:
        gate = Gate(index.comparison())
        for fields in drafts:
            key = fields.get("key") or _key_for(change, fields)
            at = change.find(key)
            # A correction adds nothing.
            is_new = at is None or not isinstance(at.record, Entry)
            doubles = gate.doubles_of(text_of(key, fields)) if is_new else ()
            answer = Added(False, False, key, similar=doubles, refused=True)
            refused.append(answer if doubles else None)
    return refused


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
