"""The languages of a store are part of its search index."""

from __future__ import annotations

from contextlib import closing
from itertools import pairwise
from typing import TYPE_CHECKING

from gitkb.index.search import Filters
from gitkb.index.sync import open_synced

from index_builder import World, entry_line, keys_of

if TYPE_CHECKING:
    from pathlib import Path


def test_another_language_builds_the_index_anew_and_says_nothing(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.write("knowledge/all.jsonl", entry_line("k", "die Entscheidungen"))

    def found(languages: tuple[str, ...], notices: list[str]) -> list[str]:
        index = open_synced(
            str(world.database), world.files(), languages=languages, notices=notices
        )
        with closing(index):
            stems = [row[0] for row in index._connection.execute("SELECT word FROM word")]
            assert "entscheidungen" in stems
            return keys_of(index.search("entscheidung", Filters()))

    notices: list[str] = []
    inodes = []
    for languages in ((), ("de",), ("de",), ("de", "en"), ("en", "de"), ()):
        assert found(languages, notices) == ["k"]
        inodes.append(world.database.stat().st_ino)
    assert notices == []
    anew = [one != other for one, other in pairwise(inodes)]
    assert anew[0]
    assert not anew[1]
    assert not anew[3]
