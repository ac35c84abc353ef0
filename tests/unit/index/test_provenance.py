from __future__ import annotations

from pathlib import Path

from gitkb.core.lineage import Commit
from gitkb.index.provenance import ProvenanceCache

ROOT = Commit("1" * 40, (), 10, 10, "Ada", "ada@example.org", "Begin")
NEXT = Commit("2" * 40, (ROOT.id,), 20, 15, "Benoît", "b@example.org", 'with "quotes"')
CHANGES = {ROOT.id: {"a": (1, 1), "b": (1, 1)}, NEXT.id: {"a": (1, 0)}}
ORIGINS = {"a": (NEXT.id, ROOT.id, 1), "b": (ROOT.id, ROOT.id, 1), "c": ("", ROOT.id, 0)}


def test_what_was_kept_comes_back(tmp_path: Path) -> None:
    with ProvenanceCache(str(tmp_path / "new" / "folder"), "w") as cache:
        assert cache.heads() == []
        assert cache.answer(NEXT.id) is None
        cache.keep_walked([ROOT, NEXT], CHANGES)
        cache.keep_answer(NEXT.id, {ROOT.id: ROOT, NEXT.id: NEXT}, ORIGINS)
    with ProvenanceCache(str(tmp_path / "new" / "folder"), "w") as cache:
        assert cache.heads() == [NEXT.id]
        assert cache.walked() == ({ROOT.id: ROOT, NEXT.id: NEXT}, CHANGES)
        assert cache.walked([ROOT.id, "absent"]) == ({ROOT.id: ROOT}, {ROOT.id: CHANGES[ROOT.id]})
        assert cache.ranks([NEXT.id, "absent"]) == {NEXT.id: 20}
        answer = cache.answer(NEXT.id)
        assert answer is not None
        commits, origins = answer
        assert origins == ORIGINS
        assert commits == {ROOT.id: ROOT, NEXT.id: NEXT._replace(parents=())}


def test_facts_of_another_world_do_not_count(tmp_path: Path) -> None:
    with ProvenanceCache(str(tmp_path), "shallow") as cache:
        cache.keep_walked([ROOT], CHANGES)
    with ProvenanceCache(str(tmp_path), "whole") as cache:
        assert cache.walked() == ({}, {})
        cache.keep_walked([NEXT], CHANGES)
    with ProvenanceCache(str(tmp_path), "whole") as cache:
        assert list(cache.walked()[0]) == [NEXT.id]


def test_only_the_latest_answers_are_kept(tmp_path: Path) -> None:
    with ProvenanceCache(str(tmp_path), "w") as cache:
        for number in range(12):
            cache.keep_answer(str(number), {ROOT.id: ROOT}, {"b": (ROOT.id, ROOT.id, 1)})
        assert cache.heads() == [str(number) for number in range(11, 3, -1)]


def test_more_commits_than_a_statement_takes_can_be_asked_for(tmp_path: Path) -> None:
    commits = [ROOT._replace(id=f"{number:040x}") for number in range(1_200)]
    with ProvenanceCache(str(tmp_path), "w") as cache:
        cache.keep_walked(commits, {})
        assert len(cache.walked([commit.id for commit in commits])[0]) == 1_200
