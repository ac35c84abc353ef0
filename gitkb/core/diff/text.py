"""Changes of entries as text for a terminal: a heading a change, then field by field.

1. What entries say stands indented below the headings, on every one of its lines.
2. A long text that changed in part is shown once, with `[-words that went-]` and `{+words that came+}`;
   long stretches in between that stayed are cut to `…`.
3. The time of a change is shown only where nothing else changed.

What is given is not yet safe for a terminal (`core.unsafe`): the caller prints it.
"""

from __future__ import annotations

from gitkb.core.canonical import encode_json
from gitkb.core.diff.entry import count_kinds
from gitkb.core.diff.word import compare_words
from gitkb.core.entry import Entry, Tombstone
from gitkb.core.entry_text import SETS, TIMES, format_time, lines_of, plain_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from gitkb.core.canonical import Json
    from gitkb.core.diff.entry import EntryChange
    from gitkb.core.diff.record import FieldChange

_INDENT = "    "
_LONG = 40
"""From this length on a text is compared word by word."""
_LEAST_ALIKE = 0.3
"""The part of the longer text that has to stay; below it the two are shown one after the other."""
_LONGEST_SAME, _EDGE = 240, 80
SILENT = frozenset({"ts", "created"})
_SETS = frozenset(f"  {name}" for name in SETS)


def summary(changes: Collection[EntryChange]) -> str:
    """Say in one line how many entries changed, and how."""
    counts = [f"{count} {kind}" for kind, count in count_kinds(changes).items()]
    return ", ".join(counts) or "no change"


def urgent(changes: Collection[EntryChange]) -> str:
    """Say how many of them need a person; an empty text if none does."""
    checks = sum(change.is_must_check for change in changes)
    contested = sum(change.is_contested for change in changes)
    words = [f"{checks} must-check" if checks == 1 else f"{checks} must-checks"] if checks else []
    return ", ".join([*words, *([f"{contested} contested"] if contested else [])])


def marks(change: EntryChange) -> list[str]:
    """What there is to say of an entry beside its key: type, status, and what needs a person."""
    entry = change.entry
    if entry is None:
        return []
    found = [entry.type]
    if isinstance(change.after, Entry) and not entry.is_active and entry.status != change.kind:
        found.append(entry.status)
    found += ["must-check"] if change.is_must_check else []
    found += ["contested"] if change.is_contested else []
    return found


def story(change: EntryChange) -> str:
    """Say in words what a kind leaves open: by what, whereto, by whom and why."""
    after = change.after
    parts = []
    if change.kind == "superseded" and change.successors:
        parts.append(f"by {', '.join(change.successors)}")
    if isinstance(after, Tombstone):
        parts += [f"to {_one_line(after.moved)}"] if after.moved else []
        parts += [f"by {_one_line(after.by)}"] if after.by else []
        parts += [_one_line(after.reason)] if after.reason else []
    if change.kind == "removed":
        tombstone = isinstance(change.before, Tombstone)
        parts.append("its tombstone" if tombstone else "without a trace in the archive")
    if change.lost_versions:
        versions = "version" if change.lost_versions == 1 else "versions"
        parts.append(f"{change.lost_versions} archived {versions} gone or rewritten")
    return "; ".join(parts)


def change_lines(change: EntryChange) -> Iterator[str]:
    """Yield the lines of one change."""
    facts = " · ".join(marks(change))
    yield f"{change.kind:10}  {change.key}" + (f"  {facts}" if facts else "")
    if change.entry is not None and change.entry.display_title:
        yield _INDENT + _one_line(change.entry.display_title)
    told = story(change)
    if told:
        yield _INDENT + told
    if change.before is None and isinstance(change.after, Entry):
        for line in _short(lines_of(_without_silent(change.after))[1:]):
            yield _INDENT + line[2:]
    elif isinstance(change.after, Entry):
        fields = shown_fields(change)
        for field in fields:
            yield from (_INDENT + line for line in _field_lines(field))


def _short(lines: Iterable[str]) -> Iterator[str]:
    """Put the values of a set on one line; git's diff of a file has a line for each."""
    last = ""
    for line in lines:
        label = line.partition(":")[0]
        if label in _SETS and last.startswith(f"{label}: ") and line.startswith(f"{label}: "):
            last += f", {line.removeprefix(f'{label}: ')}"
            continue
        if last:
            yield last
        last = line
    if last:
        yield last


def shown_fields(change: EntryChange) -> list[FieldChange]:
    """The fields that say more than that something changed."""
    if isinstance(change.before, Tombstone):  # all of the entry is new then
        return [field for field in change.fields if field.after is not None and field.field != "ts"]
    fields = [field for field in change.fields if field.field not in SILENT]
    return fields or list(change.fields)


def _without_silent(entry: Entry) -> dict[str, Json]:
    return {name: value for name, value in entry.fields.items() if name not in SILENT}


def _field_lines(change: FieldChange) -> Iterator[str]:
    yield f"{plain_name(change.field)}:"
    before, after = change.before, change.after
    if isinstance(before, str) and isinstance(after, str) and _is_long(before, after):
        compared = _compared(before, after)
        if compared is not None:
            yield from (f"  {line}".rstrip() for line in compared.split("\n"))
            return
    removed, added = change.removed, change.added
    if not removed and not added:
        removed = () if before is None else (before,)
        added = () if after is None else (after,)
    for sign, values in (("-", removed), ("+", added)):
        for value in values:
            first, *rest = value_lines(change.field, value)
            yield f"  {sign} {first}".rstrip()
            yield from (f"    {line}".rstrip() for line in rest)


def value_lines(name: str, value: Json) -> list[str]:
    """Write one value of a field as people read it; not yet safe to be shown."""
    if isinstance(value, str):
        return value.split("\n")
    if name in TIMES and isinstance(value, int):
        return [format_time(value)]
    if isinstance(value, dict) and name == "links":
        return [f"{value.get('rel')} {value.get('to')}"]
    if isinstance(value, dict) and name == "conflicts":
        field = _one_line(str(value.get("field")))
        if "value" not in value:
            return [f"{field}, or else absent"]
        first, *rest = value_lines(field, value["value"])
        return [f"{field}, or else: {first}", *rest]
    return [encode_json(value).decode("utf-8")]


def _is_long(before: str, after: str) -> bool:
    return max(len(before), len(after)) >= _LONG or "\n" in before + after


def _compared(before: str, after: str) -> str | None:
    runs = compare_words(before, after)
    same = sum(len(run.text) for run in runs if run.kind == "same")
    if same < _LEAST_ALIKE * max(len(before), len(after)):
        return None
    parts = []
    for number, run in enumerate(runs):
        if run.kind == "removed":
            parts.append(f"[-{run.text}-]")
        elif run.kind == "added":
            parts.append(f"{{+{run.text}+}}")
        else:
            parts.append(_shortened(run.text, number == 0, number == len(runs) - 1))
    return "".join(parts)


def _shortened(text: str, is_first: bool, is_last: bool) -> str:
    if len(text) <= _LONGEST_SAME:
        return text
    head = "" if is_first else text[:_EDGE]
    tail = "" if is_last else text[-_EDGE:]
    return f"{head}…{tail}"


def _one_line(text: str) -> str:
    return " ".join(text.split())
