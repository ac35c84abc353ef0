"""Words as search knows them: the one analyser that texts and queries go through.

1. What stands in a text is found by typing it: both sides are split and stemmed the same way.
2. A stem holds neither space nor NUL nor punctuation of ASCII, so stems joined by spaces are cut
   apart again by FTS5's tokenizer `ascii` exactly where they were joined.
3. The script of a word says how it is stemmed. For Latin letters that is English, unless the store
   names languages; for Cyrillic ones the shorter of what Russian and Ukrainian make of it: which of
   the two it is in, the word itself does not say.
4. Another ANALYSER_VERSION means that some stem may be another: a search index built under one does
   not answer queries under another.
"""

from __future__ import annotations

from functools import cache

import Stemmer  # type: ignore[import-not-found]  # a C extension without stubs

from gitkb.core.search.stop_words import STOP_WORDS
from gitkb.core.search.ukrainian import strip_ending
from gitkb.core.search.word_form import fold_accents, split_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import TypeAlias

    Stem: TypeAlias = Callable[[str], str]

__all__ = ["ANALYSER_VERSION", "STOP_WORDS", "Analyser"]

ANALYSER_VERSION = f"3 {Stemmer.version()}"
"""Raise the number with every change of what a word or its stem is."""

LEAST = 3
"""Letters that stay of a word in Cyrillic."""
_MEMORY = 500_000
"""Words whose stems are remembered at a time; 10,000 of them take about two megabytes."""

LATIN_ALGORITHMS = {
    "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "en": "english", "eo": "esperanto",
    "es": "spanish", "et": "estonian", "eu": "basque", "fi": "finnish", "fr": "french", "ga": "irish",
    "hu": "hungarian", "id": "indonesian", "it": "italian", "lt": "lithuanian", "nb": "norwegian",
    "nl": "dutch", "nn": "norwegian", "no": "norwegian", "pl": "polish", "pt": "portuguese",
    "ro": "romanian", "sv": "swedish", "tr": "turkish",
}  # fmt: skip
"""Snowball's algorithms for what is written in Latin letters, by the code of the language."""

# Other scripts by their last character, each with the algorithm of the language that most write in it.
_SCRIPTS = (
    ("\u036f", "latin"),
    ("\u03ff", "greek"),
    ("\u052f", "cyrillic"),
    ("\u058f", "armenian"),
    ("\u05ff", ""),
    ("\u06ff", "arabic"),
    ("\u08ff", ""),
    ("\u097f", "hindi"),
    ("\u0b7f", ""),
    ("\u0bff", "tamil"),
    ("\u1dff", ""),
    ("\u1eff", "latin"),
    ("\u1fff", "greek"),
)


class Analyser:
    """Splits texts into words and gives words their stems; remembers the stems it has given.

    `languages` are those that a store's knowledge is written in, as codes (``de``) or English names.
    Only those in Latin letters matter: of several, the shortest stem counts. Unknown ones say nothing.
    """

    def __init__(self, languages: Sequence[str] = ()) -> None:
        self._latin = _latin_stem(languages)
        self.known: Mapping[str, str] = _Stems(self._stem)
        """The stem of any word that `split` gives; those already worked out are remembered."""

    def split(self, text: str) -> list[str]:
        """Give the words of a text, folded, in their order, repeats kept; see `core.word_form`."""
        return split_words(text)

    def stem(self, word: str) -> str:
        """Give the stem of a word that `split` gave."""
        return self.known[word]

    def stems(self, text: str) -> str:
        """Give the stems of the words of a text, joined by spaces."""
        return " ".join(map(self.known.__getitem__, split_words(text)))

    def _stem(self, word: str) -> str:
        if word.isascii():
            return self._latin(word)
        script = _script_of(word[0])
        if script == "latin":
            stem = self._latin(word)
        elif script == "cyrillic":
            stem = _stem_cyrillic(word)
        elif script == "greek":
            stem = _algorithm(script)(fold_accents(word))
        else:
            stem = _algorithm(script)(word) if script else word
        return stem or word


class _Stems(dict[str, str]):
    """The stems of words, worked out when they are asked for."""

    def __init__(self, stem: Stem) -> None:
        super().__init__()
        self._stem = stem

    def __missing__(self, word: str) -> str:
        if len(self) >= _MEMORY:
            self.clear()
        stem = self[word] = self._stem(word)
        return stem


def _latin_stem(languages: Sequence[str]) -> Stem:
    known = set(Stemmer.algorithms())
    names = sorted({LATIN_ALGORITHMS.get(name, name) for name in map(_base_of, languages)})
    names = [name for name in names if name in known and name in LATIN_ALGORITHMS.values()]
    if not names or names == ["english"]:
        english = _algorithm("english")
        return lambda word: english(fold_accents(word))
    # Their accents are part of the endings, so they go afterwards.
    algorithms = [_algorithm(name) for name in names]
    return lambda word: min((fold_accents(stem(word)) for stem in algorithms), key=_length_of)


def _base_of(language: str) -> str:
    """Give ``pt`` for ``pt-BR``, and ``german`` for ``German``."""
    return language.lower().replace("_", "-").partition("-")[0]


def _length_of(stem: str) -> tuple[int, str]:
    return len(stem), stem


@cache
def _algorithm(name: str) -> Stem:
    """Give one of Snowball's algorithms; one that this PyStemmer does not have yet changes nothing."""
    try:
        stem: Stem = Stemmer.Stemmer(name, 0).stemWord  # it need not remember what `_Stems` does
    except KeyError:
        return str
    return stem


def _stem_cyrillic(word: str) -> str:
    word = word.replace("ё", "е")
    if len(word) <= LEAST:
        return word
    russian, ukrainian = _algorithm("russian")(word), strip_ending(word)
    stem = min(russian, ukrainian, key=_length_of)
    return stem if len(stem) >= LEAST else word


def _script_of(character: str) -> str:
    for last, script in _SCRIPTS:
        if character <= last:
            return script
    return ""
