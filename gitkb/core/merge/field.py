"""Two versions of one record become one, field by field: rules 4, 5 and 7 of `core.merge.record`.

1. One side is taken for the later one: where both gave a field a value of their own, its value is shown.
2. The value that is not shown is recorded in `conflicts`, but for clocks and derived fields.
3. Swapping ours and theirs, and what is taken for later with them, changes nothing.
"""

from __future__ import annotations

from gitkb.core.canonical import encode_sorted
from gitkb.core.clock import earlier, instant_of, later
from gitkb.core.conflicts.value import (
    ABSENT,
    conflict_of,
    conflicts_of,
    merge_conflicts,
    parse_field,
    settle,
    value_at,
)
from gitkb.core.entry import DEFAULTS, SET_FIELDS, is_tombstone
from gitkb.core.identity import normal_title
from gitkb.core.merge.form import content_form, is_unchanged, value_form
from gitkb.core.merge.rules import CONFLICTS, LARGER, LINKS, sorted_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from gitkb.core.canonical import Fields, Json
    from gitkb.core.conflicts.value import Path
    from gitkb.core.merge.rules import Rules

    Clash: TypeAlias = tuple[Path, Json, Json, bool]
    """Where both sides gave a value of their own; ours; theirs; whether the loser is recorded."""

_ID = b"id "


