"""Was it used: what this clone's log says about the entries.

1. It is the log of one clone: what colleagues, other machines and CI looked at is not in it, so an entry
   that nobody found here may well have been found there.
2. An entry helped where it was opened after a search, a pack or a reminder of the last day had shown it.
3. Only what was asked without a filter counts as not found, and only while nothing answers to it later.
   Questions with the same stems, in whatever order, are one.
"""

from __future__ import annotations

from typing import NamedTuple

from gitkb.core.entry import Entry
from gitkb.core.jsonl import parse_again
from gitkb.core.usage import OPENED
from gitkb.index.search import NO_FILTERS, WordlessQueryError
from gitkb.operations.tiers.chain import open_chain
from gitkb.operations.usage_log.switch import Switch, read_switch
from gitkb.operations.writing.clock import SECONDS_A_DAY, now
from gitkb.store.usage_log import LOG, read_uses, size_of_log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gitkb.core.usage import Use
    from gitkb.operations.tiers.chain import Chain
    from gitkb.store.layout import Store

OLD_DAYS = 30
"""An entry that was written later had no time to be found."""


class Helped(NamedTuple):
    """An entry that was shown, and then opened."""

    key: str
    tier: str
    """Empty where it is the project's."""
    title: str
    """Empty where there is no such entry any more."""
    helped: int
    """How often it was opened after it had been shown."""
    opened: int
    shown: int
    last: int
    """When it was opened last, in Unix seconds."""


class Unseen(NamedTuple):
    """An active entry that no answer showed."""

    key: str
    title: str
    ts: int
    """When it was written, in Unix seconds."""


class Missed(NamedTuple):
    """Something that was asked for, and nothing was found."""

    words: tuple[str, ...]
    """As they were asked last."""
    times: int
    last: int


class Usage(NamedTuple):
    """What the log says."""

    switch: Switch
    path: str
    size: int
    """Bytes."""
    first: int | None
    """The moment of the oldest call that is looked at."""
    calls: dict[str, int]
    """How many, by the verb."""
    helped: list[Helped]
    unseen: list[Unseen]
    missed: list[Missed]


def usage(store: Store, since: int | None = None, notices: list[str] | None = None) -> Usage:
    """Say what was used here since a moment, best first, the most missed first."""
    uses = [use for use in read_uses(store) if since is None or use.moment >= since]
    calls: dict[str, int] = {}
    for use in uses:
        calls[use.verb] = calls.get(use.verb, 0) + 1
    with open_chain(store, notices) as chain:
        helped = _helped(chain, uses)
        unseen = _unseen(chain, store, {key for use in uses for key in use.keys})
        missed = _missed(chain, uses)
    place = f"{store.shared}/{LOG}"
    first = min((use.moment for use in uses), default=None)
    return Usage(
        read_switch(store),
        place,
        size_of_log(store),
        first,
        dict(sorted(calls.items())),
        helped,
        unseen,
        missed,
    )


def _helped(chain: Chain, uses: Iterable[Use]) -> list[Helped]:
    shown_at: dict[str, int] = {}
    counts: dict[str, list[int]] = {}
    for use in uses:
        for key in dict.fromkeys(use.keys):
            count = counts.setdefault(key, [0, 0, 0, 0])
            if use.verb != OPENED:
                shown_at[key] = use.moment
                count[2] += 1
                continue
            count[1] += 1
            count[3] = use.moment
            # One showing explains one opening.
            if use.moment - shown_at.pop(key, -SECONDS_A_DAY) < SECONDS_A_DAY:
                count[0] += 1
    found = []
    for name, (helped, opened, shown, last) in counts.items():
        if helped:
            tier, key = _parts(chain, name)
            found.append(Helped(key, tier, _title(chain, tier, key), helped, opened, shown, last))
    found.sort(key=lambda one: (-one.helped, -one.opened, -one.last, one.tier, one.key))
    return found


def _parts(chain: Chain, name: str) -> tuple[str, str]:
    """Give tier and key of an entry as the log names it."""
    tier, colon, key = name.partition(":")
    return (tier, key) if colon and any(link.name == tier for link in chain.links) else ("", name)


def _title(chain: Chain, tier: str, key: str) -> str:
    link = next((link for link in chain.links if link.name == tier), chain.links[0])
    hit = link.opened.peek(key)
    return Entry(parse_again(hit.line)).display_title if hit is not None else ""


def _unseen(chain: Chain, store: Store, seen: set[str]) -> list[Unseen]:
    oldest = now() - OLD_DAYS * SECONDS_A_DAY
    own = next((link for link in chain.links if link.store is store), None)
    found = []
    for hit in own.opened.list(NO_FILTERS) if own is not None else ():
        entry = Entry(parse_again(hit.line))
        if entry.key not in seen and entry.ts < oldest:
            found.append(Unseen(entry.key, entry.display_title, entry.ts))
    found.sort(key=lambda one: (one.ts, one.key))
    return found


def _missed(chain: Chain, uses: Sequence[Use]) -> list[Missed]:
    analyser = chain.links[0].opened.analyser
    found: dict[frozenset[str], Missed] = {}
    for use in uses:
        if use.verb == "recall" and use.words and not use.is_narrowed:
            stems = frozenset(map(analyser.stem, use.words))
            if use.keys:
                found.pop(stems, None)
            else:
                count = found[stems].times + 1 if stems in found else 1
                found[stems] = Missed(use.words, count, use.moment)
    missed = [one for one in found.values() if not _is_answered(chain, one.words)]
    missed.sort(key=lambda one: (-one.times, -one.last, one.words))
    return missed


def _is_answered(chain: Chain, words: Sequence[str]) -> bool:
    """Say whether somebody wrote meanwhile what was asked for."""
    one = NO_FILTERS._replace(limit=1)
    try:
        return any(link.opened.search(" ".join(words), one) for link in chain.links)
    except WordlessQueryError:
        return True
