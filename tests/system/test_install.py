"""gitkb put into real clones of every layout, beside other tools, and taken out again."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from gitkb.errors import GitError
from gitkb.git import driver
from gitkb.git.hook_path import HOOK_NAMES, script
from gitkb.operations.install import InstallResult, install
from gitkb.operations.uninstall import uninstall

from repo_builder import Repo, run_program
from repo_builder import script as program

if TYPE_CHECKING:
    from collections.abc import Callable

SKIPPED = ("objects", "index", "logs", "COMMIT_EDITMSG", "ORIG_HEAD", "MERGE_RR", "rr-cache")


class State(NamedTuple):
    files: dict[str, tuple[bytes, int]]
    folders: list[str]


def state_of(git_dir: Path) -> State:
    """Every byte and mode below a git folder, less what any git command may change."""
    files, folders = {}, []
    for path in sorted(git_dir.rglob("*")):
        name = path.relative_to(git_dir).as_posix()
        if any(part in SKIPPED for part in name.split("/")):
            continue
        if path.is_dir():
            folders.append(name)
        else:
            files[name] = (path.read_bytes(), path.stat().st_mode)
    return State(files, folders)


def repo_with_store(path: Path) -> Repo:
    repo = Repo.init(path)
    repo.write(".gitkb/.gitattributes", "*.jsonl merge=gitkb diff=gitkb text eol=lf\n")
    repo.write(".gitkb/knowledge/ca.jsonl", "")
    repo.commit("Begin")
    return repo


def actions(result: InstallResult) -> dict[str, str]:
    return {item.what: item.action for item in result.items}


def git_folder(repo: Repo) -> Path:
    said = repo.git("rev-parse", "--path-format=absolute", "--git-common-dir").stdout
    return Path(said.removesuffix("\n"))


# --- every layout ----------------------------------------------------------------------------

FOLDERS = ["plain", "with space", "it's", "100% %O", "знания", 'a"b', "$HOME", "a;b&c", "[x]*"]


@pytest.mark.parametrize("name", FOLDERS)
def test_uninstall_restores_every_byte_whatever_the_folder_is_called(
    tmp_path: Path, name: str
) -> None:
    repo = repo_with_store(tmp_path / name)
    before = state_of(repo.path / ".git")
    install(str(repo.path))
    assert state_of(repo.path / ".git") != before
    uninstall(str(repo.path))
    assert state_of(repo.path / ".git") == before


@pytest.mark.parametrize("layout", ["linked", "submodule", "bare and worktree"])
def test_uninstall_restores_every_byte_in_every_layout(tmp_path: Path, layout: str) -> None:
    origin = repo_with_store(tmp_path / "origin")
    if layout == "linked":
        repo = origin.worktree(tmp_path / "linked here", "side")
    elif layout == "submodule":
        above = Repo.init(tmp_path / "above")
        add = ("-c", "protocol.file.allow=always", "submodule", "add", "-q")
        above.git(*add, str(origin.path), "part")
        repo = Repo(above.path / "part")
    else:
        bare = Repo.clone(origin, tmp_path / "worktrees.git", "--bare")
        repo = bare.worktree(tmp_path / "tree", "side")
    common = git_folder(repo)
    before = state_of(common)
    result = install(str(repo.path))
    assert set(actions(result).values()) == {"made"}
    assert (common / "hooks" / "post-merge").read_bytes() == script("post-merge")
    assert repo.git("check-attr", "merge", ".gitkb/knowledge/ca.jsonl").stdout.endswith("gitkb\n")
    uninstall(str(repo.path))
    assert state_of(common) == before


def test_a_submodule_does_not_touch_the_project_above_it(tmp_path: Path) -> None:
    origin = repo_with_store(tmp_path / "origin")
    above = Repo.init(tmp_path / "above")
    add = ("-c", "protocol.file.allow=always", "submodule", "add", "-q")
    above.git(*add, str(origin.path), "part")
    before = (above.path / ".git" / "config").read_bytes()
    install(str(above.path / "part"))
    assert (above.path / ".git" / "config").read_bytes() == before
    assert not (above.path / ".git" / "hooks" / "post-merge").exists()


def test_one_installation_serves_all_worktrees(tmp_path: Path) -> None:
    repo = repo_with_store(tmp_path / "main")
    linked = repo.worktree(tmp_path / "linked", "side")
    install(str(linked.path))
    assert set(actions(install(str(repo.path))).values()) == {"kept"}


def test_installing_from_inside_a_hook_of_another_repository_does_not_touch_that_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # git exports these from a linked worktree; a child that keeps them works on the wrong repository.
    other = repo_with_store(tmp_path / "other")
    repo = repo_with_store(tmp_path / "repo")
    before = state_of(other.path / ".git")
    monkeypatch.setenv("GIT_DIR", str(other.path / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other.path / ".git" / "index"))
    install(str(repo.path))
    assert state_of(other.path / ".git") == before
    assert (repo.path / ".git" / "hooks" / "post-merge").exists()


def test_outside_a_repository_the_error_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(GitError) as caught:
        install(str(tmp_path))
    assert caught.value.hint is not None
    assert "git init" in caught.value.hint


# --- twice, and after edits ------------------------------------------------------------------


def test_installing_twice_changes_nothing(tmp_path: Path) -> None:
    repo = repo_with_store(tmp_path / "repo")
    install(str(repo.path))
    once = state_of(repo.path / ".git")
    result = install(str(repo.path))
    assert not result.changed
    assert state_of(repo.path / ".git") == once


def test_edits_made_since_the_installation_are_kept(tmp_path: Path) -> None:
    repo = repo_with_store(tmp_path / "repo")
    before = (repo.path / ".git" / "config").read_bytes()
    install(str(repo.path))
    repo.config("alias.st", "status")
    info = repo.path / ".git" / "info" / "attributes"
    info.write_bytes(b"*.png binary\n" + info.read_bytes() + b"*.txt text\n")
    uninstall(str(repo.path))
    assert (repo.path / ".git" / "config").read_bytes() == before + b"[alias]\n\tst = status\n"
    assert info.read_bytes() == b"*.png binary\n*.txt text\n"


def test_without_its_record_an_installation_is_found_by_its_content(tmp_path: Path) -> None:
    repo = repo_with_store(tmp_path / "repo")
    before = state_of(repo.path / ".git")
    install(str(repo.path))
    (repo.path / ".git" / "gitkb" / "install.json").unlink()
    uninstall(str(repo.path))
    after = state_of(repo.path / ".git")
    assert after.files["config"] == before.files["config"]
    assert after.files == before.files


def test_a_line_of_an_older_version_is_rewritten_and_taken_back(tmp_path: Path) -> None:
    repo = repo_with_store(tmp_path / "repo")
    repo.config("merge.gitkb.driver", "gitkb-merge-driver %L %R")
    before = state_of(repo.path / ".git")
    assert actions(install(str(repo.path)))["merge driver"] == "mended"
    assert repo.git("config", "merge.gitkb.driver").stdout == driver.driver_line() + "\n"
    uninstall(str(repo.path))
    assert state_of(repo.path / ".git") == before


def test_the_driver_line_is_written_before_its_name(tmp_path: Path) -> None:
    repo = repo_with_store(tmp_path / "repo")
    install(str(repo.path))
    text = (repo.path / ".git" / "config").read_text()
    assert text.index("driver =") < text.index("name =", text.index('[merge "gitkb"]'))


def test_a_hook_that_lost_its_permission_gets_it_back(tmp_path: Path) -> None:
    repo = repo_with_store(tmp_path / "repo")
    install(str(repo.path))
    hook = repo.path / ".git" / "hooks" / "post-merge"
    hook.chmod(0o644)
    assert actions(install(str(repo.path)))["hook post-merge"] == "mended"
    assert os.access(hook, os.X_OK)


def test_uninstall_says_which_hook_a_person_has_changed(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "repo")
    repo.run("init")
    hook = repo.path / ".git" / "hooks" / "post-merge"
    hook.write_bytes(hook.read_bytes() + b"echo mine\n")
    items = {item.where: item.action for item in uninstall(str(repo.path)).items}
    assert items[str(hook)] == "kept"
    assert hook.read_bytes().endswith(b"echo mine\n")


def test_uninstalling_what_was_never_installed_does_nothing(tmp_path: Path) -> None:
    repo = repo_with_store(tmp_path / "repo")
    before = state_of(repo.path / ".git")
    assert uninstall(str(repo.path)).items == ()
    assert state_of(repo.path / ".git") == before


def test_folders_that_git_templates_left_out_go_again(tmp_path: Path) -> None:
    (tmp_path / "template").mkdir()
    repo = Repo.init(tmp_path / "repo", f"--template={tmp_path / 'template'}")
    assert not (repo.path / ".git" / "hooks").exists()
    before = state_of(repo.path / ".git")
    install(str(repo.path))
    uninstall(str(repo.path))
    assert state_of(repo.path / ".git") == before


def test_a_moved_repository_can_still_be_cleaned(tmp_path: Path) -> None:
    repo = repo_with_store(tmp_path / "repo")
    before = state_of(repo.path / ".git")
    install(str(repo.path))
    repo.path.rename(tmp_path / "moved")
    uninstall(str(tmp_path / "moved"))
    assert state_of(tmp_path / "moved" / ".git") == before


def test_a_store_that_lies_deeper_gets_its_own_rule(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "repo")
    repo.write("docs [old]/.gitkb/knowledge/ca.jsonl", "")
    before = state_of(repo.path / ".git")
    install(str(repo.path), store=str(repo.path / "docs [old]" / ".gitkb"))
    said = repo.git("check-attr", "-z", "merge", "docs [old]/.gitkb/knowledge/ca.jsonl").stdout
    assert said.split("\0")[2] == "gitkb"
    uninstall(str(repo.path))
    assert state_of(repo.path / ".git") == before


# --- for every clone of a person -------------------------------------------------------------


def test_the_global_driver_is_written_and_taken_back(tmp_path: Path, sealed: Path) -> None:
    (sealed / "gitconfig").write_bytes(b"[user]\n\tname = Ada")  # no line feed at the end
    result = install(str(tmp_path), global_=True)
    assert [item.action for item in result.items] == ["made", "made"]
    repo = repo_with_store(tmp_path / "repo")
    assert (
        repo.git("config", "--global", "merge.gitkb.driver").stdout == driver.driver_line() + "\n"
    )
    again = actions(install(str(tmp_path), global_=True))
    assert again == {"merge driver (global)": "kept", "readable diffs (global)": "kept"}
    uninstall(str(tmp_path), global_=True)
    assert (sealed / "gitconfig").read_bytes() == b"[user]\n\tname = Ada"
    assert not (sealed / "home" / ".local").exists()


@pytest.mark.parametrize("again", [install, uninstall])
def test_what_a_killed_call_left_beside_the_global_configuration_goes_with_the_next(
    tmp_path: Path, sealed: Path, again: Callable[..., InstallResult]
) -> None:
    install(str(tmp_path), global_=True)
    shutil.rmtree(sealed / "home" / ".local")  # it was killed before it wrote its record
    os.link(sealed / "gitconfig", sealed / "gitconfig.gitkb-new")
    (sealed / "gitconfig.gitkb-edit").write_bytes((sealed / "gitconfig").read_bytes())
    again(str(tmp_path), global_=True)
    assert [path.name for path in sealed.glob("gitconfig*")] == ["gitconfig"]
    assert (b"gitkb" in (sealed / "gitconfig").read_bytes()) == (again is install)


def test_a_device_in_place_of_the_global_configuration_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    with pytest.raises(GitError, match="not a regular file"):
        install(str(tmp_path), global_=True)


# --- beside other tools ----------------------------------------------------------------------


@pytest.fixture
def older_git(monkeypatch: pytest.MonkeyPatch) -> None:
    """A git that knows no hooks in the configuration, as all before 2.54."""
    monkeypatch.setattr("gitkb.git.hook_path.HOOKS_IN_CONFIGURATION", (999, 0, 0))


def foreign_hook(repo: Repo, name: str, text: str) -> Path:
    path = repo.write(name, text)
    path.chmod(0o755)
    return path


@pytest.mark.usefixtures("older_git")
def test_hooks_of_git_lfs_stay_and_run_and_the_line_to_add_is_named(tmp_path: Path) -> None:
    repo = repo_with_store(tmp_path / "repo")
    text = '#!/bin/sh\n# git lfs post-merge\necho lfs >>"$(git rev-parse --show-toplevel)/ran"\n'
    hook = foreign_hook(repo, ".git/hooks/post-merge", text)
    before = state_of(repo.path / ".git")
    result = install(str(repo.path))
    assert hook.read_text() == text
    [item] = [item for item in result.items if item.action == "refused"]
    assert item.what == "hook post-merge"
    assert item.where == str(hook)
    call = 'gitkb-hook post-merge "$@" || exit'
    assert item.advice[-1] == f"if command -v gitkb-hook >/dev/null; then {call}; fi"
    assert actions(result)["hook post-checkout"] == "made"
    hook.write_text(text + item.advice[-1] + "\n")
    assert actions(install(str(repo.path)))["hook post-merge"] == "kept"
    hook.write_text(text)
    uninstall(str(repo.path))
    assert state_of(repo.path / ".git") == before


@pytest.mark.usefixtures("older_git")
def test_a_comment_that_names_us_is_no_call(tmp_path: Path) -> None:
    repo = repo_with_store(tmp_path / "repo")
    foreign_hook(repo, ".git/hooks/post-merge", "#!/bin/sh\n# gitkb-hook post-merge is for later\n")
    assert actions(install(str(repo.path)))["hook post-merge"] == "refused"


@pytest.mark.usefixtures("older_git")
def test_husky_keeps_its_folder_and_gets_the_line_where_people_write(tmp_path: Path) -> None:
    repo = repo_with_store(tmp_path / "repo")
    for name in HOOK_NAMES:
        foreign_hook(repo, f".husky/_/{name}", '#!/usr/bin/env sh\n. "${0%/*}/h"\n')
    repo.write(".husky/post-merge", 'npm ci\ngitkb-hook post-merge "$@"\n')
    repo.config("core.hooksPath", ".husky/_")
    before = repo.tree(".husky")
    result = install(str(repo.path))
    assert repo.tree(".husky") == before
    assert not (repo.path / ".git" / "hooks" / "post-checkout").exists()
    assert actions(result)["hook post-merge"] == "kept"
    [item] = [item for item in result.items if item.what == "hook post-commit"]
    assert item.action == "refused"
    assert item.where == str(repo.path / ".husky" / "post-commit")


@pytest.mark.usefixtures("older_git")
def test_lefthook_is_told_in_its_own_words(tmp_path: Path) -> None:
    repo = repo_with_store(tmp_path / "repo")
    foreign_hook(repo, ".git/hooks/post-merge", '#!/bin/sh\nlefthook run "post-merge" "$@"\n')
    repo.write("lefthook.yml", "pre-push:\n  parallel: true\n")
    [item] = [i for i in install(str(repo.path)).items if i.what == "hook post-merge"]
    assert item.where == str(repo.path / "lefthook.yml")
    added = "\n".join(item.advice[1:])
    repo.write("lefthook.yml", f"pre-push:\n  parallel: true\n{added}\n")
    assert actions(install(str(repo.path)))["hook post-merge"] == "kept"


@pytest.mark.usefixtures("older_git")
@pytest.mark.parametrize("scope", ["--global", "--local"])
def test_a_hooks_folder_of_somebody_else_is_not_written_into(
    tmp_path: Path, sealed: Path, scope: str
) -> None:
    repo = repo_with_store(tmp_path / "repo")
    theirs = tmp_path / "their hooks"
    theirs.mkdir()
    repo.git("config", scope, "core.hooksPath", str(theirs))
    result = install(str(repo.path))
    assert list(theirs.iterdir()) == []
    assert actions(result)["merge driver"] == "made"
    refused = {item.what: item for item in result.items if item.action == "refused"}
    assert len(refused) == len(HOOK_NAMES)
    [command] = {item.advice for item in refused.values()}
    run_program(["sh", "-c", *command], cwd=repo.path)
    assert {path.name for path in theirs.iterdir()} == set(HOOK_NAMES)
    assert "refused" not in actions(install(str(repo.path))).values()


@pytest.mark.usefixtures("older_git")
def test_our_script_in_a_folder_of_the_team_counts_and_is_theirs(tmp_path: Path) -> None:
    repo = repo_with_store(tmp_path / "repo")
    for name in HOOK_NAMES:
        foreign_hook(repo, f".githooks/{name}", script(name).decode())
    repo.config("core.hooksPath", ".githooks")
    result = install(str(repo.path))
    assert "refused" not in actions(result).values()
    uninstall(str(repo.path))
    assert len(repo.tree(".githooks")) == len(HOOK_NAMES)


FRAMEWORK = """\
repos:
  - repo: local
    hooks:
      - {id: other, name: other, entry: sh -c 'echo other >> ran', language: system,
         stages: [pre-commit], always_run: true, pass_filenames: false}
