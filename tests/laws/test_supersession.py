"""Statuses and edges agree, whatever is done in whatever order.

After any verbs on a few entries, what `check` names is only what putting an entry away can bring about,
and doing what it says ends in a store in which all is well. A verb that refuses has written nothing.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitkb.errors import GitkbError
from gitkb.operations.archive import archive, restore
from gitkb.operations.checks.links import check_links
from gitkb.operations.forget import forget
from gitkb.operations.link import link, unlink
from gitkb.operations.reject import reject
from gitkb.operations.supersede import supersede
from gitkb.store.reader import read_store

from store_builder import Shelf, make_shelf

if TYPE_CHECKING:
    from collections.abc import Callable

    from gitkb.core.problem import Problem

KEYS = "abcd"
VERBS: dict[str, Callable[[Shelf, str, str], object]] = {
    "supersede": lambda shelf, one, other: supersede(shelf.store, one, other),
    "unlink": lambda shelf, one, other: unlink(shelf.store, one, "supersedes", other),
    "link": lambda shelf, one, other: link(shelf.store, one, "supersedes", other),
    "depend": lambda shelf, one, other: link(shelf.store, one, "depends_on", other),
    "reject": lambda shelf, one, other: reject(shelf.store, one, other),
    "restore": lambda shelf, one, _: restore(shelf.store, [one]),
    "archive": lambda shelf, one, _: archive(shelf.store, [one]),
    "forget": lambda shelf, one, _: forget(shelf.store, [one]),
}
GENTLE = [verb for verb in VERBS if verb not in ("archive", "forget")]
steps = st.tuples(st.sampled_from(sorted(VERBS)), st.sampled_from(KEYS), st.sampled_from(KEYS))
gentle_steps = st.tuples(st.sampled_from(GENTLE), st.sampled_from(KEYS), st.sampled_from(KEYS))


def problems(shelf: Shelf) -> list[Problem]:
    snapshot = read_store(shelf.store)
    assert not snapshot.problems
    assert not snapshot.duplicates
    return list(check_links(snapshot.current, snapshot.archived.keys()))


def take(shelf: Shelf, verb: str, one: str, other: str) -> None:
    before = shelf.tree()
    refused = 0
    try:
        VERBS[verb](shelf, one, other)
    except GitkbError as error:
        refused = error.exit_code
    after = shelf.tree()
    assert refused in (0, 4, 5)
    assert not refused or after == before, verb
    try:
        VERBS[verb](shelf, one, other)
    except GitkbError:
        pass  # what was refused, or what cannot be done twice
    if verb != "restore":  # an archived entry that was rejected comes back so, and then active
        assert shelf.tree() == after, verb


def obey(shelf: Shelf, hint: str) -> None:
    """Do what a hint says, as far as it names a verb."""
    words = hint.partition(",")[0].split()[1:]
    if words[0] == "unlink":
        unlink(shelf.store, *words[1:])
    elif words[0] == "restore":
        restore(shelf.store, words[1:])
    elif words[0] == "supersede":
        supersede(shelf.store, *words[1:])
    else:
        pytest.fail(hint)


def shelf_in(folder: str) -> Shelf:
    shelf = make_shelf(Path(folder))
    for key in KEYS:
        shelf.add(key=key, title=key, ts=1)
    return shelf


@settings(deadline=None, max_examples=40)
@given(st.lists(gentle_steps, max_size=12))
def test_what_puts_nothing_away_leaves_nothing_half(done: list[tuple[str, str, str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        shelf = shelf_in(folder)
        for verb, one, other in done:
            take(shelf, verb, one, other)
            assert problems(shelf) == []


@settings(deadline=None, max_examples=60)
@given(st.lists(steps, max_size=14))
def test_what_check_says_ends_in_a_store_in_which_all_is_well(
    done: list[tuple[str, str, str]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        shelf = shelf_in(folder)
        for verb, one, other in done:
            take(shelf, verb, one, other)
        assert {problem.code for problem in problems(shelf)} <= {
            *("superseded-by-nothing", "dangling-link", "link-to-archived")
        }
        for _ in range(40):
            found = problems(shelf)
            if not found:
                break
            before = shelf.tree()
            obey(shelf, found[0].hint)
            assert shelf.tree() != before, found[0]
        assert problems(shelf) == []
