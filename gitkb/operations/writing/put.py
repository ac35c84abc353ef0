"""Put drafted entries into a store, under its lock: which key each gets, and what it does to what
stands there.

1. A key holds one entry. What is given under a key that exists replaces it, and the old copy moves
   to the archive; if nothing but `ts` differs, nothing is written.
2. Without a key the type and title decide: the active entry that has them (or the one of the status
   that is given) is added to (tags and files united, importance the larger, content the newer), or
   a new key is made.
3. What other verbs keep on an entry (links, aliases, conflicts, its creation, its scope) survives a
   correction that does not name it.
4. `ts` is later than that of whatever the key said before, also in the archive or as a tombstone;
   `created` is the first moment of an entry, and no later than `ts`.
5. What says much the same is named; only who is strict has it refused.
6. What an entry newly supersedes is marked in the same change, and what it no longer does is not.
7. An entry with a category gets a number (`numbering`).
"""

from __future__ import annotations

from typing import NamedTuple

from gitkb.core.entry import DEFAULTS, FIELDS, Entry, Tombstone, normalise
from gitkb.core.identity import mint_key, normal_title
from gitkb.errors import GitkbError
from gitkb.operations.supersede import apply_supersedes
from gitkb.operations.writing.clock import later_than, now
from gitkb.operations.writing.draft import title_of
from gitkb.operations.writing.similar import find_similar, text_of
from gitkb.store.writer import changing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gitkb.core.canonical import Json
    from gitkb.core.snapshot import Located
    from gitkb.index.similar import Similar
    from gitkb.operations.writing.numbering import Row
    from gitkb.store.layout import Store
    from gitkb.store.writer import Change

_KEPT = (
    "created", "links", "aliases", "conflicts", "status", "project", "revives",
    "scope", "classified_by", "allowed_secrets", "redacted",
)  # fmt: skip
_UNITED = ("tags", "files", "stack", "links", "aliases", "allowed_secrets", "redacted")


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
    alias: str = ""
    """The number of a learning."""
    tier: str = ""
    """Of a learning: where it is now."""
    scope: str = ""
    reasons: tuple[str, ...] = ()
    """What the scope rests on, where nobody gave it."""
    notes: tuple[str, ...] = ()
    """What there is to say about where it went, or is to be done about it."""


class Refused(NamedTuple):
    """A line of a batch that was not written."""

    line: int
    error: GitkbError


class MovedAway(NamedTuple):
    """What was to be written stands in another tier, and a redirect here says so."""

    key: str
    tier: str


def write_drafts(
    store: Store,
    drafts: Mapping[int, dict[str, Json]],
    *,
    strict: bool = False,
    follow: bool = True,
    is_batch: bool = True,
) -> dict[int, Added | Refused | MovedAway]:
    """Write drafted entries in one change, and say of each what became of it.

    With `follow` what has moved to another tier is not written here. Without `is_batch` the first
    that is refused is raised, and nothing is written.

    Raises:
        StateError: when the store is locked, in conflict, full or read-only.
        SearchIndexError: if `strict`, and nothing can be compared; nothing is written then.
    """
    results: dict[int, Added | Refused | MovedAway] = {}
    with changing(store) as change:
        row = _row_for(change, drafts.values())
        refused = _refuse_doubles(store, change, list(drafts.values())) if strict else ()
        doubles = dict(zip(drafts, refused, strict=strict))
        for number, fields in drafts.items():
            try:
                results[number] = doubles.get(number) or _follow_or_put(change, fields, row, follow)
            except GitkbError as error:
                if not is_batch:
                    raise
                results[number] = Refused(number, error)
    written = {
        number: result
        for number, result in results.items()
        if isinstance(result, Added) and not result.refused
    }
    texts = [text_of(added.key, drafts[number]) for number, added in written.items()]
    for (number, added), similar in zip(written.items(), find_similar(store, texts), strict=True):
        results[number] = added._replace(similar=similar)
    return results


