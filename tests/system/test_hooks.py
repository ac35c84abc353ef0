"""The hooks as git runs them: ready beforehand, never in the way, and a judge of what is staged."""

from __future__ import annotations

import os
import shutil
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import gitkb
from gitkb.git.repository import HOOKS_IN_CONFIGURATION, git_version

from repo_builder import Repo, Result, run_program, script

PACKAGE = Path(gitkb.__file__).parent
POST_HOOKS = ("post-checkout", "post-merge", "post-rewrite", "post-commit")
BAD = b'{"key":"x","key":"y"}\n'
# As a desktop client starts git: no PATH of ours, next to no environment.
CLIENT = ["env", "-i", "PATH=/usr/bin:/bin", "GIT_CONFIG_NOSYSTEM=1", "git", "-c", "user.name=A"]
CLIENT += ["-c", "user.email=a@example.org"]


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    repo = Repo.init(tmp_path_factory.mktemp("template") / "repo")
    repo.run("init", "--shards", "1")
    repo.kb_add(type_="decision", title="Money is kept in cents", content="Floats lose some.")
    repo.commit("Begin")
    return repo.path


@pytest.fixture
def repo(template: Path, tmp_path: Path) -> Repo:
    return Repo(shutil.copytree(template, tmp_path / "the repo", symlinks=True))


def derived(repo: Repo) -> Path:
    said = repo.git("rev-parse", "--path-format=absolute", "--git-dir").stdout
    return Path(said.removesuffix("\n")) / "gitkb"


def forget_index(repo: Repo) -> None:
    for path in derived(repo).glob("index*"):
        path.unlink()


def is_ready(repo: Repo) -> bool:
    return (derived(repo) / "index.sqlite").exists()


def client(repo: Repo, *arguments: str, exit_code: int | None = 0) -> Result:
    return run_program([*CLIENT, *arguments], cwd=repo.path, exit_code=exit_code)


# --- ready beforehand ------------------------------------------------------------------------


def test_a_commit_a_checkout_and_a_merge_make_the_search_index_ready(repo: Repo) -> None:
    forget_index(repo)
    repo.write("a", "1")
    repo.commit("One")
    assert is_ready(repo)
    forget_index(repo)
    repo.checkout("side", new=True)
    assert is_ready(repo)
    repo.write("b", "1")
    repo.commit("Two")
    repo.checkout("main")
    forget_index(repo)
    repo.merge("side")
    assert is_ready(repo)


def test_a_rebase_is_prepared_once_at_its_end(repo: Repo) -> None:
    repo.checkout("side", new=True)
    for number in range(3):
        repo.write(f"side{number}", "1")
        repo.commit(f"Side {number}")
    repo.checkout("main")
    repo.write("main", "1")
    repo.commit("Main")
    repo.checkout("side")
    forget_index(repo)
    seen = repo.write("../seen", "")
    watch = f'test -e "{derived(repo) / "index.sqlite"}" && echo ready >>"{seen}"; true'
    repo.rebase("main", "--exec", watch)
    assert seen.read_text() == ""
    assert is_ready(repo)
    assert not (derived(repo) / "stale").exists()


def test_a_checkout_of_files_only_leaves_a_mark(repo: Repo) -> None:
    repo.write("a", "1")
    repo.commit("One")
    forget_index(repo)
    repo.git("checkout", "--", "a")
    assert not is_ready(repo)
    assert (derived(repo) / "stale").exists()


def test_a_checkout_of_files_imports_next_to_nothing(repo: Repo) -> None:
    code = (
        "import sys; before = set(sys.modules); from gitkb.hooks.main import main; "
        "main(['post-checkout', 'a', 'b', '0']); print(*sorted(set(sys.modules) - before))"
    )
    done = run_program([sys.executable, "-I", "-c", code], cwd=repo.path)
    own = ("hooks", "hooks.main", "hooks.place", "hooks.post", "hooks.process", "hooks.report")
    assert done.stdout.split() == ["__future__", "gitkb", *(f"gitkb.{name}" for name in own)]


