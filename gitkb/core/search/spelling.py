"""How near two words are, as arithmetic: inflected, derived, compounded or misspelt.

1. Nearness lies between 0 (nothing in common) and 1 (the same), and is the same both ways.
2. Words are compared by the runs of three letters that they share (Dice: twice the shared ones by
   all), their ends counted as letters, and by how far they begin alike.
3. Of a word that nobody has written, one slip more or less (a letter too many, too few, wrong, or two
   exchanged) is nearer than any of that: it is most likely misspelt.
"""

from __future__ import annotations

SHORTEST, LONGEST = 4, 32
"""Characters of a word that has neighbours."""
LEAST_SHARED = 0.4
"""Of a word's runs of letters, what another has to share to be looked at."""

_FIRST_UNPARTED = "\u0e00"
"""From here on words are pairs of characters (`core.word_form`), or written in scripts with few."""
_ONE_SLIP, _TWO_SLIPS = 0.95, 0.75
_LENGTH_FOR_TWO = 8
_LEAST_OF_KNOWN, _LEAST_OF_UNKNOWN = 0.6, 0.5


def grams_of(word: str) -> frozenset[str]:
    """Give the runs of three letters of a word; none of one that has no neighbours."""
    if not SHORTEST <= len(word) <= LONGEST or word[0] >= _FIRST_UNPARTED:
        return frozenset()
    if any(map(str.isdigit, word)):
        return frozenset()
    ended = f"^{word}$"
    return frozenset(ended[at : at + 3] for at in range(len(word)))


def relation(word: str, other: str, shared: int, stems: tuple[str, str]) -> float:
    """Say how near two words are that share so many runs of letters and have these stems; 0: too far.

    What they begin with is compared without endings, which say little of what a word means.
    """
    nearness = 0.3 * _dice(word, other, shared) + 0.7 * _common_beginning(*stems)
    return nearness if nearness >= _LEAST_OF_KNOWN else 0.0


def likeness(typed: str, word: str, shared: int) -> float:
    """Say how near a word is to what was typed and is no word that anybody wrote; 0: too far."""
    nearness = 0.7 * _dice(typed, word, shared) + 0.3 * _common_beginning(typed, word)
    slips = count_slips(typed, word)
    if slips == 1:
        nearness = max(nearness, _ONE_SLIP)
    elif slips == 2 and len(typed) >= _LENGTH_FOR_TWO:
        nearness = max(nearness, _TWO_SLIPS)
    return nearness if nearness >= _LEAST_OF_UNKNOWN else 0.0


def _dice(word: str, other: str, shared: int) -> float:
    return 2 * shared / (len(word) + len(other))


def _common_beginning(word: str, other: str) -> float:
    common = 0
    for one, two in zip(word, other, strict=False):
        if one != two:
            break
        common += 1
    return 2 * common / (len(word) + len(other))


def count_slips(word: str, other: str) -> int:
    """Count the slips between two words (Damerau and Levenshtein, no letter twice): 0, 1, 2 or 3 for more."""
    if abs(len(word) - len(other)) > 2:
        return 3
    start, end = 0, min(len(word), len(other))
    while start < end and word[start] == other[start]:
        start += 1
    end -= start
    tail = 0
    while tail < end and word[-1 - tail] == other[-1 - tail]:
        tail += 1
    one, two = word[start : len(word) - tail], other[start : len(other) - tail]
    return min(_distance(one, two), 3) if max(len(one), len(two)) <= 6 else 3


def _distance(one: str, two: str) -> int:
    before: list[int] = []
    row = list(range(len(two) + 1))
    for at, letter in enumerate(one, 1):
        above, row, earlier = row, [at], before
        for to, other in enumerate(two, 1):
            least = min(above[to] + 1, row[-1] + 1, above[to - 1] + (letter != other))
            if at > 1 and to > 1 and letter == two[to - 2] and one[at - 2] == other:
                least = min(least, earlier[to - 2] + 1)
            row.append(least)
        before = above
    return row[-1]
