"""What a query costs: the slowest twentieth of many queries, beside FTS5 alone.

    python -m perf.bench_search [--quick]

The text is made of words in several scripts, as frequent as words are (Zipf). The yardstick is the
least that a search of ours could do: FTS5's ten best for any of the same words, from a table of the
same texts.
"""

from __future__ import annotations

import argparse
import json
import random
import sqlite3
import statistics
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from gitkb.index.search import Filters
from gitkb.index.sync import open_synced

from index_builder import World
from perf.bench import Row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

SIZES = (5_000, 20_000)
QUERIES = 200
BOUND_SECONDS, BOUND_SIZE = 0.020, 20_000
"""Nineteen queries of twenty are answered in that time of the processor among so many entries."""
BUILD_SECONDS, BUILD_SIZE = 3.0, 5_000
BOUND_RATIO = 12.0
"""The same as a ratio, which holds on a busy machine as well."""

_CONSONANTS = ("bcdfghklmnprstvwz", "бвгджзклмнпрстфхцч")
_VOWELS = ("aeiou", "аеиоую")
_ENDINGS = (("", "s", "ing", "ed"), ("", "и", "ами", "ение"))


class Text(NamedTuple):
    """Titles and contents, and queries made of their words, one in four of them misspelt."""

    entries: list[tuple[str, str]]
    queries: list[str]


def make_text(size: int) -> Text:
    """Make so many entries of some 40 words each."""
    draw = random.Random(size)
    words = [
        "".join(
            draw.choice(_CONSONANTS[script]) + draw.choice(_VOWELS[script])
            for _ in range(draw.randrange(2, 5))
        )
        + draw.choice(_ENDINGS[script])
        for rank in range(30_000)
        for script in [rank % 2]
    ]
    weights = [1 / (rank + 10) for rank in range(len(words))]
    entries = [
        (" ".join(draw.choices(words, weights, k=6)), " ".join(draw.choices(words, weights, k=34)))
        for _ in range(size)
    ]
    frequent = set(words[:30])
    queries = []
    for _ in range(QUERIES):
        title, content = draw.choice(entries)
        # The most frequent are as `the` and `of`, for which nobody looks.
        telling = [word for word in f"{title} {content}".split() if word not in frequent]
        asked = draw.sample(telling, k=min(draw.randrange(1, 9), len(telling)))
        if draw.random() < 0.25:
            asked[0] = asked[0][:2] + asked[0][3:]
        queries.append(" ".join(asked))
    return Text(entries, queries)


def rows(folder: Path, sizes: Sequence[int] = SIZES) -> Iterator[Row]:
    """The slowest twentieth and the median at each size, and the build that comes before them."""
    del sizes  # ours are those that are promised
    for size in SIZES:
        yield from _rows_of(folder / str(size), size)


def _rows_of(folder: Path, size: int) -> Iterator[Row]:
    text = make_text(size)
    world = World(folder)
    world.write(
        "knowledge/all.jsonl",
        *(
            json.dumps(
                {
                    "key": f"k{at:06}",
                    "type": "fact",
                    "title": title,
                    "content": content,
                    "ts": at + 1,
                },
                ensure_ascii=False,
            ).encode()
            for at, (title, content) in enumerate(text.entries)
        ),
    )
    begin = time.perf_counter()
    index = open_synced(str(world.database), world.files())
    built = time.perf_counter() - begin
    with closing(index), closing(sqlite3.connect(":memory:")) as plain:
        begin = time.perf_counter()
        plain.execute("CREATE VIRTUAL TABLE t USING fts5(title, content)")
        plain.executemany("INSERT INTO t VALUES (?, ?)", text.entries)
        yield Row(
            "build of a search index", size, built, "FTS5 alone", time.perf_counter() - begin, 0
        )
        ours = _times(text.queries, lambda query: index.search(query, Filters(limit=10)))
        theirs = _times(text.queries, lambda query: _search_plainly(plain, query))
    for name, place in (("median", 10), ("slowest twentieth", 19)):
        one, other = (statistics.quantiles(each, n=20)[place - 1] for each in (ours, theirs))
        bound = BOUND_RATIO if place == 19 and size == BOUND_SIZE else 0.0
        yield Row(f"a query, {name}", size, one, "FTS5 alone", other, bound)


def _search_plainly(connection: sqlite3.Connection, query: str) -> None:
    expression = " OR ".join(f'"{word}"' for word in query.split())
    sql = "SELECT rowid FROM t WHERE t MATCH ? ORDER BY bm25(t, 3.0, 1.0) LIMIT 10"
    connection.execute(sql, (expression,)).fetchall()


def _times(queries: Sequence[str], ask: Callable[[str], object]) -> list[float]:
    """Seconds of the processor: a query waits for nothing, and other programs do not count."""
    for query in queries[:20]:
        ask(query)
    taken = []
    for query in queries:
        begin = time.process_time()
        ask(query)
        taken.append(time.process_time() - begin)
    return taken


def main() -> int:
    """Print the table of this module alone; fails if a promise in seconds is broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="5,000 entries only")
    options = parser.parse_args()
    broken = False
    with tempfile.TemporaryDirectory(prefix="gitkb bench ") as folder:
        for size in SIZES[:1] if options.quick else SIZES:
            for row in _rows_of(Path(folder) / str(size), size):
                late = (
                    size == BOUND_SIZE and "slowest" in row.what and row.ours > BOUND_SECONDS
                ) or (size == BUILD_SIZE and "build" in row.what and row.ours > BUILD_SECONDS)
                times = f"{row.ours * 1000:>9.1f} ms {row.theirs * 1000:>9.1f} ms"
                verdict = "  OVER" if late else ""
                print(f"{row.what:<40}{row.size:>9,}{times}{row.ratio:>8.2f}{verdict}", flush=True)
                broken = broken or late
    return int(broken)


if __name__ == "__main__":
    sys.exit(main())
