"""The chain of stores: its order, what is left out, and who speaks for a key."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from gitkb.errors import NotFoundError
from gitkb.operations.clone.setup import make_store
from gitkb.operations.tier import find_project, find_tier, list_tiers, read_tiers, shadowing

if TYPE_CHECKING:
    from pathlib import Path

    from gitkb.store.layout import Store


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's folder, which does not exist yet."""
    monkeypatch.setenv("GITKB_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def project(tmp_path: Path) -> Store:
    """A project with a store."""
    return make_store(str(tmp_path / "project"), 1).store


def set_up(home: Path, *rows: tuple[str, bool]) -> None:
    home.mkdir(exist_ok=True)
    tiers = [{"name": name, "url": f"/url/{name}", "push": push} for name, push in rows]
    (home / "tiers.json").write_text(json.dumps({"tiers": tiers}))


def names(store: Store | None, notices: list[str] | None = None) -> list[str]:
    return [tier.name for tier in read_tiers(store, notices)]


def test_without_a_home_there_is_the_project_alone_and_nothing_is_made(
    home: Path, project: Store
) -> None:
    notices: list[str] = []
    assert names(project, notices) == ["project"]
    assert names(None, notices) == []
    assert notices == []
    assert not home.exists()
    assert [tier.state for tier in list_tiers(project)] == ["ready", "not made yet"]


def test_the_nearest_comes_first(home: Path, project: Store) -> None:
    for folder in ("workstation", "tiers/org", "tiers/all"):
        make_store(str(home / folder), 1)
    set_up(home, ("org", False), ("all", True))
    tiers = read_tiers(project)
    assert [(tier.name, tier.writable) for tier in tiers] == [
        ("project", True), ("workstation", True), ("org", False), ("all", True),
    ]  # fmt: skip
    assert tiers[2].store.root == str(home / "tiers" / "org" / ".gitkb")
    assert names(None) == ["workstation", "org", "all"]


def test_a_tier_that_is_missing_or_broken_is_named_with_its_cure(
    home: Path, project: Store
) -> None:
    make_store(str(home / "tiers" / "good"), 1)
    (home / "tiers" / "empty").mkdir()
    (home / "tiers" / "file").write_bytes(b"")
    (home / "tiers" / "begun").mkdir()
    set_up(
        home,
        ("gone", False), ("empty", False), ("file", False), ("begun", True), ("lost", True),
        ("good", False),
    )  # fmt: skip
    notices: list[str] = []
    assert names(project, notices) == ["project", "good"]
    assert [notice.partition(" is ")[0] for notice in notices] == [
        "the tier 'gone' has no copy here and",
        "the tier 'empty' holds no .gitkb and",
        "the tier 'file'",
        "the tier 'lost' has no copy here and",
    ]
    assert all("gitkb tier " in notice or "move it away" in notice for notice in notices)


def test_a_file_in_the_place_of_the_workstation_is_named(home: Path, project: Store) -> None:
    home.mkdir()
    (home / "workstation").write_bytes(b"")
    notices: list[str] = []
    assert names(project, notices) == ["project"]
    assert "'workstation'" in notices[0]


def test_broken_settings_cost_the_further_tiers_alone(home: Path, project: Store) -> None:
    make_store(str(home / "workstation"), 1)
    (home / "tiers.json").write_bytes(b"{")
    notices: list[str] = []
    assert names(project, notices) == ["project", "workstation"]
    assert len(notices) == 1
    assert "tiers.json" in notices[0]


def test_who_stands_in_a_tiers_folder_is_in_that_tier(home: Path) -> None:
    workstation = make_store(str(home / "workstation"), 1).store
    org = make_store(str(home / "tiers" / "org"), 1).store
    set_up(home, ("org", False))
    assert names(workstation) == ["workstation", "org"]
    assert names(org) == ["org", "workstation"]


def test_a_tier_is_found_by_its_name(home: Path) -> None:
    set_up(home, ("org", True))
    found = find_tier("org")
    assert found is not None
    assert (found.url, found.writable, found.state) == ("/url/org", True, "missing")
    assert find_tier("workstation") is not None
    assert find_tier("project") is None


def test_a_project_that_was_named_has_to_be_there(
    tmp_path: Path, project: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert find_project(None) is None
    found = find_project(str(tmp_path / "project"))
    assert found is not None
    assert found.root == project.root
    with pytest.raises(NotFoundError):
        find_project(str(tmp_path / "nowhere"))
    monkeypatch.setenv("GITKB_DIR", str(tmp_path / "nowhere"))
    with pytest.raises(NotFoundError):
        find_project(None)


def test_the_nearest_that_holds_a_key_speaks_for_it() -> None:
    held = {("b", "k"), ("c", "k")}

    def holds(tier: str, key: str) -> bool:
        return (tier, key) in held

    assert shadowing(["a", "b", "c"], holds, "k") == ("b", ("c",))
    assert shadowing(["c", "a"], holds, "k") == ("c", ())
    assert shadowing(["a"], holds, "k") == ("", ())