"""


def pre_commit(repo: Repo, *arguments: str) -> None:
    run_program([program("pre-commit"), *arguments], cwd=repo.path)


@pytest.mark.usefixtures("older_git")
def test_the_pre_commit_framework_installed_before_us_is_left_alone(tmp_path: Path) -> None:
    repo = repo_with_store(tmp_path / "repo")
    repo.write(".pre-commit-config.yaml", FRAMEWORK)
    pre_commit(repo, "install")
    before = state_of(repo.path / ".git")
    result = install(str(repo.path))
    [item] = [item for item in result.items if item.action == "refused"]
    assert item.what == "hook pre-commit"
    assert item.where == str(repo.path / ".pre-commit-config.yaml")
    repo.write(".pre-commit-config.yaml", FRAMEWORK + "\n".join(item.advice[1:]) + "\n")
    pre_commit(repo, "validate-config")
    assert actions(install(str(repo.path)))["hook pre-commit"] == "kept"
    uninstall(str(repo.path))
    assert state_of(repo.path / ".git") == before


def test_the_pre_commit_framework_installed_after_us_runs_us_and_uninstall_finds_us(
    tmp_path: Path,
) -> None:
    repo = repo_with_store(tmp_path / "repo")
    repo.write(".pre-commit-config.yaml", FRAMEWORK)
    install(str(repo.path))
    pre_commit(repo, "install")
    hooks = repo.path / ".git" / "hooks"
    assert (hooks / "pre-commit.legacy").read_bytes() == script("pre-commit")
    assert not install(str(repo.path)).changed
    uninstall(str(repo.path))
    assert not (hooks / "pre-commit.legacy").exists()
    assert b"pre-commit" in (hooks / "pre-commit").read_bytes()


# --- git 2.54 and newer ----------------------------------------------------------------------


@pytest.fixture
def newer_git(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the threshold is moved: what an older git cannot run is judged by what is written."""
    monkeypatch.setattr("gitkb.git.hook_path.HOOKS_IN_CONFIGURATION", (2, 0, 0))


