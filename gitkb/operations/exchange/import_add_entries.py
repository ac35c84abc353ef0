"""The entries of one file of ADD's, brought into one store.

1. A record that says what its entry says already changes nothing.
2. What was inferred is told, and what would be given back otherwise than it came.
"""

from __future__ import annotations

from typing import NamedTuple

from gitkb.core.canonical import encode_sorted
from gitkb.core.entry import CATEGORIES, Entry, Tombstone
from gitkb.core.foreign.add_form import FIELD, fields_of, name_of, record_of
from gitkb.operations.classify import classifier
from gitkb.operations.exchange.import_add_match import Known, aliases_of, keys_of, new_key, text_of
from gitkb.operations.exchange.import_marked import correct_with, find_old, take_marked
from gitkb.operations.exchange.import_result import Dropped, Noticed
from gitkb.store.config import read_config
from gitkb.store.home import PROJECT, WORKSTATION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gitkb.core.canonical import Fields, Json
    from gitkb.core.foreign.add_form import Reading
    from gitkb.operations.exchange.import_versions import Import
    from gitkb.operations.tier import Tier


class Source(NamedTuple):
    """What one file holds."""

    name: str
    tier: str
    records: Sequence[dict[str, Json] | str]
    """ADD's fields of each entry, or why it has none."""
    project: str
    is_whole: bool
    """Whether a record says all that there is, as in JSON."""
    lines: Sequence[int] = ()
    around: Sequence[str] = ()
    """A date for each that has none; where it is not given, that of the record before it."""
    notes: Sequence[tuple[int, str]] = ()

    def place(self, at: int) -> str:
        """Name a record for a person."""
        record = self.records[at]
        name = name_of(record) if isinstance(record, dict) else ""
        number = f"line {self.lines[at]}" if self.lines else f"entry {at + 1}"
        return f"{number} ({name})" if name else number


def take_source(coming: Import, tier: Tier, source: Source, own_project: str) -> None:
    """Bring the entries of a file into the store of a tier; `own_project` is what that is called."""
    known = Known(coming.change.read_all())
    judge = classifier(tier.store)

    def scope_of(fields: Fields) -> str:
        scope = judge(fields).scope
        # What stands in a library is nobody's own.
        return WORKSTATION if source.tier == WORKSTATION and scope == PROJECT else scope

    records = dict(_distinct(coming, source))
    keys = keys_of(records, known)
    aliases = aliases_of(records, keys, known, tier, coming)
    around = around_of(source)
    guessed: dict[str, int] = {}
    for at, record in records.items():
        old = known.entries.get(keys[at]) if at in keys else None
        if old is not None:
            if gone := _gone(coming, old.key):
                coming.dropped.append(_dropped(source, at, gone)._replace(is_settled=True))
                continue
            if _is_said(record, old, source, own_project):
                coming.count("unchanged")
                continue
        if not source.is_whole and "source" not in record and source.project:
            record = {**record, "source": source.project}
        reading = fields_of(
            record, scope_of, alias=aliases[at], around=around[at], now=coming.now,
            before=old.fields if old is not None else None, is_whole=source.is_whole,
        )  # fmt: skip
        if reading is None:
            coming.dropped.append(_dropped(source, at, "it has neither a title nor a body"))
            continue
        key = keys.get(at) or new_key(reading, known)
        if gone := _gone(coming, key):
            coming.dropped.append(_dropped(source, at, gone)._replace(is_settled=True))
            continue
        known.keys.add(key)
        fate = _take(coming, {**reading.fields, "key": key}, old, source, at, own_project)
        if fate == "dropped":
            continue
        _notice(coming, source, at, reading, aliases[at], guessed)
        _compare(coming, source, at, key, record, own_project)
    _notice_all(coming, tier, source, records.values(), guessed)


def _distinct(coming: Import, source: Source) -> Iterable[tuple[int, dict[str, Json]]]:
    """Give the records that are something new in their file; the others are counted."""
    seen: set[bytes] = set()
    for at, record in enumerate(source.records):
        if isinstance(record, str):
            coming.dropped.append(_dropped(source, at, record))
        elif (form := encode_sorted(record)) in seen:
            coming.count("unchanged")
        else:
            seen.add(form)
            yield at, record


