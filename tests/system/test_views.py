"""Views with real git: what two branches wrote merges without a conflict, and is right afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from repo_builder import Repo, Team, team

if TYPE_CHECKING:
    from pathlib import Path

VIEW = ".gitkb/views/learnings.md"
COMMIT_VIEWS = "shards = 256\n\n[views]\ncommit = true\n"


def learn(repo: Repo, key: str, category: str = "technical", **fields: object) -> None:
    repo.kb_add(
        key=key,
        type_="learned",
        title=f"Title {key}",
        content="x",
        category=category,
        scope="project",
        **fields,
    )


def view_of(repo: Repo) -> str:
    return repo.read(VIEW).decode()


def is_fresh(repo: Repo) -> bool:
    return repo.run("view", "--check", exit_code=None).exit_code == 0


def with_views(repo: Repo) -> None:
    repo.write(".gitkb/config.toml", COMMIT_VIEWS)
    learn(repo, "first")
    repo.commit("Commit views")


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A repository whose team commits its views."""
    repo = Repo.init(tmp_path / "repo")
    repo.run("init")
    with_views(repo)
    return repo


@pytest.fixture
def pair(tmp_path: Path) -> Team:
    """Two people of a team that commits its views."""
    pair = team(tmp_path)
    with_views(pair.ada)
    pair.ada.push()
    pair.ben.pull()
    return pair


# --- after writes -----------------------------------------------------------------------------


def test_a_write_writes_the_view_where_the_team_commits_it(repo: Repo) -> None:
    assert "Title first" in view_of(repo)
    learn(repo, "second")
    assert "Title second" in view_of(repo)
    repo.run("archive", "second")
    assert "Title second" not in view_of(repo)
    repo.run("restore", "second")
    repo.run("supersede", "first", "second")
    assert "Title first" not in view_of(repo)
    repo.run("forget", "second")
    assert "Title" not in view_of(repo)
    assert is_fresh(repo)


def test_a_write_writes_none_where_nobody_asked_for_it(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "plain")
    repo.run("init")
    learn(repo, "first")
    assert not (repo.path / ".gitkb/views").exists()


