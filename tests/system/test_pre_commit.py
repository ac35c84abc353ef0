"""gitkb's hooks for the pre-commit framework, as the real program runs them from a local clone.

The repositories here are a consumer's: they know gitkb through `.pre-commit-config.yaml` alone, have
hooks of other tools beside it, and never ran `gitkb install`.
"""

from __future__ import annotations

import os
import re
import shutil
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from filelock import FileLock

from repo_builder import ADA, Repo, Result, run_program, script
from seal import ROOT

if TYPE_CHECKING:
    from pathlib import Path

STAGES = "[pre-commit, pre-merge-commit, post-checkout, post-merge, post-rewrite]"
CONFIG = """\
default_install_hook_types: {stages}
repos:
  - repo: {source}
    rev: {rev}
    hooks:
      - id: gitkb-check
{more}
  - repo: local
    hooks:
      - id: note
        name: a hook of the team's own
        language: system
        entry: sh -c 'echo ran >> "$(git rev-parse --git-dir)/note"'
        always_run: true
        pass_filenames: false
        stages: [pre-commit]
"""
FORMAT = "      - id: gitkb-format\n"
VIEWS = "      - id: gitkb-views\n"
REINDEX = "      - id: gitkb-reindex\n"
REMIND = "      - id: gitkb-remind\n"
VIEW = ".gitkb/views/learnings.md"
FILES = {
    "knowledge/d1.jsonl": b'{"key":"k0","type":"fact","content":"zero","ts":1}\n',
    "config.toml": b"shards = 256\n",
    ".gitattributes": b"*.jsonl merge=gitkb diff=gitkb text eol=lf\n",
}
K1 = b'{"key":"k1","type":"fact","content":"one","ts":1}\n'  # belongs into 6a.jsonl


class Source(NamedTuple):
    """gitkb as a hook repository, and pre-commit's folder with the environment made from it."""

    path: Path
    rev: str
    home: Path


@pytest.fixture(scope="session")
def source(wheelhouse: Path, tmp_path_factory: pytest.TempPathFactory) -> Source:
    """The project as a git repository, and pre-commit's home, one for all processes of a run."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    path, home = shared / "gitkb hooks", shared / "pre-commit"
    with FileLock(shared / "gitkb-hooks.lock"):
        if not path.is_dir():
            repo = Repo.init(path)
            for name in ("gitkb", "hooks"):
                ignored = shutil.ignore_patterns("__pycache__")
                shutil.copytree(ROOT / name, path / name, ignore=ignored)
            for name in ("pyproject.toml", "LICENSE", "README.md", ".pre-commit-hooks.yaml"):
                shutil.copy(ROOT / name, path / name)
            repo.commit("Everything that a consumer clones")
    return Source(path, Repo(path).head(), home)


@pytest.fixture
def consumer(source: Source, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A repository with a knowledge base whose team uses gitkb-check through pre-commit."""
    monkeypatch.setenv("PRE_COMMIT_HOME", str(source.home))
    repo = Repo.init(tmp_path / "consumer")
    for name, data in FILES.items():
        repo.write(f".gitkb/{name}", data)
    repo.commit("Begin")
    use(repo, source)
    return repo


def use(repo: Repo, source: Source, more: str = "") -> None:
    """What a consumer does: write the file, install, commit."""
    text = CONFIG.format(stages=STAGES, source=source.path, rev=source.rev, more=more)
    repo.write(".pre-commit-config.yaml", text)
    pre_commit(repo, "install", "--install-hooks")
    repo.commit("Use pre-commit")


def pre_commit(repo: Repo, *arguments: str, exit_code: int | None = 0) -> Result:
    return run_program(
        [script("pre-commit"), *arguments], cwd=repo.path, exit_code=exit_code, timeout=600
    )


def commit(repo: Repo, *options: str, exit_code: int | None = 0) -> Result:
    return repo.git("commit", "-m", "Change", *options, exit_code=exit_code)


# --- the hooks file ---------------------------------------------------------------------------


