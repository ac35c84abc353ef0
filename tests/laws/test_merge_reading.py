"""Reading only what differs gives what reading everything gives."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from gitkb.core.merge.file import _merge_what_differs, _merge_whole, merge_files
from gitkb.core.merge.refusal import UnreadableError
from gitkb.core.merge.rules import ARCHIVE, KNOWLEDGE

from merge_laws import lines_of
from merge_model import merge_plainly
from merge_strategies import BY_ID, foreign_merges
from strategies import in_hash_order, merges

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn

    from gitkb.core.merge.rules import Rules

    from merge_strategies import Triple
    from strategies import Sides


@given(foreign_merges())
def test_a_foreign_file_is_merged_as_in_the_plainest_way(triple: Triple) -> None:
    assert merge_files(*triple).text == merge_plainly(*triple)


@given(merges(), st.sampled_from([KNOWLEDGE, ARCHIVE]))
def test_knowledge_is_merged_as_in_the_plainest_way(sides: Sides, rules: Rules) -> None:
    assert merge_files(*sides, rules).text == merge_plainly(*sides, rules)


@given(foreign_merges())
def test_what_is_not_read_would_have_changed_nothing(triple: Triple) -> None:
    if b"" in triple[:3] or not all(text.endswith(b"\n") for text in triple[:3]):
        return
    try:
        quick = _merge_what_differs(*triple)
    except UnreadableError:
        return
    if quick is not None:
        assert quick.text == _merge_whole(*triple).text


@st.composite
def _long_merges(draw: DrawFn) -> tuple[bytes, bytes, bytes, Rules]:
    """Files of which most is left alone, so that there is much that need not be read."""
    rules = draw(st.sampled_from([KNOWLEDGE, BY_ID]))
    name = rules.key[0]
    keys = [f"k{number:02}" for number in range(30)]
    spare = [f"n{number}" for number in range(6)]
    is_sorted = draw(st.integers(0, 3)) > 0

    def text(records: dict[str, str]) -> bytes:
        names = list(records)
        if is_sorted:
            names = in_hash_order(names) if rules.is_gitkb else sorted(names)
        lines = ({name: key, "type": "fact", "title": records[key].strip("!")} for key in names)
        # A mark stands for another spelling of the same record.
        return b"".join(
            json.dumps(
                line, separators=(", ", ":") if records[str(line[name])][0] == "!" else (",", ":")
            ).encode()
            + b"\n"
            for line in lines
        )

    def edit(records: dict[str, str]) -> dict[str, str]:
        edited = dict(records)
        for key in draw(st.lists(st.sampled_from(keys), max_size=3)):
            edited[key] = draw(st.sampled_from(["x", "y", "!z"]))
        for key in draw(st.lists(st.sampled_from(keys), max_size=2)):
            edited.pop(key, None)
        items = list(edited.items())
        for key in draw(st.lists(st.sampled_from(spare), max_size=3, unique=True)):
            items.insert(draw(st.integers(0, len(items))), (key, draw(st.sampled_from("pq"))))
        return dict(items)

    base = {key: draw(st.sampled_from(["z", "!z"])) if key < "k05" else "z" for key in keys}
    texts = [text(base), text(edit(base)), text(edit(base))]
    if draw(st.integers(0, 3)) == 0:
        twice = lines_of(texts[0])[draw(st.integers(0, 29))]
        side = draw(st.integers(1, 2))
        at = draw(st.integers(0, 20))
        lines = lines_of(texts[side])
        texts[side] = b"".join(line + b"\n" for line in [*lines[:at], twice, *lines[at:]])
    return texts[0], texts[1], texts[2], rules


@given(_long_merges())
def test_long_files_are_merged_as_in_the_plainest_way(
    triple: tuple[bytes, bytes, bytes, Rules],
) -> None:
    assert merge_files(*triple).text == merge_plainly(*triple)


def test_most_of_a_long_file_is_not_read() -> None:
    records = [{"id": f"k{number:04}", "title": "x" * 300} for number in range(1000)]

    def text(at: int) -> bytes:
        changed = [
            dict(record, n=1) if number == at else record for number, record in enumerate(records)
        ]
        return b"".join(
            json.dumps(line, separators=(",", ":")).encode() + b"\n" for line in changed
        )

    read = []

    class Counting(type(BY_ID)):  # type: ignore[misc]
        def parse(self, line: bytes) -> dict[str, object]:
            read.append(line)
            return dict(super().parse(line))

    rules = Counting(BY_ID.key, BY_ID.clocks, BY_ID.deciders)
    merged = merge_files(text(-1), text(100), text(900), rules).text
    assert merged is not None
    assert merged.count(b'"n":1') == 2
    assert len(read) < 20
