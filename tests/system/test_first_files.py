"""In a layout of few files all are there from the beginning, so that no revert removes one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from repo_builder import Repo

if TYPE_CHECKING:
    from pathlib import Path


def test_reverting_the_first_correction_of_all_is_a_merge_by_key(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "work")
    repo.run("init", "--shards", "1")
    repo.kb_add(key="a", type_="fact", content="one")
    repo.kb_add(key="b", type_="fact", content="one")
    repo.commit("start")
    repo.kb_add(key="a", type_="fact", content="two")
    first = repo.commit("the correction that fills the archive")
    repo.kb_add(key="b", type_="fact", content="two")
    repo.commit("a later one")

    repo.git("revert", "--no-edit", first)

    assert repo.status() == []
    assert repo.run("show", "a", "--json").json()["content"] == "one"
    assert repo.run("show", "b", "--json").json()["content"] == "two"
    assert repo.run("check").exit_code == 0
