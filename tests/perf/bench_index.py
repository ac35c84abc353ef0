"""What the search index costs: built whole, brought up to date, asked.

The entries are of about 370 bytes, their words as unevenly common as in a language (Zipf): how many
rows hold a word of the query decides what a search costs.
"""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
import statistics
import time
from contextlib import closing
from itertools import accumulate
from typing import TYPE_CHECKING

from gitkb.core.entry import Entry, parse_record
from gitkb.core.identity import order_of, shard_of
from gitkb.core.search.words import Analyser
from gitkb.index.document import entry_row, line_row
from gitkb.index.search import Filters
from gitkb.index.sync import DataFile, open_synced

from perf.bench import Row, in_turns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

CHANGED = 10
VOCABULARY = 20_000
QUERY_RANKS = (60, 200, 700)
"""A query of three words that neither everybody nor nobody uses."""


_WORDS = (
    "CREATE VIRTUAL TABLE words USING fts5"
    " (title, tags, content, files, names, content = '', tokenize = 'ascii')"
)


class _Words:
    """Words that nobody said, as often as if somebody had."""

    def __init__(self) -> None:
        draw = random.Random(0)
        letters = "etaoinshrdlucmfwypvbgkjqxz"
        self.all = [
            "".join(draw.choices(letters, range(26, 0, -1), k=draw.randint(3, 9)))
            for _ in range(VOCABULARY)
        ]
        self._weights = list(accumulate(1 / rank for rank in range(1, VOCABULARY + 1)))
        self._draw = draw

    def text(self, number: int) -> str:
        return " ".join(self._draw.choices(self.all, cum_weights=self._weights, k=number))


def _lines(number: int) -> list[bytes]:
    words, draw = _Words(), random.Random(1)
    found = {}
    for at in range(number):
        key = f"dec_{draw.getrandbits(40):08x}"
        fields = {
            "key": key,
            "type": draw.choice(["decision", "pitfall", "fact"]),
            "title": words.text(6),
            "content": words.text(22),
            "tags": sorted({words.text(1) for _ in range(3)}),
            "files": [f"src/{words.text(1)}/{words.text(1)}.py"],
            "created": 1_700_000_000,
            "ts": 1_700_000_000 + at,
        }
        found[order_of(key)] = json.dumps(fields, separators=(",", ":")).encode()
    return [found[order] for order in sorted(found)]


class _Store:
    """A folder of data files of one layout, and the index of them."""

    def __init__(self, folder: Path, lines: list[bytes], shards: int) -> None:
        self.folder = folder
        self._lines = list(lines)
        self._names = [shard_of(json.loads(line)["key"], shards) for line in lines]
        self._draw = random.Random(shards)
        self.database = str(folder / "derived" / "index.sqlite")
        (folder / "knowledge").mkdir(parents=True)
        self._write(set(self._names))
        self.files = [
            DataFile(f"knowledge/{path.name}", str(path))
            for path in sorted((folder / "knowledge").iterdir())
        ]

    def _write(self, names: set[str]) -> None:
        texts: dict[str, list[bytes]] = {name: [] for name in names}
        for name, line in zip(self._names, self._lines, strict=True):
            if name in names:
                texts[name].append(line)
        for name, lines in texts.items():
            (self.folder / "knowledge" / name).write_bytes(b"\n".join(lines) + b"\n")

    def change(self) -> None:
        """Give some entries another version."""
        names = set()
        for at in self._draw.sample(range(len(self._lines)), CHANGED):
            fields = json.loads(self._lines[at])
            fields["content"] = f"{fields['content']} changed"
            fields["ts"] += 1
            self._lines[at] = json.dumps(fields, separators=(",", ":")).encode()
            names.add(self._names[at])
        self._write(names)

    def open(self, *, force: bool = False) -> None:
        open_synced(self.database, self.files, force=force).close()

    def ask(self, query: str) -> None:
        with closing(open_synced(self.database, self.files)) as index:
            assert index.search(query, Filters(limit=10))

    def settle(self) -> None:
        """Let the files grow old enough for their signatures to count, and be recorded."""
        self.open()
        time.sleep(2.1)
        self.open()


