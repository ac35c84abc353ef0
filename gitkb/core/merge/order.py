"""The order in which merged lines stand.

1. Lines that both sides have stay in the order on which the sides agree.
2. What one side has between two such lines stays there. Where both have something, it is sorted in
   if both files are sorted, and else stands as two runs, the one with the smaller first line first.
3. Where the sides disagree on the order of what both have, there is no order to keep.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def merge_sequences(
    ours: list[Any],
    theirs: list[Any],
    weight: Callable[[Any], Any],
    is_sorted: Callable[[], bool],
) -> list[Any] | None:
    """Merge two sequences of different items; None where they disagree.

    `weight` gives what items are sorted by, and is asked only for items that may change places.
    `is_sorted` says whether the files are sorted; it may be dear and is asked only where it counts.
    """
    common = set(ours).intersection(theirs)
    shared = [item for item in ours if item in common]
    if shared != [item for item in theirs if item in common]:
        return None
    merged: list[Any] = []
    our_rest, their_rest = iter(ours), iter(theirs)
    for item in [*shared, None]:
        merged += _merge_gap(_until(item, our_rest), _until(item, their_rest), weight, is_sorted)
        if item is not None:
            merged.append(item)
    return merged


def _until(item: Any, rest: Any) -> list[Any]:
    run = []
    for other in rest:
        if other == item:
            break
        run.append(other)
    return run


def _merge_gap(
    ours: list[Any],
    theirs: list[Any],
    weight: Callable[[Any], Any],
    is_sorted: Callable[[], bool],
) -> list[Any]:
    if not ours or not theirs:
        return ours or theirs
    runs = ours + theirs if weight(ours[0]) < weight(theirs[0]) else theirs + ours
    in_order = sorted(runs, key=weight)
    return in_order if runs != in_order and is_sorted() else runs
