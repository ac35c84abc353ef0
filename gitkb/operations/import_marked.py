"""What an import does to a key when its source does not say when it last changed.

`core.import_mark` tells what the source changed since it was last read. Beside that the rules of
`operations.import_` hold: what was forgotten does not come back, and the version that is replaced
goes to the archive.
"""

from __future__ import annotations

from gitkb.core.entry import Entry, Tombstone, encode_record, parse_record
from gitkb.core.import_mark import says_the_same, unite, with_marks
from gitkb.core.jsonl import BadLineError
from gitkb.operations.import_result import Dropped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.core.canonical import Fields
    from gitkb.operations.import_versions import Import


def find_old(coming: Import, key: str) -> Entry | None:
    """Find the entry of a key, or the latest version in the archive where it stands only there."""
    standing = coming.change.find(key)
    if standing is not None:
        return standing.record if isinstance(standing.record, Entry) else None
    archived = coming.change.find_archived(key)
    return Entry(archived[-1].record.fields) if archived else None


def is_forgotten(coming: Import, key: str) -> bool:
    """Say whether a tombstone or a redirect stands for a key."""
    standing = coming.change.find(key)
    return standing is not None and isinstance(standing.record, Tombstone)


def take_marked(coming: Import, given: Fields, *, line: int = 0, file: str = "") -> str:
    """Take in what a source says of one key; say which number of the result counts it.

    A `ts` that is given is when the source says that it was first written.
    """
    key = given["key"]
    if is_forgotten(coming, key):
        reason = f"'{key}' was forgotten: gitkb add with this very key brings it back"
        coming.dropped.append(Dropped(line, reason, file))
        return "dropped"
    try:
        parse_record(encode_record(Entry(with_marks(given))))
    except BadLineError as error:
        coming.dropped.append(Dropped(line, error.reason, file))
        return "dropped"
    fate = _put(coming, find_old(coming, key), with_marks(given))
    coming.count(fate)
    return fate


def _put(coming: Import, old: Entry | None, given: Fields) -> str:
    if old is None:
        ts = min(given.get("ts", coming.now), coming.now)
        created = min(given.get("created", ts), ts)
        coming.change.put(Entry({**given, "created": created, "ts": ts}), keep_old=False)
        return "added"
    if says_the_same(old.fields, given):
        return "unchanged"
    new = unite(old.fields, given)
    if old.status == "archived":
        new.pop("status")
        new.update({name: given[name] for name in ("status",) if name in given})
    created = min(old.created, given.get("created", old.created))
    ts = max(coming.now, old.ts + 1)
    coming.change.put(Entry({**new, "created": created, "ts": ts}), keep_old=True)
    return "updated"
