"""What is contested in an entry, as choices, and what taking one of them makes of it.

1. The value that is shown is number 1; the others follow, the latest first (by `ts`, then by bytes).
2. Taking a value touches its field and the entries of that field in `conflicts`; all else stays.
3. A field is named as in `conflicts` (`core.conflicts.value`): by its name, or by a path into objects and
   elements of lists.
"""

from __future__ import annotations

from typing import NamedTuple

from gitkb.core.canonical import encode_sorted
from gitkb.core.clock import instant_of
from gitkb.core.conflicts.value import ABSENT, conflicts_of, parse_field
from gitkb.core.entry import FIELDS
from gitkb.core.merge.form import content_form
from gitkb.core.merge.refusal import NoListError
from gitkb.core.merge.rules import KNOWLEDGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

    from gitkb.core.canonical import Fields, Json


class Choice(NamedTuple):
    """One of the values of a contested field. `value` and `ts` may be `ABSENT`."""

    number: int
    value: Json
    ts: Json

    @property
    def is_shown(self) -> bool:
        """Whether the entry shows it."""
        return self.number == 1

    @property
    def is_absent(self) -> bool:
        """Whether that version had no such field."""
        return self.value is ABSENT


class Contest(NamedTuple):
    """A contested field, and all its values."""

    field: str
    choices: tuple[Choice, ...]

    def find(self, number: int) -> Choice | None:
        """Give the choice of a number."""
        return self.choices[number - 1] if 1 <= number <= len(self.choices) else None


class NoPlaceError(Exception):
    """A value whose place in the entry is gone: the object or element around it."""


def contests_of(fields: Fields) -> list[Contest]:
    """Give what is contested in a record: fields in the order of a line, then by name."""
    try:
        entries = conflicts_of(fields)
    except NoListError:
        return []
    others: dict[str, dict[bytes, tuple[Json, Json]]] = {}
    for entry in entries:
        field = entry.get("field")
        if isinstance(field, str):
            value = entry.get("value", ABSENT)
            others.setdefault(field, {})[_form(value)] = (value, entry.get("ts", ABSENT))
    return [
        _contest(fields, field, list(others[field].values()))
        for field in sorted(others, key=_place)
    ]


def _contest(fields: Fields, field: str, others: list[tuple[Json, Json]]) -> Contest:
    shown = shown_value(fields, field)
    others = [other for other in others if _form(other[0]) != _form(shown)]
    others.sort(key=lambda other: _form(other[0]))
    others.sort(key=lambda other: instant_of(other[1]) or (0, ""), reverse=True)
    choices = [Choice(1, shown, ABSENT)]
    choices += [Choice(number, *other) for number, other in enumerate(others, 2)]
    return Contest(field, tuple(choices))


def shown_value(fields: Fields, field: str) -> Json:
    """Give the value that a record shows at a field; `ABSENT` where it has none."""
    value: Json = fields
    for step in parse_field(field):
        value = _step_into(value, step)
    return value


def take_value(fields: Fields, contest: Contest, choice: Choice) -> dict[str, Json]:
    """Give a record that shows the value chosen, in which the field is no longer contested.

    Raises:
        NoPlaceError: when what the value belongs into is gone.
    """
    taken = dict(fields)
    if not choice.is_shown:
        taken = _with_value(taken, parse_field(contest.field), choice.value, contest.field)
    return without_contests(taken, {contest.field})


def without_contests(fields: Fields, settled: Collection[str]) -> dict[str, Json]:
    """Give a record without the entries of these fields in `conflicts`."""
    left = [entry for entry in conflicts_of(fields) if entry.get("field") not in settled]
    plain = {name: value for name, value in fields.items() if name != "conflicts"}
    return {**plain, "conflicts": left} if left else plain


def _place(field: str) -> tuple[int, str]:
    name = parse_field(field)[0]
    return (FIELDS.index(name) if name in FIELDS else len(FIELDS), field)


def _form(value: Json) -> bytes:
    return b"" if value is ABSENT else encode_sorted(value)


def _step_into(value: Json, step: str) -> Json:
    if isinstance(value, dict):
        return value.get(step, ABSENT)
    if isinstance(value, list):
        number = _number_of(value, step)
        return ABSENT if number is None else value[number]
    return ABSENT


def _number_of(items: list[Any], step: str) -> int | None:
    """Find an element by the name that a merge gave it: its `id`, or else what it says."""
    name = step.removeprefix("[").removesuffix("]").encode()
    for number, item in enumerate(items):
        names = [encode_sorted(item)]
        if isinstance(item, dict):
            names += [encode_sorted(item["id"])] if "id" in item else []
            names.append(content_form(item, KNOWLEDGE))
        if name in names:
            return number
    return None


def _with_value(around: Any, path: tuple[str, ...], value: Json, field: str) -> Any:
    """Copy an object or list with one value in it changed, put in or taken out."""
    step, rest = path[0], path[1:]
    copy: Any
    at: Any
    if isinstance(around, dict):
        copy, at = dict(around), step
        inner = around.get(step, ABSENT)
    elif isinstance(around, list):
        copy, number = list(around), _number_of(around, step)
        if number is None:
            if rest or value is ABSENT:
                raise NoPlaceError(field)
            return [*copy, value]
        at, inner = number, around[number]
    else:
        raise NoPlaceError(field)
    if rest:
        copy[at] = _with_value(inner, rest, value, field)
    elif value is not ABSENT:
        copy[at] = value
    elif inner is not ABSENT:
        del copy[at]
    return copy
