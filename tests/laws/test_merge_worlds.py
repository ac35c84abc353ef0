"""Small worlds enumerated whole: every base, ours and theirs that there is."""

from __future__ import annotations

import itertools
import json
from typing import Any

from gitkb.core.merge.file import merge_files
from gitkb.core.merge.record import merge_records
from gitkb.core.merge.rules import KNOWLEDGE, foreign_rules

from merge_laws import broken_laws, form
from merge_model import merge_plainly

ENTRY = {"key": "k", "type": "fact", "title": "T"}
VERSIONS: list[dict[str, Any] | None] = [
    None,
    {**ENTRY, "ts": 1},
    {**ENTRY, "ts": 2, "content": "a"},
    {**ENTRY, "ts": 2, "content": "b"},
    {**ENTRY, "ts": 3, "content": "a", "tags": ["x"]},
    {**ENTRY, "ts": 1, "tags": ["x", "y"]},
    {**ENTRY, "ts": 2, "importance": 5},
    {**ENTRY, "ts": 4, "importance": 1, "revives": 3},
    {**ENTRY, "ts": 2, "content": "a", "conflicts": [{"field": "content", "value": "b", "ts": 2}]},
    {**ENTRY, "ts": 1, "title": "Other", "created": 1},
    {**ENTRY, "ts": 2, "created": 2, "content": "b"},
    {"key": "k", "deleted": True, "ts": 3},
    {"key": "k", "deleted": True, "ts": 5, "reason": "r"},
    {"key": "k", "moved": "workstation", "ts": 4},
]


def line(version: dict[str, Any] | None) -> bytes:
    return b"" if version is None else json.dumps(version, separators=(",", ":")).encode() + b"\n"


def test_no_law_is_broken_in_the_world_of_one_entry() -> None:
    broken = {
        (form(base), form(ours), form(theirs)): laws
        for base, ours, theirs in itertools.product(VERSIONS, repeat=3)
        if (laws := broken_laws(line(base), line(ours), line(theirs), KNOWLEDGE))
    }
    assert broken == {}


def test_every_order_of_three_records_is_merged_as_in_the_plainest_way() -> None:
    rules = foreign_rules(["id"])
    lines = [b'{"id":"%s","v":%d}' % (key, value) for key in (b"a", b"b") for value in (1, 2)][:3]
    lines.append(b'{"note":1}')
    files = [
        b"".join(each + b"\n" for each in chosen)
        for length in range(3)
        for chosen in itertools.permutations(lines, length)
    ]
    for base, ours, theirs in itertools.product(files, repeat=3):
        text = merge_files(base, ours, theirs, rules).text
        assert text == merge_files(base, theirs, ours, rules).text
        assert text == merge_plainly(base, ours, theirs, rules)


def test_a_scalar_of_three_values_settles_in_every_world() -> None:
    worlds = [{"key": "k", "v": value, "ts": ts} for value in (1, 2, True) for ts in (1, 2)]
    worlds += [{"key": "k", "ts": ts} for ts in (1, 2)]
    for base, ours, theirs in itertools.product(worlds, repeat=3):
        once = merge_records(base, ours, theirs, KNOWLEDGE)
        assert once == merge_records(base, theirs, ours, KNOWLEDGE)
        assert once == merge_records(base, once, theirs, KNOWLEDGE)
        assert once == merge_records(base, ours, once, KNOWLEDGE)