class FieldMerge:
    """The merge of one record, with one side taken for the later one."""

    __slots__ = ("base", "clashes", "is_ours_later", "kept", "ours", "rules", "theirs")

    def __init__(
        self,
        base: Fields | None,
        ours: Fields,
        theirs: Fields,
        rules: Rules,
        is_ours_later: bool,
    ) -> None:
        self.base = base
        self.ours = ours
        self.theirs = theirs
        self.rules = rules
        self.is_ours_later = is_ours_later
        self.clashes: list[Clash] = []
        self.kept: list[dict[str, Json]] = []

    def run(self) -> Fields:
        """Merge the fields and record the clashes."""
        if self._are_two_things():
            merged = self._take_whole()
        else:
            merged = self._merge_object((), self.base or {}, self.ours, self.theirs, True)
            self._keep_valid(merged)
        merged.pop(CONFLICTS, None)
        entries = merge_conflicts(self.base or {}, self.ours, self.theirs)
        entries = [entry for entry in entries if not self._is_overwritten(entry)]
        for path, ours, theirs, is_recorded in self.clashes:
            if is_recorded:
                self._record(path, ours, theirs, not self.is_ours_later)
        entries = settle(merged, [*entries, *self.kept])
        if entries:
            merged[CONFLICTS] = entries
        return merged

    def _is_overwritten(self, entry: dict[str, Json]) -> bool:
        """Say whether base showed a value that one side holds as contested, and the other gave up for another.

        The other side knew it and changed it, as it would have done with the value shown.
        """
        field = entry.get("field")
        if self.base is None or not isinstance(field, str):
            return False
        if self.rules.is_gitkb and is_tombstone(self.ours):
            return False  # a redirect shows no field, and gave none up
        path, value = parse_field(field), value_form(entry.get("value", ABSENT))
        if value_form(value_at(self.base, path)) != value:
            return False
        return any(
            value_form(value_at(side, path)) != value
            and not any(
                one.get("field") == field and value_form(one.get("value", ABSENT)) == value
                for one in conflicts_of(side)
            )
            for side in (self.ours, self.theirs)
        )

    def is_ours_larger(self) -> bool:
        """Compare both sides' lists of clashing fields and values, by name (rule 5)."""
        clashes = sorted(self.clashes, key=lambda clash: clash[0])
        ours = [value_form(clash[1]) for clash in clashes]
        return ours >= [value_form(clash[2]) for clash in clashes]

    def _clash(self, path: Path, ours: Json, theirs: Json, is_recorded: bool = True) -> Json:
        self.clashes.append((path, ours, theirs, is_recorded))
        return ours if self.is_ours_later else theirs

    def _record(self, path: Path, ours: Json, theirs: Json, is_ours: bool) -> None:
        side, value = (self.ours, ours) if is_ours else (self.theirs, theirs)
        times = (side[name] for name in self.rules.deciders if instant_of(side.get(name)))
        self.kept.append(conflict_of(path, value, next(times, ABSENT)))

    def _are_two_things(self) -> bool:
        if self.base is not None or (self.rules.is_gitkb and is_tombstone(self.ours)):
            return False
        created = [name for name, kind in self.rules.clocks.items() if kind != LARGER]
        return self._has_other_title() and any(map(self._is_other, created))

    def _has_other_title(self) -> bool:
        if not self._is_other("title"):
            return False
        titles = [side["title"] for side in (self.ours, self.theirs)]
        # Keys are made from titles as they are compared: case or a final stop make no other thing.
        is_folded = self.rules.is_gitkb and all(isinstance(title, str) for title in titles)
        return not is_folded or len(set(map(normal_title, titles))) > 1

    def _is_other(self, name: str) -> bool:
        ours, theirs = self.ours.get(name), self.theirs.get(name)
        if ours is None or theirs is None or value_form(ours) == value_form(theirs):
            return False
        time = instant_of(ours) if name in self.rules.clocks else None
        return time is None or time != instant_of(theirs)

    def _take_whole(self) -> dict[str, Json]:
        for name in sorted(self.ours.keys() | self.theirs.keys()):
            ours, theirs = self.ours.get(name, ABSENT), self.theirs.get(name, ABSENT)
            if name != CONFLICTS and value_form(ours) != value_form(theirs):
                is_silent = name in self.rules.clocks or name in self.rules.derived
                self._clash((name,), ours, theirs, not is_silent)
        return dict(self.ours if self.is_ours_later else self.theirs)

    def _keep_valid(self, merged: dict[str, Json]) -> None:
        """Keep a title or a content where one side took the one away and the other the other."""
        if self.rules.is_gitkb and not is_tombstone(merged):
            if "title" not in merged and "content" not in merged:
                for name in ("title", "content"):
                    ours, theirs = self.ours.get(name, ABSENT), self.theirs.get(name, ABSENT)
                    if value_form(ours) != value_form(theirs):
                        value = self._clash((name,), ours, theirs)
                        if value is not ABSENT:
                            merged[name] = value

    def _merge_object(
        self, path: Path, base: Fields, ours: Fields, theirs: Fields, is_record: bool
    ) -> dict[str, Json]:
        merged = {}
        for name in sorted(ours.keys() | theirs.keys()):
            if path or name != CONFLICTS:
                known, our_value, their_value = (
                    side.get(name, ABSENT) for side in (base, ours, theirs)
                )
                value = self._merge_field((*path, name), known, our_value, their_value, is_record)
                if value is not ABSENT:
                    merged[name] = value
        return merged

    def _merge_field(
        self, path: Path, base: Json, ours: Json, theirs: Json, is_record: bool
    ) -> Json:
        name, rules = path[-1], self.rules
        is_top = len(path) == 1
        if is_record and (name in rules.clocks or (is_top and name in rules.deciders)):
            our_time, their_time = instant_of(ours), instant_of(theirs)
            if our_time is not None and their_time is not None:
                return self._merge_clock(path, base, ours, theirs)
            if our_time is not None and (theirs is ABSENT or theirs is None):
                self._keep_undeclared(path, base, ours, theirs, False)
                return ours
            if their_time is not None and (ours is ABSENT or ours is None):
                self._keep_undeclared(path, base, ours, theirs, True)
                return theirs
        if is_record and name in rules.derived:
            forms = value_form(base), value_form(ours), value_form(theirs)
            if forms[0] in forms[1:] or forms[1] == forms[2]:
                return theirs if forms[0] == forms[1] else ours
            return self._clash(path, ours, theirs, False)
        if is_top and rules.is_gitkb and name == "importance" and self.base is None:
            default = DEFAULTS[name]
            levels = [default if level is ABSENT else level for level in (ours, theirs)]
            if all(type(level) is int for level in levels):
                return ABSENT if max(levels) == default else max(levels)
        if is_top and rules.is_gitkb and (name in SET_FIELDS or name == LINKS):
            if ours is ABSENT or theirs is ABSENT:
                return self._merge_emptied(path, base, ours, theirs)
        return self._merge_value(path, base, ours, theirs)

    def _merge_emptied(self, path: Path, base: Json, ours: Json, theirs: Json) -> Json:
        """Merge a set that one side has lost its last element of: it is there, but empty."""
        sides = [[] if side is ABSENT else side for side in (base, ours, theirs)]
        value = self._merge_value(path, *sides)
        return ABSENT if value == [] else value

    def _merge_clock(self, path: Path, base: Json, ours: Json, theirs: Json) -> Json:
        take = later if self.rules.clocks.get(path[-1], LARGER) == LARGER else earlier
        value = take(ours, theirs)
        if value_form(ours) != value_form(theirs):
            self._keep_undeclared(path, base, ours, theirs, value_form(value) != value_form(ours))
        return value

    def _keep_undeclared(
        self, path: Path, base: Json, ours: Json, theirs: Json, is_ours: bool
    ) -> None:
        """Record the earlier time of a field that decides but that nobody said may be dropped."""
        dropped = ours if is_ours else theirs
        is_declared = path[-1] in self.rules.clocks
        if not is_declared and dropped is not ABSENT and value_form(dropped) != value_form(base):
            self._record(path, ours, theirs, is_ours)

    def _merge_value(self, path: Path, base: Json, ours: Json, theirs: Json) -> Json:
        form, our_form, their_form = value_form(base), value_form(ours), value_form(theirs)
        if our_form == their_form or form == their_form:
            return ours
        if form == our_form:
            return theirs
        if isinstance(ours, dict) and isinstance(theirs, dict):
            fields = base if isinstance(base, dict) else {}
            return self._merge_object(path, fields, ours, theirs, False)
        if isinstance(ours, list) and isinstance(theirs, list):
            if path[-1] not in self.rules.ordered:
                items = base if isinstance(base, list) else []
                return self._merge_list(path, items, ours, theirs)
        return self._clash(path, ours, theirs)

    def _merge_list(
        self, path: Path, base: list[Json], ours: list[Json], theirs: list[Json]
    ) -> Json:
        known, our_set, their_set = (set(map(encode_sorted, side)) for side in (base, ours, theirs))
        if len(known) < len(base) or len(our_set) < len(ours) or len(their_set) < len(theirs):
            return self._clash(path, ours, theirs)  # repeats: the order may mean something
        if our_set == known and their_set == known:
            return self._clash(path, ours, theirs, False)
        if our_set == known or their_set == known:
            return theirs if our_set == known else ours
        merged = self._merge_elements(path, base, ours, theirs)
        if self.rules.is_gitkb and path[0] in SET_FIELDS:
            return sorted_set(path[0], merged)
        return sorted(merged, key=encode_sorted)

    def _merge_elements(
        self, path: Path, base: list[Json], ours: list[Json], theirs: list[Json]
    ) -> list[Json]:
        for name_of in (self._name_of, encode_sorted):
            sides = [{name_of(item): item for item in side} for side in (base, ours, theirs)]
            if all(map(lambda side, named: len(side) == len(named), (base, ours, theirs), sides)):
                break
        merged = []
        for name in sorted(sides[1].keys() | sides[2].keys()):
            values = (side.get(name, ABSENT) for side in sides)
            step = name.removeprefix(_ID).decode()
            value = self._merge_element((*path, f"[{step}]"), *values)
            if value is not ABSENT:
                merged.append(value)
        return merged

    def _name_of(self, item: Json) -> bytes:
        if not isinstance(item, dict):
            return encode_sorted(item)
        if isinstance(item.get("id"), str | int) and not isinstance(item["id"], bool):
            return _ID + encode_sorted(item["id"])
        return content_form(item, self.rules)

    def _merge_element(self, path: Path, base: Json, ours: Json, theirs: Json) -> Json:
        form, our_form, their_form = value_form(base), value_form(ours), value_form(theirs)
        if our_form == their_form or form == their_form:
            return ours
        if form == our_form:
            return theirs
        if ours is ABSENT or theirs is ABSENT:
            left = theirs if ours is ABSENT else ours
            is_same = isinstance(base, dict) and is_unchanged(base, left, self.rules)
            return ABSENT if is_same else left
        return self._merge_object(path, base if isinstance(base, dict) else {}, ours, theirs, True)
