"""All lines of one key on each side become the lines of that key in the result.

1. A group that one side left alone comes out as the other side has it, byte for byte.
2. Equal content counts as equal: where both sides say the same in other bytes, the larger bytes are
   taken; where the merged record equals a side's record, that side's line.
3. If both sides changed a group, each side's is first folded into one record.
4. In an archive a line is known by itself: a set of lines is merged, not records.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.core.canonical import Fields
    from gitkb.core.merge.rules import Key, Rules


class Line:
    """One line of a side that has been read. `key` is None for a line that is no record."""

    __slots__ = ("fields", "is_unread", "key", "raw")

    def __init__(
        self, raw: bytes, key: Key | None, fields: Fields | None, is_unread: bool = False
    ) -> None:
        self.raw = raw
        self.key = key
        self.fields = fields
        self.is_unread = is_unread


def merge_group(
    base: list[Line], ours: list[Line], theirs: list[Line], rules: Rules
) -> list[bytes]:
    """Merge the lines of one key; nothing is left where the key is gone.

    Raises:
        NoListError: when `conflicts` of a record is no list of objects.
    """
    if rules.is_archive:
        if rules.is_gitkb and any(b'"redacted"' in line.raw for line in (*ours, *theirs)):
            from gitkb.core.merge.redacted import merge_versions

            scrubbed = merge_versions(base, ours, theirs, rules)
            if scrubbed is not None:
                return scrubbed
        return _merge_lines(base, ours, theirs)
    texts, our_texts, their_texts = (
        sorted(line.raw for line in side) for side in (base, ours, theirs)
    )
    if our_texts == their_texts or texts == their_texts:
        return our_texts
    if texts == our_texts:
        return their_texts
    return _merge_changed(base, ours, theirs, rules)


def _merge_changed(
    base: list[Line], ours: list[Line], theirs: list[Line], rules: Rules
) -> list[bytes]:
    """Merge a group whose bytes both sides changed."""
    our_texts, their_texts = (sorted(line.raw for line in side) for side in (ours, theirs))
    forms, our_forms, their_forms = (_forms(side, rules) for side in (base, ours, theirs))
    if our_forms == their_forms:
        return max(our_texts, their_texts)
    if forms == their_forms:
        return our_texts
    if forms == our_forms:
        return their_texts
    if not ours or not theirs:
        left = ours or theirs
        is_same = bool(base) and _contents(base, rules) == _contents(left, rules)
        return [] if is_same else our_texts or their_texts
    return [_merge_both_changed(base, ours, theirs, rules)]


def _merge_both_changed(
    base: list[Line], ours: list[Line], theirs: list[Line], rules: Rules
) -> bytes:
    from gitkb.core.canonical import encode_json, encode_sorted
    from gitkb.core.merge.record import merge_prepared

    record, our_record, their_record = (_fold(side, rules) for side in (base, ours, theirs))
    merged = merge_prepared(record, our_record, their_record, rules)
    if merged is None:  # pragma: no cover - both sides hold the key, so something is left
        raise AssertionError("a key of both sides merged into nothing")
    form = encode_sorted(merged)
    lines = [side[0] for side in (ours, theirs) if len(side) == 1]
    same = [line.raw for line in lines if encode_sorted(_prepared(line, rules)) == form]
    if same:
        return max(same)
    names = base[0].fields if len(base) == 1 and base[0].fields else ()
    text = encode_json(rules.arrange(merged, names))
    ends_alike = all(line.raw.endswith(b"\r") for line in (*ours, *theirs))
    return text + b"\r" if ends_alike else text


def _merge_lines(base: list[Line], ours: list[Line], theirs: list[Line]) -> list[bytes]:
    known, our_set, their_set = ({line.raw for line in side} for side in (base, ours, theirs))
    return sorted((our_set & their_set) | (our_set - known) | (their_set - known))


def _prepared(line: Line, rules: Rules) -> Fields:
    return rules.prepare(line.fields or {})


def _forms(lines: list[Line], rules: Rules) -> list[bytes]:
    # These imports bring `re` and `json`, and most merges touch no key on both sides.
    from gitkb.core.canonical import encode_sorted

    return sorted(encode_sorted(_prepared(line, rules)) for line in lines)


def _contents(lines: list[Line], rules: Rules) -> list[bytes]:
    from gitkb.core.merge.form import content_form

    return sorted(content_form(_prepared(line, rules), rules) for line in lines)


def _fold(lines: list[Line], rules: Rules) -> Fields | None:
    if not lines:
        return None
    if len(lines) == 1:
        return _prepared(lines[0], rules)
    from gitkb.core.merge.record import fold_records

    return rules.prepare(fold_records([line.fields or {} for line in lines], rules))