def test_a_hook_of_another_tool_that_calls_us_leaves_the_mark_too(repo: Repo) -> None:
    hook = repo.path / ".git" / "hooks" / "post-checkout"
    hook.write_text('#!/bin/sh\ngitkb-hook post-checkout "$@"\n')
    repo.write("a", "1")
    repo.commit("One")
    forget_index(repo)
    repo.git("checkout", "--", "a")
    assert not is_ready(repo)
    assert (derived(repo) / "stale").exists()


def test_a_mark_that_cannot_be_made_is_no_failure(repo: Repo) -> None:
    repo.write("a", "1")
    repo.commit("One")
    (derived(repo) / "stale").mkdir()
    assert repo.git("checkout", "--", "a").stderr == ""
    (repo.path / ".git" / "hooks" / "post-checkout").write_text(
        '#!/bin/sh\nexec gitkb-hook post-checkout "$@"\n'
    )
    repo.git("checkout", "--", "a")


def test_a_linked_worktree_gets_its_own_index(repo: Repo, tmp_path: Path) -> None:
    linked = repo.worktree(tmp_path / "linked", "side")
    assert is_ready(linked)
    assert derived(linked) != derived(repo)


def test_a_store_that_lies_deeper_is_made_ready_as_well(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "repo")
    repo.run("--dir", "part one", "init")
    repo.run("--dir", "part one", "add", stdin='{"type":"fact","content":"Deep."}')
    repo.commit("Begin")
    forget_index(repo)
    repo.checkout("side", new=True)
    assert is_ready(repo)
    file = next((repo.path / "part one" / ".gitkb" / "knowledge").glob("*.jsonl"))
    file.write_bytes(file.read_bytes() + BAD)
    repo.add()
    client(repo, "commit", "-qm", "Bad", exit_code=1)


# --- never in the way ------------------------------------------------------------------------


@pytest.mark.parametrize("name", POST_HOOKS)
def test_without_a_store_a_hook_says_and_does_nothing(tmp_path: Path, name: str) -> None:
    repo = Repo.init(tmp_path / "other")
    done = run_program([script("gitkb-hook"), name, "a", "b", "1"], cwd=repo.path)
    assert (done.stdout, done.stderr) == ("", "")
    assert not derived(repo).exists()


def test_a_commit_that_removes_the_store_is_not_in_the_way(repo: Repo) -> None:
    repo.git("rm", "-rq", ".gitkb")
    shutil.rmtree(repo.path / ".gitkb", ignore_errors=True)
    done = repo.git("commit", "-qm", "Leave")
    assert done.stderr == ""


@pytest.mark.parametrize("name", POST_HOOKS)
def test_a_store_in_a_broken_repository_is_no_failure(tmp_path: Path, name: str) -> None:
    (tmp_path / "x" / ".gitkb" / "knowledge").mkdir(parents=True)
    (tmp_path / "x" / ".git").write_text("gitdir: /nonexistent\n")
    run_program([script("gitkb-hook"), name, "a", "b", "1"], cwd=tmp_path / "x")


def test_a_client_without_our_path_finds_the_recorded_program(repo: Repo) -> None:
    forget_index(repo)
    repo.write("a", "1")
    client(repo, "add", "a")
    done = client(repo, "commit", "-qm", "From a client")
    assert done.stderr == ""
    assert is_ready(repo)


def lose_the_program(repo: Repo) -> None:
    repo.config("gitkb.python", "/nonexistent/bin/python")
    repo.config("gitkb.hook", "/nonexistent/gitkb/hooks/__main__.py")


def test_where_gitkb_was_deleted_post_hooks_are_silent_and_the_check_is_missed_aloud(
    repo: Repo,
) -> None:
    lose_the_program(repo)
    repo.write("a", "1")
    client(repo, "add", "a")
    done = client(repo, "commit", "-qm", "Without gitkb")
    [line] = done.stderr.splitlines()
    assert "did not check this commit" in line
    assert "install it again, then run 'gitkb install'" in line
    assert client(repo, "checkout", "-q", "-b", "side").stderr == ""


