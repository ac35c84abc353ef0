"""How many tokens a text is, in the encoding o200k_base, without a network and without a library.

1. `TokenTable.count` is never below what the encoding's own tokenizer counts, for any text; for one
   without the signs of 3 and 4 it is exactly that.
2. The encoding cuts a text into pieces (by a regular expression over classes of characters), and
   joins the bytes of each piece, two neighbours at a time, the pair of the lowest rank first
   (byte pair encoding). No join crosses a cut, and no token is without a byte; so a stretch that
   begins and ends at a cut never holds more tokens than bytes.
3. Characters that Unicode 14 does not know may be letters to one release of a tokenizer and none
   to another, which moves the cuts beside them. What lies between the white space around them is
   counted by its bytes.
4. A piece of more than `LONGEST` bytes is counted by its bytes, so that no text takes long.
5. Lines add up: a text that ends with a line end and one that begins with neither white space nor
   a slash hold together exactly what they hold apart.

Source: https://github.com/openai/tiktoken (tiktoken_ext/openai_public.py, src/lib.rs).
"""

from __future__ import annotations

import re
from itertools import pairwise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST = 1_000
"""The bytes of the longest piece that is joined; joining costs their square."""

# The classes stand for characters, one for one: letters of ASCII, which contractions are made of,
# for themselves, and signs for all else.
UPPER, LOWER, OTHER_LETTER, MARK = "1", "2", "3", "4"
NUMBER, SPACE, BLANK, LINE_END, SLASH, QUOTE, OTHER, UNKNOWN = (
    "0",
    " ",
    "\t",
    "\n",
    "/",
    "'",
    "!",
    "?",
)

_CONTRACTION = "(?:'(?:[sStTmMdD]|[rRvV][eE]|[lL][lL]))?"
_find_piece = re.compile(
    rf"[ \t/!'4]?[A-Z134]*[a-z234]+{_CONTRACTION}"
    rf"|[ \t/!'4]?[A-Z134]+[a-z234]*{_CONTRACTION}"
    r"|0{1,3}"
    r"| ?[/!'4]+[\n/]*"
    r"|[ \t\n]*\n+"
    r"|[ \t\n]+(?![^ \t\n])"
    r"|[ \t\n]+"
).match
# From the first sign of a word with an unknown character to where the cuts are sure again: a slash
# may be taken along with the line ends before it, the last blank goes with the word after it.
_find_unsure = re.compile(
    r"[^ \t\n]*(?:\n+/[^ \t\n]*)*(?:[ \t\n]*\n)?(?:[ \t\n]+(?![^ \t\n]))?"
).match


class TokenTable:
    """The tokens of the encoding, and what is known about texts so far."""

    def __init__(self, data: bytes) -> None:
        """Take the table (see tests/token_table.py for its form)."""
        from json import loads

        self._tokens = data
        self._first = data.index(b"\n") + 1
        values = loads(data[: self._first])
        self._counts: list[int] = values["counts"]
        self._starts = [0]
        for length, count in enumerate(self._counts, 1):
            self._starts.append(self._starts[-1] + length * count)
        self._ranks = self._starts[-1]
        self._places = [0]
        for count in self._counts:
            self._places.append(self._places[-1] + count)
        self._classes = _Classes(values["firsts"], values["classes"])
        self._known: dict[str, int] = {}
        self._known_ranks: dict[bytes, int] = {}

    def count(self, text: str, limit: int | None = None) -> int:
        """Count the tokens of a text; what is said above `limit` is only that it is more."""
        total = 0
        for piece in self._iter_counts(text):
            total += piece
            if limit is not None and total > limit:
                return total
        return total

    def _iter_counts(self, text: str) -> Iterator[int]:
        classes = text.translate(self._classes)
        known = self._known
        unknown = classes.find(UNKNOWN)
        first = _word_start(classes, unknown)
        at = 0
        while at < len(text):
            start = at
            if unknown >= 0 and first <= at:
                at = _end_of(_find_unsure(classes, _skip_blanks(classes, at)), at)
                yield len(_bytes_of(text[start:at]))
                unknown = classes.find(UNKNOWN, at)
                first = _word_start(classes, unknown)
                continue
            at = _end_of(_find_piece(classes, at), at)
            piece = text[start:at]
            count = known.get(piece)
            if count is None:
                count = known[piece] = self._count_piece(_bytes_of(piece))
            yield count

    def _count_piece(self, piece: bytes) -> int:
        if len(piece) > LONGEST:
            return len(piece)
        if self._rank(piece) >= 0:
            return 1
        parts = [piece[at : at + 1] for at in range(len(piece))]
        ranks = [self._rank_of_pair(*pair) for pair in pairwise(parts)]
        while ranks and (lowest := min(ranks)) < _NONE:
            at = ranks.index(lowest)
            parts[at : at + 2] = [parts[at] + parts[at + 1]]
            del ranks[at]
            if at:
                ranks[at - 1] = self._rank_of_pair(parts[at - 1], parts[at])
            if at < len(ranks):
                ranks[at] = self._rank_of_pair(parts[at], parts[at + 1])
        return len(parts)

    def _rank_of_pair(self, one: bytes, other: bytes) -> int:
        rank = self._rank(one + other)
        return _NONE if rank < 0 else rank

    def _rank(self, token: bytes) -> int:
        """The rank of a token, -1 where it is none."""
        rank = self._known_ranks.get(token)
        if rank is None:
            rank = self._known_ranks[token] = self._find_rank(token)
        return rank

    def _find_rank(self, token: bytes) -> int:
        length = len(token)
        if length > len(self._counts):
            return -1
        tokens, start = self._tokens, self._first + self._starts[length - 1]
        low, high = 0, self._counts[length - 1]
        while low < high:
            middle = (low + high) // 2
            at = start + middle * length
            if tokens[at : at + length] < token:
                low = middle + 1
            else:
                high = middle
        at = start + low * length
        if low == self._counts[length - 1] or tokens[at : at + length] != token:
            return -1
        number, total = self._places[length - 1] + low, self._places[-1]
        ranks = self._first + self._ranks
        return (
            tokens[ranks + number] << 16
            | tokens[ranks + total + number] << 8
            | tokens[ranks + 2 * total + number]
        )


_NONE = 1 << 24


class _Classes(dict[int, str]):
    """The class of each character by its code, found when it is asked for first."""

    def __init__(self, firsts: list[int], classes: str) -> None:
        self._firsts = firsts
        self._classes = classes

    def __missing__(self, code: int) -> str:
        from bisect import bisect_right

        found = self[code] = self._classes[bisect_right(self._firsts, code) - 1]
        return found


def _end_of(match: re.Match[str] | None, at: int) -> int:
    # The expressions match at every place; a step forward is what keeps a mistake from hanging.
    return max(match.end() if match else 0, at + 1)


def _bytes_of(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _word_start(classes: str, at: int) -> int:
    """Where the word that holds a place begins, with the blanks before it, but no line end.

    After a run of line ends there is a cut, whatever follows: but for a slash, and that is taken
    along before the word is come to.
    """
    while at > 0 and classes[at - 1] not in " \t\n":
        at -= 1
    while at > 0 and classes[at - 1] in " \t":
        at -= 1
    return at


def _skip_blanks(classes: str, at: int) -> int:
    while at < len(classes) and classes[at] in " \t\n":
        at += 1
    return at
