"""Counting, from the files and whatever is wrong with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gitkb.operations.archive import archive
from gitkb.operations.forget import forget
from gitkb.operations.stats import stats

from store_builder import Shelf, make_shelf

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return make_shelf(tmp_path)


def test_an_empty_store_counts_nothing(shelf: Shelf) -> None:
    counts = stats(shelf.store)
    assert (counts.by_type, counts.active, counts.archived) == ({}, 0, 0)
    assert (counts.versions, counts.tombstones, counts.problems) == (0, 0, [])


def test_keys_are_counted_by_what_became_of_them(shelf: Shelf) -> None:
    for key, status in (("a", "active"), ("b", "superseded"), ("c", "rejected"), ("d", "active")):
        shelf.add(key=key, type="decision" if key == "a" else "learned", status=status)
    shelf.add(key="a", type="decision", content="MUST-CHECK: changed")
    shelf.add(key="e", type="pitfall", content="MUST-CHECK: look")
    shelf.add(key="f", conflicts=[{"field": "title", "value": "y"}])
    archive(shelf.store, ["c"])
    forget(shelf.store, ["d"])
    counts = stats(shelf.store)
    assert counts.by_type == {"decision": 1, "fact": 1, "learned": 1, "pitfall": 1}
    assert counts.by_status == {"active": 3, "superseded": 1}
    assert (counts.active, counts.archived, counts.tombstones) == (3, 1, 1)
    assert counts.versions == 3  # the old a, and c as it was and as it was put aside
    assert (counts.contested, counts.must_checks) == (1, 1)
    assert (counts.duplicate_keys, counts.problems) == (0, [])


def test_duplicates_and_bad_lines_are_counted_and_named(shelf: Shelf) -> None:
    shelf.write(
        b'\xef\xbb\xbf{"key":"k","type":"fact","content":"one","ts":1}',
        b"<<<<<<< ours",
        b'{"key":"k","type":"fact","content":"two","ts":2}',
        b'{"key":"k","type":"decision","content":"three","ts":3}',
        b'{"key":"other","key":"twice"}',
    )
    counts = stats(shelf.store)
    assert (counts.duplicate_keys, counts.by_type, counts.bad_lines) == (1, {"decision": 1}, 2)
    assert [(problem.code, problem.line) for problem in counts.problems] == [
        ("byte-order-mark", 1),
        ("marker", 2),
        ("bad-line", 5),
    ]
    assert all(problem.hint for problem in counts.problems)