@pytest.mark.usefixtures("newer_git")
def test_a_newer_git_finds_its_hooks_in_the_configuration_and_other_tools_are_no_hindrance(
    tmp_path: Path,
) -> None:
    repo = repo_with_store(tmp_path / "repo")
    foreign_hook(repo, ".git/hooks/post-merge", "#!/bin/sh\n# git lfs post-merge\n")
    before = state_of(repo.path / ".git")
    result = install(str(repo.path))
    assert set(actions(result).values()) == {"made"}
    assert not install(str(repo.path)).changed
    assert repo.git("config", "hook.gitkb-post-merge.event").stdout == "post-merge\n"
    command = repo.git("config", "--null", "hook.gitkb-post-merge.command").stdout[:-1]
    words = run_program(["sh", "-c", f'printf "%s|" {command} "$@"', command, "1"], cwd=tmp_path)
    # `$(…)` takes the last line end away, which no shell needs.
    told = script("post-merge").decode().removesuffix("\n")
    assert words.stdout == f"sh|-c|{told}|gitkb-hook|1|"
    uninstall(str(repo.path))
    assert state_of(repo.path / ".git") == before


@pytest.mark.usefixtures("newer_git")
def test_a_command_without_which_its_event_would_be_fatal_is_written_first(tmp_path: Path) -> None:
    repo = repo_with_store(tmp_path / "repo")
    install(str(repo.path))
    text = (repo.path / ".git" / "config").read_text()
    section = text[text.index('[hook "gitkb-post-merge"]') :]
    assert section.index("command =") < section.index("event =")


