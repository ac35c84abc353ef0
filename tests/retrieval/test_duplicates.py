"""Duplicates as agents really write them: how often they are named, and how often others are.

The sets lie beside the project (`shared_data`) and are skipped by name where they are not there.
"""

from __future__ import annotations

import json
import tarfile
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from gitkb.core.search.similarity import ALMOST_CERTAIN, WORTH_A_WARNING
from gitkb.index.sync import open_synced

from index_builder import World, entry_line

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def sets(shared_data: Path) -> dict[str, Any]:
    archive = shared_data / "retrieval" / "dev.tar.xz"
    if not archive.exists():
        pytest.skip("the retrieval sets are not there")
    with tarfile.open(archive) as tar:
        files = {name: tar.extractfile(f"{name}.json") for name in ("dup-agent", "til-jbranchaud")}
        return {name: json.load(file) for name, file in files.items() if file}


def _nearest(
    folder: Path, notes: list[dict[str, str]], limit: int
) -> list[list[tuple[str, float]]]:
    """For each note of a store the keys (its place) and scores of what is most like it."""
    world = World(folder)
    world.write(
        "knowledge/all.jsonl",
        *(
            entry_line(str(number), note["text"], title=" ".join(note["title"].split()))
            for number, note in enumerate(notes)
        ),
    )
    found = []
    with closing(open_synced(str(world.database), world.files())) as index:
        for number, note in enumerate(notes):
            title = " ".join(note["title"].split())
            similar = index.similar(title, note["text"], limit=limit, without=str(number))
            found.append([(other.key, other.score) for other in similar])
    return found


@pytest.mark.slow
def test_what_agents_wrote_twice_is_found_the_second_time(
    sets: dict[str, Any], tmp_path: Path
) -> None:
    [source] = sets["dup-agent"]["sources"]
    places = {note["id"]: str(place) for place, note in enumerate(source["docs"])}
    nearest = _nearest(tmp_path, source["docs"], 20)
    ranks, scores = [], []
    for cluster in source["clusters"]:
        for member in cluster:
            partners = {places[other] for other in cluster} - {places[member]}
            found = nearest[int(places[member])]
            best = max((score for key, score in found if key in partners), default=-1.0)
            above = sum(score > best for key, score in found if key not in partners)
            ranks.append(above if best >= 0 else len(places))
            scores.append(best)
    first, three, ten = (sum(rank < top for rank in ranks) / len(ranks) for top in (1, 3, 10))
    warned = sum(score >= WORTH_A_WARNING for score in scores) / len(scores)
    assert first >= 0.83
    assert three >= 0.91
    assert ten >= 0.99
    assert warned >= 0.7


@pytest.mark.slow
def test_notes_that_nobody_wrote_twice_are_seldom_warned_of(
    sets: dict[str, Any], tmp_path: Path
) -> None:
    data = sets["til-jbranchaud"]
    titles = {
        document: query["text"]
        for query in data["queries"]
        for document in data["qrels"].get(query["id"], {})
    }
    notes = [{**note, "title": titles[note["id"]]} for note in data["docs"] if note["id"] in titles]
    best = [found[0][1] if found else 0.0 for found in _nearest(tmp_path, notes, 1)]
    warned, certain = (
        sum(score >= bound for score in best) for bound in (WORTH_A_WARNING, ALMOST_CERTAIN)
    )
    assert warned / len(notes) <= 0.08
    assert certain <= 5
