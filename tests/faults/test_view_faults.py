"""A view is written whole or not at all, and what befalls it never costs an entry."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fault_builder import copies, data_lines, fault_at, said_in
from repo_builder import Repo

if TYPE_CHECKING:
    from pathlib import Path

VIEW = ".gitkb/views/learnings.md"
ENTRY = '{"key":"second","type":"learned","category":"process","scope":"project","title":"Second","content":"two"}'


@pytest.mark.parametrize("kind", ["kill", "full"])
def test_a_fault_at_any_call_about_the_view_leaves_it_whole(tmp_path: Path, kind: str) -> None:
    repo = Repo.init(tmp_path / "repo")
    repo.run("init")
    repo.write(".gitkb/config.toml", "shards = 256\n[views]\ncommit = true\n")
    repo.kb_add(key="first", type_="learned", category="process", scope="project", content="one")
    before = repo.read(VIEW)
    for number, copy in copies(repo, tmp_path / "copies"):
        env = fault_at(tmp_path / "fault", number, kind, place=f"{copy.path}/.gitkb/views/")
        (tmp_path / "fault/log").unlink(missing_ok=True)
        done = copy.run("add", stdin=ENTRY, env=env, exit_code=None)
        if not (tmp_path / "fault/log").exists():
            assert number > 3
            break
        whole = copy.read(VIEW) == before or b"Second" in copy.read(VIEW)
        assert whole
        said = said_in(data_lines(copy))
        if kind == "full" and done.exit_code == 0:
            assert ("second", "two") in said  # acknowledged, whatever became of the view
        copy.run("view")
        assert (b"Second" in copy.read(VIEW)) is (("second", "two") in said)
        copy.run("view", "--check")