@pytest.mark.usefixtures("newer_git")
def test_an_older_form_in_the_configuration_is_mended(tmp_path: Path) -> None:
    repo = repo_with_store(tmp_path / "repo")
    install(str(repo.path))
    repo.config("hook.gitkb-post-merge.command", "true")
    assert actions(install(str(repo.path)))["hook post-merge"] == "mended"
    uninstall(str(repo.path))
    assert "gitkb" not in (repo.path / ".git" / "config").read_text()


@pytest.mark.usefixtures("newer_git")
def test_a_hook_that_calls_us_is_not_run_beside_ours(tmp_path: Path) -> None:
    repo = repo_with_store(tmp_path / "repo")
    text = '#!/bin/sh\ngitkb-hook post-merge "$@"\n'
    foreign_hook(repo, ".git/hooks/post-merge", text)
    assert actions(install(str(repo.path)))["hook post-merge"] == "kept"
    assert repo.git("config", "hook.gitkb-post-merge.event", exit_code=1).stdout == ""


# --- the line at work ------------------------------------------------------------------------


def conflicting(path: Path) -> Repo:
    repo = repo_with_store(path)
    one = '{"key":"a","type":"fact","content":"%s","created":1,"ts":%d}\n'
    repo.write(".gitkb/knowledge/ca.jsonl", one % ("base", 1))
    repo.commit("Base")
    repo.checkout("side", new=True)
    repo.write(".gitkb/knowledge/ca.jsonl", one % ("theirs", 2))
    repo.commit("Theirs")
    repo.checkout("main")
    repo.write(".gitkb/knowledge/ca.jsonl", one % ("ours", 3))
    repo.commit("Ours")
    return repo


