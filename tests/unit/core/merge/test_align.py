"""Parts that three texts share."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitkb.core.merge.align import equal_parts

_lines = st.lists(st.sampled_from([b"a line that is long", b"another one, longer", b"short", b""]))
_texts = _lines.map(lambda lines: b"".join(line + b"\n" for line in lines))


@given(_texts, _texts, _texts)
def test_parts_are_whole_lines_equal_in_all_three_and_in_order(
    base: bytes, ours: bytes, theirs: bytes
) -> None:
    ends = (0, 0, 0)
    for *starts, length in equal_parts(base, ours, theirs):
        for text, start, end in zip((base, ours, theirs), starts, ends, strict=True):
            assert start >= end
            assert start == 0 or text[start - 1 : start] == b"\n"
            assert text[start : start + length] == base[starts[0] : starts[0] + length]
            assert text[start : start + length].endswith(b"\n")
        ends = tuple(start + length for start in starts)  # type: ignore[assignment]


def test_what_nobody_changed_is_one_part_however_long() -> None:
    text = b"".join(b"line %d of a long text\n" % number for number in range(50_000))
    middle = text.index(b"line 25000 ") + 5
    changed = text[:middle] + b"X" + text[middle:]
    parts = equal_parts(text, text, changed)
    assert sum(length for *_, length in parts) == len(text) - len(b"line 25000 of a long text\n")
