"""Numbered aliases, such as `L-007`: names to say aloud, minted in a row.

1. A new number is one more than the highest that any version of any entry ever had, so that a number never
   means another entry than it did.
2. Where two entries have one number, as after a merge of two branches that both took the next one, the
   older keeps it (by `created`, then by key) and the other takes the next free one, unless it has
   another number already. What a tombstone or a redirect names is never an entry's.
3. Healing depends on the entries alone: each clone that heals the same merge writes the same lines.
4. Links point at keys, so no number that changes breaks one. Other aliases are names somebody gave, and
   are left alone.
"""

from __future__ import annotations

import re

from gitkb.core.entry import Entry, normalise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from gitkb.core.entry import Record

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
    return max((number for data in files for number in _iter_numbers(prefix, data)), default=0)


def shows_a_number_twice(prefix: str, files: Iterable[bytes]) -> bool:
    """Say whether a number stands in two alias lists; the price is that of `highest_number`.

    They may be of one key, as where a text merge left two lines of it.
    """
    seen: set[int] = set()
    for data in files:
        for number in _iter_numbers(prefix, data):
            if number in seen:
                return True
            seen.add(number)
    return False


def _iter_numbers(prefix: str, data: bytes) -> Iterator[int]:
    wanted = prefix.encode()
    for names in _lists.findall(data):
        # `L-1` and `L-001` beside each other are one number of one entry.
        yield from {int(number) for found, number in _numbers.findall(names) if found == wanted}


def taken_numbers(records: Iterable[Record], prefix: str) -> set[int]:
    """Give the numbers of a row that records have, such as redirects."""
    names = (name for record in records for name in record.fields.get("aliases", ()))
    found = (parse_alias(name) for name in names if isinstance(name, str))
    return {parts[1] for parts in found if parts and parts[0] == prefix}


def with_alias(entry: Entry, alias: str) -> Entry:
    """Give an entry another name beside those it has."""
    return Entry(normalise({**entry.fields, "aliases": [*entry.aliases, alias]}))


def heal_aliases(
    entries: Iterable[Entry], prefix: str, highest: int = 0, gone: Collection[int] = ()
) -> list[Entry]:
    """Give the entries that have to change, so that no two have one number; sorted by key.

    Only the row of the store's own `prefix` is healed. `highest` is a number that is taken besides, as
    in the archive; `gone` are those that no entry may have. O(n log n).
    """
    owners: dict[int, list[Entry]] = {}
    for entry in entries:
        for number in taken_numbers([entry], prefix):
            owners.setdefault(number, []).append(entry)
            highest = max(highest, number)
    highest = max(highest, *gone, 0)
    changed: dict[str, Entry] = {}
    for number, sharing in sorted(owners.items()):
        for entry in sorted(sharing, key=_age)[0 if number in gone else 1 :]:
            now = changed.get(entry.key, entry)
            names = [name for name in now.aliases if parse_alias(name) != (prefix, number)]
            if not taken_numbers([Entry({"aliases": names})], prefix):
                highest += 1
                names.append(format_alias(prefix, highest))
            fields = {**now.fields, "aliases": names, "ts": entry.ts + 1}
            changed[entry.key] = Entry(normalise(fields))
    return [changed[key] for key in sorted(changed)]


def _age(entry: Entry) -> tuple[int, str]:
    return (entry.created, entry.key)
