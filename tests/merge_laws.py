"""The laws of a merge, checked on any three texts, and what a law needs to know about records.

This room is written without the code under test: keys, sets, sortedness and values are worked out
here again, in the plainest way. What it answers is a list of sentences, each a law that is broken.

1. Swapping the sides gives the same bytes, and merging the result again changes nothing.
2. A side merged with itself or with its base is itself.
3. Every key alive on a side and not deleted on the other is alive in the result.
4. Every value that a side wrote is in the result, in its `conflicts`, or was taken away on purpose.
5. Lines of a key that one side left alone come out byte for byte.
6. The result is in order and has one line a key where the inputs had.
"""

from __future__ import annotations

import json
from collections import Counter
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from gitkb.core.jsonl import is_marker
from gitkb.core.merge.file import merge_files

if TYPE_CHECKING:
    from gitkb.core.merge.rules import Rules

Record = dict[str, Any]


def broken_laws(base: bytes, ours: bytes, theirs: bytes, rules: Rules) -> list[str]:
    """Merge and name the laws that do not hold; nothing where only a text merge is left."""
    result = merge_files(base, ours, theirs, rules).text
    swapped = merge_files(base, theirs, ours, rules).text
    if result is None:
        return [] if swapped is None else ["swapping the sides gives another answer"]
    broken = []
    if swapped != result:
        broken.append("swapping the sides gives other bytes")
    for name, again in {
        "ours": (base, ours, result),
        "theirs": (base, theirs, result),
        "the result and ours": (base, result, ours),
        "the result and theirs": (base, result, theirs),
        "ours as base": (ours, result, ours),
        "theirs as base": (theirs, theirs, result),
    }.items():
        if merge_files(*again, rules).text != result and not _is_folded_back(
            base, ours, theirs, result, rules
        ):
            broken.append(f"merging again changes something: {name}")
    for side in (base, ours, theirs):
        if any(map(is_marker, lines_of(side))):
            continue  # always left to a person
        if any(merge_files(other, side, side, rules).text != side for other in (base, b"")):
            broken.append("a side merged with itself is another")
        if merge_files(base, side, base, rules).text != side:
            broken.append("a side merged with its base is another")
    return broken + broken_in_result(base, ours, theirs, result, rules)


def _is_folded_back(base: bytes, ours: bytes, theirs: bytes, result: bytes, rules: Rules) -> bool:
    """Whether lines of one key, several on a side, folded into what base had.

    Merging again then meets a side that seems to have changed nothing, and law 5 holds against law 1.
    """
    sides = [groups(text, rules) for text in (base, ours, theirs, result)]

    def says(side: int, key: tuple[Any, ...]) -> list[str]:
        return sorted(_content(line, rules) for line in sides[side].get(key, ()))

    return any(
        max(len(side.get(key, ())) for side in sides[1:3]) > 1
        and says(3, key) == says(0, key)
        and says(0, key) not in (says(1, key), says(2, key))
        for key in sides[0]
    )


def broken_in_result(
    base: bytes, ours: bytes, theirs: bytes, result: bytes, rules: Rules
) -> list[str]:
    """Name the laws that a result breaks."""
    sides = [groups(text, rules) for text in (base, ours, theirs, result)]
    broken = []
    for key in sides[1].keys() | sides[2].keys() | sides[3].keys():
        group, our_group, their_group, left = (side.get(key, []) for side in sides)
        broken += [
            f"{key}: {law}" for law in _broken_in(group, our_group, their_group, left, rules)
        ]
    if all(is_sorted(text, rules) for text in (base, ours, theirs)):
        if not is_sorted(result, rules):
            broken.append("the result is out of order")
    if all(is_unique(side, rules) for side in sides[:3]) and not is_unique(sides[3], rules):
        broken.append("the result has a key twice")
    if not has_end(result) and all(map(has_end, (base, ours, theirs))):
        broken.append("the last line has no end")
    loose = [loose_lines(text, rules) for text in (base, ours, theirs, result)]
    for line in loose[1].keys() | loose[2].keys():
        number, our_number, their_number, left_number = (side[line] for side in loose)
        if our_number == number and left_number != their_number:
            broken.append(f"a line that is no record: {line!r}")
        if their_number == number and left_number != our_number:
            broken.append(f"a line that is no record: {line!r}")
    return broken


