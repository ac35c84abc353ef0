"""The words of the entries that are shown, as they are written, each with how many entries hold it.

Full text holds stems; what a person has typed so far, or has misspelt, is the beginning or a
neighbour of a word.

1. A word is here if and only if some entry holds it; its number is exact, however it came about.
2. What is asked for is cut at a number of words, the most frequent first: of what a beginning
   finds, a longer one loses only what does not begin with it.
3. How near two words are says `core.spelling`. Which of them are compared depends on the two alone,
   never on how many others there are or in which order they came.
"""

# No deferred annotations here: see `core.problem`.
import sqlite3
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from math import ceil
from typing import NamedTuple

from gitkb.core.search.spelling import LEAST_SHARED, grams_of

_LAST = "\U0010ffff"
_IDS = "I"
"""Of the array that a run of letters is kept with."""


class Neighbour(NamedTuple):
    """A word that is near another."""

    word: str
    nearness: float
    number: int
    """Of entries that hold it."""


class Vocabulary(NamedTuple):
    """The rows of both tables."""

    words: list[tuple[int, str, int]]
    grams: list[tuple[str, bytes]]


def vocabulary_of(numbers: Mapping[str, int]) -> Vocabulary:
    """Make the rows of all words, from how many entries hold each."""
    words = [(id_, *item) for id_, item in enumerate(sorted(numbers.items()), 1)]
    found: defaultdict[str, list[int]] = defaultdict(list)
    for id_, word, _ in words:
        for gram in grams_of(word):
            found[gram].append(id_)
    return Vocabulary(words, [(gram, array(_IDS, found[gram]).tobytes()) for gram in sorted(found)])


def fill_words(connection: sqlite3.Connection, vocabulary: Vocabulary) -> None:
    """Write the words of a full build into empty tables."""
    connection.executemany("INSERT INTO word VALUES (?, ?, ?)", vocabulary.words)
    connection.executemany("INSERT INTO gram VALUES (?, ?)", vocabulary.grams)


def change_words(connection: sqlite3.Connection, numbers: Mapping[str, int], sign: int = 1) -> None:
    """Add numbers of words to what is there, or with a sign of -1 take them away."""
    execute = connection.execute
    come: list[tuple[int, str]] = []
    gone: list[tuple[int, str]] = []
    for word, number in sorted(numbers.items()):
        row = execute("SELECT id, number FROM word WHERE word = ?", (word,)).fetchone()
        if row is None:
            id_ = execute("INSERT INTO word VALUES (NULL, ?, ?)", (word, sign * number)).lastrowid
            come.append((id_ or 0, word))
        elif row[1] + sign * number:
            execute("UPDATE word SET number = ? WHERE id = ?", (row[1] + sign * number, row[0]))
        else:
            execute("DELETE FROM word WHERE id = ?", (row[0],))
            gone.append((row[0], word))
    _change_grams(connection, come, gone)


def _change_grams(
    connection: sqlite3.Connection, come: Iterable[tuple[int, str]], gone: Iterable[tuple[int, str]]
) -> None:
    changes: dict[str, tuple[set[int], set[int]]] = {}
    for side, words in enumerate((come, gone)):
        for id_, word in words:
            for gram in grams_of(word):
                changes.setdefault(gram, (set(), set()))[side].add(id_)
    for gram, (new, old) in sorted(changes.items()):
        ids = array(_IDS, sorted({*_ids_of(connection, gram), *new} - old))
        if ids:
            connection.execute("INSERT OR REPLACE INTO gram VALUES (?, ?)", (gram, ids.tobytes()))
        else:
            connection.execute("DELETE FROM gram WHERE gram = ?", (gram,))


def number_of(connection: sqlite3.Connection, word: str) -> int:
    """Say how many entries hold a word."""
    row = connection.execute("SELECT number FROM word WHERE word = ?", (word,)).fetchone()
    return int(row[0]) if row else 0


def begun_by(connection: sqlite3.Connection, beginning: str, limit: int) -> list[str]:
    """Give the words that are longer than a beginning of theirs, the most frequent first."""
    sql = "SELECT word FROM word WHERE word > ? AND word < ? ORDER BY number DESC, word LIMIT ?"
    rows = connection.execute(sql, (beginning, beginning + _LAST, limit))
    return [word for (word,) in rows]


def near_to(
    connection: sqlite3.Connection,
    word: str,
    nearness: Callable[[str, str, int], float],
    *,
    begun_alike: bool = False,
) -> list[Neighbour]:
    """Give the neighbours of a word, the nearest first, then the most frequent; not itself.

    `nearness` says of a word, another and the number of runs of letters that they share how near they
    are, 0 if not at all. `begun_alike` are those alone whose first two letters are the same. Cost: in
    proportion to the words that share a run; under a millisecond among 50,000.
    """
    grams = grams_of(word)
    ids = {gram: _ids_of(connection, gram) for gram in grams}
    least = ceil(LEAST_SHARED * len(grams))
    # Whoever shares so many runs has one of the rarest, if but `least` - 1 are left out: words that
    # come with the frequent ones alone need not be counted.
    runs = sorted(grams, key=lambda gram: (len(ids[gram]), gram))
    first = [f"^{word[:2]}"] if begun_alike and grams else runs[: len(runs) - least + 1]
    shared: Counter[int] = Counter()
    for gram in first:
        shared.update(ids[gram])
    for gram in runs:
        if gram not in first:
            shared.update(filter(shared.__contains__, ids[gram]))
    near_ids = [id_ for id_, number in shared.items() if number >= least]
    found = []
    for id_, other, number in _words_of(connection, near_ids):
        near = nearness(word, other, shared[id_])
        if near and other != word:
            found.append(Neighbour(other, near, number))
    found.sort(key=lambda near: (-near.nearness, -near.number, near.word))
    return found


def _words_of(connection: sqlite3.Connection, ids: list[int]) -> list[tuple[int, str, int]]:
    sql = f"SELECT id, word, number FROM word WHERE id IN ({','.join(map(str, ids))})"
    rows = connection.execute(sql).fetchall()
    if len(rows) != len(ids):
        raise sqlite3.DatabaseError("letters are kept of a word that does not exist")
    return rows


def _ids_of(connection: sqlite3.Connection, gram: str) -> "array[int]":
    row = connection.execute("SELECT ids FROM gram WHERE gram = ?", (gram,)).fetchone()
    try:
        return array(_IDS, row[0] if row else b"")
    except ValueError as error:
        raise sqlite3.DatabaseError("the words of some letters cannot be read") from error
