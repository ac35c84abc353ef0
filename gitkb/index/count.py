"""What the store holds, in numbers."""

from __future__ import annotations

from typing import NamedTuple

from gitkb.index.document import ARCHIVED, facet_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3


class Counts(NamedTuple):
    """What the store holds, by key."""

    types: dict[str, int]
    """Live entries by type, active or not."""
    active: int
    """Live entries that recall finds."""
    inactive: int
    """Live entries that are superseded or rejected."""
    archived: int
    """Entries that stand in the archive alone, or say that they are archived."""
    versions: int
    """Lines in the archive."""
    tombstones: int
    bad_lines: int
    duplicate_keys: int
    """Keys with several lines in the knowledge files."""


def count(connection: sqlite3.Connection) -> Counts:
    """Count what there is. Reads every row."""

    def number(sql: str) -> int:
        return int(connection.execute(sql).fetchone()[0])

    rows = connection.execute(
        f"SELECT type, instr(facets, '{facet_text(ARCHIVED)}') > 0, hidden, count(*)"
        " FROM entry GROUP BY 1, 2, 3"
    ).fetchall()
    types: dict[str, int] = {}
    for type_, gone, _, entries in rows:
        if not gone:
            types[type_] = types.get(type_, 0) + entries
    return Counts(
        types=types,
        active=sum(entries for _, _, hidden, entries in rows if not hidden),
        inactive=sum(entries for _, gone, hidden, entries in rows if hidden and not gone),
        archived=sum(entries for _, gone, _, entries in rows if gone),
        versions=number(
            "SELECT (SELECT count(*) FROM line WHERE archive)"
            " + (SELECT count(*) FROM entry WHERE archive)"
        ),
        tombstones=number(
            "SELECT count(DISTINCT key) FROM line WHERE deleted AND NOT archive"
            " AND key NOT IN (SELECT key FROM entry)"
        ),
        bad_lines=number("SELECT count(*) FROM problem WHERE code IN ('bad-line', 'marker')"),
        duplicate_keys=number(
            "SELECT count(*) FROM (SELECT 1 FROM"
            " (SELECT key FROM line WHERE NOT archive"
            " UNION ALL SELECT key FROM entry WHERE NOT archive)"
            " GROUP BY key HAVING count(*) > 1)"
        ),
    )
