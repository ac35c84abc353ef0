"""Filters as conditions of SQL on the table `entry`, which is called `e` there."""

from __future__ import annotations

from gitkb.index.document import FILE_FACET, MUST_CHECK, facet_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    from gitkb.index.search import Filters

    Value: TypeAlias = int | str
    PathTest: TypeAlias = tuple[list[str], Callable[[str], bool]]
    """Texts of which the facets hold one if any path passes, and the test of a path."""

_ODD_SIGNS = ("*", "?", "[", "//", "/.", f"\n{FILE_FACET}.", f"\n{FILE_FACET}/")
"""Without any of them a path is no glob, and written as `core.glob.normal_path` gives it."""
_MOST_SIGNS = 200
"""SQLite joins less than a thousand conditions."""


def conditions_of(
    connection: sqlite3.Connection, filters: Filters
) -> tuple[list[str], list[Value]]:
    """Give the conditions, and the values for their question marks."""
    conditions: list[str] = []
    values: list[Value] = []
    if not filters.include_all and not filters.statuses:
        conditions.append("NOT e.hidden")
    if filters.types:
        conditions.append(f"e.type IN ({', '.join('?' * len(filters.types))})")
        values.extend(filters.types)
    if filters.least_importance:
        conditions.append("e.importance >= ?")
        values.append(filters.least_importance)
    any_of = [
        [f"status {status}" for status in filters.statuses],
        [f"category {category}" for category in filters.categories],
        [f"stack {stack.lower()}" for stack in filters.stacks],
        *[[f"tag {tag.lower()}"] for tag in filters.tags],
        [MUST_CHECK] if filters.must_check else [],
    ]
    for facets in filter(None, any_of):
        conditions.append(f"({' OR '.join(['instr(e.facets, ?)'] * len(facets))})")
        values.extend(map(facet_text, facets))
    if filters.since is not None:
        conditions.append("e.ts >= ?")
        values.append(filters.since)
    if filters.files:
        _add_test(connection, "names_below", below(filters.files), conditions, values)
    if filters.above:
        _add_test(connection, "names_above", above(filters.above), conditions, values)
    return conditions, values


def _add_test(
    connection: sqlite3.Connection,
    name: str,
    test: PathTest,
    conditions: list[str],
    values: list[Value],
) -> None:
    """Ask a test in Python of those rows alone that SQLite does not see to fail."""
    signs, is_meant = test

    def names_one(facets: str) -> bool:
        start = len(FILE_FACET)
        lines = facets.split("\n")
        return any(is_meant(line[start:]) for line in lines if line.startswith(FILE_FACET))

    connection.create_function(name, 1, names_one)
    if len(signs) <= _MOST_SIGNS:
        conditions.append(f"({' OR '.join(['instr(e.facets, ?)'] * len(signs))})")
        values.extend(signs)
    conditions.append(f"{name}(e.facets)")


def below(patterns: Sequence[str]) -> PathTest:
    """Test whether a path is meant by one of some patterns."""
    from gitkb.core.glob import GLOB_SIGNS, compile_glob, normal_path

    tests = [compile_glob(pattern) for pattern in patterns]
    signs = set()
    for pattern in patterns:
        last = normal_path(pattern).rpartition("/")[2]
        # What a plain path means holds its last name, however it is spelt.
        signs.add(last if GLOB_SIGNS.isdisjoint(pattern) else FILE_FACET)
    return sorted(signs), lambda path: any(test(path) for test in tests)


def above(paths: Sequence[str]) -> PathTest:
    """Test whether a path or pattern means one of some paths."""
    from gitkb.core.glob import compile_glob, normal_path

    normal = [normal_path(path) for path in paths]
    signs = set(_ODD_SIGNS)
    for path in normal:
        names = path.split("/")
        for number in range(1, len(names) + 1):
            facet = f"\n{FILE_FACET}{'/'.join(names[:number])}"
            signs |= {f"{facet}\n", f"{facet}/\n"}
    known: dict[str, bool] = {}

    def is_above(pattern: str) -> bool:
        found = known.get(pattern)
        if found is None:
            means = compile_glob(pattern)
            found = known[pattern] = any(means(path) for path in normal)
        return found

    return sorted(signs), is_above
