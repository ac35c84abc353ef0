"""The texts of entries as what full text holds: stems, column by column, joined by spaces.

1. A pure function of the texts and of the analyser: full text keeps no copy, and an entry is taken
   out of it by the stems that its line gives once more.
2. Many texts are analysed as one, with a mark between them, because a call costs as much as a
   title. A text in which the mark stands is analysed by itself.
"""

from __future__ import annotations

from itertools import pairwise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Sequence
    from typing import TypeAlias

    from gitkb.core.search.words import Analyser
    from gitkb.index.document import Row, Shown, Texts

    # id, then the stems of title, tags, content, files, names
    StemRow: TypeAlias = tuple[int, str, str, str, str, str]

_COLUMNS = 5
# Digits alone: a word that is its own stem. Which ones does not matter.
_MARK = "907856341203"
_BETWEEN = f" {_MARK} "


def stem_rows(analyser: Analyser, shown: Sequence[Shown], numbers: Counter[str]) -> list[StemRow]:
    """Give the rows in full text of entries; `numbers` takes how many of them hold each word."""
    stem_of = analyser.known.__getitem__
    words = analyser.split(_BETWEEN.join([_BETWEEN.join(texts) for _, texts in shown]))
    parts = " ".join(map(stem_of, words)).split(_MARK)
    if len(parts) != len(shown) * _COLUMNS:
        if len(shown) > 1:
            return [row for one in shown for row in stem_rows(analyser, [one], numbers)]
        return [_stem_row(analyser, *one, numbers) for one in shown]
    marks = [at for at, word in enumerate(words) if word == _MARK]
    for start, end in pairwise([-1, *marks[_COLUMNS - 1 :: _COLUMNS], len(words)]):
        held = set(words[start + 1 : end])
        held.discard(_MARK)
        numbers.update(held)
    ids = [row[0] for row, _ in shown]
    return list(zip(ids, *[iter(parts)] * _COLUMNS, strict=True))


def _stem_row(analyser: Analyser, row: Row, texts: Texts, numbers: Counter[str]) -> StemRow:
    stem_of = analyser.known.__getitem__
    columns = [analyser.split(text) for text in texts]
    numbers.update({word for words in columns for word in words})
    title, tags, content, files, names = [" ".join(map(stem_of, words)) for words in columns]
    return row[0], title, tags, content, files, names
