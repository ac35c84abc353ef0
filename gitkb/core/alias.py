"""Numbered aliases, such as `L-007`: names to say aloud, minted in a row.

1. A new number is one more than the highest that any version of any entry ever had, so that a number never
   means another entry than it did.
2. Where two entries have one number, as after a merge of two branches that both took the next one, the
   older keeps it (by `created`, then by key) and the other takes the next free one.
3. Healing depends on the entries alone: each clone that heals the same merge writes the same lines.
4. Links point at keys, so no number that changes breaks one. Other aliases are names somebody gave, and
   are left alone.
"""

from __future__ import annotations

import re

from gitkb.core.entry import Entry, normalise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

PROJECT_PREFIX, TIER_PREFIX = "L", "WL"
_parts = re.compile(r"(W?L)-(\d{1,9})").fullmatch
_lists = re.compile(rb'"aliases"\s*:\s*\[([^\]]*)\]')
_numbers = re.compile(rb'"(W?L)-(\d{1,9})"')


def parse_alias(text: str) -> tuple[str, int] | None:
    """Give prefix and number of a numbered alias; None for any other name."""
    parts = _parts(text)
    return (parts[1], int(parts[2])) if parts else None


def format_alias(prefix: str, number: int) -> str:
    """``L-007``: three digits, more where they are needed."""
    return f"{prefix}-{number:03}"


def highest_number(prefix: str, files: Iterable[bytes]) -> int:
    """Find the highest number that the bytes of data files hold, 0 where there is none.

    Cost: one look at the bytes; no line is parsed. A name in an alias list that is spelt with escapes is
    not one that gitkb minted.
    """
    wanted = prefix.encode()
    return max(
        (
            int(number)
            for data in files
            for names in _lists.findall(data)
            for found, number in _numbers.findall(names)
            if found == wanted
        ),
        default=0,
    )


def with_alias(entry: Entry, alias: str) -> Entry:
    """Give an entry another name beside those it has."""
    return Entry(normalise({**entry.fields, "aliases": [*entry.aliases, alias]}))


def heal_aliases(entries: Iterable[Entry], prefix: str, highest: int = 0) -> list[Entry]:
    """Give the entries that have to change, so that no two have one number; sorted by key.

    Only the row of the store's own `prefix` is healed. `highest` is a number that is taken besides, as
    in the archive. O(n log n).
    """
    owners: dict[int, list[Entry]] = {}
    for entry in entries:
        for row, number in set(filter(None, map(parse_alias, entry.aliases))):
            if row == prefix:
                owners.setdefault(number, []).append(entry)
                highest = max(highest, number)
    changed: dict[str, Entry] = {}
    for number, sharing in sorted(owners.items()):
        for entry in sorted(sharing, key=_age)[1:]:
            highest += 1
            now = changed.get(entry.key, entry)
            kept = [name for name in now.aliases if parse_alias(name) != (prefix, number)]
            new = [*kept, format_alias(prefix, highest)]
            ts = entry.ts + 1
            changed[entry.key] = Entry(normalise({**now.fields, "aliases": new, "ts": ts}))
    return [changed[key] for key in sorted(changed)]


def _age(entry: Entry) -> tuple[int, str]:
    return (entry.created, entry.key)
