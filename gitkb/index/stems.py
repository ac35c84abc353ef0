"""The texts of entries as what full text holds: stems, column by column, joined by spaces.

1. A pure function of the texts and of the analyser: full text keeps no copy, and an entry is taken
   out of it by the stems that its line gives once more.
2. Many texts are analysed as one, with a mark between them, because a call costs as much as a
   title. A text in which the mark stands is analysed by itself.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Sequence
    from typing import TypeAlias

    from gitkb.core.words import Analyser
    from gitkb.index.document import Row, Shown, Texts

    # id, then the stems of title, tags, content, files, names
    StemRow: TypeAlias = tuple[int, str, str, str, str, str]

_COLUMNS = 5
# Digits alone: a word that is its own stem. Which ones does not matter.
_MARK = "907856341203"
_BETWEEN = f" {_MARK} "


def stem_rows(analyser: Analyser, shown: Sequence[Shown], counts: Counter[str]) -> list[StemRow]:
    """Give the rows in full text of entries; `counts` takes how often each word stands in them."""
    words = analyser.split(_BETWEEN.join([_BETWEEN.join(texts) for _, texts in shown]))
    parts = " ".join(map(analyser.stem, words)).split(_MARK)
    if len(parts) != len(shown) * _COLUMNS:
        if len(shown) > 1:
            return [row for one in shown for row in stem_rows(analyser, [one], counts)]
        return [_stem_row(analyser, *one, counts) for one in shown]
    counts.update(words)
    del counts[_MARK]
    ids = [row[0] for row, _ in shown]
    return list(zip(ids, *[iter(parts)] * _COLUMNS, strict=True))


def _stem_row(analyser: Analyser, row: Row, texts: Texts, counts: Counter[str]) -> StemRow:
    columns = [analyser.split(text) for text in texts]
    for words in columns:
        counts.update(words)
    title, tags, content, files, names = [" ".join(map(analyser.stem, words)) for words in columns]
    return row[0], title, tags, content, files, names
