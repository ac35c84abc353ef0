"""Which entry of a store each record of ADD's is, and which number it has there.

1. A record is the entry that came of it before, by its number, else by its title or its body; or an
   entry that was written here and says the same; or a new one. Two records are never one entry.
2. A number that another entry has is not taken from it: the record gets the next free one. What has no
   number gets one.
"""

from __future__ import annotations

from collections import Counter
from functools import partial

from gitkb.core.alias import (
    PROJECT_PREFIX,
    TIER_PREFIX,
    format_alias,
    highest_number,
    parse_alias,
)
from gitkb.core.canonical import encode_sorted
from gitkb.core.entry import Entry, Tombstone
from gitkb.core.foreign.add_form import FIELD, name_of, record_of
from gitkb.core.foreign.import_mark import MARKS, with_marks
from gitkb.core.identity import mint_key, normal_title
from gitkb.store.home import PROJECT
from gitkb.store.reader import iter_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from gitkb.core.canonical import Fields, Json
    from gitkb.core.foreign.add_form import Reading
    from gitkb.core.snapshot import Snapshot
    from gitkb.operations.exchange.import_versions import Import
    from gitkb.operations.tier import Tier


class Known:
    """What stands in a store, by what a record may know of it. O(size of the store)."""

    def __init__(self, snapshot: Snapshot) -> None:
        entries = {key: versions[-1].record for key, versions in snapshot.archived.items()}
        for key, at in snapshot.current.items():
            if isinstance(at.record, Entry) or key not in entries:
                entries[key] = at.record
        self.entries = {
            key: Entry(record.fields)
            for key, record in sorted(entries.items())
            if not isinstance(record, Tombstone)
        }
        self.keys = {*entries, *snapshot.current}
        self.gone = {
            key for key, at in snapshot.current.items() if isinstance(at.record, Tombstone)
        }
        self.owners: dict[str, str] = {}
        self.came: dict[str, list[str]] = {}
        """Keys of what came from ADD, by each of its numbers, title and body."""
        self.native: dict[str, list[str]] = {}
        """Keys of what was written here, by each alias, the key and the title."""
        for key, entry in self.entries.items():
            for alias in entry.aliases:
                self.owners.setdefault(alias, key)
            came = FIELD in entry.fields and MARKS in entry.fields
            index, names = (
                (self.came, _names(entry))
                if came
                else (self.native, [*entry.aliases, key, _title(entry.fields)])
            )
            for name in names:
                index.setdefault(name, []).append(key)


def keys_of(records: dict[int, dict[str, Json]], known: Known) -> dict[int, str]:
    """Find the entry that each record is, if there is one: the surest signs first."""
    keys: dict[int, str] = {}
    taken: set[str] = set()
    repeated = Counter(map(name_of, records.values()))

    def claim(at: int, candidates: Iterable[str], fits: Callable[[Entry], bool]) -> None:
        for key in candidates if at not in keys else ():
            if key not in taken and fits(known.entries[key]):
                keys[at] = key
                taken.add(key)
                return

    for is_exact in (True, False):
        for at, record in records.items():
            signs = _signs(record)
            names = [f"id {name_of(record)}", *signs] if name_of(record) else signs
            for name in names:
                claim(at, known.came.get(name, ()), partial(_is_same, record, is_exact=is_exact))
    for is_sure in (True, False):
        for at, record in records.items():
            name = name_of(record)
            sure = is_sure or repeated[name] > 1
            claim(
                at,
                known.came.get(f"id {name}", ()) if name else (),
                partial(_is_alike, record, sure=sure),
            )
    for at, record in records.items():
        for sign in _signs(record):
            claim(at, known.came.get(sign, ()), lambda _: True)
    for at, record in records.items():
        names = [name_of(record), f"title {normal_title(text_of(record, 'title'))}"]
        for name in filter(None, names):
            claim(
                at,
                known.native.get(name, ()),
                partial(_is_double, record),
            )
    return keys


