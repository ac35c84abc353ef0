"""What git says of a repository, in every layout."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitkb.errors import GitError
from gitkb.git.repository import find_repository, git_version, open_repository
from gitkb.operations.install import install

from repo_builder import Repo


def begun(path: Path, *options: str) -> Repo:
    repo = Repo.init(path, *options)
    repo.write("a", "1\n")
    repo.commit("Begin")
    return repo


def test_a_plain_repository(tmp_path: Path) -> None:
    repo = begun(tmp_path / "repo")
    (repo.path / "deep").mkdir()
    found = open_repository(str(repo.path / "deep"))
    assert found.worktree == str(repo.path)
    assert found.git_dir == found.common_dir == str(repo.path / ".git")
    assert found.hooks_dir() == found.own_hooks_dir() == str(repo.path / ".git" / "hooks")
    assert (found.is_bare, found.is_linked, found.is_shallow()) == (False, False, False)
    assert (found.head(), found.branch()) == (repo.head(), "main")
    assert found.refs() == {"refs/heads/main": repo.head()}
    assert found.superproject() is None


def test_before_the_first_commit_there_is_no_head(tmp_path: Path) -> None:
    Repo.init(tmp_path / "repo")
    found = open_repository(str(tmp_path / "repo"))
    assert (found.head(), found.branch(), found.refs()) == (None, "main", {})


def test_a_detached_head_has_no_branch(tmp_path: Path) -> None:
    repo = begun(tmp_path / "repo")
    repo.git("checkout", "-q", "--detach")
    assert open_repository(str(repo.path)).branch() is None


def test_a_linked_worktree_shares_all_but_its_own_folder(tmp_path: Path) -> None:
    repo = begun(tmp_path / "worktrees")  # the word in the path confuses whoever searches strings
    linked = repo.worktree(tmp_path / "linked", "side")
    found = open_repository(str(linked.path))
    assert found.is_linked
    assert found.common_dir == str(repo.path / ".git")
    assert found.hooks_dir() == str(repo.path / ".git" / "hooks")
    assert found.path("index").startswith(found.git_dir)


def test_a_worktree_of_a_bare_repository(tmp_path: Path) -> None:
    bare = Repo.clone(begun(tmp_path / "repo"), tmp_path / "bare.git", "--bare")
    assert open_repository(str(bare.path)).is_bare
    tree = bare.worktree(tmp_path / "tree", "side")
    found = open_repository(str(tree.path))
    assert (found.is_bare, found.is_linked) == (False, True)
    assert found.common_dir == str(bare.path)


def test_a_submodule_is_not_a_linked_worktree(tmp_path: Path) -> None:
    above = begun(tmp_path / "above")
    origin = begun(tmp_path / "origin")
    above.git(
        "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(origin.path), "part"
    )
    found = open_repository(str(above.path / "part"))
    assert not found.is_linked
    assert found.superproject() == str(above.path)
    assert found.worktree == str(above.path / "part")


def test_outside_there_is_none(tmp_path: Path) -> None:
    assert find_repository(str(tmp_path)) is None


def test_a_path_may_hold_a_line_break(tmp_path: Path) -> None:
    repo = begun(tmp_path / "line\nbreak\n")
    linked = repo.worktree(tmp_path / "linked", "side")
    assert open_repository(str(repo.path)).worktree == str(repo.path)
    found = open_repository(str(linked.path))
    assert (found.worktree, found.common_dir) == (str(linked.path), str(repo.path / ".git"))
    assert found.is_linked


def test_a_format_that_git_does_not_know_is_gits_error(tmp_path: Path) -> None:
    repo = begun(tmp_path / "repo")
    repo.config("core.repositoryFormatVersion", "1")
    repo.config("extensions.unheardOf", "true")
    with pytest.raises(GitError, match="unheardof"):
        open_repository(str(repo.path))
    (repo.path / ".gitkb" / "knowledge").mkdir(parents=True)
    done = repo.run("post-checkout", "a", "b", "1", program="gitkb-hook")  # G2: hooks must exit 0
    assert done.stdout == ""


def test_a_repository_of_sha256_gets_everything(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "repo", "--object-format=sha256")
    repo.run("init", "--shards", "1")
    repo.kb_add(type_="fact", content="Ids may be 64 digits long.")
    done = repo.git("add", "-A")
    done = repo.git("commit", "-qm", "Begin")
    assert done.stderr == ""
    assert len(open_repository(str(repo.path)).head() or "") == 64
    assert (repo.path / ".git" / "gitkb" / "index.sqlite").exists()


@pytest.mark.parametrize(
    ("command", "operation"),
    [
        (("merge", "side"), "merge"),
        (("rebase", "side"), "rebase"),
        (("rebase", "--apply", "side"), "rebase"),
        (("cherry-pick", "side"), "cherry-pick"),
    ],
)
def test_an_operation_in_progress_is_named(
    tmp_path: Path, command: tuple[str, ...], operation: str
) -> None:
    repo = begun(tmp_path / "repo")
    repo.checkout("side", new=True)
    repo.write("a", "2\n")
    repo.commit("Side")
    repo.checkout("main")
    repo.write("a", "3\n")
    repo.commit("Main")
    assert open_repository(str(repo.path)).operation() is None
    repo.git(*command, exit_code=1)
    assert open_repository(str(repo.path)).operation() == operation


def test_a_hooks_path_that_names_the_own_folder_is_ours(tmp_path: Path) -> None:
    repo = begun(tmp_path / "repo")
    repo.config("core.hooksPath", str(repo.path / ".git" / "hooks"))
    assert "refused" not in {item.action for item in install(str(repo.path)).items}


def test_a_bare_repository_can_have_the_driver(tmp_path: Path) -> None:
    bare = Repo.init(tmp_path / "bare.git", bare=True)
    install(str(bare.path))
    said = bare.git("check-attr", "merge", ".gitkb/knowledge/3f.jsonl").stdout
    assert said.endswith("gitkb\n")


def test_the_version_is_numbers_and_text() -> None:
    version = git_version()
    assert version.numbers >= (2, 31, 0)
    assert version.text.startswith(f"{version.numbers[0]}.{version.numbers[1]}")