def test_a_team_may_require_the_check(repo: Repo) -> None:
    lose_the_program(repo)
    repo.config("gitkb.requireHook", "yes")
    repo.write("a", "1")
    client(repo, "add", "a")
    client(repo, "commit", "-qm", "Without gitkb", exit_code=1)


def stand_in(repo: Repo, folder: Path, body: str) -> None:
    """Our hook program beside an index that misbehaves: a package of that shape at another place."""
    package = folder / "gitkb"
    (package / "operations").mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "operations" / "__init__.py").touch()
    for name in ("hooks", "git", "core"):
        shutil.copytree(PACKAGE / name, package / name)
    shutil.copy(PACKAGE / "errors.py", package / "errors.py")
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    text = f"def prepare(worktree, deadline_seconds):\n{lines}"
    (package / "operations" / "prepare.py").write_text(text)
    repo.config("gitkb.hook", str(package / "hooks" / "__main__.py"))


HANGS = {
    "asleep": "import time; time.sleep(60)",
    "in a child": "import subprocess; subprocess.run(['sleep', '60'])",
    "in a long query": (
        "import sqlite3; sqlite3.connect(':memory:').execute("
        "'with recursive n(x) as (select 1 union all select x+1 from n) select max(x) from n')"
    ),
    "against every exception": (
        "import time\n"
        "while True:\n"
        "    try:\n"
        "        time.sleep(60)\n"
        "    except BaseException:\n"
        "        pass"
    ),
}


@pytest.mark.parametrize("body", HANGS.values(), ids=HANGS.keys())
def test_a_rebuild_that_hangs_is_ended(repo: Repo, tmp_path: Path, body: str) -> None:
    stand_in(repo, tmp_path / "stand-in", body)
    began = time.monotonic()
    done = repo.git("checkout", "-q", "-b", "side", env={"GITKB_HOOK_SECONDS": "0.5"})
    assert time.monotonic() - began < 10
    assert done.stderr == ""
    assert "seconds; the next search does the rest" in (derived(repo) / "hook.log").read_text()


FAULTS = {
    "an error": "raise RuntimeError('noise \\udce9 \\x1b[31m')",
    "an exit": "raise SystemExit(7)",
    "a missing library": "import no_such_library",
    "no memory": "raise MemoryError",
}


@pytest.mark.parametrize("body", FAULTS.values(), ids=FAULTS.keys())
def test_a_rebuild_that_fails_says_one_line_and_the_checkout_succeeds(
    repo: Repo, tmp_path: Path, body: str
) -> None:
    stand_in(repo, tmp_path / "stand-in", body)
    done = repo.git("checkout", "-q", "-b", "side")
    [line] = done.stderr.splitlines()
    assert line.startswith("gitkb: post-checkout could not make the search index ready")
    assert "Traceback" in (derived(repo) / "hook.log").read_text() or "Error" in done.stderr


def test_the_log_does_not_grow_for_ever(repo: Repo, tmp_path: Path) -> None:
    stand_in(repo, tmp_path / "stand-in", "raise RuntimeError")
    log = derived(repo) / "hook.log"
    log.write_bytes(b"x" * 300_000)
    repo.git("checkout", "-q", "-b", "side")
    assert log.stat().st_size < 10_000


@pytest.mark.skipif(
    git_version().numbers < HOOKS_IN_CONFIGURATION, reason="git 2.54 brought hooks in configuration"
)
@pytest.mark.parametrize("place", ["our file", "a foreign file", "a foreign folder"])
def test_a_newer_git_runs_us_once_whatever_stands_in_the_hooks_folder(
    repo: Repo, tmp_path: Path, place: str
) -> None:
    if place == "a foreign folder":
        repo.config("core.hooksPath", str(tmp_path))
    if place == "a foreign file":
        (repo.path / ".git" / "hooks" / "post-checkout").write_text("#!/bin/sh\necho other >&2\n")
    repo.run("install")
    stand_in(repo, tmp_path / "stand-in", "import sys; print('ours', file=sys.stderr)")
    done = repo.git("checkout", "-q", "-b", "side")
    other = ["other"] if place == "a foreign file" else []
    assert sorted(done.stderr.splitlines()) == sorted(["ours", *other])


