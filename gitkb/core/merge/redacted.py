"""What was scrubbed on one side stays scrubbed, whatever the other side did to it.

1. A side whose record lacks a note of the other's (see `core.secrets.redaction`) did not know of the scrubbing. Of
   a field that the note names, its value, its base and what it holds contested give way to the other side's:
   its change of that field is lost, which is what scrubbing is for. All else merges as ever.
2. Where each side scrubbed without knowing of the other, a field that both scrubbed in two ways is the mark.
3. In the archive the versions of a side that did not know are left out. Where neither knew, of each
   version only its name and time are left, unless both hold it alike.
4. No clock decides, and swapping the sides changes nothing.
"""

from __future__ import annotations

from gitkb.core.canonical import encode_json, encode_sorted
from gitkb.core.conflicts.value import conflicts_of, parse_field
from gitkb.core.secrets.redaction import (
    ALL_UNKNOWN,
    MARK,
    REDACTED,
    fields_of,
    notes_of,
    with_notes,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitkb.core.canonical import Fields, Json
    from gitkb.core.merge.group import Line
    from gitkb.core.merge.rules import Rules

    Versions = tuple[Fields | None, Fields, Fields]

_WITHOUT_VALUE = object()


def make_known(base: Fields | None, ours: Fields, theirs: Fields) -> Versions:
    """Give three versions of a record as if both sides had known of what either scrubbed."""
    our_notes, their_notes = notes_of(ours), notes_of(theirs)
    by_us, by_them = fields_of(our_notes - their_notes), fields_of(their_notes - our_notes)
    if not by_us and not by_them:
        return base, ours, theirs
    both = by_us & by_them
    shown: dict[str, Json] = {}
    for name in _names(by_us | by_them, base, ours, theirs):
        is_ours, is_theirs = (name in side or _is_unknown(name, side) for side in (by_us, by_them))
        our_value, their_value = (side.get(name, _WITHOUT_VALUE) for side in (ours, theirs))
        if is_ours and is_theirs:
            same = (
                encode_sorted([our_value]) == encode_sorted([their_value])
                if (our_value is not _WITHOUT_VALUE and their_value is not _WITHOUT_VALUE)
                else our_value is their_value
            )
            shown[name] = our_value if same else _marked(our_value, their_value)
        else:
            shown[name] = our_value if is_ours else their_value
    contested = [
        entry
        for side, own in ((ours, by_us - both), (theirs, by_them - both))
        for entry in conflicts_of(side)
        if _field_of(entry) in own
    ]
    names = by_us | by_them
    known = None if base is None else _with(base, shown, names, contested)
    return known, _with(ours, shown, names, contested), _with(theirs, shown, names, contested)


def _names(fields: frozenset[str], *sides: Fields | None) -> list[str]:
    """The fields that are meant: where a name was scrubbed, all that gitkb does not know."""
    names = set(fields) - {ALL_UNKNOWN, "conflicts", REDACTED}
    if ALL_UNKNOWN in fields:
        names |= {name for side in sides if side for name in side if not _is_known(name)}
    return sorted(names)


def _is_known(name: str) -> bool:
    from gitkb.core.entry import FIELDS, TOMBSTONE_FIELDS

    return name in FIELDS or name in TOMBSTONE_FIELDS


def _is_unknown(name: str, fields: frozenset[str]) -> bool:
    return ALL_UNKNOWN in fields and not _is_known(name)


def _marked(one: Json, other: Json) -> Json:
    is_list = isinstance(one, list) or isinstance(other, list)
    return [MARK] if is_list else MARK


def _field_of(entry: Fields) -> str:
    field = entry.get("field")
    name = parse_field(field)[0] if isinstance(field, str) else ""
    return name if _is_known(name) else name or ALL_UNKNOWN


def _with(
    side: Fields, shown: Fields, names: frozenset[str], contested: Iterable[Fields]
) -> dict[str, Json]:
    new = {name: value for name, value in side.items() if name not in shown}
    new.update({name: value for name, value in shown.items() if value is not _WITHOUT_VALUE})
    if "conflicts" in side or contested:
        kept = [
            entry
            for entry in conflicts_of(side)
            if "conflicts" not in names and _field_of(entry) not in names
        ]
        entries = {encode_sorted(entry): entry for entry in (*kept, *contested)}
        new["conflicts"] = [entries[form] for form in sorted(entries)]
        if not entries:
            del new["conflicts"]
    return new


def merge_versions(
    base: list[Line], ours: list[Line], theirs: list[Line], rules: Rules
) -> list[bytes] | None:
    """Merge the archived versions of one key; None where no side scrubbed unknown to the other."""
    known, our_set, their_set = ({line.raw: line for line in side} for side in (base, ours, theirs))
    our_notes, their_notes = (_notes(side) for side in (ours, theirs))
    if our_notes == their_notes:
        return None
    both = our_set.keys() & their_set.keys()
    if our_notes > their_notes:
        return sorted(both | (our_set.keys() - known.keys()))
    if their_notes > our_notes:
        return sorted(both | (their_set.keys() - known.keys()))
    notes = our_notes | their_notes
    times: dict[bytes, list[Fields]] = {}
    for line in (*our_set.values(), *their_set.values()):
        fields = line.fields or {}
        times.setdefault(encode_sorted(fields.get("ts", 0)), []).append(fields)
    merged = []
    for _, versions in sorted(times.items()):
        bare = [{**one, REDACTED: []} for one in versions]
        is_alike = len(bare) > 1 and all(one == bare[0] for one in bare)
        merged.append(with_notes(versions[0] if is_alike else _name_only(versions), notes))
    return sorted({encode_json(rules.arrange(fields, ())) for fields in merged})


def _name_only(versions: list[Fields]) -> dict[str, Json]:
    first = min(versions, key=lambda fields: encode_sorted(dict(fields)))
    names = ("key", "type", "status", "created", "ts")
    return {**{name: first[name] for name in names if name in first}, "title": MARK}


def _notes(lines: Iterable[Line]) -> frozenset[str]:
    return frozenset().union(*(notes_of(line.fields or {}) for line in lines))
