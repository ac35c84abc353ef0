"""The lines of a file in blocks, so that a change is found without a look at every line.

1. The blocks of a file, joined, are its bytes; each ends where a line ends.
2. A block counts as unchanged only if its bytes hash to what was recorded; where it stands in the
   file plays no part. The lines between unchanged blocks are compared one by one by the caller.
3. A block with a line that is nothing to be found is always compared: the number of a bad line is
   part of its problem.
"""

from __future__ import annotations

from array import array
from hashlib import sha256
from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

BLOCK = 64
"""Lines: a change costs reading one block, an unchanged file hashing one block after another."""

_HASH_SIZE = 16
_ATTEMPTS = 16
"""Blocks tried to find the way back after a change; then all the rest counts as changed."""


class Blocks(NamedTuple):
    """What is recorded of a file, block by block."""

    hashes: list[bytes]
    sizes: array[int]
    """Bytes."""
    lines: array[int]
    """Lines, good and bad."""
    ids: list[array[int]]
    """The ids of the good lines."""

    def add_block(self, other: Blocks, at: int) -> None:
        """Add a block of another version of the file."""
        self.hashes.append(other.hashes[at])
        self.sizes.append(other.sizes[at])
        self.lines.append(other.lines[at])
        self.ids.append(other.ids[at])

    def add_lines(self, lines: list[bytes], ids: list[int]) -> None:
        """Add lines in blocks of about equal size; an id of 0 means a line that is bad."""
        parts = -(-len(lines) // BLOCK)
        for part in range(parts):
            start, end = len(lines) * part // parts, len(lines) * (part + 1) // parts
            block = b"".join(lines[start:end])
            self.hashes.append(_hash(block))
            self.sizes.append(len(block))
            self.lines.append(end - start)
            self.ids.append(array("q", [id_ for id_ in ids[start:end] if id_]))

    def add_file(self, data: bytes, lines: list[bytes], ids: list[int]) -> None:
        """As `add_lines`, for all the lines of a file, given without their ends."""
        parts, at, view = -(-len(lines) // BLOCK), 0, memoryview(data)
        for part in range(parts):
            start, end = len(lines) * part // parts, len(lines) * (part + 1) // parts
            block = view[at : at + sum(map(len, lines[start:end])) + end - start]
            at += len(block)
            goods = ids[start:end]
            if 0 in goods:
                goods = [id_ for id_ in goods if id_]
            self.hashes.append(_hash(block))
            self.sizes.append(len(block))
            self.lines.append(end - start)
            self.ids.append(array("q", goods))

    def encode(self) -> tuple[bytes, bytes, bytes, bytes, bytes]:
        """Give the columns of the table `content`."""
        goods = array("q", map(len, self.ids))
        packed = b"".join(ids.tobytes() for ids in self.ids)
        counts = self.sizes.tobytes(), self.lines.tobytes(), goods.tobytes()
        return (b"".join(self.hashes), *counts, packed)


def empty_blocks() -> Blocks:
    """Give the blocks of a file that does not exist yet."""
    return Blocks([], array("q"), array("q"), [])


def decode_blocks(hashes: bytes, sizes: bytes, lines: bytes, goods: bytes, ids: bytes) -> Blocks:
    """Read what `Blocks.encode` wrote."""
    split = [hashes[at : at + _HASH_SIZE] for at in range(0, len(hashes), _HASH_SIZE)]
    every, found, start = array("q", ids), [], 0
    for number in array("q", goods):
        found.append(every[start : start + number])
        start += number
    return Blocks(split, array("q", sizes), array("q", lines), found)


def split_kept(data: bytes) -> list[bytes]:
    r"""Split into lines, each with its ``\n``; the last may lack it."""
    lines = [line + b"\n" for line in data.split(b"\n")]
    lines[-1] = lines[-1][:-1]
    if not lines[-1]:
        lines.pop()
    return lines


class Region(NamedTuple):
    """A stretch of the file: a block that is unchanged, or bytes in place of some blocks."""

    is_kept: bool
    first: int
    """The first recorded block in question, or the one that is unchanged."""
    last: int
    """Behind the last recorded block in question."""
    start: int
    end: int
    """Where the bytes lie."""


def compare_blocks(old: Blocks, data: bytes, text_of: Callable[[int], bytes]) -> list[Region]:
    """Lay the recorded blocks over the bytes of a file; `text_of` gives the line of an id."""
    regions: list[Region] = []
    number, at, start = len(old.hashes), 0, 0
    while at < number:
        end = start + old.sizes[at]
        if len(old.ids[at]) == old.lines[at] and _is_block(old.hashes[at], data, start, end):
            regions.append(Region(True, at, at + 1, start, end))
            at, start = at + 1, end
            continue
        following, found = _find_next(old, data, at, start, text_of)
        regions.append(Region(False, at, following, start, found))
        at, start = following, found
    if start < len(data):
        regions.append(Region(False, number, number, start, len(data)))
    return regions


def _is_block(expected: bytes, data: bytes, start: int, end: int) -> bool:
    # A last line that had no end may go on now.
    ends = data[end - 1 : end] == b"\n" or end == len(data)
    return ends and _hash(data[start:end]) == expected


def _find_next(
    old: Blocks, data: bytes, at: int, start: int, text_of: Callable[[int], bytes]
) -> tuple[int, int]:
    """Find a later block, by its first line, and where in the data it begins."""
    for following in range(at + 1, min(at + 1 + _ATTEMPTS, len(old.hashes))):
        if len(old.ids[following]) < old.lines[following]:
            continue
        line = text_of(old.ids[following][0]) + b"\n"
        if data.startswith(line, start):
            return following, start
        found = data.find(b"\n" + line, max(start - 1, 0))
        if found >= 0:
            return following, found + 1
    return len(old.hashes), len(data)


def _hash(block: bytes | memoryview) -> bytes:
    return sha256(block).digest()[:_HASH_SIZE]
