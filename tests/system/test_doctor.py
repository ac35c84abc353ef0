"""The doctor, on clones that something is wrong with."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from gitkb.git import driver
from gitkb.git.driver_probe import probe_driver
from gitkb.operations.doctor import examine, mend
from gitkb.operations.health.finding import Finding, has_errors

from repo_builder import Repo, run_program


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    repo = Repo.init(tmp_path_factory.mktemp("template") / "repo")
    repo.run("init", "--shards", "1")
    repo.kb_add(type_="decision", title="Money is kept in cents", content="Floats lose some.")
    repo.commit("Begin")
    return repo.path


@pytest.fixture
def repo(template: Path, tmp_path: Path) -> Repo:
    return Repo(shutil.copytree(template, tmp_path / "it's the 100% repo", symlinks=True))


def bad(findings: list[Finding]) -> dict[str, Finding]:
    return {finding.code: finding for finding in findings if finding.severity != "ok"}


def look(repo: Repo) -> dict[str, Finding]:
    return bad(examine(str(repo.path / ".gitkb"), str(repo.path)))


def look_after_mending(repo: Repo) -> dict[str, Finding]:
    return bad(mend(str(repo.path / ".gitkb"), str(repo.path)))


def data_file(repo: Repo) -> Path:
    return repo.path / ".gitkb" / "knowledge" / "all.jsonl"


def test_a_clone_that_is_set_up_is_well(repo: Repo) -> None:
    findings = examine(str(repo.path / ".gitkb"), str(repo.path))
    assert bad(findings) == {}
    looked_at = {
        "driver",
        "attributes",
        "hooks",
        "hooks-fire",
        "objects",
        "head",
        "ignored",
        "markers",
    }
    assert looked_at <= {finding.code for finding in findings}


def test_the_command_ends_with_nought_when_all_is_well_and_with_one_otherwise(repo: Repo) -> None:
    repo.run("doctor")
    repo.git("config", "--unset", "merge.gitkb.driver")
    done = repo.run("doctor", "--json", exit_code=1)
    assert {"code": "driver", "severity": "error"}.items() <= next(
        finding.items() for finding in done.json() if finding["code"] == "driver"
    )


def test_a_fresh_clone_lacks_the_driver_and_the_cure_cures(repo: Repo, tmp_path: Path) -> None:
    clone = Repo.clone(repo, tmp_path / "clone")
    found = look(clone)
    assert found["driver"].severity == "error"
    assert found["driver"].cure == "gitkb install"
    assert "hook-missing" in found
    clone.run("install")
    assert look(clone) == {}


def test_outside_a_repository_only_the_files_are_looked_at(tmp_path: Path) -> None:
    (tmp_path / ".gitkb" / "knowledge").mkdir(parents=True)
    (tmp_path / ".gitkb" / "knowledge" / "all.jsonl").write_bytes(b"<<<<<<< ours\n")
    found = bad(examine(str(tmp_path / ".gitkb"), None))
    assert set(found) == {"markers", "no-repository"}
    assert found["no-repository"].severity == "warning"
    assert "git init" in found["no-repository"].cure


# --- the driver ------------------------------------------------------------------------------


def test_a_name_without_a_line_is_half_configured(repo: Repo) -> None:
    repo.git("config", "--unset", "merge.gitkb.driver")
    assert "half configured" in look(repo)["driver"].message
    assert look_after_mending(repo) == {}


@pytest.mark.parametrize(
    "line",
    [
        "",
        "/nonexistent %O %A %B",
        "gitkb-merge-driver %L %R",
        "true",
        "exit 0; %O %A %B",
        driver.driver_line("/nonexistent/python", "/nonexistent/merge.py").replace(
            "gitkb-merge-driver", "no-such-driver"
        ),
    ],
)
def test_a_line_that_does_not_merge_is_broken_whatever_it_says(repo: Repo, line: str) -> None:
    repo.config("merge.gitkb.driver", line)
    assert look(repo)["driver"].severity == "error"
    assert look_after_mending(repo) == {}


def test_a_line_of_another_version_that_works_is_a_warning(repo: Repo) -> None:
    repo.config("merge.gitkb.driver", driver.driver_line().replace("-driver 1;", "-driver 0;"))
    assert look(repo)["driver"].severity == "warning"
    assert look_after_mending(repo) == {}


def test_the_line_of_this_version_merges() -> None:
    assert probe_driver(driver.driver_line()) is None


def test_a_line_set_where_we_cannot_reach_stays_a_finding(repo: Repo) -> None:
    repo.config("extensions.worktreeConfig", "true")
    repo.git("config", "--worktree", "merge.gitkb.driver", "true")
    assert look_after_mending(repo)["driver"].severity == "error"


# --- attributes ------------------------------------------------------------------------------


def test_a_data_file_that_git_does_not_give_to_the_driver_is_named(repo: Repo) -> None:
    repo.git("rm", "-q", ".gitkb/.gitattributes")
    (repo.path / ".git" / "info" / "attributes").unlink()
    found = look(repo)
    assert "knowledge/all.jsonl" in found["attributes"].message
    assert found["attributes-shared"].cure == "gitkb init"
    assert set(look_after_mending(repo)) == {"attributes-shared"}


def test_branches_older_than_the_rule_are_named(repo: Repo) -> None:
    repo.git("checkout", "-q", "--orphan", "old")
    repo.git("rm", "-rqf", ".")
    repo.write("a", "1")
    repo.commit("Old")
    repo.checkout("main")
    (repo.path / ".git" / "info" / "attributes").unlink()
    assert "'old'" in look(repo)["attributes-clone"].message
    assert look_after_mending(repo) == {}


@pytest.fixture
def older_git(monkeypatch: pytest.MonkeyPatch) -> None:
    """A git that knows no hooks in the configuration, as all before 2.54."""
    monkeypatch.setattr("gitkb.git.hook_path.HOOKS_IN_CONFIGURATION", (999, 0, 0))


# --- hooks -----------------------------------------------------------------------------------


@pytest.mark.usefixtures("older_git")
def test_a_foreign_hook_is_a_warning_with_the_line_to_add(repo: Repo) -> None:
    hook = repo.path / ".git" / "hooks" / "post-merge"
    hook.write_text('#!/bin/sh\ngit lfs post-merge "$@"\n')
    found = look_after_mending(repo)
    assert found["hook-foreign"].severity == "warning"
    assert "git-lfs" in found["hook-foreign"].message
    assert found["hook-foreign"].cure.endswith('then gitkb-hook post-merge "$@" || exit; fi')
    assert b"gitkb" not in hook.read_bytes()


@pytest.mark.usefixtures("older_git")
def test_a_hooks_folder_of_somebody_else_is_named(repo: Repo, tmp_path: Path) -> None:
    repo.config("core.hooksPath", str(tmp_path))
    assert f"core.hooksPath is '{tmp_path}'" in look(repo)["hook-elsewhere"].message


@pytest.mark.usefixtures("older_git")
def test_a_hook_without_permission_to_run_is_mended(repo: Repo) -> None:
    hook = repo.path / ".git" / "hooks" / "pre-commit"
    hook.chmod(0o644)
    assert "not executable" in look(repo)["hook-missing"].message
    assert look_after_mending(repo) == {}
    assert os.access(hook, os.X_OK)


def test_a_program_that_is_gone_is_named(repo: Repo) -> None:
    repo.config("gitkb.python", "/nonexistent/python")
    assert "/nonexistent/python" in look(repo)["hook-program"].message
    assert look_after_mending(repo) == {}


def test_stages_for_which_pre_commit_is_not_installed_are_named(repo: Repo) -> None:
    hooks = repo.path / ".git" / "hooks"
    for name in ("pre-commit", "post-merge", "post-rewrite", "post-checkout", "pre-merge-commit"):
        (hooks / name).unlink()
    (hooks / "pre-commit").write_text("#!/bin/sh\n# File generated by pre-commit: …\n")
    (hooks / "pre-commit").chmod(0o755)
    text = "repos:\n- repo: https://example.org/gitkb\n  hooks: [{id: gitkb-check}]\n"
    repo.write(".pre-commit-config.yaml", text)
    found = look(repo)["pre-commit-stages"]
    assert found.cure == "pre-commit install -t pre-merge-commit"


# --- files -----------------------------------------------------------------------------------


def test_conflict_markers_are_found_outside_of_a_merge(repo: Repo) -> None:
    data_file(repo).write_bytes(data_file(repo).read_bytes() + b"=======\n")
    assert "knowledge/all.jsonl:2" in look(repo)["markers"].message


def test_a_conflict_that_holds_our_side_alone_is_found(repo: Repo) -> None:
    good = data_file(repo).read_bytes()
    repo.checkout("side", new=True)
    data_file(repo).write_bytes(good.replace(b"Floats", b"Theirs"))
    repo.commit("Theirs")
    repo.checkout("main")
    data_file(repo).write_bytes(good.replace(b"Floats", b"Ours"))
    repo.commit("Ours")
    repo.config("merge.gitkb.driver", "/nonexistent %O %A %B")
    repo.merge("side", exit_code=1)
    found = look(repo)["lost-side"]
    assert found.severity == "error"
    repo.add()
    assert look(repo)["lost-side"].cure == "gitkb resolve '.gitkb/knowledge/all.jsonl'"
    repo.git("checkout", "-q", "--merge", "--", ".gitkb/knowledge/all.jsonl", exit_code=None)
    repo.run("install")
    assert found.cure == "gitkb resolve"
    repo.run("resolve", exit_code=None)
    assert "lost-side" not in look(repo)
    assert b"Theirs" in data_file(repo).read_bytes()


def test_leftovers_of_a_killed_writer_go(repo: Repo) -> None:
    left = repo.write(".gitkb/knowledge/.all.jsonl.tmp", b'{"key":')
    assert look(repo)["leftovers"].severity == "warning"
    assert look_after_mending(repo) == {}
    assert not left.exists()


@pytest.mark.parametrize("flag", ["skip-worktree", "assume-unchanged"])
def test_a_file_hidden_from_git_is_an_error_with_its_cure(repo: Repo, flag: str) -> None:
    name = ".gitkb/knowledge/all.jsonl"
    repo.git("update-index", f"--{flag}", name)
    found = look(repo)["index-flags"]
    assert found.cure == f"git update-index --no-{flag} -- '{name}'"
    repo.git("update-index", f"--no-{flag}", "--", name)
    assert look(repo) == {}


@pytest.mark.parametrize("flag", ["skip-worktree", "assume-unchanged"])
def test_many_files_hidden_from_git_are_cured_by_one_line_that_a_person_can_read(
    repo: Repo, flag: str
) -> None:
    repo.run("reshard", "16")
    for number in range(40):
        repo.kb_add(key=f"k{number}", type_="fact", content=f"Number {number}.")
    repo.commit("Many")
    names = [
        name for name in repo.git("ls-files", "-z", ".gitkb/knowledge").stdout.split("\0") if name
    ]
    repo.git("update-index", f"--{flag}", *names)
    found = look(repo)["index-flags"]
    assert len(names) > 8
    assert f"and {len(names) - 1} more" in found.message
    assert len(found.cure) < 100
    run_program(["sh", "-c", found.cure], cwd=repo.path)
    assert look(repo) == {}


@pytest.mark.parametrize(
    ("wanted", "cure"), [(["--cone", "src"], ".gitkb"), (["--no-cone", "!.gitkb/"], "/.gitkb/**")]
)
def test_a_sparse_checkout_that_leaves_out_entries_is_told(
    repo: Repo, wanted: list[str], cure: str
) -> None:
    repo.git("update-index", "-q", "--refresh")  # git leaves a file that may be changed
    repo.git("sparse-checkout", "set", *wanted)
    found = look(repo)["index-flags"]
    assert (found.severity, found.cure) == ("warning", f"git sparse-checkout add '{cure}'")
    repo.git("sparse-checkout", "add", cure)
    assert data_file(repo).exists()
    assert look(repo) == {}


def test_no_second_store_is_made_over_one_that_is_not_checked_out(repo: Repo) -> None:
    repo.git("update-index", "-q", "--refresh")  # git leaves a file that may be changed
    repo.git("sparse-checkout", "set", "--no-cone", "/*", "!.gitkb/")
    done = repo.run("init", exit_code=5)
    assert "is not checked out" in done.stderr
    assert "git sparse-checkout add .gitkb" in done.stderr
    assert not (repo.path / ".gitkb" / "config.toml").exists()


def test_an_ignore_rule_of_the_person_is_found_with_its_place(repo: Repo, sealed: Path) -> None:
    (sealed / "ignore").write_text("*.jsonl\n")
    repo.git("config", "--global", "core.excludesFile", str(sealed / "ignore"))
    assert look(repo) == {}  # what init wrote speaks against it
    repo.write(".gitkb/.gitignore", "")
    found = look(repo)["ignored"]
    assert "*.jsonl" in found.message
    assert str(sealed / "ignore") in found.message


def test_a_shallow_clone_is_told_that_its_history_is_cut(repo: Repo, tmp_path: Path) -> None:
    repo.write("a", "1")
    repo.commit("Two")
    clone = Repo.clone(repo.path.as_uri(), tmp_path / "clone", "--depth", "1")
    clone.run("install")
    assert set(look(clone)) == {"history"}


def test_a_repository_of_somebody_else_is_one_clear_finding(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    if os.getuid() != 0:
        pytest.skip("only root can give a folder to somebody else")
    monkeypatch.delenv("SUDO_UID", raising=False)
    for path in (repo.path, repo.path / ".git"):
        os.chown(path, 12345, 12345)
    [finding] = examine(str(repo.path / ".gitkb"), str(repo.path))
    assert finding.severity == "error"
    assert "dubious ownership" in finding.message
    assert "git config --global --add safe.directory" in finding.cure
    assert has_errors([finding])
