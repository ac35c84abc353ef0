"""Repositories beside one another: what is whose, and that nothing leaks from one into another."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from repo_builder import Repo, script
from repository_kinds import submodule, with_store


def found(repo: Repo, word: str, **more: str) -> list[str]:
    return [hit["key"] for hit in repo.run("recall", word, "--json", env=more).json()]


def test_each_worktree_has_its_own_store_and_search_index(tmp_path: Path) -> None:
    main = with_store(tmp_path / "main")
    side = main.worktree(tmp_path / "side", "side")
    side.kb_add(key="moon", type_="fact", content="The moon pulls the water.")
    assert (found(main, "moon"), found(side, "moon")) == ([], ["moon"])
    derived = {Path(repo.run("where", "--json").json()["derived"]) for repo in (main, side)}
    assert derived == {main.path / ".git/gitkb", main.path / ".git/worktrees/side/gitkb"}
    assert all((folder / "index.sqlite").exists() for folder in derived)


def test_a_worktree_that_is_removed_takes_its_search_index_along(tmp_path: Path) -> None:
    main = with_store(tmp_path / "main")
    side = main.worktree(tmp_path / "side", "side")
    found(side, "harbour")
    main.git("worktree", "remove", str(side.path))
    assert not (main.path / ".git" / "worktrees").exists()
    assert found(main, "harbour") == ["older"]


def test_one_installation_serves_worktrees_that_are_made_later(tmp_path: Path) -> None:
    side = with_store(tmp_path / "main").worktree(tmp_path / "side", "side")
    side.write(".gitkb/knowledge/all.jsonl", b"broken\n")
    assert "not committed" in side.git("commit", "-qam", "Broken", exit_code=1).stderr


def test_a_submodule_and_its_project_do_not_see_each_others_entries(tmp_path: Path) -> None:
    part = submodule(tmp_path).repo
    above = Repo(part.path.parent)
    for repo, key in ((above, "above"), (part, "within")):
        repo.run("init", "--shards", "1")
        repo.kb_add(key=key, type_="fact", content="A harbour.")
    assert (found(above, "harbour"), found(part, "harbour")) == (["above"], ["within"])
    inside = Repo(part.path / "deep")
    inside.path.mkdir()
    assert found(inside, "harbour") == ["within"]


def test_a_hook_of_a_linked_worktree_that_writes_elsewhere_leaves_its_staging_area(
    tmp_path: Path,
) -> None:
    other = with_store(tmp_path / "other")
    main = with_store(tmp_path / "main")
    side = main.worktree(tmp_path / "side", "side")
    hook = main.path / ".git" / "hooks" / "commit-msg"
    add = f"'{script('gitkb')}' --dir '{other.path}'"
    hook.write_text(
        f"#!/bin/sh\n{add} add --key new --type fact --content x >/dev/null\n"
        f"{add} check >/dev/null && {add} blame >/dev/null && {add} doctor >/dev/null\n"
    )
    hook.chmod(0o755)
    before = (other.path / ".git" / "index").read_bytes()
    side.write("a", "1\n")
    side.git("add", "a")
    side.git("commit", "-q", "-m", "Write elsewhere")
    assert side.git("show", "--name-only", "--format=", "HEAD").lines() == ["a"]
    assert (other.path / ".git" / "index").read_bytes() == before
    assert found(other, "x") == ["new"]
    assert len(side.git("ls-files").lines()) == len(main.git("ls-files").lines()) + 1


def test_reading_verbs_take_no_lock_of_gits_and_leave_its_staging_area(tmp_path: Path) -> None:
    repo = with_store(tmp_path / "repo")
    index = repo.path / ".git" / "index"
    lock = repo.path / ".git" / "index.lock"
    before = index.read_bytes()
    os.utime(repo.path / ".gitkb" / "knowledge" / "all.jsonl")  # what a refresh would write down
    lock.touch()
    for words in (("recall", "harbour"), ("blame",), ("log", "older"), ("check",), ("doctor",)):
        repo.run(*words)
    assert index.read_bytes() == before
    assert lock.exists()  # somebody else's, however old it is


def test_check_ends_with_6_in_a_repository_of_another_user(tmp_path: Path) -> None:
    if os.getuid() != 0:
        pytest.skip("only root can give a folder to somebody else")
    repo = with_store(tmp_path / "repo")
    for path in (repo.path, repo.path / ".git"):
        os.chown(path, 12345, 12345)
    config = Path(os.environ["GIT_CONFIG_GLOBAL"]).read_bytes()
    done = repo.run("check", exit_code=6, env={"SUDO_UID": ""})
    assert done.stderr.endswith(f"git config --global --add safe.directory {repo.path}\n")
    assert (
        Path(os.environ["GIT_CONFIG_GLOBAL"]).read_bytes() == config
    )  # nothing is trusted for you


READERS = (
    "recall harbour",
    "list",
    "show older",
    "blame",
    "log older",
    "check",
    "context harbour",
    "doctor",
)
WRITERS = ("add --type fact --content x", "archive older", "forget older", "fmt", "session start x")


def test_a_read_only_checkout_can_be_read_and_refuses_writers(tmp_path: Path) -> None:
    repo = with_store(tmp_path / "repo")
    mount = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0"'
    probe = ["unshare", "-m", "sh", "-c", mount, str(repo.path)]
    if shutil.which("unshare") is None or subprocess.run(probe, check=False).returncode != 0:
        pytest.skip("this user cannot mount a folder read-only")
    before = repo.tree(".git") | repo.tree()
    lines = [f"'{script('gitkb')}' {words} >/dev/null 2>&1; echo $?" for words in READERS + WRITERS]
    lines.append(f"'{script('gitkb')}' uninstall >/dev/null 2>&1; echo $?")
    text = f'{mount} && cd "$0" && {{ ' + "; ".join(lines) + "; }"
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", text, str(repo.path)],
        capture_output=True, check=True, text=True,
    )  # fmt: skip
    expected = ["0"] * len(READERS) + ["5"] * len(WRITERS) + ["6"]
    assert done.stdout.split() == expected
    assert repo.tree(".git") | repo.tree() == before


def test_a_store_is_not_found_through_a_git_folder_of_somebody_above(tmp_path: Path) -> None:
    above = with_store(tmp_path / "above")
    inner = Repo.init(above.path / "inner")
    done = inner.run("list", exit_code=4)
    assert f"no knowledge base in the repository '{inner.path}'" in done.stderr


def test_a_folder_that_was_removed_meanwhile_is_said(tmp_path: Path) -> None:
    repo = with_store(tmp_path / "repo")
    line = f"mkdir gone && cd gone && rmdir ../gone && '{script('gitkb')}' list"
    done = subprocess.run(
        ["sh", "-c", line], cwd=repo.path, capture_output=True, check=False, text=True
    )
    assert (done.returncode, "the current folder was removed" in done.stderr) == (5, True)


def test_two_stores_of_one_repository_keep_to_themselves(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "repo")
    for part in ("one", "two"):
        repo.run("--dir", part, "init", "--shards", "1")
        store = str(repo.path / part)
        line = f'{{"key":"{part}","type":"fact","content":"A harbour."}}'
        repo.run("--dir", store, "add", stdin=line)
        assert found(repo, "harbour", GITKB_DIR=store) == [part]
        repo.run("--dir", store, "doctor")
    repo.commit("Two stores")
    for part in ("one", "two"):
        repo.write(f"{part}/.gitkb/knowledge/all.jsonl", b"broken\n")
        said = repo.git("commit", "-qam", "Broken", exit_code=1).stderr
        assert f"{part}/.gitkb/knowledge/all.jsonl:1" in said
        repo.git("checkout", "-q", "HEAD", "--", ".")