def _broken_in(
    group: list[bytes], ours: list[bytes], theirs: list[bytes], left: list[bytes], rules: Rules
) -> list[str]:
    if rules.is_archive:
        kept = (set(ours) & set(theirs)) | (set(ours) - set(group)) | (set(theirs) - set(group))
        return [] if sorted(left) == sorted(kept) else ["a version is lost or came back"]
    if sorted(ours) == sorted(group):
        return [] if sorted(left) == sorted(theirs) else ["ours left it alone, it is not theirs"]
    if sorted(theirs) == sorted(group):
        return [] if sorted(left) == sorted(ours) else ["theirs left it alone, it is not ours"]
    if not ours or not theirs:
        alive = ours or theirs
        if not left:
            contents = [sorted(_content(line, rules) for line in side) for side in (group, alive)]
            return [] if contents[0] == contents[1] else ["a change is lost to a dropped line"]
        return [] if sorted(left) == sorted(alive) else ["the edit does not stand as it was"]
    if not left:
        return ["a key of both sides is gone"]
    records = [list(map(json.loads, side)) for side in (group, ours, theirs, left)]
    is_alive = all(fate(record) == "entry" for record in records[0])
    broken = _broken_fate(*records[1:]) if rules.is_gitkb and is_alive else []
    return broken + [
        f"the value {value!r} of '{name}' is lost"
        for mine, other in ((records[1], records[2]), (records[2], records[1]))
        for record in mine
        for name, value in record.items()
        if not _is_kept(name, value, record, records[0], mine, records[3], rules)
    ]


def _broken_fate(ours: list[Record], theirs: list[Record], left: list[Record]) -> list[str]:
    both = [*ours, *theirs]
    fates = set(map(fate, both))
    if not fates.issuperset(map(fate, left)):
        return ["a record became something that neither side has"]
    if len(left) > 1 or len(fates) == 1:
        return []
    deaths = [record["ts"] for record in both if fate(record) != "entry"]
    knows = any(record.get("revives", -1) >= max(deaths, default=-1) for record in both)
    if fate(left[0]) == "entry" and not knows:
        return ["a deletion is undone by an edit that did not know of it"]
    if fate(left[0]) == "moved" and "deleted" in fates:
        return ["a deletion is undone by a redirect"]
    return []


def _is_kept(
    name: str,
    value: Any,
    record: Record,
    base: list[Record],
    mine: list[Record],
    left: list[Record],
    rules: Rules,
) -> bool:
    if name in rules.clocks or name in rules.derived or name == "conflicts":
        return True
    if rules.is_gitkb:
        if fate(record) not in map(fate, left) or len(set(map(fate, mine))) > 1:
            return True  # whether that is right is another law
        if name == "importance" and not base:
            return True  # the larger is taken
        if _is_default(name, value):
            return True
    if any(form(before.get(name)) == form(value) for before in base if name in before):
        return True  # the other side changed or removed it
    shown = [after[name] for after in left if name in after]
    shown += [
        entry["value"]
        for after in left
        for entry in after.get("conflicts", [])
        if "value" in entry and (entry["field"] == name or entry["field"].startswith(f"/{name}/"))
    ]
    before = [old[name] for old in base if name in old]
    return _is_in(value, shown, before)


def _is_in(value: Any, shown: list[Any], base: list[Any]) -> bool:
    """Say whether a value, or each leaf or element of it, is shown or was there before."""
    if form(value) in map(form, shown) or form(value) in map(form, base):
        return True
    if isinstance(value, list | dict):
        parts = value
        if isinstance(value, dict):
            # Of two elements that are equal but for their clocks the later time stands, or the only one.
            parts = [
                part
                for name, part in value.items()
                if name not in ("ts", "created") and not (name.endswith("_at") and part is None)
            ]
        inner, old = [*shown, *_parts(shown)], [*base, *_parts(base)]
        return all(_is_in(part, inner, old) or _is_time(part) for part in parts)
    return form(value) in map(form, _leaves(shown)) or form(value) in map(form, _leaves(base))


def _is_time(value: Any) -> bool:
    return isinstance(value, str) and value[:2] in ("19", "20") and "T" in value


def _parts(values: list[Any]) -> list[Any]:
    parts: list[Any] = []
    for value in values:
        if isinstance(value, dict):
            parts += value.values()
        elif isinstance(value, list):
            parts += value
    return parts


