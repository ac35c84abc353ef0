"""Three texts of JSON lines become one.

A pure function of base, ours and theirs: no clock, no configuration, no repository, no environment.

1. If two of the three texts are equal, the result is the third, byte for byte.
2. If both sides are sorted by key, so is the result. Otherwise it keeps the order on which the sides
   agree (`order`).
3. A conflict marker on a side, or unreadable lines that both sides changed, leave only a text merge.
4. Lines that all three texts share are not parsed, and the result is as if they were. Where that
   cannot be known beforehand, everything is parsed.

Cost: a comparison of memory and the parsing of the lines that differ; the parsing of all lines if
one key stands on several lines, lines that are no records changed, or the order is in doubt.
"""

from __future__ import annotations

from gitkb.core.merge.align import equal_parts
from gitkb.core.merge.group import Line
from gitkb.core.merge.lines import Block, LineMerge
from gitkb.core.merge.refusal import DisorderError, NoListError, UnreadableError
from gitkb.core.merge.scan import count_keys, is_in_order, may_have_key
from gitkb.core.quick_json import parse_plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.core.canonical import Json
    from gitkb.core.merge.align import Part
    from gitkb.core.merge.lines import Item
    from gitkb.core.merge.rules import Rules
    from gitkb.core.problem import Problem

_MARKERS = (b"<<<<<<<", b"=======", b">>>>>>>", b"|||||||")


class Merge:
    """What came of a merge.

    text: the merged file, or None where only a text merge can be left. problems: why it is None.
    merged: the lines that stand on neither side, for a report of what was merged and contested.
    """

    __slots__ = ("merged", "problems", "text")

    def __init__(
        self, text: bytes | None, problems: list[Problem], merged: list[bytes] | None = None
    ) -> None:
        self.text = text
        self.problems = problems
        self.merged = merged or []


def merge_files(base: bytes, ours: bytes, theirs: bytes, rules: Rules) -> Merge:
    """Merge three texts of UTF-8 lines; a side that does not exist is empty."""
    if ours == theirs or base == theirs:
        return _take(ours, "ours")
    if base == ours:
        return _take(theirs, "theirs")
    base, ours, theirs = map(_with_end, (base, ours, theirs))
    if ours == theirs or base == theirs:  # a last line without its end is no change
        return _take(ours, "ours")
    if base == ours:
        return _take(theirs, "theirs")
    try:
        return _merge_what_differs(base, ours, theirs, rules) or _merge_whole(
            base, ours, theirs, rules
        )
    except UnreadableError:
        return _refuse(
            "unreadable-line",
            "both sides changed lines that are no JSON objects",
            "mend these lines by hand",
        )
    except NoListError:
        return _refuse(
            "foreign-conflicts",
            "a record that both sides changed has a field 'conflicts' of its own",
            "merge this record by hand",
        )


def _refuse(code: str, message: str, hint: str) -> Merge:
    from gitkb.core.problem import Problem  # its type costs as much as all that merges

    return Merge(None, [Problem(code, message, hint)])


def _take(text: bytes, side: str) -> Merge:
    return _refuse_marker(text, side) or Merge(text, [])


def _with_end(text: bytes) -> bytes:
    return text + b"\n" if text and not text.endswith(b"\n") else text


def _refuse_marker(text: bytes, side: str) -> Merge | None:
    line = _find_marker(text)
    if not line:
        return None
    message = f"a conflict marker in {side}, line {line}"
    return _refuse("conflict-marker", message, "resolve it and commit, then merge")


def _find_marker(text: bytes) -> int:
    """Give the number of the first line that is one of git's conflict markers; 0 is none."""
    for marker in _MARKERS:
        at = 0 if text.startswith(marker) else text.find(b"\n" + marker) + 1
        while at or text.startswith(marker):
            end = text.find(b"\n", at)
            from gitkb.core.jsonl import is_marker

            if is_marker(text[at : end if end >= 0 else len(text)]):
                return text.count(b"\n", 0, at) + 1
            at = text.find(b"\n" + marker, at) + 1
            if not at:
                break
    return 0