def test_after_installing_a_merge_goes_by_key(tmp_path: Path) -> None:
    repo = conflicting(tmp_path / "it's 100% real")
    install(str(repo.path))
    repo.git("merge", "side", env=BARE_PATH)
    [line] = repo.read(".gitkb/knowledge/ca.jsonl").splitlines()
    assert b"ours" in line
    assert b"theirs" in line


def test_a_branch_older_than_the_rule_merges_by_key_too(tmp_path: Path) -> None:
    repo = conflicting(tmp_path / "repo")
    repo.git("rm", "-q", ".gitkb/.gitattributes")
    repo.commit("As if the rule had never been here")
    install(str(repo.path))
    repo.git("merge", "side", env=BARE_PATH)
    assert b"<<<" not in repo.read(".gitkb/knowledge/ca.jsonl")


BARE_PATH = {"PATH": "/usr/bin:/bin"}


def test_where_the_driver_is_gone_both_sides_stand_in_the_file(tmp_path: Path) -> None:
    repo = conflicting(tmp_path / "it's gone 100%")
    line = driver.driver_line("/nonexistent/py thon", "/nonexistent/merge.py")
    repo.config("merge.gitkb.driver", line)
    done = repo.git("merge", "side", exit_code=1, env=BARE_PATH)
    assert "gitkb doctor" in done.stderr
    text = repo.read(".gitkb/knowledge/ca.jsonl").decode()
    assert "<<<<<<<" in text
    assert "ours" in text
    assert "theirs" in text
    assert repo.status() == ["UU .gitkb/knowledge/ca.jsonl"]