def _leaves(values: list[Any]) -> list[Any]:
    leaves: list[Any] = []
    while values:
        leaves += values
        values = _parts(values)
    return leaves


# --- files and records -----------------------------------------------------------------------


def form(value: Any) -> str:
    """One spelling for equal values; True, 1 and 1.0 are three."""
    return json.dumps(value, sort_keys=True)


def parse(line: bytes) -> Any:
    """The object of a line, or None."""
    try:
        value = json.loads(
            line.decode(), parse_constant=lambda name: 1 / 0, object_pairs_hook=_once
        )
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, ZeroDivisionError):
        return None
    return value if isinstance(value, dict) else None


def _once(pairs: list[tuple[str, Any]]) -> Record:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a name twice")
    return dict(pairs)


def key_of(line: bytes, rules: Rules) -> tuple[Any, ...] | None:
    """The key of a line, or None where it is no record."""
    record = parse(line)
    if record is None or (rules.is_gitkb and "\0" in "".join(map(str, _leaves([record])))):
        return None
    parts = tuple(record.get(name) for name in rules.key)
    kinds = str if rules.is_gitkb else (str, int)
    fine = all(isinstance(part, kinds) and not isinstance(part, bool) for part in parts)
    return parts if fine else None


def has_end(text: bytes) -> bool:
    """Whether the last line has its end."""
    return not text or text.endswith(b"\n")


def lines_of(text: bytes) -> list[bytes]:
    """The lines of a text."""
    lines = text.split(b"\n")
    return lines if lines[-1] else lines[:-1]


def groups(text: bytes, rules: Rules) -> dict[tuple[Any, ...], list[bytes]]:
    """The lines of each key."""
    found: dict[tuple[Any, ...], list[bytes]] = {}
    for line in lines_of(text):
        key = key_of(line, rules)
        if key is not None:
            found.setdefault(key, []).append(line)
    return found


def loose_lines(text: bytes, rules: Rules) -> Counter[bytes]:
    """The lines that are no records, and how many there are of each."""
    return Counter(line for line in lines_of(text) if key_of(line, rules) is None)


def order(key: tuple[Any, ...], rules: Rules) -> Any:
    """What a key is sorted by."""
    if rules.is_gitkb:
        return sha256(key[0].encode()).digest()
    return [(isinstance(part, str), part) for part in key]


def is_sorted(text: bytes, rules: Rules) -> bool:
    """Whether the records of a text are in order."""
    keys = [key for line in lines_of(text) if (key := key_of(line, rules)) is not None]
    orders = [order(key, rules) for key in keys]
    if rules.is_archive:
        lines = [line for line in lines_of(text) if key_of(line, rules) is not None]
        orders = [
            (at, json.loads(line).get("ts", -1), line)
            for at, line in zip(orders, lines, strict=True)
        ]
    return orders == sorted(orders)


def is_unique(side: dict[tuple[Any, ...], list[bytes]], rules: Rules) -> bool:
    """Whether each key has one line; in an archive, whether no line stands there twice."""
    if rules.is_archive:
        return all(len(set(lines)) == len(lines) for lines in side.values())
    return all(len(lines) == 1 for lines in side.values())


def fate(record: Record) -> str:
    """Whether a record of gitkb's is an entry, deleted, or moved."""
    if record.get("deleted") is True:
        return "deleted"
    return "moved" if "moved" in record else "entry"


def _is_default(name: str, value: Any) -> bool:
    plain = {"status": "active", "scope": "project", "source": "agent", "issue": None}
    return (
        form(value) == "[]"
        or (name in plain and plain[name] == value)
        or (name == "importance" and form(value) == "3")
    )


def _content(line: bytes, rules: Rules) -> str:
    record = json.loads(line)
    kept = {name: value for name, value in record.items() if not _is_quiet(name, value, rules)}
    return form(_unordered(kept))


def _is_quiet(name: str, value: Any, rules: Rules) -> bool:
    is_quiet = name in rules.clocks or name in rules.derived
    return is_quiet or (rules.is_gitkb and _is_default(name, value))


def _unordered(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _unordered(part) for name, part in value.items()}
    if isinstance(value, list):
        return sorted(map(_unordered, value), key=form)
    return value