def manifest() -> list[dict[str, Any]]:
    """The hooks file as the framework itself reads it."""
    hooks: list[dict[str, Any]] = import_module("pre_commit.clientlib").load_manifest(
        ROOT / ".pre-commit-hooks.yaml"
    )
    return hooks


def test_the_hooks_file_is_what_the_framework_takes() -> None:
    ids = ["gitkb-check", "gitkb-format", "gitkb-views", "gitkb-reindex", "gitkb-remind"]
    assert [hook["id"] for hook in manifest()] == ids


@pytest.mark.parametrize(
    ("path", "is_data"),
    [
        (".gitkb/knowledge/3f.jsonl", True),
        (".gitkb/archive/all.jsonl", True),
        ("sub/folder/.gitkb/knowledge/3f.jsonl", True),
        (".gitkb/knowledge/3f.jsonl.bak", False),
        ("x.gitkb/knowledge/3f.jsonl", False),
        ("docs/knowledge/3f.jsonl", False),
        (".gitkb/views/3f.jsonl", False),
    ],
)
def test_the_pattern_finds_stores_at_any_depth_and_nothing_else(path: str, is_data: bool) -> None:
    for hook in manifest()[:2]:
        assert bool(re.search(hook["files"], path)) is is_data


# --- check ------------------------------------------------------------------------------------


def test_a_good_commit_passes_and_the_other_hook_runs_too(consumer: Repo) -> None:
    consumer.write(".gitkb/knowledge/d1.jsonl", FILES["knowledge/d1.jsonl"].replace(b"zero", b"0"))
    consumer.add()
    said = commit(consumer)
    assert "gitkb check" in said.stderr + said.stdout
    assert consumer.read(".git/note").startswith(b"ran\n")


def test_a_bad_line_stops_the_commit_with_file_line_and_cure(consumer: Repo) -> None:
    consumer.write(".gitkb/knowledge/d1.jsonl", FILES["knowledge/d1.jsonl"] + b"half a li")
    consumer.add()
    said = commit(consumer, exit_code=1)
    text = said.stdout + said.stderr
    assert "knowledge/d1.jsonl:2" in text
    assert "hint: " in text


def test_what_is_staged_is_judged_whatever_stands_on_the_disk(consumer: Repo) -> None:
    good = FILES["knowledge/d1.jsonl"].replace(b"zero", b"null")
    consumer.write(".gitkb/knowledge/d1.jsonl", b"bad\n")
    consumer.add()
    consumer.write(".gitkb/knowledge/d1.jsonl", good)
    commit(consumer, exit_code=1)
    assert consumer.read(".gitkb/knowledge/d1.jsonl") == good

    consumer.add()
    consumer.write(".gitkb/knowledge/d1.jsonl", b"bad\n")
    commit(consumer)
    assert consumer.read(".gitkb/knowledge/d1.jsonl") == b"bad\n"


def test_a_store_in_a_folder_below_is_judged_too(consumer: Repo) -> None:
    consumer.write("sub/.gitkb/knowledge/d1.jsonl", b"bad\n")
    consumer.add()
    said = commit(consumer, exit_code=1)
    assert "sub/.gitkb/knowledge/d1.jsonl:1" in said.stdout + said.stderr


def test_an_amended_message_has_nothing_to_judge(consumer: Repo) -> None:
    commit(consumer, "--amend", "--allow-empty")


def test_all_files_judges_what_no_commit_changes(consumer: Repo) -> None:
    consumer.write(".gitkb/knowledge/d1.jsonl", b"bad\n")
    consumer.git("commit", "-q", "--no-verify", "-am", "Go round the hooks")
    said = pre_commit(consumer, "run", "gitkb-check", "--all-files", exit_code=1)
    assert "knowledge/d1.jsonl:1" in said.stdout


def test_a_commit_that_removes_a_data_file_is_looked_at(consumer: Repo) -> None:
    consumer.git("rm", "-q", ".gitkb/knowledge/d1.jsonl")
    said = pre_commit(consumer, "run", "--verbose", "gitkb-check")
    assert "'k0' vanished" in said.stdout


