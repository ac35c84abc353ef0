"""The laws of merging, for gitkb's own files and for those of other tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from gitkb.core.entry import check_fields
from gitkb.core.jsonl import parse_object
from gitkb.core.merge.file import merge_files
from gitkb.core.merge.rules import ARCHIVE, KNOWLEDGE

from merge_laws import broken_laws, lines_of
from merge_strategies import foreign_merges
from strategies import bad_lines, merges

if TYPE_CHECKING:
    from merge_strategies import Triple
    from strategies import Sides


@given(merges())
def test_no_law_is_broken_when_knowledge_is_merged(sides: Sides) -> None:
    assert broken_laws(*sides, KNOWLEDGE) == []


@given(foreign_merges())
def test_no_law_is_broken_when_a_foreign_file_is_merged(triple: Triple) -> None:
    assert broken_laws(*triple) == []


@given(merges())
def test_no_law_is_broken_when_the_archive_is_merged(sides: Sides) -> None:
    assert broken_laws(*sides, ARCHIVE) == []


@given(merges())
def test_what_is_merged_from_valid_records_is_valid(sides: Sides) -> None:
    result = merge_files(*sides, KNOWLEDGE).text
    assert result is not None
    assert [check_fields(parse_object(line)) for line in lines_of(result) if line] == [
        [] for _ in lines_of(result)
    ]


@given(merges(), st.lists(bad_lines(), max_size=2), st.data())
def test_no_law_is_broken_where_lines_are_bad(
    sides: Sides, bad: list[bytes], data: st.DataObject
) -> None:
    texts = []
    for side in sides:
        lines = lines_of(side)
        for line in bad:
            if data.draw(st.booleans()):
                lines.insert(data.draw(st.integers(0, len(lines))), line)
        texts.append(b"".join(line + b"\n" for line in lines))
    assert broken_laws(texts[0], texts[1], texts[2], KNOWLEDGE) == []