def _merge_whole(base: bytes, ours: bytes, theirs: bytes, rules: Rules) -> Merge:
    """Parse every line."""
    from gitkb.core.jsonl import split_lines

    for text, side in ((base, "base"), (ours, "ours"), (theirs, "theirs")):
        refusal = _refuse_marker(text, side)
        if refusal:
            return refusal
    known: dict[bytes, Line] = {}
    sides = [
        [_read_line(raw, rules, known) for raw in split_lines(t)] for t in (base, ours, theirs)
    ]
    merge = LineMerge((sides[0], sides[1], sides[2]), rules)  # type: ignore[arg-type]

    def is_sorted() -> bool:
        return all(_is_sorted(side, rules) for side in sides[1:])

    lines = merge.run(is_sorted)
    text = b"".join(line + b"\n" for line in lines if isinstance(line, bytes))
    return Merge(text, [], merge.merged)


def _merge_what_differs(base: bytes, ours: bytes, theirs: bytes, rules: Rules) -> Merge | None:
    """Parse the lines that are not common to all three; None if that is not enough to know."""
    parts = equal_parts(base, ours, theirs)
    sides = _read_between(parts, base, ours, theirs, rules)
    if sides is None:
        return None
    if not _is_apart(ours, sides, rules):
        return None
    merge = LineMerge(sides, rules)

    def is_sorted() -> bool:
        answers = [is_in_order(text, rules) for text in (ours, theirs)]
        if None in answers or rules.is_archive:
            raise DisorderError
        return all(answers)

    try:
        lines = merge.run(is_sorted)
    except DisorderError:
        return None
    view = memoryview(ours)
    text = b"".join(
        [
            view[item.start : item.start + item.length] if isinstance(item, Block) else item + b"\n"
            for item in lines
        ]
    )
    return Merge(text, [], merge.merged)


def _read_between(
    parts: list[Part], base: bytes, ours: bytes, theirs: bytes, rules: Rules
) -> tuple[list[Item], list[Item], list[Item]] | None:
    """Read what lies between the parts; None if a line there, or the first of a part, is loose."""
    texts = base, ours, theirs
    sides: tuple[list[Item], list[Item], list[Item]] = ([], [], [])
    at = [0, 0, 0]
    known: dict[bytes, Line] = {}
    end = len(base), len(ours), len(theirs), 0
    for part in (*parts, end):
        has_gap = False
        for number in range(3):
            if at[number] < part[number]:
                has_gap = True
                for raw in texts[number][at[number] : part[number] - 1].split(b"\n"):
                    line = _read_line(raw, rules, known)
                    if line.key is None:
                        return None
                    sides[number].append(line)
            at[number] = part[number] + part[3]
        if part[3]:
            # A loose line at the head of a part would follow one record here and another there.
            first = ours[part[1] : ours.find(b"\n", part[1])]
            if has_gap and _read_line(first, rules, known).key is None:
                return None
            block = Block(part[1], part[3])
            for side in sides:
                side.append(block)
    return sides


def _is_apart(ours: bytes, sides: tuple[list[Item], list[Item], list[Item]], rules: Rules) -> bool:
    """Say whether no unread line belongs to what was read, or is a conflict marker."""
    lines = [item for side in sides for item in side if isinstance(item, Line)]
    blocks = [item for item in sides[1] if isinstance(item, Block)]
    keys = {line.key for line in lines if line.key is not None}
    if not rules.is_archive and count_keys(ours, keys, rules) == len(sides[1]) - len(blocks):
        return True
    raws = {line.raw for line in lines}
    for block in blocks:
        text = ours[block.start : block.start + block.length]
        if _find_marker(text):
            return False
        if rules.is_archive:
            if not raws.isdisjoint(text.split(b"\n")):
                return False
        elif may_have_key(text, keys, rules):
            return False
    return True


def _read_line(raw: bytes, rules: Rules, known: dict[bytes, Line]) -> Line:
    line = known.get(raw)
    if line is None:
        fields = parse_plain(raw)
        if fields is None:
            fields = _parse_odd(raw, rules)
        key = None if fields is None else rules.key_of(fields)
        line = known[raw] = Line(raw, key, fields, fields is None and bool(raw.strip()))
    return line


def _parse_odd(raw: bytes, rules: Rules) -> dict[str, Json] | None:
    from gitkb.core.jsonl import BadLineError

    try:
        return rules.parse(raw)
    except BadLineError:
        return None


def _is_sorted(side: list[Line], rules: Rules) -> bool:
    order = [rules.order(line.key) for line in side if line.key is not None]
    return all(map(lambda one, other: one <= other, order, order[1:]))
