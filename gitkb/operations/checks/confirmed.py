"""Judge the confirmations of a store in the work tree."""

from __future__ import annotations

from gitkb.operations.checks.names import is_confirmation, names_in
from gitkb.store.confirmation import check_confirmations, read_confirmations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.core.problem import Problem
    from gitkb.store.layout import Store


def check_confirmed(store: Store) -> list[Problem]:
    """Judge every line of the files of confirmations."""
    names = sorted(name for name in names_in(store) if is_confirmation(name))
    return [
        problem
        for name in names
        for problem in check_confirmations(name, read_confirmations(store, name))
    ]
