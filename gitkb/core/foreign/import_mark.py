"""What an import gave an entry, so that the next one can tell whose change is whose.

For sources whose records carry no time of their last change: a file of Markdown, the graph of another
server. The entry keeps, in the field `MARKS`, a fingerprint of each field that the source gave.

1. The source says the same as last time: the entry stays as it is, whatever was done to it here.
2. Else field by field: a change of the source alone is taken, a change made here alone stays. Where
   both changed, the source's value is shown and the one from here goes into `conflicts`, as in a
   merge; equal changes are one.
3. Of a set the source removes only what it had given itself, and adds only what it had not.
"""

from __future__ import annotations

from hashlib import sha256

from gitkb.core.canonical import encode_sorted
from gitkb.core.entry import DEFAULTS, OBJECT_SET_FIELDS, SET_FIELDS, normalise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.core.canonical import Fields, Json

MARKS = "imported"
_UNMARKED = frozenset({"key", "created", "ts", MARKS})
_SETS = SET_FIELDS | OBJECT_SET_FIELDS
_DIGITS = 12


def with_marks(given: Fields) -> dict[str, Json]:
    """Give the fields of a record as its source says them, normalised and with their marks."""
    fields = normalise(given)
    marks = {name: _mark(name, fields[name]) for name in sorted(fields) if name not in _UNMARKED}
    return {**fields, MARKS: marks}


def says_the_same(standing: Fields, given: Fields) -> bool:
    """Say whether a source says what it said when the entry was last brought from it."""
    return MARKS in standing and bool(standing[MARKS] == given[MARKS])


def unite(standing: Fields, given: Fields) -> dict[str, Json]:
    """Bring what a source says now, given with its marks, into the entry that stands.

    An entry that did not come from the source counts as what the source said before.
    """
    standing = normalise(standing)
    now = given[MARKS]
    before = standing.get(MARKS)
    if not isinstance(before, dict):
        names = standing.keys() & now.keys() - _SETS
        before = {name: _mark(name, standing[name]) for name in names}
    new = {**standing, MARKS: now}
    conflicts = _without_settled(standing.get("conflicts", ()))
    for name in sorted((before.keys() | now.keys()) - _UNMARKED):
        here = standing.get(name, DEFAULTS.get(name))
        there = given.get(name, DEFAULTS.get(name))
        if name in _SETS:
            new[name] = _united(here or [], before.get(name) or [], there or [])
            continue
        if _mark(name, here) == _mark(name, there) or _is_mark_of(before, name, there):
            continue
        if not _is_mark_of(before, name, here) and here is not None:
            conflict = {"field": name, "value": here, "ts": standing.get("ts", 0)}
            conflicts.append(conflict)
        new[name] = there
    new["conflicts"] = conflicts
    return normalise({name: value for name, value in new.items() if value is not None})


def _united(here: list[Json], before: Json, there: list[Json]) -> list[Json]:
    given_before = before if isinstance(before, list) else []
    kept = [item for item in here if item not in given_before or item in there]
    return kept + [item for item in there if item not in given_before and item not in kept]


def _mark(name: str, value: Json) -> Json:
    if name in _SETS:
        return value
    return sha256(encode_sorted(value)).hexdigest()[:_DIGITS]


def _without_settled(conflicts: list[Json]) -> list[Json]:
    """Leave out what two branches contest that imported two versions: the source says what holds.

    The conflict of the marks tells the other version's value from one that was written here.
    """
    of_marks = {
        (conflict["field"].removeprefix(f"/{MARKS}/"), encode_sorted(conflict.get("value")))
        for conflict in conflicts
        if conflict["field"].startswith(f"/{MARKS}/")
    }
    return [
        conflict
        for conflict in conflicts
        if not conflict["field"].startswith((f"/{MARKS}/", MARKS))
        and (
            conflict["field"],
            encode_sorted(_mark(conflict["field"], conflict.get("value"))),
        )
        not in of_marks
    ]


def _is_mark_of(marks: Fields, name: str, value: Json) -> bool:
    return bool(marks.get(name, _mark(name, DEFAULTS.get(name))) == _mark(name, value))