def test_a_driver_that_dies_is_replaced_by_gits_text_merge(tmp_path: Path) -> None:
    repo = conflicting(tmp_path / "repo")
    broken = tmp_path / "merge.py"
    broken.write_text("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n")
    repo.config("merge.gitkb.driver", driver.driver_line(program=str(broken)))
    repo.git("merge", "side", exit_code=1, env=BARE_PATH)
    assert b"<<<<<<<" in repo.read(".gitkb/knowledge/ca.jsonl")


def test_the_drivers_own_answer_passes_through(tmp_path: Path) -> None:
    repo = conflicting(tmp_path / "repo")
    stand_in = tmp_path / "merge.py"
    stand_in.write_text("import sys\nopen(sys.argv[2], 'w').write('merged\\n')\nsys.exit(0)\n")
    repo.config("merge.gitkb.driver", driver.driver_line(program=str(stand_in)))
    repo.git("merge", "side")
    assert repo.read(".gitkb/knowledge/ca.jsonl") == b"merged\n"


def test_the_driver_on_path_steps_in_for_one_that_was_deleted(tmp_path: Path) -> None:
    repo = conflicting(tmp_path / "repo")
    tools = tmp_path / "tools"
    stand_in = foreign_hook(Repo(tools), "gitkb-merge-driver", '#!/bin/sh\necho found >"$2"\n')
    repo.config("merge.gitkb.driver", driver.driver_line("/nonexistent/python"))
    repo.git("merge", "side", env={"PATH": f"{stand_in.parent}:/usr/bin:/bin"})
    assert repo.read(".gitkb/knowledge/ca.jsonl") == b"found\n"


