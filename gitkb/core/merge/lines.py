"""Three sequences of lines become one: what is left, and where it stands.

1. Every key of a side is decided once, with all its lines (`group`).
2. A line that is no record is merged as a whole line, by its bytes and number: kept if both sides
   have it or one side added it, gone if one side removed it. It stays behind the record it
   followed; where the two sides differ, behind the smaller key.
3. Unreadable lines that both sides changed in different ways are not merged.
4. A `Block` stands for lines that nobody reads because all three sides have them (`file`).
"""

from __future__ import annotations

from gitkb.core.merge.group import Line, merge_group
from gitkb.core.merge.order import merge_sequences
from gitkb.core.merge.refusal import DisorderError, UnreadableError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    from gitkb.core.merge.rules import Key, Rules

    Place: TypeAlias = tuple[Any, ...]
    """What a line stands for: its key; among several of a key its age, its bytes, its number."""

    Item: TypeAlias = "Line | Block"


class Block:
    """Lines that all three sides have, known by where they begin in ours."""

    __slots__ = ("length", "start")

    def __init__(self, start: int, length: int) -> None:
        self.start = start
        self.length = length


class LineMerge:
    """A merge of three sequences of lines and blocks."""

    __slots__ = ("_decided", "_groups", "_number", "_raw_at", "_rules", "_sides", "merged")

    def __init__(self, sides: tuple[list[Item], list[Item], list[Item]], rules: Rules) -> None:
        self._sides = sides
        self._rules = rules
        self._groups = [_group(side) for side in sides]
        self._number = _count_loose(sides)
        self._decided: dict[Key, list[bytes]] = {}
        self._raw_at: dict[Any, bytes] = {}
        self.merged: list[bytes] = []
        """The lines of the result that stand on neither side."""

    def run(self, is_sorted: Callable[[], bool]) -> list[bytes | Block]:
        """Give the lines and blocks of the result.

        Raises:
            UnreadableError: see rule 3; NoListError: see `group`.
            DisorderError: when there are blocks and the sides disagree on the order.
        """
        self._decide()
        (our_places, our_tails), (their_places, their_tails) = map(self._places, self._sides[1:])
        places = merge_sequences(our_places, their_places, self._weight, is_sorted)
        if places is None:
            if any(isinstance(item, Block) for item in self._sides[1]):
                raise DisorderError
            places = sorted({*our_places, *their_places}, key=self._weight)
        tails = _merge_tails(our_tails, their_tails, self._weight)
        result: list[bytes | Block] = list(tails.get((), ()))
        for place in places:
            result.append(place if isinstance(place, Block) else self._raw_at[place])
            if tails:
                result += tails.get(place, ())
        return result

    def _decide(self) -> None:
        base, ours, theirs = self._groups
        for key in ours.keys() | theirs.keys():
            sides = base.get(key, []), ours.get(key, []), theirs.get(key, [])
            lines = merge_group(*sides, self._rules)
            self._decided[key] = lines
            if len(lines) == 1 and all(lines[0] != line.raw for side in sides[1:] for line in side):
                self.merged += lines

    def _places(self, side: list[Item]) -> tuple[list[Any], dict[Any, list[bytes]]]:
        """Give the places of what is left of a side, and the loose lines behind each."""
        places: list[Any] = []
        tails: dict[Any, list[bytes]] = {}
        seen: set[Any] = set()
        numbers: dict[Any, int] = {}
        last: Any = ()
        for item in side:
            if isinstance(item, Block):
                last = item
                places.append(item)
                continue
            if item.key is None:
                number = numbers[item.raw] = numbers.get(item.raw, -1) + 1
                if number < self._number.get(item.raw, 0):
                    tails.setdefault(last, []).append(item.raw)
                continue
            place = self._place(item.key, item, numbers)
            if place is not None and place not in seen:
                seen.add(place)
                places.append(place)
                last = place
        return places, tails

    def _place(self, key: Key, line: Line, numbers: dict[Any, int]) -> Place | None:
        lines = self._decided.get(key)
        if not lines:
            return None
        place: Place
        if len(lines) == 1 and not self._rules.is_archive:
            place = key, (), b"", 0
            self._raw_at[place] = lines[0]
            return place
        number = 0
        if not self._rules.is_archive:
            number = numbers[key, line.raw] = numbers.get((key, line.raw), -1) + 1
        if number >= lines.count(line.raw):
            return None
        place = key, self._age(line), line.raw, number
        self._raw_at[place] = line.raw
        return place

    def _weight(self, place: Place) -> Place:
        return (self._rules.order(place[0]), *place[1:]) if place else place

    def _age(self, line: Line) -> tuple[int, str]:
        from gitkb.core.clock import instant_of  # only several lines of one key have an age

        time = instant_of((line.fields or {}).get("ts")) if self._rules.is_gitkb else None
        return time or (-1, "")