def test_carriage_returns_never_reach_a_commit(consumer: Repo) -> None:
    consumer.config("core.autocrlf", "true")
    data = FILES["knowledge/d1.jsonl"].replace(b"zero", b"nil").replace(b"\n", b"\r\n")
    consumer.write(".gitkb/knowledge/d1.jsonl", data)
    consumer.write("README", b"unstaged\r\n")
    consumer.add(".gitkb")
    commit(consumer)
    assert b"\r" not in consumer.git("show", "HEAD:.gitkb/knowledge/d1.jsonl").stdout.encode()

    consumer.git("rm", "-q", ".gitkb/.gitattributes")
    consumer.config("core.autocrlf", "false")
    consumer.write(".gitkb/knowledge/d1.jsonl", data.replace(b"nil", b"0"))
    consumer.add(".gitkb")
    said = commit(consumer, exit_code=1)
    assert "CRLF" in said.stdout + said.stderr


def test_a_merge_that_loses_a_key_is_stopped(consumer: Repo) -> None:
    consumer.checkout("side", new=True)
    consumer.write(".gitkb/knowledge/d1.jsonl", FILES["knowledge/d1.jsonl"].replace(b"zero", b"x"))
    consumer.write(".gitkb/knowledge/6a.jsonl", K1)
    consumer.commit("Theirs")
    consumer.checkout("main")
    consumer.write(".gitkb/knowledge/d1.jsonl", FILES["knowledge/d1.jsonl"].replace(b"zero", b"y"))
    consumer.commit("Ours")
    consumer.merge("side", exit_code=1)
    # The framework's own post-checkout complains of the conflict; git has done its work by then.
    consumer.git("checkout", "--ours", "--", ".gitkb/knowledge/d1.jsonl", exit_code=None)
    consumer.git("rm", "-q", "--cached", "-f", ".gitkb/knowledge/6a.jsonl")
    (consumer.path / ".gitkb/knowledge/6a.jsonl").unlink()
    consumer.add()
    said = commit(consumer, exit_code=1)
    text = said.stdout + said.stderr
    assert "the merge lost 'k1'" in text
    assert "changed 'k0' too" in text


def test_a_merge_without_a_conflict_is_judged_before_it_is_committed(consumer: Repo) -> None:
    consumer.checkout("side", new=True)
    consumer.write(".gitkb/knowledge/6a.jsonl", K1)
    consumer.commit("Theirs")
    consumer.checkout("main")
    consumer.write("README", "more\n")
    consumer.commit("Ours")
    said = consumer.merge("-s", "ours", "side", exit_code=None)
    assert said.exit_code != 0
    assert "the merge lost 'k1'" in said.stdout + said.stderr


# --- format -----------------------------------------------------------------------------------


def test_the_formatter_rewrites_fails_and_stages_nothing(consumer: Repo, source: Source) -> None:
    use(consumer, source, FORMAT)
    spaced = b'{"type": "fact", "key": "k0", "content": "new", "ts": 2}\n'
    canonical = b'{"key":"k0","type":"fact","content":"new","ts":2}\n'
    consumer.write(".gitkb/knowledge/d1.jsonl", spaced)
    consumer.add()
    said = commit(consumer, exit_code=1)
    assert "files were modified by this hook" in said.stdout + said.stderr
    assert consumer.read(".gitkb/knowledge/d1.jsonl") == canonical
    assert consumer.git("show", ":.gitkb/knowledge/d1.jsonl").stdout.encode() == spaced

    consumer.add()
    commit(consumer)


def test_hunks_left_out_by_add_p_stay_out(consumer: Repo, source: Source) -> None:
    use(consumer, source, FORMAT)
    consumer.write("notes", "".join(f"{number}\n" for number in range(30)))
    consumer.commit("Notes")
    lines = [f"{number}\n" for number in range(30)]
    lines[1], lines[28] = "first\n", "second\n"
    consumer.write("notes", "".join(lines))
    consumer.write(
        ".gitkb/knowledge/d1.jsonl", FILES["knowledge/d1.jsonl"].replace(b"zero", b"new")
    )
    consumer.git("add", "-p", "notes", stdin="y\nn\n")
    consumer.add(".gitkb")
    commit(consumer)
    committed = consumer.git("show", "HEAD:notes").stdout
    assert "first\n" in committed
    assert "second\n" not in committed
    assert consumer.read("notes") == "".join(lines).encode()


