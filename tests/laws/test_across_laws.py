"""Laws of reading through tiers, against a model of three small stores."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

from hypothesis import given, settings
from hypothesis import strategies as st

from gitkb.index.search import Filters
from gitkb.operations.tier import shadowing
from gitkb.operations.tiers.across import list_across, recall_across

from store_builder import Shelf, make_shelf

if TYPE_CHECKING:
    from gitkb.operations.tiers.across import Found

TIERS = ("project", "workstation", "org")
KEYS = ("a", "b", "c", "d")
STATES = ("active", "active", "superseded", "archived", "deleted")

_lines = st.fixed_dictionaries(
    {
        "state": st.sampled_from(STATES),
        "content": st.sampled_from(("red", "red blue", "blue", "green")),
        "ts": st.integers(1, 3),
    }
)
_stores = st.dictionaries(st.sampled_from(KEYS), _lines)
_worlds = st.tuples(_stores, _stores, _stores)


def _write(shelf: Shelf, store: dict[str, dict[str, Any]]) -> None:
    lines = []
    for key, line in store.items():
        if line["state"] == "deleted":
            lines.append({"key": key, "deleted": True, "ts": line["ts"]})
            continue
        entry = {"key": key, "type": "fact", "content": line["content"], "ts": line["ts"]}
        lines.append(entry if line["state"] == "active" else {**entry, "status": line["state"]})
    shelf.write(*(json.dumps(line, separators=(",", ":")).encode() for line in lines))


def _holds(world: tuple[dict[str, Any], ...], tier: str, key: str) -> bool:
    line = world[TIERS.index(tier)].get(key)
    return line is not None and line["state"] != "deleted"


def _expected(world: tuple[dict[str, Any], ...], *, whole: bool, word: str = "") -> set[Any]:
    """Tier, key and shadowing tier of all that is to be found."""
    found = set()
    for tier, store in zip(TIERS, world, strict=True):
        for key, line in store.items():
            if not _holds(world, tier, key) or (word and word not in line["content"].split()):
                continue
            speaker, _ = shadowing(TIERS, lambda name, key: _holds(world, name, key), key)
            if whole or (speaker == tier and line["state"] == "active"):
                found.add((tier, key, "" if speaker == tier else speaker))
    return found


def _rows(found: list[Found]) -> list[tuple[str, str, str]]:
    return [(one.tier, json.loads(one.hit.line)["key"], one.shadowed_by) for one in found]


@settings(max_examples=40)
@given(_worlds, st.sampled_from(("red", "blue")))
def test_what_is_found_is_what_the_nearest_tiers_say(
    world: tuple[dict[str, Any], ...], word: str
) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = {"GITKB_HOME": str(folder / "home"), "XDG_CACHE_HOME": str(folder / "cache")}
        with mock.patch.dict(os.environ, environment):
            homes = (folder / "app", folder / "home/workstation", folder / "home/tiers/org")
            for home, store in zip(homes, world, strict=True):
                home.mkdir(parents=True)
                shelf = make_shelf(home)
                _write(shelf, store)
            rows = {"tiers": [{"name": "org", "url": "file:///org", "push": False}]}
            (folder / "home/tiers.json").write_text(json.dumps(rows))
            project = Shelf(make_shelf(folder / "app").store, folder / "app/.gitkb").store
            for whole in (False, True):
                listed = list_across(project, Filters(include_all=whole))
                assert set(_rows(listed)) == _expected(world, whole=whole)
                moments = [-json.loads(one.hit.line)["ts"] for one in listed]
                assert moments == sorted(moments)
                found = recall_across(project, word, Filters(include_all=whole))
                assert set(_rows(found)) == _expected(world, whole=whole, word=word)
                scores = [-one.hit.score for one in found]
                assert scores == sorted(scores)
                for limit in range(1, len(listed) + 2):
                    filters = Filters(limit=limit, include_all=whole)
                    assert list_across(project, filters) == listed[:limit]
                    assert recall_across(project, word, filters) == found[:limit]
                for tier in TIERS:
                    own = _rows(list_across(project, Filters(include_all=whole), tiers=(tier,)))
                    assert {row for row in own if not row[2]} == {
                        row for row in _rows(listed) if row[0] == tier and not row[2]
                    }
