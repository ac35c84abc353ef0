"""Filters as conditions of SQL on the table `entry`, which is called `e` there."""

from __future__ import annotations

from gitkb.index.document import FILE_FACET, MUST_CHECK, facet_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable
    from typing import TypeAlias

    from gitkb.index.search import Filters

    Value: TypeAlias = int | str

_FILES_FUNCTION = "means_a_file"


def conditions_of(
    connection: sqlite3.Connection, filters: Filters
) -> tuple[list[str], list[Value]]:
    """Give the conditions, and the values for their question marks."""
    conditions: list[str] = []
    values: list[Value] = []
    if not filters.include_all and not filters.statuses:
        conditions.append("NOT e.hidden")
    any_of = [
        [f"type {type_}" for type_ in filters.types],
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
        connection.create_function(_FILES_FUNCTION, 1, _files_test(filters.files))
        conditions.append(f"{_FILES_FUNCTION}(e.facets)")
    return conditions, values


def _files_test(patterns: tuple[str, ...]) -> Callable[[str], bool]:
    from gitkb.core.glob import compile_glob

    tests = [compile_glob(pattern) for pattern in patterns]

    def means_a_file(facets: str) -> bool:
        start = len(FILE_FACET)
        paths = [line[start:] for line in facets.split("\n") if line.startswith(FILE_FACET)]
        return any(test(path) for path in paths for test in tests)

    return means_a_file