# --- views ------------------------------------------------------------------------------------


def learn(repo: Repo, key: str) -> None:
    repo.kb_add(
        key=key,
        type_="learned",
        title=f"Title {key}",
        content="x",
        category="process",
        scope="project",
    )


def commit_views(repo: Repo) -> None:
    repo.write(".gitkb/config.toml", "shards = 256\n[views]\ncommit = true\n")
    learn(repo, "first")
    repo.commit("Commit views")


def test_a_stale_view_stops_a_commit_and_the_command_that_is_told_mends_it(
    consumer: Repo, source: Source
) -> None:
    use(consumer, source, VIEWS)
    commit_views(consumer)
    learn(consumer, "second")
    consumer.add(".gitkb/knowledge")
    learn(consumer, "third")
    said = commit(consumer, exit_code=1)
    assert f"gitkb view --staged, then git add '{VIEW}'" in said.stdout + said.stderr
    staged = consumer.git("diff", "--cached", "--name-only").lines()
    assert all(name.startswith(".gitkb/knowledge/") for name in staged)

    consumer.run("view", "--staged")
    consumer.add(VIEW)
    commit(consumer)
    assert b"Title third" not in consumer.git("show", f"HEAD:{VIEW}").stdout.encode()


def test_a_commit_without_knowledge_or_views_is_let_by(consumer: Repo, source: Source) -> None:
    use(consumer, source, VIEWS)
    consumer.write(".gitkb/knowledge/6a.jsonl", K1)
    consumer.add()
    commit(consumer)
    commit_views(consumer)
    consumer.git("rm", "-q", VIEW)
    consumer.git("commit", "-q", "--no-verify", "-m", "Go round the hooks")
    consumer.write("README", "more\n")
    consumer.add()
    commit(consumer)
    said = pre_commit(consumer, "run", "gitkb-views", "--all-files", exit_code=1)
    assert "is not staged" in said.stdout


def test_a_merge_of_views_passes_and_the_framework_writes_them_anew(
    consumer: Repo, source: Source
) -> None:
    use(consumer, source, VIEWS + REINDEX)
    consumer.run("install", exit_code=None)
    commit_views(consumer)
    consumer.checkout("side", new=True)
    learn(consumer, "theirs")
    consumer.commit("Theirs")
    consumer.checkout("main")
    learn(consumer, "ours")
    consumer.commit("Ours")
    consumer.merge("side")
    consumer.run("view", "--check")
    assert b"Title theirs" in consumer.read(VIEW)
    consumer.commit("The view")
    consumer.checkout("side")
    consumer.checkout("main")
    assert consumer.status() == []


# --- reindex ----------------------------------------------------------------------------------


def test_the_search_index_is_ready_after_a_checkout_a_merge_and_a_rebase(
    consumer: Repo, source: Source
) -> None:
    use(consumer, source, REINDEX)
    database = consumer.path / ".git" / "gitkb" / "index.sqlite"
    assert not database.exists()
    consumer.checkout("side", new=True)
    assert database.exists()

    consumer.write(".gitkb/knowledge/d1.jsonl", FILES["knowledge/d1.jsonl"].replace(b"zero", b"x"))
    consumer.commit("Theirs")
    consumer.checkout("main")
    database.unlink()
    consumer.merge("side")
    assert database.exists()

    consumer.checkout("other", new=True)
    consumer.write("README", "more\n")
    consumer.commit("Other")
    consumer.git("reset", "-q", "--hard", "HEAD~2")
    consumer.write("notes", "more\n")
    consumer.commit("Another")
    database.unlink()
    consumer.rebase("side")
    assert database.exists()


