"""What a hit says of its place in the graph: superseded by what, in doubt because of what."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from repo_builder import Repo

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    repo = Repo.init(tmp_path / "r")
    repo.run("init", "--no-install", "--shards", "1")
    _add(repo, "floats", "money in floats", status="superseded")
    _add(repo, "cents", "money in cents", ("supersedes", "floats"))
    _add(repo, "rounding", "money is rounded down", ("depends_on", "floats"))
    return repo


def _add(repo: Repo, key: str, content: str, *links: tuple[str, str], **fields: Any) -> None:
    edges = [{"rel": relation, "to": target} for relation, target in links]
    repo.kb_add(key=key, type_="decision", content=content, links=edges, **fields)


@pytest.mark.parametrize("words", [("recall", "money"), ("list",)])
def test_a_hit_names_its_successor_and_what_makes_it_doubtful(
    repo: Repo, words: tuple[str, ...]
) -> None:
    found = {hit["key"]: hit for hit in repo.run(*words, "--all", "--json").json()}
    assert found["floats"]["superseded_by"] == ["cents"]
    assert found["rounding"]["in_doubt"] == ["floats"]
    assert not {"superseded_by", "in_doubt"} & found["cents"].keys()

    shown = repo.run(*words, "--all").stdout
    assert "superseded by cents" in shown
    assert "in doubt: floats" in shown


def test_doubt_is_shown_where_what_is_doubted_is_hidden(repo: Repo) -> None:
    shown = repo.run("recall", "money").stdout
    assert "floats  " not in shown
    assert "in doubt: floats" in shown
    _add(repo, "floats", "money in floats", status="active")
    assert "in doubt" not in repo.run("recall", "money").stdout