def _group(side: list[Item]) -> dict[Key, list[Line]]:
    groups: dict[Key, list[Line]] = {}
    for item in side:
        if isinstance(item, Line) and item.key is not None:
            groups.setdefault(item.key, []).append(item)
    return groups


def _count_loose(sides: tuple[list[Item], list[Item], list[Item]]) -> dict[bytes, int]:
    """Say how many of each line that is no record are left.

    Raises:
        UnreadableError: when both sides changed unreadable lines in different ways.
    """
    base, ours, theirs = (sorted(filter(None, map(_unread, side))) for side in sides)
    if base not in (ours, theirs) and ours != theirs:
        raise UnreadableError
    known, our_number, their_number = map(_count, sides)
    return {
        raw: _merge_number(known.get(raw, 0), our_number.get(raw, 0), their_number.get(raw, 0))
        for raw in our_number.keys() | their_number.keys()
    }


def _unread(item: Item) -> bytes | None:
    return item.raw if isinstance(item, Line) and item.is_unread else None


def _count(side: list[Item]) -> dict[bytes, int]:
    number: dict[bytes, int] = {}
    for item in side:
        if isinstance(item, Line) and item.key is None:
            number[item.raw] = number.get(item.raw, 0) + 1
    return number


def _merge_number(base: int, ours: int, theirs: int) -> int:
    if base in (ours, theirs):
        return theirs if base == ours else ours
    if ours < base and theirs < base:
        return min(ours, theirs)
    return max(ours, theirs)  # added on both sides, or added here and removed there: keep


def _merge_tails(
    ours: dict[Place, list[bytes]],
    theirs: dict[Place, list[bytes]],
    weight: Callable[[Place], Place],
) -> dict[Place, list[bytes]]:
    """Put each loose line behind the place it followed, the smaller where the sides differ."""
    our_places, their_places = _places_of_loose(ours), _places_of_loose(theirs)
    number: dict[tuple[Place, bytes], int] = {}
    for raw in our_places.keys() | their_places.keys():
        pair = our_places.get(raw, []), their_places.get(raw, [])
        for place in _pair_places(*pair, weight):
            number[place, raw] = number.get((place, raw), 0) + 1
    merged = {}
    for place in {place for place, _ in number}:
        our_tail, their_tail = (
            [
                loose
                for loose in _numbered(side.get(place, []))
                if loose[1] < number.get((place, loose[0]), 0)
            ]
            for side in (ours, theirs)
        )
        in_order = merge_sequences(our_tail, their_tail, lambda loose: loose, lambda: False)
        if in_order is None:
            in_order = sorted({*our_tail, *their_tail})
        merged[place] = [raw for raw, _ in in_order]
    return merged


def _places_of_loose(tails: dict[Place, list[bytes]]) -> dict[bytes, list[Place]]:
    places: dict[bytes, list[Place]] = {}
    for place, tail in tails.items():
        for raw in tail:
            places.setdefault(raw, []).append(place)
    return places


def _pair_places(
    ours: list[Place], theirs: list[Place], weight: Callable[[Place], Place]
) -> list[Place]:
    """Say where equal lines stand: where both sides have one, and else by pairs in order."""
    rest, both = list(theirs), []
    for place in ours:
        if place in rest:
            rest.remove(place)
            both.append(place)
    our_rest = list(ours)
    for place in both:
        our_rest.remove(place)
    our_rest.sort(key=weight)
    rest.sort(key=weight)
    paired = min(len(our_rest), len(rest))
    smaller = [min(pair, key=weight) for pair in zip(our_rest, rest, strict=False)]
    return both + smaller + our_rest[paired:] + rest[paired:]


def _numbered(tail: list[bytes]) -> list[tuple[bytes, int]]:
    seen: dict[bytes, int] = {}
    numbered = []
    for raw in tail:
        seen[raw] = seen.get(raw, -1) + 1
        numbered.append((raw, seen[raw]))
    return numbered
