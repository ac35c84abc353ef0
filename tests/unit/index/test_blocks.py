"""Blocks of a file: what is unchanged is found wherever it stands."""

from __future__ import annotations

from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitkb.index.blocks import (
    BLOCK,
    Blocks,
    compare_blocks,
    decode_blocks,
    empty_blocks,
    split_kept,
)

_texts = st.lists(st.sampled_from([b"a", b"b", b"aa", b"", b"c d"]), max_size=12).map(b"\n".join)


def _blocks(data: bytes, size: int = 2) -> tuple[Blocks, dict[int, bytes]]:
    lines = split_kept(data)
    blocks = empty_blocks()
    for start in range(0, len(lines), size):
        part = lines[start : start + size]
        blocks.add_lines(part, [start + at + 1 for at in range(len(part))])
    return blocks, {number: line.removesuffix(b"\n") for number, line in enumerate(lines, 1)}


@given(_texts)
def test_lines_joined_are_the_bytes(data: bytes) -> None:
    assert b"".join(split_kept(data)) == data
    assert all(line.endswith(b"\n") for line in split_kept(data)[:-1])


@given(_texts)
def test_what_is_encoded_is_decoded(data: bytes) -> None:
    blocks, _ = _blocks(data)
    assert decode_blocks(*blocks.encode()) == blocks


@given(_texts)
def test_a_file_is_the_blocks_of_its_lines(data: bytes) -> None:
    lines, file, added = split_kept(data * 40), empty_blocks(), empty_blocks()
    ids = [number % 5 for number in range(len(lines))]
    file.add_file(data * 40, [line.removesuffix(b"\n") for line in lines], ids)
    added.add_lines(lines, ids)
    assert file == added


@given(_texts, _texts)
def test_the_regions_are_the_file_and_take_every_block_once(old: bytes, new: bytes) -> None:
    blocks, texts = _blocks(old)
    regions = compare_blocks(blocks, new, lambda id_: texts[id_])
    assert b"".join(new[region.start : region.end] for region in regions) == new
    assert [at for region in regions for at in range(region.first, region.last)] == list(
        range(len(blocks.hashes))
    )
    start = 0
    for at, size in enumerate(blocks.sizes):
        for region in regions:
            if region.is_kept and region.first == at:
                assert new[region.start : region.end] == old[start : start + size]
                assert new[region.end - 1 : region.end] == b"\n" or region.end == len(new)
        start += size


@pytest.mark.parametrize("at", [0, 1, BLOCK - 1, BLOCK, 5_000, 9_999])
@pytest.mark.parametrize("change", ["edit", "drop", "add"])
def test_a_change_of_one_line_concerns_two_blocks_at_most(at: int, change: str) -> None:
    lines = [b"line %d\n" % number for number in range(10_000)]
    blocks, texts = _blocks(b"".join(lines), BLOCK)
    if change == "edit":
        lines[at] = b"other\n"
    elif change == "drop":
        del lines[at]
    else:
        lines.insert(at, b"other\n")
    regions = compare_blocks(blocks, b"".join(lines), lambda id_: texts[id_])
    changed = [region for region in regions if not region.is_kept]
    assert sum(region.last - region.first for region in changed) <= 2
    assert sum(region.end - region.start for region in changed) < 3 * BLOCK * len(b"line 1000\n")


def test_a_last_line_that_goes_on_is_no_unchanged_block() -> None:
    blocks, texts = _blocks(b"a\nb")
    (region,) = compare_blocks(blocks, b"a\nbc", lambda id_: texts[id_])
    assert not region.is_kept


def test_a_block_with_a_bad_line_is_always_compared() -> None:
    blocks = empty_blocks()
    blocks.add_lines([b"a\n", b"bad\n"], [1, 0])
    assert blocks.ids == [array("q", [1])]
    (region,) = compare_blocks(blocks, b"a\nbad\n", lambda id_: b"a")
    assert not region.is_kept
