"""What ADD keeps in a file of its own and nobody has imported yet, as the learnings of its tier.

1. Nothing is written, locked or asked of git: the file and the store are read as they stand.
2. A record that is known to the store, be it alive, put aside, forgotten or moved away, is not given:
   what an import would add is, under the key that it would get.
3. What cannot be read is a notice until something of ADD's has been imported into that tier, and
   costs nothing else.
4. How far each reaches is for the import to judge: here each is its file's tier's.

Cost: one look at the file, and at its copy where an import has kept one; only if they differ both
the file and the store are parsed.
"""

from __future__ import annotations

from gitkb.core.canonical import encode_sorted
from gitkb.core.entry import Entry, encode_record, parse_record
from gitkb.core.foreign.add_form import FIELD, fields_of, name_of
from gitkb.core.jsonl import BadLineError
from gitkb.core.snapshot import Snapshot
from gitkb.errors import GitkbError
from gitkb.operations.exchange.add_place import is_kept, project_of
from gitkb.operations.exchange.import_add import parse_place
from gitkb.operations.exchange.import_add_entries import around_of
from gitkb.operations.exchange.import_add_match import Known, keys_of, new_key
from gitkb.operations.writing.clock import now
from gitkb.store.home import PROJECT
from gitkb.store.reader import read_store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitkb.core.canonical import Json
    from gitkb.core.learning import Learnings
    from gitkb.operations.exchange.add_place import Place
    from gitkb.operations.exchange.import_add_entries import Source
    from gitkb.store.layout import Store

MOST_BYTES = 1024 * 1024
"""A larger file is for an import alone: a reader is asked at the start of every piece of work."""


def read_waiting(
    place: Place, store: Store | None, shelf: Learnings, notices: list[str]
) -> dict[str, Entry]:
    """Give by key what an import of a file would add to a tier; what is wrong goes to `notices`.

    `store` is the tier's, or None where it has none yet; `shelf` is what it has learned.
    """
    is_begun = any(FIELD in entry.fields for entry in shelf.entries.values())
    told: list[str] = []
    try:
        found = _read(place, store, told, is_begun=is_begun)
    except OSError as error:
        found = {}
        told.append(f"'{place.name}' is left out: {error.strerror}; see its permissions")
    except BadLineError as error:
        found = {}
        told.append(f"'{place.name}' is left out: {error.reason}; mend it")
    if not is_begun:
        notices += told
    return found


def _read(
    place: Place, store: Store | None, told: list[str], *, is_begun: bool
) -> dict[str, Entry]:
    with open(place.path, "rb") as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        size = f"larger than {MOST_BYTES // 1024 // 1024} MiB"
        told.append(f"'{place.name}' is left out: it is {size}; gitkb import --from add")
        return {}
    if is_begun and is_kept(place.path, data):
        return {}
    # The Markdown beside a JSON is no import's without being named.
    source = parse_place(place._replace(beside=""), data, _project(place, store))
    records = dict(_distinct(source))
    if not source.records:
        return {}
    known = Known(read_store(store) if store is not None else Snapshot({}, {}, [], []))
    keys = keys_of(records, known)
    found: dict[str, Entry] = {}
    bad = [(at, record) for at, record in enumerate(source.records) if isinstance(record, str)]
    around = around_of(source)
    for at, record in records.items():
        if at in keys:
            continue
        try:
            entry = _entry(source, record, around[at], known)
        except BadLineError as error:
            bad.append((at, error.reason))
            continue
        if entry is not None:
            found[entry.key] = entry
    if bad:
        at, reason = min(bad)
        first = f"{source.place(at)} of '{place.name}' is left out: {reason}"
        more = f", and {len(bad) - 1} more" if len(bad) > 1 else ""
        told.append(f"{first}{more}; gitkb import --from add --dry-run names all")
    return found


def _entry(source: Source, record: dict[str, Json], around: str, known: Known) -> Entry | None:
    """Read a record; None where it says nothing, or was forgotten."""
    if not source.is_whole and "source" not in record and source.project:
        record = {**record, "source": source.project}
    reading = fields_of(
        record, lambda _: source.tier, around=around, now=now(), is_whole=source.is_whole
    )
    if reading is None:
        raise BadLineError("it has neither a title nor a body")
    key = new_key(reading, known)
    if key in known.gone:
        return None
    known.keys.add(key)
    fields = {name: value for name, value in reading.fields.items() if name != FIELD}
    if name_of(record) in known.owners:
        del fields["aliases"]  # it gets another number
    fields.update(key=key, ts=fields["created"])
    entry = parse_record(encode_record(Entry(fields)))
    return entry if isinstance(entry, Entry) else None


def _distinct(source: Source) -> Iterator[tuple[int, dict[str, Json]]]:
    seen: set[bytes] = set()
    for at, record in enumerate(source.records):
        if not isinstance(record, str) and (form := encode_sorted(record)) not in seen:
            seen.add(form)
            yield at, record


def _project(place: Place, store: Store | None) -> str:
    if store is None or place.tier != PROJECT:
        return ""
    try:
        return project_of(store)
    except GitkbError:  # told of already
        return ""