def _bare_build(path: Path, rows: Sequence[tuple[int | str, ...]]) -> None:
    """Insert stems, in the order in which they will stand, and do nothing else."""
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(_WORDS)
        connection.executemany(
            "INSERT INTO words (rowid, title, tags, content, files, names)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            rows,
        )


def _scripted_build(path: Path, lines: list[bytes]) -> None:
    """Parse lines, make stems of their texts and insert them, as a script of ten lines would."""
    analyser = Analyser()
    rows: list[tuple[int | str, ...]] = []
    for number, line in enumerate(lines, 1):
        get = json.loads(line).get
        texts = get("title"), " ".join(get("tags")), get("content"), " ".join(get("files"))
        rows.append((number, *map(analyser.stems, (*texts, get("key")))))
    _bare_build(path, rows)


def _stem_rows(lines: list[bytes]) -> list[tuple[int | str, ...]]:
    analyser = Analyser()
    rows: list[tuple[int | str, ...]] = []
    for number, line in enumerate(lines, 1):
        entry = parse_record(line)
        assert isinstance(entry, Entry)
        _, texts = entry_row(line_row(number, entry, line, archive=False), entry)
        rows.append((number, *map(analyser.stems, texts)))
    return rows


def _prepared(*runs: tuple[Callable[[], object], Callable[[], object]], times: int) -> list[float]:
    """As `in_turns`, for runs that need something done before, which is not counted."""
    taken: list[list[float]] = [[] for _ in runs]
    for turn in range(times + 1):
        for index, (prepare, run) in enumerate(runs):
            prepare()
            start = time.perf_counter()
            run()
            if turn:
                taken[index].append(time.perf_counter() - start)
    return [statistics.median(each) for each in taken]


def rows(folder: Path, sizes: Sequence[int]) -> Iterator[Row]:
    """Full builds against a bare script, changes against full builds, what an answer costs."""
    words = _Words().all
    query = " ".join(words[rank] for rank in QUERY_RANKS)
    for size in sizes:
        yield from _rows_of_size(folder / str(size), size, query)
        shutil.rmtree(folder / str(size))


def _rows_of_size(folder: Path, size: int, query: str) -> Iterator[Row]:
    lines = _lines(size)
    one, many = _Store(folder / "one", lines, 1), _Store(folder / "many", lines, 256)
    bare = _stem_rows(lines)

    def nothing() -> None:
        pass

    for store in (one, many):
        store.settle()
    one_built, many_built, bare_built, scripted, one_changed, many_changed = _prepared(
        (nothing, lambda: one.open(force=True)),
        (nothing, lambda: many.open(force=True)),
        (nothing, lambda: _bare_build(folder / "bare.sqlite", bare)),
        (nothing, lambda: _scripted_build(folder / "scripted.sqlite", lines)),
        (one.change, one.open),
        (many.change, many.open),
        times=3 if size > 10_000 else 7,
    )
    # The bounds for changes are set at 100,000 entries; with fewer, opening weighs more.
    tenth, fiftieth = (10.0, 50.0) if size >= 100_000 else (0.0, 0.0)
    for what, built in (("one file", one_built), ("256 shards", many_built)):
        yield Row(f"full build, {what}", size, built, "parse, stem, insert", scripted, 2.5)
        yield Row(f"full build, {what}", size, built, "insert of ready stems", bare_built, 0)
    yield Row(
        f"{CHANGED} lines changed, one file",
        size,
        one_changed,
        "full build",
        one_built,
        tenth,
        True,
    )
    yield Row(
        f"{CHANGED} lines changed, 256 shards",
        size,
        many_changed,
        "full build",
        many_built,
        fiftieth,
        True,
    )
    for store in (one, many):
        store.settle()
    asked_one, asked_many = in_turns(lambda: one.ask(query), lambda: many.ask(query), times=15)
    yield Row("open and search, one file", size, asked_one, "", 0, 0)
    yield Row("open and search, 256 shards", size, asked_many, "", 0, 0)