def _gone(coming: Import, key: str) -> str:
    """Say why an entry does not come back, if it was forgotten or moved away."""
    standing = coming.change.find(key)
    if standing is None or not isinstance(standing.record, Tombstone):
        return ""
    if standing.record.moved:
        return f"'{key}' has moved to '{standing.record.moved}': gitkb demote {key} brings it back"
    return f"'{key}' was forgotten: gitkb add with this very key brings it back"


def _is_said(record: Fields, entry: Entry, source: Source, own_project: str) -> bool:
    back = record_of(entry.fields, own_project)
    return source.is_whole and encode_sorted(record) == encode_sorted(back)


def _take(
    coming: Import, fields: dict[str, Json], old: Entry | None, source: Source, at: int, own: str
) -> str:
    line = source.lines[at] if source.lines else 0
    fields["ts"] = fields["created"]
    if old is None or FIELD in old.fields:
        return take_marked(coming, fields, line=line, file=source.name)
    standing = find_old(coming, old.key)
    if standing is None:
        return take_marked(coming, fields, line=line, file=source.name)
    was, now = record_of(old.fields, own), record_of(fields, own)
    ours = {"body": "content", "severity": "importance", "source": "project", "id": "aliases",
            "checkpoint_type": "checkpoint"}  # fmt: skip
    said = {
        ours.get(name, name): fields[ours.get(name, name)]
        for name in now
        if was.get(name) != now[name] and name != "date" and ours.get(name, name) in fields
    }
    return correct_with(coming, standing, {"key": old.key, **said}, line=line)


def _notice(
    coming: Import, source: Source, at: int, reading: Reading, alias: str, guessed: dict[str, int]
) -> None:
    record = source.records[at]
    name = name_of(record) if isinstance(record, dict) else ""
    notes = list(reading.notes)
    if name and name != alias:
        notes.append(f"'{name}' is another's number here: it is {alias}")
    if source.is_whole:
        if notes:
            coming.noticed.append(Noticed(source.name, f"{source.place(at)}: {'; '.join(notes)}"))
        return
    for note in notes:
        # Of prose the kinds of what was inferred are told, not each.
        note = note.partition(": ")[0] if note.startswith("its stack") else note
        guessed[note] = guessed.get(note, 0) + 1


def _compare(
    coming: Import, source: Source, at: int, key: str, record: Fields, own_project: str
) -> None:
    """Say what an export would give back otherwise than it came."""
    standing = coming.change.find(key)
    if standing is None or not isinstance(standing.record, Entry) or not standing.record.is_active:
        return
    back = record_of(standing.record.fields, own_project)
    names = record.keys() | back.keys() if source.is_whole else record.keys()
    differing = sorted(
        name for name in names if encode_sorted(record.get(name)) != encode_sorted(back.get(name))
    )
    if differing:
        listed = ", ".join(f"'{name}'" for name in differing)
        message = f"{source.place(at)}: here it says otherwise, and so would an export: {listed}"
        coming.noticed.append(Noticed(source.name, message))


def _notice_all(
    coming: Import,
    tier: Tier,
    source: Source,
    records: Iterable[Fields],
    guessed: dict[str, int],
) -> None:
    for line, note in source.notes:
        where = f"line {line}: " if line else ""
        coming.noticed.append(Noticed(source.name, where + note))
    for note, number in sorted(guessed.items()):
        coming.noticed.append(Noticed(source.name, f"{note} ({number} of {len(source.records)})"))
    table = read_config(tier.store).values.get("categories")
    extra = table.get("extra") if isinstance(table, dict) else ()
    known = {*CATEGORIES, *(extra if isinstance(extra, list) else ())}
    own = sorted({text_of(record, "category") for record in records} - known - {""})
    if own:
        listed = ", ".join(f'"{name}"' for name in own)
        message = f"categories that config.toml does not know: [categories] extra = [{listed}]"
        coming.noticed.append(Noticed(source.name, message))


def around_of(source: Source) -> list[str]:
    """Give each record the date of what stands beside it, or an empty text."""
    if source.around:
        return list(source.around)
    dates = [
        text_of(record, "date") if isinstance(record, dict) else "" for record in source.records
    ]
    around = [""] * len(dates)
    for places in (range(len(dates)), range(len(dates) - 1, -1, -1)):
        near = ""
        for at in places:
            near = dates[at] or near
            around[at] = around[at] or near
    return around


def _dropped(source: Source, at: int, reason: str) -> Dropped:
    if source.lines:
        return Dropped(source.lines[at], reason, source.name)
    return Dropped(0, f"{source.place(at)}: {reason}", source.name)
