"""The best of all that match, whatever makes them so."""

from __future__ import annotations

import json
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitkb.index.search import Filters, Hit
from gitkb.index.sync import open_synced

from index_builder import World, entry_line, keys_of

_WORDS = st.lists(
    st.sampled_from(["retry", "cache", "deploy", "deployment", "night", "lock"]),
    min_size=1,
    max_size=4,
).map(" ".join)
_ENTRIES = st.lists(
    st.fixed_dictionaries(
        {
            "title": _WORDS,
            "content": _WORDS,
            "ts": st.sampled_from([1, 1_600_000_000, 1_700_000_000]),
            "type": st.sampled_from(["fact", "decision", "session", "note"]),
            "importance": st.integers(1, 5),
            "status": st.sampled_from(["active", "active", "superseded", "rejected"]),
        }
    ),
    min_size=1,
    max_size=12,
)


@given(_ENTRIES, _WORDS, st.booleans())
def test_a_larger_limit_only_adds_hits_and_all_are_in_the_order_of_their_scores(
    entries: list[dict[str, Any]], query: str, include_all: bool
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder))
        world.write(
            "knowledge/all.jsonl", *[entry_line(f"k{n}", **each) for n, each in enumerate(entries)]
        )
        with closing(open_synced(str(world.database), world.files())) as index:
            every = index.search(query, Filters(include_all=include_all))
            for limit in range(1, len(every) + 2):
                some = index.search(query, Filters(include_all=include_all, limit=limit))
                assert some == every[:limit]
            explained = index.explain(query, keys_of(every))
    assert every == sorted(every, key=_order)
    assert [why.score for why in explained if why] == pytest.approx([hit.score for hit in every])


def _order(hit: Hit) -> tuple[float, int, str]:
    fields = json.loads(hit.line)
    return -hit.score, -fields["ts"], fields["key"]