def test_an_entry_is_written_even_where_its_view_cannot_be(repo: Repo, tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("mine\n")
    (repo.path / VIEW).unlink()
    (repo.path / VIEW).symlink_to(outside)
    learn(repo, "second")
    assert outside.read_text() == "mine\n"
    assert repo.run("show", "second").stdout
    assert "stale-view" in repo.run("check", "--json").stdout
    said = repo.run("view", exit_code=5)
    assert "outside of the store" in said.stderr
    assert outside.read_text() == "mine\n"


# --- merges -----------------------------------------------------------------------------------


def branch_off(repo: Repo, *, are_numbered: bool = False) -> None:
    """Two branches that both wrote learnings and the view.

    Unless `are_numbered`, both took the same numbers, which the merge's hook heals.
    """
    numbers: list[dict[str, Any]] = [
        {"aliases": [f"L-{number}"]} if are_numbered else {} for number in range(101, 105)
    ]
    repo.checkout("side", new=True)
    learn(repo, "theirs", importance=5, **numbers[0])
    learn(repo, "theirs-too", "process", **numbers[1])
    repo.commit("Theirs")
    repo.checkout("main")
    learn(repo, "ours", **numbers[2])
    learn(repo, "ours-too", "security", **numbers[3])
    repo.commit("Ours")


def test_a_merge_of_two_branches_that_wrote_views_has_no_conflict(repo: Repo) -> None:
    branch_off(repo, are_numbered=True)
    before = repo.read(VIEW)
    said = repo.merge("side")
    assert f"'{VIEW}' was written anew" in said.stderr
    assert repo.git("show", f"HEAD:{VIEW}").stdout.encode() == before
    assert all(f"Title {key}" in view_of(repo) for key in ("first", "theirs", "ours-too"))
    assert is_fresh(repo)
    assert repo.status() == [f" M {VIEW}"]
    repo.commit("The view")
    assert is_fresh(repo)


def test_without_hooks_and_driver_a_merge_has_no_conflict_either(
    repo: Repo, tmp_path: Path
) -> None:
    branch_off(repo)
    bare = Repo.clone(repo, tmp_path / "bare")
    bare.merge("origin/side")
    assert b"<<<<<<<" not in bare.read(VIEW)
    assert not is_fresh(bare)
    assert "gitkb view" in bare.run("check").stderr
    bare.run("view")
    assert is_fresh(bare)
    assert all(f"Title {key}" in view_of(bare) for key in ("first", "theirs", "ours-too"))


def test_a_view_that_both_sides_added_merges(repo: Repo) -> None:
    repo.git("rm", "-q", VIEW)
    repo.git("commit", "-q", "-m", "None yet")
    branch_off(repo)
    repo.merge("side")
    assert is_fresh(repo)


def test_a_rebase_and_a_cherry_pick_have_no_conflict(repo: Repo) -> None:
    branch_off(repo)
    repo.checkout("picked", new=True)
    repo.git("cherry-pick", "side")
    assert is_fresh(repo)
    repo.commit("The view", "--allow-empty")
    repo.checkout("side")
    repo.rebase("main")
    assert is_fresh(repo)
    assert "Title theirs" in view_of(repo)


def test_a_merge_that_a_person_finishes_is_followed_by_the_view(repo: Repo) -> None:
    branch_off(repo)
    repo.git("merge", "--no-commit", "side")
    repo.git("commit", "-q", "--no-edit")
    assert is_fresh(repo)


def test_a_checkout_leaves_the_view_as_the_branch_has_it(repo: Repo) -> None:
    branch_off(repo, are_numbered=True)
    repo.merge("side")
    repo.git("checkout", "-q", "--", VIEW)
    repo.checkout("other", new=True)
    repo.checkout("main")
    assert repo.status() == []


def test_two_people_push_and_pull_learnings_with_their_views(pair: Team) -> None:
    learn(pair.ada, "from-ada")
    pair.ada.commit("Ada")
    pair.ada.push()
    learn(pair.ben, "from-ben")
    pair.ben.commit("Ben")
    pair.ben.pull()
    assert is_fresh(pair.ben)
    pair.ben.commit("The view")
    pair.ben.push()
    pair.ada.pull()
    assert is_fresh(pair.ada)
    assert pair.ada.status() == []
    assert pair.ada.read(VIEW) == pair.ben.read(VIEW)


def test_a_store_below_the_top_is_looked_after_too(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "repo")
    place = repo.path / "a service"
    place.mkdir()
    repo.run("init", "--dir", place)
    repo.write("a service/.gitkb/config.toml", COMMIT_VIEWS)
    entry = '{"key":"%s","type":"learned","category":"process","scope":"project","title":"%s","content":"x"}'
    repo.run("add", "--dir", place, stdin=entry % ("first", "first"))
    repo.commit("Begin")
    repo.checkout("side", new=True)
    repo.run("add", "--dir", place, stdin=entry % ("theirs", "theirs"))
    repo.commit("Theirs")
    repo.checkout("main")
    repo.run("add", "--dir", place, stdin=entry % ("ours", "ours"))
    repo.commit("Ours")
    repo.merge("side")
    assert repo.run("view", "--check", "--dir", place).exit_code == 0


# --- installation -----------------------------------------------------------------------------


def test_installing_sets_up_the_driver_and_uninstalling_leaves_no_byte(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "repo")
    before = repo.read(".git/config")
    repo.run("init")
    assert repo.git("config", "merge.gitkb-view.driver").stdout == "true\n"
    said = repo.git("check-attr", "merge", VIEW).stdout
    assert said == f"{VIEW}: merge: gitkb-view\n"
    repo.run("uninstall")
    assert repo.read(".git/config") == before
    assert repo.git("check-attr", "merge", VIEW).stdout == f"{VIEW}: merge: union\n"


def test_an_installation_without_views_is_mended(repo: Repo) -> None:
    repo.git("config", "--remove-section", "merge.gitkb-view")
    text = repo.read(".git/info/attributes").decode()
    kept = "".join(line for line in text.splitlines(True) if "views" not in line)
    repo.write(".git/info/attributes", kept)
    said = repo.run("doctor", exit_code=1).stdout
    assert "the merge driver of views does not work: it is not configured" in said
    assert "to the merge driver of views" in said
    assert "mended   merge driver" in repo.run("install").stdout
    assert "ok       committed views merge without a conflict" in repo.run("doctor", "--all").stdout


@pytest.mark.parametrize("line", ["false", "cp %B %A"])
def test_the_doctor_tries_the_driver(repo: Repo, line: str) -> None:
    repo.config("merge.gitkb-view.driver", line)
    assert "driver of views does not work" in repo.run("doctor", exit_code=1).stdout
    repo.run("doctor", "--fix")
    assert repo.git("config", "merge.gitkb-view.driver").stdout == "true\n"


def test_a_store_without_the_rule_hears_of_it(repo: Repo) -> None:
    repo.write(".gitkb/.gitattributes", "*.jsonl merge=gitkb diff=gitkb text eol=lf\n")
    assert "has no rule for views" in repo.run("doctor", exit_code=None).stdout
    repo.run("init")
    assert "has no rule for views" not in repo.run("doctor", exit_code=None).stdout


def test_a_name_that_stands_for_nothing_is_said_to_be_a_file_of_learnings(repo: Repo) -> None:
    for name, is_known in (("decisoin", False), ("decision", True), ("knowledge", True)):
        said = repo.run("view", name).stderr
        assert (f"note: '{name}' is no type and no category" not in said) is is_known


# --- what is staged ---------------------------------------------------------------------------


def test_what_is_staged_is_judged_by_what_is_staged(repo: Repo) -> None:
    learn(repo, "second")
    repo.add(".gitkb/knowledge")
    said = repo.run("view", "--check", "--staged", exit_code=1)
    assert f"gitkb view --staged, then git add '{VIEW}'" in said.stderr
    learn(repo, "third")
    repo.run("view", "--staged")
    repo.add(VIEW)
    assert "Title second" in view_of(repo)
    assert "Title third" not in view_of(repo)
    repo.run("view", "--check", "--staged")
    repo.run("view")
    repo.run("view", "--check", "--staged")
    repo.add(VIEW)
    repo.run("view", "--check", "--staged", exit_code=1)


def test_a_view_that_is_not_staged_is_missing(repo: Repo) -> None:
    repo.git("rm", "-q", "--cached", VIEW)
    said = repo.run("view", "--check", "--staged", exit_code=1)
    assert "is not staged" in said.stderr
    shown = repo.run("view", "--check", "--staged", "--json", exit_code=1).json()
    assert [view["state"] for view in shown["views"]] == ["missing"]


def test_a_commit_that_changes_no_knowledge_is_not_judged(repo: Repo) -> None:
    learn(repo, "second")
    repo.add(".gitkb/knowledge")
    repo.git("commit", "-q", "--no-verify", "-m", "Without the view")
    repo.write("README", "more\n")
    repo.add("README")
    repo.run("view", "--check", "--staged")
    repo.run("view", "--check", "--staged", VIEW, exit_code=1)
