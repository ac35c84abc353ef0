"""Damage done to a corpus of JSON lines as years of use do it, and known line by line.

1. Every tenth line is damaged, each time in the next of the ways, from a seed.
2. What can be mended gives back the very record; what cannot is known by its line.
"""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable


class Damaged(NamedTuple):
    """A corpus after damage. Lines are counted in the damaged file, from 1."""

    data: bytes
    mendable: set[int]
    """Lines on which a damaged record begins that can be told for certain."""
    lost: set[int]
    """Lines that can only be dropped."""
    without_lost: bytes
    """The undamaged corpus, less the records that are lost."""


def _python(line: bytes) -> bytes:
    return repr(json.loads(line)).encode()


def _tags_as_text(line: bytes) -> bytes:
    record = json.loads(line)
    record["tags"] = ",".join(record["tags"])
    return json.dumps(record, ensure_ascii=False).encode()


def _time_as_text(line: bytes) -> bytes:
    record = json.loads(line)
    record["ts"] = f"{record['ts']}"
    return json.dumps(record, ensure_ascii=False).encode()


def _raw_line_feed(line: bytes) -> bytes:
    # After an escaped line feed, so that the text keeps a line feed at that place.
    return line.replace(b"\\n", b"\n", 1) if b"\\n" in line else b"\xef\xbb\xbf" + line


MENDABLE: tuple[Callable[[bytes], bytes], ...] = (
    lambda line: b"\xef\xbb\xbf" + line,
    lambda line: line + b",",
    lambda line: line + b" # todo",
    lambda line: line + b"\0\0\0",
    lambda line: line[:-1],
    lambda line: line.replace(b'"type":"', b'"type":" ', 1).replace(b'"pattern"', b'"Pattern"', 1),
    _raw_line_feed,
    _python,
    _tags_as_text,
    _time_as_text,
)
LOST: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    lambda line, rng: line[: rng.randint(20, len(line) // 2)],
    lambda line, rng: line[rng.randint(5, len(line) // 2) :],
    lambda line, rng: line.replace(b'"content":"', b'"content":"\xe2\x80', 1),
    lambda line, rng: line.replace(b'"type":"', b'"type":"un', 1),
    lambda line, rng: line.replace(b'"content":', b'"content":NaN,"was":', 1),
    lambda line, rng: b"<<<<<<< HEAD",
)


def corrupted(clean: bytes, seed: int) -> Damaged:
    """Damage one line in ten, two thirds of them so that they can be mended."""
    rng = random.Random(seed)
    out: list[bytes] = []
    kept: list[bytes] = []
    mendable: set[int] = set()
    lost: set[int] = set()
    number = 1
    turn = 0
    for line in clean.split(b"\n"):
        if not line:
            continue
        damaged = line
        is_lost = False
        if rng.randrange(10) == 0:
            turn += 1
            if turn % 3:
                damaged = MENDABLE[turn % len(MENDABLE)](line)
                mendable.add(number)
            else:
                damaged = LOST[turn // 3 % len(LOST)](line, rng)
                is_lost = True
                lost.add(number)
        out.append(damaged)
        number += 1 + damaged.count(b"\n")
        if not is_lost:
            kept.append(line)
    return Damaged(
        b"".join(line + b"\n" for line in out),
        mendable,
        lost,
        b"".join(line + b"\n" for line in kept),
    )
