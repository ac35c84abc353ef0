"""What the links of the best hits make of their neighbours.

1. An entry is lifted towards the hit that it is linked with, and never up to it: what fits best by its
   own words stays first. Of several such hits the one that lifts it most counts.
2. It need not hold any word of the query. Links count both ways, whatever their relation, and over
   two steps; of what has many links each says less, of a hub nothing.
3. Which hits lift does not depend on filters or limits, so neither does the order.
4. A store without edges is asked once whether it has any.
"""

from __future__ import annotations

from gitkb.core.search.ranking import LIFT_STEPS, MANY_LINKS, link_weight

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping

LIFTING = 10
"""Hits that lift what is linked with them; twice as many change nothing."""

_NEIGHBOURS = (
    "SELECT target FROM edge WHERE source = ?1 AND target <> ?1"
    " UNION SELECT source FROM edge WHERE target = ?1 AND source <> ?1 LIMIT ?2"
)


def has_edges(connection: sqlite3.Connection) -> bool:
    """Say whether anything is linked."""
    return connection.execute("SELECT 1 FROM edge LIMIT 1").fetchone() is not None


def lifts_of(
    connection: sqlite3.Connection, hits: Mapping[str, float], relevances: Mapping[int, float]
) -> dict[int, float]:
    """Give what is added to the relevances of entries, from the best hits by key.

    Cost: a few questions a hit and neighbour; nothing in proportion to the store.
    """
    neighbours: dict[str, list[str]] = {}

    def around(key: str) -> list[str]:
        if key not in neighbours:
            rows = connection.execute(_NEIGHBOURS, (key, MANY_LINKS + 1)).fetchall()
            neighbours[key] = [other for (other,) in rows] if len(rows) <= MANY_LINKS else []
        return neighbours[key]

    lifts: dict[int, float] = {}
    ids: dict[str, int] = {}
    for hit, relevance in hits.items():
        weights, edge = {hit: 1.0}, [hit]
        for _ in range(LIFT_STEPS):
            further: dict[str, float] = {}
            for key in edge:
                for other in around(key):
                    if other not in weights and (links := len(around(other))):
                        weight = weights[key] * link_weight(max(len(around(key)), links))
                        further[other] = max(weight, further.get(other, 0.0))
            weights.update(further)
            edge = list(further)
        del weights[hit]
        for key, weight in weights.items():
            if key not in ids:
                row = connection.execute("SELECT id FROM entry WHERE key = ?", (key,)).fetchone()
                ids[key] = row[0] if row else 0
            if id_ := ids[key]:
                lift = weight * (relevance - relevances.get(id_, 0.0))
                if lift > lifts.get(id_, 0.0):
                    lifts[id_] = lift
    return lifts
