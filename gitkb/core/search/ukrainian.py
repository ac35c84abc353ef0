"""The endings of Ukrainian words, lightly: Snowball has no algorithm for the language.

1. At most one ending goes, the longest that fits, and at least three letters stay.
2. Nothing within a word is changed, so forms whose stem changes (ріг, рогу) stay apart.
"""

from __future__ import annotations

LEAST = 3
"""Letters that stay."""

# Of nouns, of nouns of quality and of doing, of adjectives and pronouns, of verbs; then what makes one
# noun of another (-ок, -ець) and adjectives of nouns (-ський, -ний).
_ENDINGS_BY_KIND = """
    а я о е є у ю и і ї й ь ами ями ах ях ам ям ові еві єві ів їв ей ою ею єю ом ем єм
    ість ості істю остей остям остями остях ння нню нням ннями ннях
    ування уванню уванням уваннями
    ий ій ого ому ої им ім их іх ими іми
    ти тися ться ть вся лася лося лися ла ло ли в єш еш иш їш ає яє ує ює ємо емо имо їмо єте ете ите
    їте ать ять уть ють ить їть ав яв ив ала яла ила ало яло ило али яли или ати яти ити увати ювати
    ував увала увало ували уємо уєте уєш ується юється ються ється учи ючи ачи ячи вши ши
    ований ованого овану ованої ованих ована оване овані
    ок ко ка ку ки ці кою ками ках кам ець ця цю цем цеві цями цях ців цям
    ський ського ському ської ських ським ськими ська ське ські ську
    ний ного ному ної ною них ним ними на не ні ну
"""
_ENDINGS = frozenset(_ENDINGS_BY_KIND.split())
_LENGTHS = range(max(map(len, _ENDINGS)), 0, -1)


def strip_ending(word: str) -> str:
    """Give a word in lower case without its ending."""
    for length in _LENGTHS:
        if len(word) - length >= LEAST and word[-length:] in _ENDINGS:
            return word[:-length]
    return word