def _row_for(change: Change, drafts: Iterable[Mapping[str, Json]]) -> Row | None:
    """Give the row of numbers, if any of these needs one."""
    if not any("category" in fields for fields in drafts):
        return None
    from gitkb.operations.writing.numbering import Row

    return Row(change)


def _follow_or_put(
    change: Change, fields: dict[str, Json], row: Row | None, follow: bool
) -> Added | MovedAway:
    key = fields.get("key") or _key_for(change, fields)
    at = change.find(key)
    if follow and at is not None and isinstance(at.record, Tombstone):
        tier = at.record.moved
        if tier and not tier.startswith("project "):
            return MovedAway(key, tier)
    return _put_at(change, fields, key, at, row)


def _refuse_doubles(
    store: Store, change: Change, drafts: Sequence[dict[str, Json]]
) -> list[Added | None]:
    """Say of each new entry, before it is written, what says the same already; None lets it pass."""
    from gitkb.operations.reading.search_index import open_index
    from gitkb.operations.writing.similar import Gate

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


def put_entry(change: Change, fields: dict[str, Json], row: Row | None = None) -> Added:
    """Decide the key of drafted fields, and what they do to what stands there.

    `row` gives learnings their numbers; without one it is made when the first needs it.
    """
    if row is None:
        row = _row_for(change, (fields,))
    key = fields.get("key") or _key_for(change, fields)
    return _put_at(change, fields, key, change.find(key), row)


def _put_at(
    change: Change, fields: dict[str, Json], key: str, at: Located | None, row: Row | None
) -> Added:
    old = at.record if at else None
    moment = fields.get("ts", now())
    before: Mapping[str, Json] = old.fields if old is not None else {}
    if isinstance(old, Entry):
        new = _correct(old, fields) if "key" in fields else _unite(old, fields)
        if "created" in fields:
            new["created"] = min(old.created, fields["created"])
        if row is not None:
            row.keep(new, before)
        if _is_same(old.fields, new):
            return Added(False, False, key, alias=_number_of(new, change))
        new["ts"] = later_than(old, moment)
    else:
        new = {**fields, "key": key, "ts": later_than(old, moment)}
        if isinstance(old, Tombstone):
            new["revives"] = old.ts
        elif versions := change.find_archived(key):
            latest = Entry(versions[-1].record.fields)
            before = latest.fields
            if latest.status == "archived" and _is_same(before, {"created": latest.created, **new}):
                return Added(False, False, key, alias=_number_of(before, change))
            new["ts"] = later_than(latest, moment)
            new.setdefault("created", latest.created)
        new["created"] = min(new.get("created", new["ts"]), new["ts"])
        if row is not None:
            row.keep(new, before)
    if "category" in new:
        row = row or _row_for(change, (new,))
        if row is not None:
            row.give(new)
    entry = change.judge(Entry(new))  # before anything else changes: a batch goes on without it
    apply_supersedes(change, entry, old if isinstance(old, Entry) else None)
    change.put(entry, keep_old=isinstance(old, Entry))
    if entry.status == "archived":
        change.archive(entry)
        change.drop(key)
    gone = old.fields.keys() - new.keys() - fields.keys() if isinstance(old, Entry) else ()
    return Added(
        written=True,
        superseded=isinstance(old, Entry),
        key=key,
        revived=isinstance(old, Tombstone) and not old.moved,
        emptied=tuple(sorted(gone)),
        alias=_number_of(new, change),
    )


def _number_of(fields: Mapping[str, Json], change: Change) -> str:
    """Give the number of a learning in this store, or else one that it has from another tier."""
    if "category" not in fields:
        return ""
    from gitkb.core.alias import parse_alias
    from gitkb.operations.writing.numbering import prefix_of

    prefix = prefix_of(change.store)
    numbers = [
        (parts[0] != prefix, name)
        for name in fields.get("aliases", ())
        if (parts := parse_alias(name))
    ]
    return min(numbers)[1] if numbers else ""


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
    if isinstance(record, Tombstone):
        return bool(record.moved)  # it stands elsewhere, under this key
    return (
        # Who writes down again what is rejected means the rejected one, not another.
        record.status == fields.get("status", "active")
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