def test_a_file_left_by_an_installation_for_a_newer_git_works_with_an_older_one(
    repo: Repo, tmp_path: Path
) -> None:
    # A desktop client brings a git of its own. What it does not know it does not list.
    repo.config("hook.gitkb-post-checkout.command", "true")
    repo.config("hook.gitkb-post-checkout.event", "post-checkout")
    old = Repo(tmp_path / "old")
    git = shutil.which("git")
    text = f'#!/bin/sh\ntest "$1" = hook && exit 129\nexec {git} "$@"\n'
    old.write("git", text).chmod(0o755)
    stand_in(repo, tmp_path / "stand-in", "import sys; print('ours', file=sys.stderr)")
    hook = repo.path / ".git" / "hooks" / "post-checkout"
    path = {"PATH": f"{old.path}{os.pathsep}/usr/bin{os.pathsep}/bin"}
    done = run_program([str(hook), "a", "b", "1"], cwd=repo.path, env=path)
    assert done.stderr == "ours\n"


def test_an_unknown_hook_is_a_usage_error(tmp_path: Path) -> None:
    done = run_program([script("gitkb-hook"), "pre-push"], cwd=tmp_path, exit_code=2)
    assert done.stderr.startswith("error: unknown hook 'pre-push'\nhint: ")


# --- a judge of what is staged ---------------------------------------------------------------


def data_file(repo: Repo) -> Path:
    return repo.path / ".gitkb" / "knowledge" / "all.jsonl"


def test_a_bad_line_is_not_committed_and_the_message_says_where(repo: Repo) -> None:
    data_file(repo).write_bytes(data_file(repo).read_bytes() + BAD)
    repo.add()
    done = client(repo, "commit", "-qm", "Bad", exit_code=1)
    assert "error: " in done.stderr
    assert "knowledge/all.jsonl:2" in done.stderr
    assert "hint: " in done.stderr


def test_what_is_staged_counts_and_not_what_lies_on_disk(repo: Repo) -> None:
    good = data_file(repo).read_bytes()
    data_file(repo).write_bytes(good + BAD)
    repo.add()
    data_file(repo).write_bytes(good)
    client(repo, "commit", "-qm", "Bad in the staging area", exit_code=1)
    repo.add()
    data_file(repo).write_bytes(good + BAD)
    repo.write("a", "1")
    client(repo, "add", "a")
    client(repo, "commit", "-qm", "Bad on disk alone")


@pytest.mark.parametrize("how", [("-a",), ("--", ".gitkb")], ids=["all", "by name"])
def test_the_staging_area_of_this_very_commit_is_judged(repo: Repo, how: tuple[str, ...]) -> None:
    data_file(repo).write_bytes(data_file(repo).read_bytes() + BAD)
    client(repo, "commit", "-qm", "Bad", *how, exit_code=1)


def test_new_files_that_a_commit_of_known_files_leaves_out_are_named(repo: Repo) -> None:
    repo.run("reshard", "256")
    repo.commit("Spread")
    repo.run("add", stdin='{"type":"fact","content":"The first of its file."}')
    assert "knowledge stay" not in repo.git("commit", "--allow-empty", "-qm", "as staged").stderr
    said = repo.git("commit", "--allow-empty", "-qam", "all that is known").stderr
    assert "warning: a new file of knowledge stays out of this commit" in said
    assert "hint: git add .gitkb\n" in said
    repo.add(".gitkb")
    assert "knowledge stay" not in repo.git("commit", "-qam", "with it").stderr


def test_a_commit_from_a_linked_worktree_is_judged_there(repo: Repo, tmp_path: Path) -> None:
    linked = repo.worktree(tmp_path / "linked", "side")
    data_file(repo).write_bytes(BAD)
    repo.add()
    linked.write("a", "1")
    linked.add("a")
    client(linked, "commit", "-qm", "Good here")
    data_file(linked).write_bytes(BAD)
    linked.add()
    client(linked, "commit", "-qm", "Bad here", exit_code=1)


