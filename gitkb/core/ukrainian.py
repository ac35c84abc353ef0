"""The endings of Ukrainian words, lightly: Snowball has no algorithm for the language.

1. At most one ending goes, the longest that fits, and at least three letters stay.
2. Endings of declension and conjugation alone; nothing within a word is changed, so forms whose stem
   changes (ріг, рогу) stay apart.
"""

from __future__ import annotations

LEAST = 3
"""Letters that stay."""

_ENDINGS_BY_KIND = """
    ами ями ах ях ам ям ові еві єві ів їв ей ою ею єю ом ем єм
    ий ій ого ому ої им ім их іх ими іми
    остями остях остям ості істю остей ість
    ння нню нням ннями ннях
    ти тися ться ть вся лася лося лися ла ло ли в
    ю єш еш иш їш ає яє ує ює ємо емо имо їмо єте ете ите їте ать ять уть ють ить їть
    ав яв ив ала яла ила ало яло ило али яли или ати яти ити увати ювати
    а я о е є у и і ї й ь
"""
_ENDINGS = frozenset(_ENDINGS_BY_KIND.split())
_LENGTHS = range(max(map(len, _ENDINGS)), 0, -1)


def strip_ending(word: str) -> str:
    """Give a word in lower case without its ending."""
    for length in _LENGTHS:
        if len(word) - length >= LEAST and word[-length:] in _ENDINGS:
            return word[:-length]
    return word
