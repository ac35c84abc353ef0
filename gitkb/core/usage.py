"""What was shown and what was opened, as lines of a log and as what follows from them.

1. A line is one JSON object and begins with its line end: a line that a crash or a full disk cut short
   spoils no other, since no beginning of an object is one.
2. What a query says is kept as words, and none of it where it may hold a secret. A word that is not of
   letters alone is left out where the query speaks of secrets.
3. What follows for ranking depends on the lines alone, in their order, and not on the clock.
4. An entry that was opened many times on one day was opened once; what was opened long before the last
   opening counts little, and all of it together is bounded (`core.search.ranking`).
"""

# No deferred annotations here: see `core.problem`.
import json
from collections.abc import Iterable, Sequence
from math import exp2
from typing import NamedTuple

from gitkb.core.search.ranking import usage_factor
from gitkb.core.search.stop_words import STOP_WORDS
from gitkb.core.search.word_form import split_words

OPENED = "show"
"""The verb of an entry that somebody asked for by its name; all others show what they found."""
MOST_KEYS, MOST_WORDS = 50, 12
_LONGEST_KEY, _LONGEST_WORD, _LONGEST_MIXED = 120, 30, 12
_SECONDS_A_DAY = 86_400
HALF_LIFE_DAYS = 90
_TELLING = ("pass", "pwd", "secret", "token", "key", "credential", "пароль", "секрет")
_OPENED_SIGN = b'"v":"show"'
_SIGNS = "=:\"'`@/\\{}"


class Use(NamedTuple):
    """One call that showed entries, or found none."""

    moment: int
    """Unix seconds."""
    verb: str
    keys: tuple[str, ...] = ()
    """What was shown, best first; of another tier as ``tier:key``."""
    words: tuple[str, ...] = ()
    """Of what was asked, folded, in their order."""
    is_narrowed: bool = False
    """A filter left entries out."""
    store: str = ""
    """The folder of the store in its repository, if that is not the usual one."""


def format_use(use: Use) -> bytes:
    """Write a line of the log, its line end first."""
    fields: dict[str, object] = {"t": use.moment, "v": use.verb}
    keys = [key for key in use.keys[:MOST_KEYS] if len(key) <= _LONGEST_KEY]
    if keys:
        fields["k"] = keys
    if use.words:
        fields["w"] = use.words
    if use.is_narrowed:
        fields["f"] = 1
    if use.store:
        fields["s"] = use.store
    return b"\n" + json.dumps(fields, separators=(",", ":")).encode()


def parse_uses(data: bytes, *, opened: bool = False) -> list[Use]:
    """Read the lines of a log, or those of openings alone; what is no line of it says nothing."""
    found = []
    for line in data.split(b"\n"):
        if line and (not opened or _OPENED_SIGN in line):
            try:
                use = _parse_use(json.loads(line))
            except (ValueError, RecursionError):
                continue
            if use is not None:
                found.append(use)
    return found


def _parse_use(fields: object) -> Use | None:
    if not isinstance(fields, dict):
        return None
    moment, verb, store = fields.get("t"), fields.get("v"), fields.get("s", "")
    if (
        type(moment) is not int
        or moment < 0
        or not isinstance(verb, str)
        or not isinstance(store, str)
    ):
        return None
    keys, words = _texts(fields.get("k", [])), _texts(fields.get("w", []))
    if keys is None or words is None:
        return None
    return Use(moment, verb, keys, words, fields.get("f") == 1, store)


def _texts(value: object) -> tuple[str, ...] | None:
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return tuple(value)
    return None


def words_to_keep(query: str) -> tuple[str, ...]:
    """Give the words of a query that may be kept: none where it may hold a secret (2)."""
    words = dict.fromkeys(word for word in split_words(query) if word not in STOP_WORDS)
    plain = [word for word in words if word.isalpha() and len(word) <= _LONGEST_WORD]
    if len(plain) < len(words) or any(sign in query for sign in _SIGNS):
        from gitkb.core.secrets.hint import may_hold_secret  # words of letters alone are none

        lower = query.lower()
        tells = any(name in lower for name in _TELLING)
        if may_hold_secret(query) or (tells and any(sign in query for sign in _SIGNS)):
            return ()
        if not tells:
            plain = [
                word
                for word in words
                if len(word) <= (_LONGEST_WORD if word.isalpha() else _LONGEST_MIXED)
                and not may_hold_secret(word)
            ]
    return tuple(plain[:MOST_WORDS])


class Openings:
    """How often entries were opened, fading; fold the lines of a log into it in their order."""

    def __init__(
        self, amounts: dict[str, tuple[float, int]] | None = None, newest: int = 0
    ) -> None:
        self.amounts = {} if amounts is None else amounts
        """By key: what its openings amounted to at the last of them, and the day of that."""
        self.newest = newest
        """The last day on which anything was opened."""

    def add(self, uses: Iterable[Use], store: str = "") -> None:
        """Count what was opened from a store. Clocks that went back count as the last day known."""
        for use in uses:
            if use.verb != OPENED or use.store != store:
                continue
            day = max(use.moment // _SECONDS_A_DAY, self.newest)
            self.newest = day
            for key in use.keys:
                amount, last = self.amounts.get(key, (0.0, -1))
                if last != day:
                    self.amounts[key] = (amount * _left(day - last) + 1.0, day)

    def factors(self) -> dict[str, float]:
        """Give by key what an entry's score is multiplied by; without an opening nothing."""
        return {
            key: usage_factor(amount * _left(self.newest - day))
            for key, (amount, day) in self.amounts.items()
        }


def _left(days: int) -> float:
    """Say what is left of an opening after so many days."""
    return exp2(-days / HALF_LIFE_DAYS)


def tier_key(tier: str, key: str, own: Sequence[str] = ("", "project")) -> str:
    """Name an entry in the log: by its key alone, or with the tier that it is from."""
    return key if tier in own else f"{tier}:{key}"
