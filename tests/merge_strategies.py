"""Hypothesis strategies for merges: files of other tools, and three sides made by editing one.

1. Worlds are small: few keys, few fields, few values, so that the sides meet.
2. Files are untidy as real ones are: unsorted, keys twice, lines without a key, lines that are no
   JSON, times in several spellings, arrays, objects, null beside absent.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from hypothesis import strategies as st

from gitkb.core.merge.rules import foreign_rules

from strategies import encode_world, merges

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

    from gitkb.core.merge.rules import Rules


class Triple(NamedTuple):
    """A merge that is to be made."""

    base: bytes
    ours: bytes
    theirs: bytes
    rules: Rules


TIMES = (
    "2026-01-01T00:00:00Z",
    "2026-01-01T02:00:00+02:00",
    "2026-01-01T00:00:00.000000001Z",
    "2025-12-31T23:59:59.999999999Z",
    "2026-01-01T00:00:00.5-08:00",
    5,
    None,
    "yesterday",
)
BY_ID = foreign_rules(["id"])
BY_ID_WITH_CLOCKS = foreign_rules(
    ["id"], [("updated_at", "max"), ("created_at", "min")], ["hash"], ["steps"]
)
BY_PAIR = foreign_rules(["id", "to"], [("created_at", "min")])

_scalars = st.sampled_from([None, True, 1, 1.0, 2, "x", "y", ""])
_times = st.sampled_from(TIMES)
_elements = st.one_of(
    st.sampled_from(["a", "b", "c", 1, True]),
    st.fixed_dictionaries(
        {"id": st.sampled_from([1, "1", "c2"])},
        optional={"text": st.sampled_from(["p", "q"]), "created_at": _times},
    ),
    st.fixed_dictionaries(
        {"on": st.sampled_from(["k1", "k2"])}, optional={"created_at": _times, "ts": _times}
    ),
)
_objects: SearchStrategy[Any] = st.recursive(
    _scalars,
    lambda inner: st.dictionaries(st.sampled_from(["p", "q/r", "~"]), inner, max_size=3),
    max_leaves=4,
)
_VALUES: dict[str, SearchStrategy[Any]] = {
    "title": st.sampled_from(["A", "B", "C"]),
    "status": _scalars,
    "labels": st.lists(_elements, max_size=4),
    "steps": st.lists(st.sampled_from("ab"), max_size=3),
    "meta": _objects,
    "updated_at": _times,
    "created_at": _times,
    "ts": _times,
    "created": _times,
    "hash": st.sampled_from(["h1", "h2"]),
    "conflicts": st.lists(
        st.fixed_dictionaries(
            {"field": st.sampled_from(["title", "status", "/meta/p"])},
            optional={"value": _scalars, "ts": st.sampled_from([1, 2])},
        ),
        max_size=2,
        unique_by=lambda entry: json.dumps(entry, sort_keys=True),
    ),
}
_optional = st.fixed_dictionaries({}, optional=_VALUES)
_ids = st.sampled_from(["a", "b", "c", 'q"', "é", "a/b", 1, 2, 10])
_plain_ids = st.sampled_from(["a", "b", "c", "d", "e"])
_tos = st.sampled_from(["a", "b", 3])


@st.composite
def foreign_lines(draw: DrawFn, ids: SearchStrategy[Any] = _ids) -> bytes:
    """A line of another tool's file: a record in some spelling; now and then none."""
    kind = draw(st.integers(0, 19))
    if kind == 0:
        return draw(st.sampled_from([b'{"note":1}', b'{"note":2}', b'{"id":null}', b""]))
    if kind == 1:
        return draw(st.sampled_from([b"not json", b'{"id":"a"', b"[1]", b'{"id":"b","id":"b"}']))
    record = {"id": draw(ids), "to": draw(_tos), **draw(_optional)}
    return draw(spelled(record))


@st.composite
def spelled(draw: DrawFn, record: dict[str, Any]) -> bytes:
    """A record as one tool or another would write it."""
    form = draw(st.integers(0, 9))
    names = sorted(record) if form > 8 else ["id", *sorted(record.keys() - {"id"})]
    text = json.dumps(
        {name: record[name] for name in names},
        ensure_ascii=form == 7,
        separators=(", ", ": ") if form == 8 else (",", ":"),
    )
    return text.encode() + (b"\r" if form == 6 else b"")


@st.composite
def edited_lines(draw: DrawFn, base: list[bytes], ids: SearchStrategy[Any] = _ids) -> list[bytes]:
    """What someone makes of a file: lines kept, changed, removed, doubled, moved, added."""
    lines = []
    for line in base:
        action = draw(st.integers(0, 11))
        if action < 6:
            lines.append(line)
        elif action < 9:
            lines.append(draw(_edited(line)))
        elif action == 9:
            lines += [line, line]
        elif action == 10:
            lines.insert(draw(st.integers(0, len(lines))), line)
    for _ in range(draw(st.integers(0, 2))):
        lines.insert(draw(st.integers(0, len(lines))), draw(foreign_lines(ids)))
    return lines


@st.composite
def _edited(draw: DrawFn, line: bytes) -> bytes:
    try:
        record = json.loads(line)
        fields = dict(record)
    except (ValueError, TypeError):
        return draw(foreign_lines())
    for name in draw(st.lists(st.sampled_from(sorted(_VALUES)), min_size=1, max_size=3)):
        if draw(st.integers(0, 4)):
            fields[name] = draw(_VALUES[name])
        else:
            fields.pop(name, None)
    return draw(spelled(fields)) if "id" in fields else line


def _text(lines: list[bytes], has_end: bool = True) -> bytes:
    text = b"".join(line + b"\n" for line in lines)
    return text if has_end else text[:-1]


@st.composite
def foreign_merges(draw: DrawFn, rules: SearchStrategy[Rules] | None = None) -> Triple:
    """Three sides of another tool's file."""
    chosen = draw(rules or st.sampled_from([BY_ID, BY_ID_WITH_CLOCKS, BY_PAIR]))
    is_tidy = draw(st.booleans())
    ids = _plain_ids if is_tidy else _ids
    base = draw(st.lists(foreign_lines(ids), max_size=5))
    sides = [base, draw(edited_lines(base, ids)), draw(edited_lines(base, ids))]
    if not draw(st.integers(0, 4)):
        sides[0] = []
    if is_tidy:
        sides = [_tidy(side) for side in sides]
    ends = draw(st.integers(0, 9))
    texts = [_text(side, ends != at) for at, side in enumerate(sides)]
    return Triple(texts[0], texts[1], texts[2], chosen)


def _tidy(lines: list[bytes]) -> list[bytes]:
    """One line a key, sorted by key."""
    records = {}
    for line in lines:
        try:
            record = json.loads(line)
            records[record["id"], str(record["to"])] = line
        except (ValueError, TypeError, KeyError):
            continue
    firsts = {key[0]: (key, line) for key, line in records.items()}
    return [firsts[key][1] for key in sorted(firsts, key=lambda key: (isinstance(key, str), key))]


__all__ = ["encode_world", "foreign_merges", "merges"]
