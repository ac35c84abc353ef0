"""The checks of `gitkb doctor` that look into the store: its data and its search index."""

from __future__ import annotations

from gitkb.operations.health.finding import Finding
from gitkb.operations.health.session import check_sessions
from gitkb.operations.health.trust import check_trust
from gitkb.operations.tiers.half_move import check_moves

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gitkb.store.layout import Store


def check_data(store: Store) -> Callable[[], Iterator[Finding]]:
    """Make the check that every line of the store can be read and is alone with its key."""

    def run() -> Iterator[Finding]:
        from gitkb.operations.check import check_store

        problems = check_store(store).problems
        errors = [problem for problem in problems if problem.severity == "error"]
        if errors:
            first = errors[0]
            message = (
                f"{len(errors)} faults in the data, the first at {first.place}: {first.message}"
            )
            yield Finding(
                "data", "error", message, "they do not travel or merge well", "gitkb check"
            )
        else:
            yield Finding("data", "ok", "every line of the store is in order")

    return run


def check_search_index(store: Store) -> Callable[[], Iterator[Finding]]:
    """Make the check that the search index can be opened and kept."""

    def run() -> Iterator[Finding]:
        from gitkb.operations.search_index import open_index

        notices: list[str] = []
        with open_index(store, notices=notices) as index:
            count = sum(index.counts().types.values())
        for notice in notices:
            why = "answers are right all the same, only slower"
            yield Finding("search-index", "warning", notice, why, "gitkb reindex")
        yield Finding("search-index", "ok", f"the search index holds {count} entries")

    return run


DATA_CHECKS = (check_data, check_search_index, check_sessions, check_moves, check_trust)