def test_where_not_even_git_can_merge_the_merge_fails_and_changes_nothing(tmp_path: Path) -> None:
    repo = conflicting(tmp_path / "repo")
    before = repo.tree()
    line = driver.driver_line("/nonexistent/python", "/nonexistent/merge.py")
    # What git merge-file ends with when it cannot write: a full disk, a read-only folder.
    broken = line.replace("git merge-file -p --marker-size=%L %A %O %B >%A.gitkb", "(exit 255)")
    repo.config("merge.gitkb.driver", broken)
    done = repo.git("merge", "side", exit_code=None, env=BARE_PATH)
    assert done.exit_code > 1
    assert repo.tree() == before
    assert repo.git("status", "--porcelain").stdout == ""
    assert not list(repo.path.glob(".merge_file*"))


def test_uninstall_removes_what_can_be_rebuilt_and_nothing_else(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "work")
    repo.git("commit", "-q", "--allow-empty", "-m", "start")
    repo.run("init")
    repo.run("add", "--type", "fact", "--content", "the index will be built")
    repo.run("recall", "index")
    repo.git("worktree", "add", "-q", str(tmp_path / "linked"))
    linked = Repo(tmp_path / "linked")
    shutil.copytree(repo.path / ".gitkb", linked.path / ".gitkb")
    linked.run("recall", "index")
    derived = [repo.path / ".git/gitkb", repo.path / ".git/worktrees/linked/gitkb"]
    assert all((folder / "index.sqlite").exists() for folder in derived)
    (derived[1] / "sessions").write_text("a session that is open")

    repo.run("uninstall")

    assert not derived[0].exists()
    assert [path.name for path in derived[1].iterdir()] == ["sessions"]
