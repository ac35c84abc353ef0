"""Bytes that somebody could have written, from a seed: mutated lines, random ones, whole files of them.

The same seed gives the same bytes, so that a failure is made again from its number alone.
"""

from __future__ import annotations

import json
import random
import tarfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

ENTRY = {
    "key": "retry-backoff",
    "type": "learned",
    "title": "Cap the backoff",
    "content": "MUST-CHECK: a retry waits no longer than a minute. 再試行 🚀",
    "importance": 4,
    "tags": ["auth", "retry"],
    "files": ["src/auth/login.py"],
    "links": [{"rel": "part_of", "to": "oauth"}],
    "created": 1700000000,
    "ts": 1700000001,
    "x_new": {"a": [1, 2.5, None, True]},
    "conflicts": [{"field": "title", "value": "Cap it", "ts": 1700000000}],
}
TOMBSTONE = {"key": "gone", "deleted": True, "ts": 1700000002, "by": "Ada", "reason": "wrong"}
LINES = (
    json.dumps(ENTRY, ensure_ascii=False, separators=(",", ":")).encode(),
    json.dumps(TOMBSTONE, separators=(",", ":")).encode(),
    b'{"key":"k","moved":"workstation","ts":3}',
)
DICTIONARY = (
    *(
        b"<<<<<<< ours",
        b"=======",
        b">>>>>>> theirs",
        b"||||||| base",
        b"\xef\xbb\xbf",
        b"\xff\xfe",
    ),
    *(b"\0", b"\r", b"\r\n", b"\n", b"\xe9", b"\xc0\x80", b"\xed\xa0\x80", b"\\ud800", b"\\u0000"),
    *(b"NaN", b"Infinity", b"1e999", b"-0", b"1e2", b"9" * 40, b"9" * 5000, b"null", b"[[[[[[[["),
    *(
        b'{"key":',
        b'"key":"retry-backoff"',
        b'"deleted":true',
        b'"ts":',
        b'"moved":""',
        b'"type":"x"',
    ),
    *(b'"conflicts":{}', b'"links":[1]', b'"tags":"a"', b'"created":-1', b'"ts":1e99', b'""', b","),
    *(b"\x1b[2J", b"\xe2\x80\xae", b"\xe2\x80\xa8", b"../../etc/passwd", b"ext::sh", b"-"),
    *(b"[" * 3000, b'{"a":' * 1500, b"shards = 7", b"[trust]", b"languages = 1", b"'''", b'"""'),
)


def read_seeds(shared: Path | None) -> list[bytes]:
    """Lines to begin with: our own and, where the folder of real data is, some of real tools."""
    lines = list(LINES)
    if shared is not None and shared.is_dir():
        for path in sorted(shared.rglob("*.jsonl"))[:20]:
            lines += path.read_bytes().splitlines()[:20]
        for path in sorted(shared.rglob("shared-gitkb.tar.xz")):
            lines += _lines_in(path)
    return lines


def _lines_in(path: Path) -> list[bytes]:
    found: list[bytes] = []
    with tarfile.open(path) as archive:
        for member in archive:
            file = archive.extractfile(member) if member.name.endswith(".jsonl") else None
            if file is not None:
                found += file.read(1 << 16).splitlines()[:5]
            if len(found) > 200:
                break
    return found


def mutate(data: bytes, random_: random.Random) -> bytes:
    """Change a text in one to six places, in one of the ways that bytes get changed."""
    for _ in range(random_.randint(1, 6)):
        data = random_.choice(_WAYS)(data, random_)
        data = data[: 1 << 18]
    return data


def noise(random_: random.Random, most: int = 400) -> bytes:
    """Random bytes, of all values or of those that JSON is made of."""
    count = random_.randint(0, most)
    if random_.random() < 0.5:
        return random_.randbytes(count)
    return bytes(random_.choices(b'{}[]":,\\0123456789eE+-.truefalsn \n\tkeyts', k=count))


def make_file(seeds: Sequence[bytes], random_: random.Random) -> bytes:
    """A file of lines: whole ones, mutated ones, noise."""
    lines = []
    for _ in range(random_.randint(0, 8)):
        kind = random_.random()
        line = random_.choice(seeds)
        lines.append(
            line if kind < 0.4 else mutate(line, random_) if kind < 0.85 else noise(random_)
        )
    data = b"\n".join(lines) + (b"\n" if random_.random() < 0.8 else b"")
    return mutate(data, random_) if random_.random() < 0.3 else data


# --- ways to change a text ---------------------------------------------------------------------


def _flip(data: bytes, random_: random.Random) -> bytes:
    if not data:
        return data
    at = random_.randrange(len(data))
    return data[:at] + bytes([data[at] ^ (1 << random_.randrange(8))]) + data[at + 1 :]


def _cut(data: bytes, random_: random.Random) -> bytes:
    start, end = _span(data, random_)
    return data[:start] + data[end:]


def _truncate(data: bytes, random_: random.Random) -> bytes:
    return data[: random_.randint(0, len(data))]


def _double(data: bytes, random_: random.Random) -> bytes:
    start, end = _span(data, random_)
    return data[:end] + data[start:end] * random_.choice((1, 1, 2, 50)) + data[end:]


def _insert(data: bytes, random_: random.Random) -> bytes:
    at = random_.randint(0, len(data))
    return data[:at] + random_.choice(DICTIONARY) + data[at:]


def _replace(data: bytes, random_: random.Random) -> bytes:
    start, end = _span(data, random_)
    return data[:start] + random_.choice(DICTIONARY) + data[end:]


def _swap_value(data: bytes, random_: random.Random) -> bytes:
    """Give one name of an object a value of another kind, and leave it JSON."""
    try:
        values = json.loads(data)
    except (ValueError, RecursionError):
        return _insert(data, random_)
    place = values
    while isinstance(place, dict | list) and place:
        key = random_.choice(list(place) if isinstance(place, dict) else range(len(place)))
        inner = place[key]
        if isinstance(inner, dict | list) and inner and random_.random() < 0.5:
            place = inner
            continue
        place[key] = random_.choice(_VALUES)
        break
    return json.dumps(values, ensure_ascii=random_.random() < 0.5).encode("utf-8", "surrogatepass")


def _span(data: bytes, random_: random.Random) -> tuple[int, int]:
    start = random_.randint(0, len(data))
    return start, min(len(data), start + random_.choice((1, 2, 8, 64)))


_VALUES: tuple[object, ...] = (
    None,
    True,
    0,
    -1,
    1.5,
    10**30,
    "",
    "x",
    "\ud800",
    "\0",
    "\n",
    [],
    {},
    [[]],
    ["a", 1],
    {"a": {}},
)
_WAYS: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    *(_flip, _cut, _truncate, _double, _insert, _replace, _swap_value, _swap_value),
)
