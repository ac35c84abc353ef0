"""What a clone has accepted is kept where its worktrees meet, and nowhere that another store reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gitkb.core.trust import TrustList
from gitkb.store.discover import store_at
from gitkb.store.trust_record import read_accepted, write_accepted

from repo_builder import Repo

if TYPE_CHECKING:
    from pathlib import Path

    from gitkb.store.layout import Store

LISTED = TrustList(("ada@example.org",), False)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def store(folder: Path) -> Store:
    (folder / ".gitkb").mkdir(parents=True, exist_ok=True)
    return store_at(str(folder / ".gitkb"))


def test_stores_outside_of_git_do_not_share_their_lists(tmp_path: Path) -> None:
    one, other = store(tmp_path / "one"), store(tmp_path / "other")
    assert write_accepted(one, LISTED)
    assert read_accepted(one) == LISTED
    assert read_accepted(other) is None


def test_worktrees_share_theirs_until_their_repository_is_moved_away(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "repo")
    repo.write(".gitkb/config.toml", "")
    repo.commit("start")
    linked = repo.worktree(tmp_path / "linked", "side")
    assert write_accepted(store(repo.path), LISTED)
    assert read_accepted(store(linked.path)) == LISTED
    repo.path.rename(tmp_path / "elsewhere")
    assert read_accepted(store(linked.path)) is None
    assert write_accepted(store(linked.path), TrustList((), True))
    assert read_accepted(store(tmp_path / "outside")) is None
    assert read_accepted(store(tmp_path / "elsewhere")) == LISTED
