"""A merge of three texts in the plainest way: every line is read, everything is a list.

It holds what the fast merge is compared with. It knows nothing of blocks, of unread lines or of
sorted gaps; what becomes of one record is asked of `merge_records`, whose laws have tests of their
own.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from gitkb.core.canonical import encode_json, encode_sorted
from gitkb.core.jsonl import BadLineError, is_marker, parse_foreign, parse_object
from gitkb.core.merge.form import is_unchanged
from gitkb.core.merge.record import fold_records, merge_records

from merge_laws import is_sorted, lines_of, order

if TYPE_CHECKING:
    from gitkb.core.merge.rules import Rules

Key = tuple[Any, ...]


class Row(NamedTuple):
    """A line: its bytes and its key; `key` is None for a line that is no record."""

    raw: bytes
    key: Key | None
    is_json: bool


def _with_end(text: bytes) -> bytes:
    return text + b"\n" if text and not text.endswith(b"\n") else text


def merge_plainly(base: bytes, ours: bytes, theirs: bytes, rules: Rules) -> bytes | None:
    """Merge three texts; None where only a text merge is left."""
    for sides in ((base, ours, theirs), tuple(map(_with_end, (base, ours, theirs)))):
        base, ours, theirs = sides
        if ours == theirs or base in (ours, theirs):
            third = theirs if base == ours else ours
            return None if any(map(is_marker, lines_of(third))) else third
    rows = [[_row(line, rules) for line in lines_of(text)] for text in (base, ours, theirs)]
    if any(is_marker(row.raw) for side in rows for row in side):
        return None
    unreadable = [sorted(row.raw for row in side if not row.is_json) for side in rows]
    if unreadable[1] not in (unreadable[0], unreadable[2]) and unreadable[0] != unreadable[2]:
        return None
    left: dict[Key, list[bytes]] = {}
    for key in {row.key for side in rows[1:] for row in side if row.key is not None}:
        left[key] = _left_of([[row.raw for row in side if row.key == key] for side in rows], rules)
    both_sorted = is_sorted(ours, rules) and is_sorted(theirs, rules)
    our_order, their_order = (_in_file(side, left, rules) for side in rows[1:])
    names = _weave(our_order, their_order, both_sorted, rules)
    loose = {
        raw: _number(*([row.raw for row in side if row.key is None].count(raw) for side in rows))
        for raw in {row.raw for side in rows[1:] for row in side if row.key is None}
    }
    tails = [_tails(side, left, loose, rules) for side in rows[1:]]
    stays = {raw: _stay(raw, tails[0], tails[1], rules) for raw in loose}
    result: list[bytes] = []
    for name in [None, *names]:
        if name is not None:
            result.append(name[1] if name[1] is not None else left[name[0]][0])
        number = {raw: places.count(name) for raw, places in stays.items()}
        mine, other = ([raw for at, raw in side if at == name] for side in tails)
        result += _tail(mine, other, number)
    return b"".join(line + b"\n" for line in result)


def _row(raw: bytes, rules: Rules) -> Row:
    text = raw[:-1] if raw.endswith(b"\r") else raw
    try:
        record = parse_object(text) if rules.is_gitkb else parse_foreign(text)
    except BadLineError:
        return Row(raw, None, not raw.strip())
    parts = tuple(record.get(name) for name in rules.key)
    kinds = str if rules.is_gitkb else (str, int)
    if all(isinstance(part, kinds) and not isinstance(part, bool) for part in parts):
        return Row(raw, parts, True)
    return Row(raw, None, True)


# --- what is left of a key -------------------------------------------------------------------


def _left_of(lines: list[list[bytes]], rules: Rules) -> list[bytes]:
    base, ours, theirs = map(sorted, lines)
    if rules.is_archive:
        kept = (set(ours) & set(theirs)) | (set(ours) - set(base)) | (set(theirs) - set(base))
        return sorted(kept)
    if base in (ours, theirs) or ours == theirs:
        return theirs if base == ours else ours
    records = [[rules.prepare(json.loads(line)) for line in side] for side in (base, ours, theirs)]
    contents = [sorted(map(encode_sorted, side)) for side in records]
    if contents[1] == contents[2]:
        return ours if ours > theirs else theirs
    if contents[0] in contents[1:]:
        return theirs if contents[0] == contents[1] else ours
    if not ours or not theirs:
        return [] if _say_the_same(records[0], records[1] or records[2], rules) else ours or theirs
    folded = [fold_records(side, rules) if side else None for side in records]
    merged = merge_records(folded[0], folded[1], folded[2], rules)
    assert merged is not None
    wanted = encode_sorted(rules.prepare(merged))
    singles = [side[0] for side in (ours, theirs) if len(side) == 1]
    same = [line for line in singles if encode_sorted(rules.prepare(json.loads(line))) == wanted]
    if same:
        return [max(same)]
    like = json.loads(base[0]) if len(base) == 1 else {}
    end = b"\r" if all(line.endswith(b"\r") for line in ours + theirs) else b""
    return [encode_json(rules.arrange(merged, like)) + end]


def _say_the_same(one: list[Any], other: list[Any], rules: Rules) -> bool:
    rest = list(other)
    for record in one:
        for candidate in rest:
            if is_unchanged(record, candidate, rules):
                rest.remove(candidate)
                break
        else:
            return False
    return not rest


# --- where it stands -------------------------------------------------------------------------

# A name is what stands in one place: a key with its one line (None), or a line among several of a
# key and which of those with the same bytes it is.
Name = tuple[Key, bytes | None, int]


def _in_file(rows: list[Row], left: dict[Key, list[bytes]], rules: Rules) -> list[Name]:
    names: list[Name] = []
    for row in rows:
        name = _name(row, names, left, rules)
        if name is not None and name not in names:
            names.append(name)
    return names


def _name(row: Row, before: list[Name], left: dict[Key, list[bytes]], rules: Rules) -> Name | None:
    if row.key is None or not left.get(row.key):
        return None
    if len(left[row.key]) == 1 and not rules.is_archive:
        return row.key, None, 0
    number = 0
    if not rules.is_archive:
        number = sum(name[:2] == (row.key, row.raw) for name in before)
    return (row.key, row.raw, number) if number < left[row.key].count(row.raw) else None


def _weight(name: Name, rules: Rules) -> Any:
    key, raw, number = name
    time = (json.loads(raw).get("ts", -1) if rules.is_gitkb else -1) if raw is not None else -1
    time = time if isinstance(time, int) and not isinstance(time, bool) else -1
    return order(key, rules), time, raw or b"", number


def _weave(ours: list[Name], theirs: list[Name], both_sorted: bool, rules: Rules) -> list[Name]:
    shared = [name for name in ours if name in theirs]
    if shared != [name for name in theirs if name in ours]:
        return sorted({*ours, *theirs}, key=lambda name: _weight(name, rules))
    woven = []
    gaps = [(_gap(ours, shared, at), _gap(theirs, shared, at)) for at in range(len(shared) + 1)]
    for at, (our_gap, their_gap) in enumerate(gaps):
        gap = our_gap + their_gap
        if our_gap and their_gap:
            if both_sorted:
                gap = sorted(gap, key=lambda name: _weight(name, rules))
            elif _weight(their_gap[0], rules) < _weight(our_gap[0], rules):
                gap = their_gap + our_gap
        woven += gap + shared[at : at + 1]
    return woven


def _gap(names: list[Any], shared: list[Any], at: int) -> list[Any]:
    start = names.index(shared[at - 1]) + 1 if at else 0
    end = names.index(shared[at]) if at < len(shared) else len(names)
    return names[start:end]


# --- lines that are no records ---------------------------------------------------------------


def _number(base: int, ours: int, theirs: int) -> int:
    if base == ours:
        return theirs
    if base == theirs:
        return ours
    return min(ours, theirs) if max(ours, theirs) < base else max(ours, theirs)


Tail = list[tuple[Name | None, bytes]]
"""Each loose line that is left, in order, with the name it follows."""


def _tails(
    rows: list[Row], left: dict[Key, list[bytes]], loose: dict[bytes, int], rules: Rules
) -> Tail:
    found: Tail = []
    names: list[Name] = []
    for row in rows:
        if row.key is None:
            if [raw for _, raw in found].count(row.raw) < loose[row.raw]:
                found.append((names[-1] if names else None, row.raw))
            continue
        name = _name(row, names, left, rules)
        if name is not None and name not in names:
            names.append(name)
    return found


def _stay(raw: bytes, ours: Tail, theirs: Tail, rules: Rules) -> list[Name | None]:
    """The names behind which a line stands in the result, one for each time."""

    def weight(other: Name | None) -> Any:
        return (0,) if other is None else (1, _weight(other, rules))

    mine, other = ([name for name, its in side if its == raw] for side in (ours, theirs))
    stays = []
    for name in list(mine):
        if name in other:
            stays.append(name)
            mine.remove(name)
            other.remove(name)
    mine, other = sorted(mine, key=weight), sorted(other, key=weight)
    while mine or other:
        heads = mine[:1] + other[:1]
        stays.append(min(heads, key=weight))
        mine, other = mine[1:], other[1:]
    return stays


def _tail(ours: list[bytes], theirs: list[bytes], number: dict[bytes, int]) -> list[bytes]:
    def numbered(tail: list[bytes]) -> list[tuple[bytes, int]]:
        lines = [(raw, tail[:at].count(raw)) for at, raw in enumerate(tail)]
        return [line for line in lines if line[1] < number[line[0]]]

    mine, other = numbered(ours), numbered(theirs)
    shared = [line for line in mine if line in other]
    if shared != [line for line in other if line in mine]:
        return [raw for raw, _ in sorted({*mine, *other})]
    tail = []
    for at in range(len(shared) + 1):
        gaps = [_gap(mine, shared, at), _gap(other, shared, at)]
        tail += [line for gap in sorted(filter(None, gaps)) for line in gap] + shared[at : at + 1]
    return [raw for raw, _ in tail]
