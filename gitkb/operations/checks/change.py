"""Whether an ordinary commit keeps what HEAD knows.

1. A deletion is undone only by an entry that says that it knows of it.
2. What vanishes without a trace is told, but let by: `gc` removes tombstones, and a person may take
   a line back before anyone has seen it.
3. A text that was scrubbed and comes back is told too, whoever brings it back: a revert is let by, but is
   not silent.
"""

from __future__ import annotations

from gitkb.core.entry import Entry, Tombstone
from gitkb.core.identity import ARCHIVE
from gitkb.core.problem import Problem
from gitkb.core.secrets.redaction import fields_of, notes_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gitkb.core.snapshot import Located

_NAMED = 3


def check_change(before: Iterable[Located], after: Iterable[Located]) -> Iterator[Problem]:
    """Compare the records of the changed files before and after the change."""
    after = list(after)
    current = _current(after)
    archived: dict[str, int] = {}
    for at in after:
        if at.file.startswith(ARCHIVE):
            archived[at.record.key] = max(archived.get(at.record.key, 0), at.age[0])
    entries, tombstones = [], []
    for old in before:
        if old.file.startswith(ARCHIVE):
            continue
        key, now = old.record.key, current.get(old.record.key)
        if now is None:
            if isinstance(old.record, Tombstone):
                tombstones.append(old)
            elif archived.get(key, -1) < old.age[0]:
                entries.append(old)
        elif _is_deleted(old) and isinstance(now.record, Entry):
            if now.record.fields.get("revives", -1) < old.record.fields["ts"]:
                message = f"'{key}' was deleted, and this entry does not say that it knows"
                hint = f'gitkb add with "key":"{key}" brings it back on purpose'
                yield Problem("undeleted", message, hint, now.file, now.number)
    if entries:
        # The file in the archive is often new, and `git commit -a` takes no new files.
        hint = "what was archived needs git add too: git add .gitkb; what is to go: gitkb forget"
        yield _gone("vanished", "vanished without a trace", hint, entries)
    if tombstones:
        hint = "right after gitkb gc; otherwise a colleague's copy can bring the entries back"
        whose = (
            "their tombstones" if len({at.record.key for at in tombstones}) > 1 else "its tombstone"
        )
        yield _gone("tombstones-gone", f"lost {whose}", hint, tombstones)


def check_scrubbed(before: Iterable[Located], after: Iterable[Located]) -> Iterator[Problem]:
    """Tell of entries that no longer say what was scrubbed from them, as all do that knew of it."""
    current = _current(after)
    lost: dict[str, frozenset[str]] = {}
    for old in before:
        notes = notes_of(old.record.fields)
        now = current.get(old.record.key) if notes else None
        if now is None or not isinstance(now.record, Entry) or "revives" in now.record.fields:
            continue
        fields = fields_of(notes - notes_of(now.record.fields))
        if fields:
            lost[old.record.key] = lost.get(old.record.key, frozenset()) | fields
    for key, fields in sorted(lost.items()):
        message = f"'{key}' brings back redacted text in {', '.join(sorted(fields))}"
        hint = f"gitkb redact {key} scrubs it again; what may be said, gitkb edit {key} writes anew"
        at = current[key]
        yield Problem("unredacted", message, hint, at.file, at.number, severity="warning")


def _current(records: Iterable[Located]) -> dict[str, Located]:
    current: dict[str, Located] = {}
    for at in records:
        key = at.record.key
        if at.file.startswith(ARCHIVE):
            continue
        if key not in current or current[key].standing < at.standing:
            current[key] = at
    return current


def _gone(code: str, what: str, hint: str, gone: list[Located]) -> Problem:
    keys = sorted({at.record.key for at in gone})
    named = ", ".join(f"'{key}'" for key in keys[:_NAMED])
    if len(keys) > _NAMED:
        named += f" and {len(keys) - _NAMED} more"
    return Problem(code, f"{named} {what}", hint, gone[0].file, severity="warning")


def _is_deleted(at: Located) -> bool:
    return isinstance(at.record, Tombstone) and not at.record.moved
