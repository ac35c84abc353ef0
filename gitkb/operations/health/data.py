"""The checks of `gitkb doctor` that look into the store: its data and its search index."""

from __future__ import annotations

from gitkb.operations.health.finding import Finding
from gitkb.operations.health.session import check_sessions
from gitkb.operations.health.trust import check_trust
from gitkb.operations.health.usage import check_usage
from gitkb.operations.tiers.half_move import check_moves

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gitkb.core.problem import Problem
    from gitkb.store.layout import Store

_LIST = "gitkb check"


def check_data(store: Store) -> Callable[[], Iterator[Finding]]:
    """Make the check that every line of the store can be read and is alone with its key."""

    def run() -> Iterator[Finding]:
        from gitkb.operations.check import check_store

        groups: dict[str, list[Problem]] = {}
        for problem in check_store(store).problems:
            if problem.is_error:
                is_command = (
                    problem.hint.startswith(("gitkb ", "git ")) and "KEY" not in problem.hint
                )
                groups.setdefault(problem.hint if is_command else _LIST, []).append(problem)
        for cure, errors in groups.items():
            place = f" at {errors[0].place}" if errors[0].place else ""
            count = f"{len(errors)} faults in the data, the first" if len(errors) > 1 else "a fault"
            message = f"{count}{place}: {errors[0].message}"
            why = "such lines are not found, or do not merge well"
            if cure == _LIST:
                why += "; gitkb check says of each what mends it, and that is yours to decide"
            yield Finding("data", "error", message, why, cure)
        if not groups:
            yield Finding("data", "ok", "every line of the store is in order")

    return run


def check_search_index(store: Store) -> Callable[[], Iterator[Finding]]:
    """Make the check that the search index can be opened and kept; what was built anew by that is well again."""

    def run() -> Iterator[Finding]:
        import os
        from shlex import quote

        from gitkb.operations.reading.search_index import open_index

        notices: list[str] = []
        with open_index(store, notices=notices) as index:
            count = sum(index.counts().types.values())
        lasting: list[str] = []
        if notices:
            with open_index(store, notices=lasting):
                pass
        if lasting:
            path = store.database_path
            folder = os.path.dirname(path)
            is_ours = os.access(folder, os.W_OK)
            cure = f"rm -rf {quote(path)}" if is_ours else f"chmod u+w {quote(folder)}"
            why = "answers are right all the same, only slower"
            yield Finding("search-index", "warning", lasting[-1], why, cure)
        else:
            healed = "".join(f"; {notice}" for notice in notices)
            yield Finding("search-index", "ok", f"the search index holds {count} entries{healed}")

    return run


DATA_CHECKS = (
    check_data,
    check_search_index,
    check_sessions,
    check_moves,
    check_trust,
    check_usage,
)