def test_without_a_knowledge_base_nothing_happens_and_nothing_fails(
    source: Source, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRE_COMMIT_HOME", str(source.home))
    repo = Repo.init(tmp_path / "plain")
    repo.write("README", "plain\n")
    use(repo, source, FORMAT + REINDEX)
    repo.checkout("side", new=True)
    repo.write("README", "other\n")
    repo.add()
    commit(repo)
    assert not (repo.path / ".git" / "gitkb").exists()


# --- beside others ----------------------------------------------------------------------------


def test_a_hook_that_was_there_first_runs_as_well(
    source: Source, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRE_COMMIT_HOME", str(source.home))
    repo = Repo.init(tmp_path / "old")
    for name, data in FILES.items():
        repo.write(f".gitkb/{name}", data)
    repo.commit("Begin")
    hook = repo.write(".git/hooks/post-merge", '#!/bin/sh\necho "merged $*" >> .git/legacy\n')
    hook.chmod(0o755)
    use(repo, source, REINDEX)
    repo.checkout("side", new=True)
    repo.write("README", "more\n")
    repo.commit("More")
    repo.checkout("main")
    repo.merge("side")
    assert repo.read(".git/legacy") == b"merged 0\n"
    assert (repo.path / ".git/hooks/post-merge.legacy").is_file()


def test_gitkb_install_and_the_framework_live_side_by_side(consumer: Repo) -> None:
    consumer.run("install", exit_code=None)
    consumer.write(".gitkb/knowledge/d1.jsonl", b"bad\n")
    consumer.add()
    commit(consumer, exit_code=1)
    consumer.write(".gitkb/knowledge/d1.jsonl", FILES["knowledge/d1.jsonl"].replace(b"zero", b"0"))
    consumer.add()
    commit(consumer)
    assert consumer.read(".git/note").count(b"ran") >= 2
    assert consumer.person == ADA


def test_the_doctor_sees_that_the_framework_calls_gitkb(consumer: Repo, source: Source) -> None:
    use(consumer, source, FORMAT + REINDEX)
    consumer.run("install", exit_code=None)
    text = consumer.run("doctor", "--all", exit_code=None).stdout
    assert "does not call gitkb" not in text
    assert "ok       pre-commit has the stages that gitkb needs" in text


def test_a_linked_worktree_is_judged_by_its_own_staging_area(
    consumer: Repo, tmp_path: Path
) -> None:
    linked = consumer.worktree(tmp_path / "linked", "side")
    linked.write(".gitkb/knowledge/d1.jsonl", b"bad\n")
    linked.add()
    said = commit(linked, exit_code=1)
    assert "knowledge/d1.jsonl:1" in said.stdout + said.stderr
    assert consumer.git("status", "--porcelain").stdout == ""


# --- remind -----------------------------------------------------------------------------------


def test_a_reminder_is_shown_though_the_commit_goes_through(consumer: Repo, source: Source) -> None:
    use(consumer, source, REMIND)
    consumer.kb_add(key="cents", type="pitfall", content="MUST-CHECK: never floats.", files=["pay"])
    consumer.commit("Know")
    consumer.write("pay/a.py", "pass\n")
    consumer.add()
    said = commit(consumer)
    assert "gitkb: cents (MUST-CHECK): never floats. [file pay]" in said.stdout + said.stderr
    consumer.write("README", "x\n")
    consumer.add()
    said = commit(consumer)
    assert "gitkb: " not in said.stdout + said.stderr


# --- the how-to -------------------------------------------------------------------------------


def test_the_framework_takes_what_the_how_to_tells_a_consumer_to_write(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "how-to" / "pre-commit.md").read_text(encoding="utf-8")
    first, *_ = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    config = tmp_path / "config.yaml"
    config.write_text(first, encoding="utf-8")
    run_program([script("pre-commit"), "validate-config", str(config)], cwd=tmp_path)
    assert STAGES in first
    assert re.findall(r"- id: (\S+)", first) == [hook["id"] for hook in manifest()]
