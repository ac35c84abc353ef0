"""What an import does to a key when its source does not say when it last changed.

`core.import_mark` tells what the source changed since it was last read. Beside that the rules of
`operations.import_` hold: what was forgotten does not come back, and the version that is replaced
goes to the archive.
"""

from __future__ import annotations

from gitkb.core.entry import Entry, Tombstone, encode_record, normalise, parse_record
from gitkb.core.foreign.import_mark import MARKS, says_the_same, unite, with_marks
from gitkb.core.jsonl import BadLineError
from gitkb.operations.exchange.import_result import Dropped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.core.canonical import Fields, Json
    from gitkb.operations.exchange.import_versions import Import


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
        coming.dropped.append(Dropped(line, reason, file, True))
        return "dropped"
    if _is_refused(coming, given, line, file):
        return "dropped"
    fate = _put(coming, find_old(coming, key), with_marks(given))
    coming.count(fate)
    return fate


def correct_with(coming: Import, old: Entry, given: Fields, *, line: int = 0) -> str:
    """Bring what a source says into an entry that is not its own; count it, and say as what.

    Whose entry it is stays so: it keeps the marks of its own source, if it has any.
    """
    own = {name: value for name, value in old.fields.items() if name != MARKS}
    if _is_refused(coming, {**own, **given}, line, ""):  # the source may say but a part of it
        return "dropped"
    new = _awake(old, unite(own, with_marks(given)), given)
    del new[MARKS]
    fate = "unchanged"
    if new != normalise(own):
        fate = "updated"
        if MARKS in old.fields:
            new[MARKS] = old.fields[MARKS]
        ts = max(coming.now, old.ts + 1)
        coming.change.put(Entry({**new, "ts": ts}), keep_old=True)
    coming.count(fate)
    return fate


def _put(coming: Import, old: Entry | None, given: Fields) -> str:
    if old is None:
        ts = min(given.get("ts", coming.now), coming.now)
        created = min(given.get("created", ts), ts)
        entry = Entry({**given, "created": created, "ts": ts})
        if entry.status == "archived":
            coming.change.archive(entry)
        else:
            coming.change.put(entry, keep_old=False)
        return "added"
    if says_the_same(old.fields, given):
        return "unchanged"
    new = _awake(old, unite(old.fields, given), given)
    created = min(old.created, given.get("created", old.created))
    ts = max(coming.now, old.ts + 1)
    coming.change.put(Entry({**new, "created": created, "ts": ts}), keep_old=True)
    return "updated"


def _is_refused(coming: Import, given: Fields, line: int, file: str) -> bool:
    """Drop what holds a secret, or nobody could read again: values nested too deep, say."""
    try:
        parse_record(encode_record(Entry(with_marks(given))))
    except BadLineError as error:
        coming.dropped.append(Dropped(line, error.reason, file))
        return True
    return coming.refuses(Entry(given), line, file)


def _awake(old: Entry, new: dict[str, Json], given: Fields) -> dict[str, Json]:
    """Give an entry that was put aside the status its source says: it has something new to say."""
    if old.status == "archived":
        new.pop("status", None)
        new.update({name: given[name] for name in ("status",) if name in given})
    return new
