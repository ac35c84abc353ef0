"""Ask the search index what concerns paths and words at hand.

1. Only entries that are active are looked at, and of them only what the index holds: no file is read.
2. All paths of a change cost one look at each entry, however many they are; a word costs what holds it.
3. A word that many entries hold says nothing, and is not asked for further.
"""

from __future__ import annotations

from typing import NamedTuple

from gitkb.core.search.ranking import rarity
from gitkb.core.touch.files import (
    BY_FILE,
    BY_STACK,
    BY_TAG,
    Candidate,
    Concern,
    is_one_of_many,
    steps_by_file,
)
from gitkb.core.touch.names import may_name_many
from gitkb.index.document import CONTESTED, FILE_FACET, MUST_CHECK
from gitkb.index.query import any_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping

    from gitkb.core.search.words import Analyser
    from gitkb.core.touch.files import Touch
    from gitkb.core.touch.words import Terms

_TAG, _STACK = "tag ", "stack "

_FEW, _FEW_OF = 5, 50
"""A word of more entries than this, and of more than one in so many, says nothing."""
_LOOKED_AT = 60
"""Entries that share the rarest words and are read."""


class Shared(NamedTuple):
    """Entries that share words with a text, and how rare these are (0 to 1), names and stems."""

    lines: list[bytes]
    rarities: Mapping[str, float]


def find_touching(connection: sqlite3.Connection, touch: Touch) -> list[Candidate]:
    """Give what concerns the paths, best first. Cost: one look at each active entry."""
    rows = connection.execute(
        "SELECT key, ts, importance, facets FROM entry WHERE NOT hidden"
    ).fetchall()
    wanted = {f"{FILE_FACET}{path}" for path in touch.above}
    wanted.update(f"{_TAG}{tag}" for tag in touch.tags)
    wanted.update(f"{_STACK}{name}" for name in touch.stack)
    found: list[Candidate] = []
    labelled: list[tuple[Candidate, str]] = []
    carried: dict[str, int] = {}
    for key, ts, importance, text in rows:
        facets = text.split("\n")
        # Most entries have nothing to do with it, and are passed by at once.
        if wanted.isdisjoint(facets) and not touch.below and not may_name_many(text):
            continue
        concern = _concern(facets, touch)
        if concern is None:
            continue
        must_check, contested = MUST_CHECK in facets, CONTESTED in facets
        one = Candidate(key, ts, importance, must_check, contested, concern)
        if concern.band == BY_FILE:
            found.append(one)
            continue
        label = f"{concern.band} {concern.by}"
        carried[label] = carried.get(label, 0) + 1
        labelled.append((one, label))
    for one, label in labelled:
        if one.must_check or not is_one_of_many(carried[label], len(rows)):
            found.append(one)
    found.sort(key=lambda one: one.order)
    return found


def labels(connection: sqlite3.Connection) -> set[str]:
    """Give all that active entries can concern by unasked, as lines: files, tags, stacks of must-checks."""
    found: set[str] = set()
    for (text,) in connection.execute("SELECT facets FROM entry WHERE NOT hidden"):
        facets = text.split("\n")
        kinds = (FILE_FACET, _TAG, _STACK) if MUST_CHECK in facets else (FILE_FACET, _TAG)
        found.update(facet for facet in facets if facet.startswith(kinds))
    return found


def _concern(facets: list[str], touch: Touch) -> Concern | None:
    """Say how an entry concerns, by its facets: by its nearest file, else its nearest tag."""
    files = [facet[len(FILE_FACET) :] for facet in facets if facet.startswith(FILE_FACET)]
    near = [(steps, file) for file in files if (steps := steps_by_file(file, touch)) is not None]
    if near:
        return Concern(BY_FILE, *min(near))
    tags = [facet[len(_TAG) :] for facet in facets if facet.startswith(_TAG)]
    if named := [(touch.tags[tag], tag) for tag in tags if tag in touch.tags]:
        return Concern(BY_TAG, *min(named))
    stack = [facet[len(_STACK) :] for facet in facets if facet.startswith(_STACK)]
    if not files and (shared := [name for name in stack if name in touch.stack]):
        return Concern(BY_STACK, 0, shared[0])
    return None


def find_sharing(
    connection: sqlite3.Connection, analyser: Analyser, terms: Terms, statuses: Iterable[str] = ()
) -> Shared:
    """Find the entries that share the rarest names and words; active ones, or those of some statuses."""
    total = connection.execute("SELECT count(*) FROM entry").fetchone()[0]
    if not total:
        return Shared([], {})
    most, unique = max(_FEW, total // _FEW_OF), rarity(total, 1)
    amounts: dict[int, float] = {}
    rarities: dict[str, float] = {}
    asked = {name: " ".join(map(analyser.stem, analyser.split(name))) for name in terms.names}
    for word in terms.words:
        asked.setdefault(stem := analyser.stem(word), stem)
    sql = "SELECT rowid FROM words WHERE words MATCH ? LIMIT ?"
    for name, phrase in asked.items():
        rows = connection.execute(sql, (any_of([phrase]), most + 1)).fetchall()
        if rows and len(rows) <= most:
            rarities[name] = rarity(total, len(rows)) / unique
            for (id_,) in rows:
                amounts[id_] = amounts.get(id_, 0.0) + rarities[name]
    states = tuple(statuses)
    where = f"status IN ({', '.join('?' * len(states))})" if states else "NOT hidden"
    lines = []
    for id_ in sorted(amounts, key=lambda id_: (-amounts[id_], id_)):
        row = connection.execute(
            f"SELECT text FROM entry WHERE id = ? AND {where}", (id_, *states)
        ).fetchone()
        if row is not None:
            lines.append(row[0])
        if len(lines) == _LOOKED_AT:
            break
    return Shared(lines, rarities)