def test_worktrees_that_commit_at_once_keep_their_files_and_the_stash_they_share(
    repo: Repo, tmp_path: Path
) -> None:
    # Hooks that stash, as some frameworks' do, have taken each other's entries.
    linked = repo.worktree(tmp_path / "linked", "topic")
    repo.write("note", "Stashed.\n")
    repo.add()
    repo.git("stash", "-q")
    stash = repo.head("stash@{0}")
    linked.write(".gitkb/knowledge/all.jsonl", linked.read(".gitkb/knowledge/all.jsonl") + BAD)
    linked.add()
    linked.write(".gitkb/knowledge/all.jsonl", BAD + BAD)
    kept = linked.tree("."), linked.status()
    with ThreadPoolExecutor(2) as pool:
        refused = pool.submit(
            lambda: [
                linked.git("commit", "-q", "-m", "Bad", exit_code=None).exit_code for _ in range(4)
            ]
        )
        for number in range(4):
            repo.kb_add(key=f"k{number}", type_="fact", content=f"Number {number}.")
            repo.commit(f"Number {number}")
    assert refused.result() == [1] * 4
    assert (linked.tree("."), linked.status()) == kept
    assert repo.git("stash", "list").lines() == repo.git("stash", "list").lines()[:1]
    assert repo.head("stash@{0}") == stash


def test_a_check_stages_and_writes_nothing(repo: Repo) -> None:
    data_file(repo).write_bytes(b'{"type": "fact",  "key": "z", "content": "c"}\n')
    repo.add()
    before = (repo.git("ls-files", "-s").stdout, repo.tree())
    client(repo, "commit", "-qm", "Odd spelling", exit_code=None)
    assert (repo.git("ls-files", "-s").stdout, repo.tree()) == before


FRAMEWORK = """\
repos:
  - repo: local
    hooks:
      - {id: other, name: other, entry: sh -c 'echo other >> ran', language: system,
         stages: [pre-commit], always_run: true, pass_filenames: false}
"""
OURS = """\
      - {id: gitkb-pre-commit, name: gitkb, entry: gitkb-hook pre-commit, language: system,
         stages: [pre-commit], always_run: true, pass_filenames: false}
"""


@pytest.mark.parametrize("order", ["after us", "before us"])
def test_the_pre_commit_framework_and_we_both_judge(repo: Repo, order: str) -> None:
    repo.write(".pre-commit-config.yaml", FRAMEWORK + (OURS if order == "before us" else ""))
    repo.write(".gitignore", "ran\n")
    repo.commit("Configure")
    if order == "before us":
        repo.run("uninstall")
    run_program([script("pre-commit"), "install"], cwd=repo.path)
    if order == "before us":
        repo.run("install")
    repo.write("a", "1")
    repo.commit("Good")
    assert repo.read("ran") == b"other\n"
    data_file(repo).write_bytes(data_file(repo).read_bytes() + BAD)
    repo.add()
    done = repo.git("commit", "-qm", "Bad", exit_code=1)
    assert "knowledge/all.jsonl:2" in done.stdout + done.stderr


def test_arguments_and_input_reach_the_program(repo: Repo, tmp_path: Path) -> None:
    tools = Repo(tmp_path / "tools")
    seen = tmp_path / "seen"
    text = f'#!/bin/sh\necho "$@" >>"{seen}"\ncat >>"{seen}"\n'
    tools.write("gitkb-hook", text).chmod(0o755)
    lose_the_program(repo)
    path = {"PATH": f"{tools.path}{os.pathsep}/usr/bin{os.pathsep}/bin"}
    repo.git("commit", "--amend", "-qm", "Again", env=path)
    lines = seen.read_text().splitlines()
    assert "post-rewrite amend" in lines
    assert len(lines[lines.index("post-rewrite amend") + 1].split()) == 2