def _is_same(record: Fields, entry: Entry, *, is_exact: bool) -> bool:
    """Whether an entry says all that a record does, and, if `is_exact`, nothing else."""
    was = record_of(entry.fields)
    names = record.keys() | was.keys() if is_exact else record.keys()
    return all(
        name in was and name in record and encode_sorted(was[name]) == encode_sorted(record[name])
        for name in names
    )


def _is_alike(record: Fields, entry: Entry, *, sure: bool) -> bool:
    """Whether an entry of the same number is the same learning, and not another file's."""
    if not set(_signs(record)).isdisjoint(_names(entry)):
        return True
    was = record_of(entry.fields)
    same = [was.get(name) == record.get(name) for name in ("date", "source")]
    return not sure and all(same)


def _is_double(record: Fields, entry: Entry) -> bool:
    was = record_of(entry.fields)
    same = [_folded(was, name) == _folded(record, name) for name in ("title", "body")]
    return all(same) or (any(same) and name_of(record) in (*entry.aliases, entry.key))


def aliases_of(
    records: dict[int, dict[str, Json]],
    keys: dict[int, str],
    known: Known,
    tier: Tier,
    coming: Import,
) -> dict[int, str]:
    """Say which number each record's entry has: its own, that it got before, or the next free one."""
    prefix = PROJECT_PREFIX if tier.name == PROJECT else TIER_PREFIX
    aliases: dict[int, str] = {}
    owners: dict[str, object] = dict(known.owners)
    for at, record in records.items():
        name = name_of(record)
        if name and owners.setdefault(name, keys.get(at, at)) == keys.get(at, at):
            aliases[at] = name
    data = (data for _, data in iter_files(tier.store))
    numbers = [parts[1] for parts in map(parse_alias, owners) if parts and parts[0] == prefix]
    highest = max([highest_number(prefix, data), *numbers], default=0)
    for at in records:
        if at in aliases:
            continue
        old = known.entries.get(keys.get(at, ""))
        before = old.fields.get(MARKS, {}).get("aliases") if old is not None else None
        if isinstance(before, list) and before:
            aliases[at] = str(before[0])
        elif old is not None and old.aliases:
            aliases[at] = old.aliases[0]
        else:
            highest += 1
            aliases[at] = format_alias(prefix, highest)
    return aliases


def new_key(reading: Reading, known: Known) -> str:
    """Make a key that nothing has, or find the one of what was forgotten: that does not come back."""
    title = str(reading.fields.get("title") or reading.fields.get("content"))
    salt = 0
    while True:
        key = mint_key(reading.fields["type"], title, salt)
        if key not in known.keys or key in known.gone:
            return key
        salt += 1


def _names(entry: Entry) -> list[str]:
    """The signs by which a record that an entry came of is known again."""
    marks, kept = entry.fields.get(MARKS), entry.fields.get(FIELD)
    marks = marks if isinstance(marks, dict) else {}
    way = kept.get("id") if isinstance(kept, dict) else None
    given = name_of({"id": way["said"]}) if isinstance(way, dict) and "said" in way else ""
    before = marks.get("aliases")
    ids = [given, *(before if isinstance(before, list) else ()), *entry.aliases]
    signs = [f"{name} {marks[name]}" for name in ("title", "content") if name in marks]
    return [*(f"id {name}" for name in dict.fromkeys(ids) if name), *signs]


def _signs(record: Fields) -> list[str]:
    title, body = " ".join(text_of(record, "title").split()), text_of(record, "body")
    given = {"title": title, "content": body if body.strip() else ""}
    marks = with_marks({name: text for name, text in given.items() if text})[MARKS]
    return [f"{name} {mark}" for name, mark in marks.items()]


def _title(fields: Fields) -> str:
    return f"title {normal_title(str(fields.get('title') or ''))}" if fields.get("title") else ""


def _folded(record: Fields, name: str) -> str:
    return " ".join(text_of(record, name).split()).casefold()


def text_of(record: Fields, name: str) -> str:
    """Give a field of a record, or an empty text where it is none."""
    value = record.get(name)
    return value if isinstance(value, str) else ""
