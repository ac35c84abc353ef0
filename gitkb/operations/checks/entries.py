"""What only many entries together can tell: links that lead nowhere, keys that stand twice.

1. Two lines of one key in two files are an error: readers would differ in which one they show.
2. All else here is a warning: it may be meant so, and a merge may bring it about without anyone's
   fault.
"""

from __future__ import annotations

from gitkb.core.alias import parse_alias
from gitkb.core.entry import CATEGORIES, MUST_CHECK, Entry, Tombstone
from gitkb.core.identity import ARCHIVE
from gitkb.core.learning import NEEDED
from gitkb.core.move import kept_changes
from gitkb.core.problem import Problem
from gitkb.operations.checks.links import check_links

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from gitkb.core.snapshot import Located

_DAY = 86_400


def check_entries(
    records: Iterable[Located], extra_categories: Collection[str], now: float
) -> Iterator[Problem]:
    """Judge all records of a store against one another. `now` is in Unix seconds."""
    current: dict[str, Located] = {}
    archived: dict[str, int] = {}  # key -> when it was last put aside, -1 where it never was
    archived_lines: dict[bytes, Located] = {}
    for at in records:
        if at.file.startswith(ARCHIVE):
            moment = at.age[0] if at.record.fields.get("status") == "archived" else -1
            archived[at.record.key] = max(moment, archived.get(at.record.key, -1))
            archived_lines[at.line] = at
            continue
        other = current.setdefault(at.record.key, at)
        if other is not at and other.file != at.file:
            message = f"two lines of one key: '{at.record.key}' stands in '{other.file}:{other.number}' too"
            yield Problem("duplicate-key", message, "gitkb compact", at.file, at.number)
    for at in current.values():
        if at.line in archived_lines:
            copy = archived_lines[at.line]
            message = f"'{at.record.key}' stands in its place and in the archive: half a change"
            yield _warning("half-change", message, "gitkb compact", copy)
        elif isinstance(at.record, Entry) and archived.get(at.record.key, -1) > at.age[0]:
            message = (
                f"'{at.record.key}' was archived later than it says, and is alive all the same"
            )
            yield _warning("half-archived", message, f"gitkb archive {at.record.key}", at)
        yield from _check_entry(at, extra_categories, now)
    yield from check_links(current, archived)
    yield from _check_aliases(current)


def _check_entry(at: Located, extra_categories: Collection[str], now: float) -> Iterator[Problem]:
    record = at.record
    if record.fields.get("ts", 0) > now + _DAY:
        message = f"'{record.key}' is dated in the future: it would win every merge until then"
        yield _warning("future", message, "mend its ts, and the clock of whoever wrote it", at)
    if isinstance(record, Tombstone):
        if "content" in record.fields or "title" in record.fields:
            message = f"the tombstone of '{record.key}' still carries what was deleted"
            yield _warning("tombstone-content", message, "remove all but key, ts, by, reason", at)
        changed = kept_changes(record)
        if changed:
            message = (
                f"'{record.key}' was changed ({', '.join(changed)}) on a branch that did not know "
                f"that it had moved to '{record.moved}'"
            )
            hint = f"gitkb promote {record.key} takes the change along, for who has that tier"
            yield _warning("moved-and-changed", message, hint, at)
        return
    if record.category and record.category not in CATEGORIES + tuple(extra_categories):
        known = ", ".join((*CATEGORIES, *sorted(extra_categories)))
        hint = f"one of {known}; config.toml adds more: [categories] extra"
        yield _warning("category", f"unknown category '{record.category}'", hint, at)
    if record.category and record.is_active:
        lacking = [name for name in NEEDED if not str(record.fields.get(name, "")).strip()]
        if lacking:
            names = " and no ".join(f"'{name}'" for name in lacking)
            message = f"the learning '{record.key}' has no {names}: gitkb learnings leaves it out"
            hint = f"give it whole again: gitkb add --key {record.key} …"
            yield _warning("learning", message, hint, at)
    if record.conflicts:
        fields = ", ".join(sorted({str(conflict["field"]) for conflict in record.conflicts}))
        message = f"'{record.key}' is contested: {fields}"
        yield _warning("contested", message, f"gitkb resolve {record.key}", at)
    if record.status == "archived":
        hint = f"gitkb archive {record.key}"
        yield _warning("archived", f"'{record.key}' is archived, but not in the archive", hint, at)
    if record.content.startswith(MUST_CHECK) and not record.is_must_check:
        message = f"{MUST_CHECK} counts only for learned and pitfall, and this is a {record.type}"
        yield _warning("must-check", message, "give it the type pitfall", at)


def _check_aliases(current: Mapping[str, Located]) -> Iterator[Problem]:
    owners: dict[str, str] = {}
    for key, at in sorted(current.items()):
        if not isinstance(at.record, Entry):
            continue
        for alias in at.record.aliases:
            owner = owners.setdefault(alias, key)
            if owner != key:
                message = f"the alias '{alias}' of '{key}' is that of '{owner}' too"
                hint = "give one of the two another alias"
                if parse_alias(alias):
                    hint = "gitkb compact leaves it to the older one"
                yield _warning("alias", message, hint, at)


def _warning(code: str, message: str, hint: str, at: Located) -> Problem:
    return Problem(code, message, hint, at.file, at.number, "warning")
