"""Whether an ordinary commit keeps what HEAD knows.

1. A deletion is undone only by an entry that says that it knows of it.
2. What vanishes without a trace is told, but let by: `gc` removes tombstones, and a person may take
   a line back before anyone has seen it.
"""

from __future__ import annotations

from gitkb.core.entry import Entry, Tombstone
from gitkb.core.identity import ARCHIVE
from gitkb.core.problem import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gitkb.core.snapshot import Located

_NAMED = 3


def check_change(before: Iterable[Located], after: Iterable[Located]) -> Iterator[Problem]:
    """Compare the records of the changed files before and after the change."""
    current: dict[str, Located] = {}
    archived: dict[str, int] = {}
    for at in after:
        key = at.record.key
        if at.file.startswith(ARCHIVE):
            archived[key] = max(archived.get(key, 0), at.age[0])
        elif key not in current or current[key].standing < at.standing:
            current[key] = at
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
        yield _gone("tombstones-gone", "lost their tombstones", hint, tombstones)


def _gone(code: str, what: str, hint: str, gone: list[Located]) -> Problem:
    keys = sorted({at.record.key for at in gone})
    named = ", ".join(f"'{key}'" for key in keys[:_NAMED])
    if len(keys) > _NAMED:
        named += f" and {len(keys) - _NAMED} more"
    return Problem(code, f"{named} {what}", hint, gone[0].file, severity="warning")


def _is_deleted(at: Located) -> bool:
    return isinstance(at.record, Tombstone) and not at.record.moved
