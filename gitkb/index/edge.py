"""The edges of the graph as the search index holds them: of every entry that is shown.

1. Archived, superseded and rejected entries have their edges too; a key that is forgotten has none
   that leave it. Whether anything stands at the other end is not looked at.
2. A store without edges is asked once whether it has any.
"""

from __future__ import annotations

from gitkb.core.link import Edge

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection
    from typing import TypeAlias

    Keys: TypeAlias = tuple[str, ...]

_EDGE = "SELECT source, relation, target, derived FROM edge"
_PLENTY = 64
"""From so many keys on, reading the one table is cheaper than asking for each."""


def all_edges(connection: sqlite3.Connection) -> list[Edge]:
    """Give every edge, sorted."""
    return [_edge(*row) for row in connection.execute(f"{_EDGE} ORDER BY 1, 2, 3")]


def edges_at(connection: sqlite3.Connection, keys: Collection[str]) -> list[Edge]:
    """Give the edges that leave or reach any of the keys, sorted."""
    found: set[tuple[str, str, str, int]] = set()
    for key in set(keys):
        found.update(connection.execute(f"{_EDGE} WHERE source = ?", (key,)))
        found.update(connection.execute(f"{_EDGE} WHERE target = ?", (key,)))
    return [_edge(*row) for row in sorted(found)]


def successors_of(connection: sqlite3.Connection, keys: Collection[str]) -> dict[str, Keys]:
    """Give, of the keys that have any, the keys that supersede them, sorted."""
    found: dict[str, list[str]] = {}
    for target, source in _select(connection, "target, source", "target", "supersedes", keys):
        if target in keys and target != source:
            found.setdefault(target, []).append(source)
    return {key: tuple(sorted(sources)) for key, sources in found.items()}


def doubts_of(connection: sqlite3.Connection, keys: Collection[str]) -> dict[str, Keys]:
    """Give, of the keys that are in doubt, what they rest on that is no longer true, sorted."""
    if not _has(connection, "depends_on"):
        return {}
    from gitkb.core.graph import doubts  # most stores have no such edge

    def depends_on(sources: Collection[str]) -> list[Edge]:
        rows = _select(connection, "source, target", "source", "depends_on", sources)
        return [Edge(source, "depends_on", target) for source, target in rows]

    def is_true(targets: Collection[str]) -> set[str]:
        sql = "SELECT 1 FROM entry WHERE key = ? AND NOT hidden"
        return {key for key in targets if connection.execute(sql, (key,)).fetchone()}

    return doubts(keys, depends_on, is_true)


def _has(connection: sqlite3.Connection, relation: str) -> bool:
    sql = "SELECT 1 FROM edge WHERE relation = ? LIMIT 1"
    return connection.execute(sql, (relation,)).fetchone() is not None


def _select(
    connection: sqlite3.Connection, columns: str, side: str, relation: str, keys: Collection[str]
) -> list[tuple[str, str]]:
    """Give edges of one relation: those at any of the keys, and maybe others."""
    sql = f"SELECT {columns} FROM edge WHERE relation = ?"
    if len(keys) >= _PLENTY or not _has(connection, relation):
        return connection.execute(sql, (relation,)).fetchall()
    sql = f"{sql} AND {side} = ?"
    return [row for key in keys for row in connection.execute(sql, (relation, key))]


def _edge(source: str, relation: str, target: str, derived: int) -> Edge:
    return Edge(source, relation, target, bool(derived))
