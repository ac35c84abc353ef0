"""The doctor's advice is good: what can go wrong is made to, its one command is run, and all is well again."""

from __future__ import annotations

import ast
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import gitkb
from gitkb.git.repository import HOOKS_IN_CONFIGURATION, git_version
from gitkb.operations.health.finding import Finding

from repo_builder import ADA, CHI, Repo, run_program, script

ALL = ".gitkb/knowledge/all.jsonl"
LINE = '{"key":"%s","type":"fact","content":"%s","created":1,"ts":1}\n'
Provoke = Callable[[Repo], Repo | None]


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory, _sealed_session: None) -> Path:
    repo = Repo.init(tmp_path_factory.mktemp("template") / "repo")
    repo.run("init", "--shards", "1")
    repo.kb_add(key="retry", type="decision", title="Three", content="Three times.", ts=1000)
    repo.commit("Begin")
    return repo.path


@pytest.fixture
def repo(template: Path, tmp_path: Path) -> Repo:
    return Repo(shutil.copytree(template, tmp_path / "it's a repo", symlinks=True))


def bad(repo: Repo) -> dict[str, Finding]:
    found = repo.run("doctor", "--json", exit_code=None).json()
    return {one["code"]: Finding(**one) for one in found if one["severity"] != "ok"}


def cure(repo: Repo, command: str) -> None:
    """Do what is said at the top of the worktree, as a shell does; programs are those of this installation."""
    path = os.pathsep.join([os.path.dirname(script("gitkb")), os.environ["PATH"]])
    run_program(["sh", "-c", command], cwd=repo.path, env={"PATH": path}, exit_code=None)


# --- what goes wrong -------------------------------------------------------------------------


def _no_git(repo: Repo) -> None:
    shutil.rmtree(repo.path / ".git")


def _stranger(repo: Repo) -> None:
    if os.getuid() != 0:
        pytest.skip("only root can give a folder to somebody else")
    for path in (repo.path, repo.path / ".git"):
        os.chown(path, 12345, 12345)


def _fresh_clone(repo: Repo) -> Repo:
    return Repo.clone(repo, repo.path.parent / "clone")


def _no_driver(repo: Repo) -> None:
    repo.git("config", "--remove-section", "merge.gitkb")


def _no_rules(repo: Repo) -> None:
    repo.git("rm", "-q", ".gitkb/.gitattributes")
    (repo.path / ".git" / "info" / "attributes").unlink()


def _no_shared_rule(repo: Repo) -> None:
    (repo.path / ".gitkb" / ".gitattributes").unlink()


def _old_branch(repo: Repo) -> None:
    repo.git("checkout", "-q", "--orphan", "old")
    repo.git("rm", "-rqf", ".")
    repo.write("a", "1")
    repo.commit("Old")
    repo.checkout("main")
    (repo.path / ".git" / "info" / "attributes").unlink()


def _diffs_of_json(repo: Repo) -> None:
    repo.git("config", "--remove-section", "diff.gitkb")


def _diffs_hidden(repo: Repo) -> None:
    repo.write(".gitkb/.gitattributes", "*.jsonl merge=gitkb\nviews/*.md merge=union\n")
    (repo.path / ".git" / "info" / "attributes").write_text(".gitkb/*.jsonl -diff\n")


def _views(repo: Repo) -> None:
    config = repo.read(".gitkb/config.toml").decode()
    repo.write(".gitkb/config.toml", config + '\n[views]\ncommit = true\nnames = ["decisions"]\n')
    repo.run("view", exit_code=None)


def _view_driver(repo: Repo) -> None:
    _views(repo)
    repo.run("install")
    repo.config("merge.gitkb-view.driver", "false")


def _view_rule(repo: Repo) -> None:
    _views(repo)
    repo.run("install")
    repo.write(".gitkb/.gitattributes", "*.jsonl merge=gitkb diff=gitkb text eol=lf\n")


def _program_gone(repo: Repo) -> None:
    repo.config("gitkb.python", "/nonexistent/python")


def _no_hooks(repo: Repo) -> None:
    shutil.rmtree(repo.path / ".git" / "hooks")
    for line in repo.git("config", "--local", "--name-only", "--list").lines():
        if line.startswith("hook."):
            repo.git("config", "--unset-all", line, exit_code=None)


def _hooks_path(repo: Repo) -> None:
    if git_version(str(repo.path)).numbers >= HOOKS_IN_CONFIGURATION:
        pytest.skip("this git calls the hooks of the configuration, whatever the folder")
    repo.config("core.hooksPath", ".husky")


def _silent_hook(repo: Repo) -> None:
    repo.write(".git/hooks/broken.py", "raise SystemExit(0)\n")
    repo.config("gitkb.hook", str(repo.path / ".git" / "hooks" / "broken.py"))


def _stage_missing(repo: Repo) -> None:
    repo.write(
        ".pre-commit-config.yaml",
        "repos:\n- repo: https://example.org/gitkb\n  rev: v1\n  hooks: [{id: gitkb-check}]\n",
    )
    for name in ("pre-commit", "pre-merge-commit"):
        (repo.path / ".git" / "hooks" / name).unlink(missing_ok=True)
    cure(repo, "pre-commit install")


def _shallow(repo: Repo) -> Repo:
    repo.write("a", "1")
    repo.commit("Two")
    clone = Repo.clone(repo.path.as_uri(), repo.path.parent / "clone", "--depth", "1")
    clone.run("install")
    return clone


def _markers(repo: Repo) -> None:
    ours, theirs = LINE % ("other", "ours"), LINE % ("other", "theirs")
    text = f"<<<<<<< ours\n{ours}=======\n{theirs}>>>>>>> theirs\n"
    repo.write(ALL, repo.read(ALL).decode() + text)


def _lost_side(repo: Repo) -> None:
    good = repo.read(ALL)
    repo.checkout("side", new=True)
    repo.write(ALL, good.replace(b"Three times", b"Theirs"))
    repo.commit("Theirs")
    repo.checkout("main")
    repo.write(ALL, good.replace(b"Three times", b"Ours"))
    repo.commit("Ours")
    line = repo.git("config", "merge.gitkb.driver").stdout
    repo.config("merge.gitkb.driver", "/nonexistent %O %A %B")
    repo.merge("side", exit_code=1)
    repo.config("merge.gitkb.driver", line.removesuffix("\n"))


def _leftover(repo: Repo) -> None:
    repo.write(".gitkb/knowledge/.all.jsonl.tmp", b'{"key":')


def _flagged(repo: Repo) -> None:
    repo.git("update-index", "--skip-worktree", ALL, ".gitkb/config.toml")


def _sparse(repo: Repo) -> None:
    repo.git("update-index", "-q", "--refresh")
    repo.git("sparse-checkout", "set", "--no-cone", "/*", "!.gitkb/knowledge/")


def _ignored(repo: Repo) -> None:
    repo.write(".gitignore", "*.jsonl\n")
    repo.write(".gitkb/.gitignore", "")


def _folder_ignored(repo: Repo) -> None:
    repo.write(".gitignore", ".gitkb/\n")


def _filtered(repo: Repo) -> None:
    repo.write(".gitattributes", "*.jsonl filter=turn\n")
    repo.config("filter.turn.clean", "cat")


def _bare(repo: Repo) -> None:
    repo.config("core.bare", "true")


def _out_of_form(repo: Repo) -> None:
    repo.write(ALL, repo.read(ALL) + (LINE % ("zz", "x")).replace(":1,", ": 1,", 1).encode()[:-1])


def _twice(repo: Repo) -> None:
    repo.write(ALL, repo.read(ALL) + repo.read(ALL).replace(b"Three times", b"Four times"))


def _index_is_a_folder(repo: Repo) -> None:
    database = repo.path / ".git" / "gitkb" / "index.sqlite"
    database.unlink(missing_ok=True)
    database.mkdir(parents=True)


def _orphan(repo: Repo) -> None:
    answer = repo.run("session", "start", "Goal", "--json").json()
    path = repo.path / ".git" / "gitkb" / "sessions" / f"{answer['id']}.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "started": 5}))


def _orphan_damaged(repo: Repo) -> None:
    answer = repo.run("session", "start", "Goal", "--json").json()
    (repo.path / ".git" / "gitkb" / "sessions" / f"{answer['id']}.json").write_text("{")


def _half_move(repo: Repo) -> None:
    line = {"key": "wide", "type": "learned", "title": "Wide", "content": "x", "ts": 1000}
    repo.kb_add(**line)
    copy = repo.read(ALL)
    repo.run("promote", "wide")
    repo.write(ALL, copy)


def _trust_pending(repo: Repo) -> None:
    repo.run("trust", "add", ADA.email)
    repo.commit("List")
    repo.run("trust", "list")
    text = repo.read(".gitkb/config.toml").decode()
    repo.write(".gitkb/config.toml", text.replace(ADA.email, CHI.email))
    repo.commit("Let me in", by=CHI)


def _unwritable_log(repo: Repo) -> None:
    repo.run("recall", "times")
    log = repo.path / ".git" / "gitkb" / "usage.log"
    log.chmod(0o444)
    if os.access(log, os.W_OK):
        pytest.skip("root may write to everything")


WRONG: dict[str, tuple[str, Provoke]] = {
    "no git": ("no-repository", _no_git),
    "somebody else's": ("repository", _stranger),
    "a fresh clone": ("driver", _fresh_clone),
    "no driver": ("driver", _no_driver),
    "no rules": ("attributes", _no_rules),
    "no rule that travels": ("attributes-shared", _no_shared_rule),
    "an old branch": ("attributes-clone", _old_branch),
    "diffs of JSON": ("readable-diffs", _diffs_of_json),
    "diffs hidden by a rule": ("readable-diffs", _diffs_hidden),
    "views without a driver": ("view-driver", _view_driver),
    "views without a rule": ("view-rule", _view_rule),
    "the program is gone": ("hook-program", _program_gone),
    "no hooks": ("hook-missing", _no_hooks),
    "hooks in another folder": ("hook-elsewhere", _hooks_path),
    "a silent hook": ("hook-silent", _silent_hook),
    "a stage is missing": ("pre-commit-stages", _stage_missing),
    "a shallow clone": ("history", _shallow),
    "markers": ("markers", _markers),
    "a lost side": ("lost-side", _lost_side),
    "a leftover": ("leftovers", _leftover),
    "flags in git's index": ("index-flags", _flagged),
    "a sparse checkout": ("index-flags", _sparse),
    "an ignore rule": ("ignored", _ignored),
    "an ignore rule for the folder": ("ignored", _folder_ignored),
    "a filter": ("filters", _filtered),
    "taken for bare": ("worktree", _bare),
    "out of form": ("data", _out_of_form),
    "two lines of a key": ("data", _twice),
    "a folder in place of the search index": ("search-index", _index_is_a_folder),
    "an orphaned session": ("sessions", _orphan),
    "a damaged session": ("sessions", _orphan_damaged),
    "half a move": ("moves", _half_move),
    "a log that cannot be written": ("usage", _unwritable_log),
    "a trust list in waiting": ("trust", _trust_pending),
}
NOT_HERE = {
    "git": "an older git has to be there; its cure is another program's",
    "hook-foreign": "the hooks are another tool's, and what to add to them is shown line by line",
    "objects": "where the other repository went is known to whoever moved it",
    "head": "what is missing can come from a remote alone",
}


@pytest.mark.parametrize("name", WRONG)
def test_the_one_command_mends_it(repo: Repo, name: str) -> None:
    code, provoke = WRONG[name]
    sick = provoke(repo) or repo
    found = bad(sick)
    assert code in found, found
    first = found[code]
    assert first.why or name == "a damaged session"
    assert first.cure
    for _ in range(len(found)):  # what else is found was provoked along with it
        finding = found.get(code) or next(iter(found.values()))
        cure(sick, finding.cure)
        found = bad(sick)
        assert finding not in found.values(), finding
        if not found:
            break
    assert found == {}


def test_every_finding_is_provoked_or_has_a_reason() -> None:
    operations = Path(gitkb.__file__).parent / "operations"
    files = [*(operations / "health").glob("*.py"), operations / "doctor.py"]
    codes = set()
    for path in [*files, operations / "tiers" / "half_move.py"]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                if node.func.id == "Finding" and isinstance(node.args[0], ast.Constant):
                    is_good = getattr(node.args[1], "value", "") == "ok"
                    codes |= set() if is_good else {str(node.args[0].value)}
    assert codes == {code for code, _ in WRONG.values()} | NOT_HERE.keys()


def test_advice_begins_with_the_sum_and_puts_together_what_one_command_mends(repo: Repo) -> None:
    clone = Repo.clone(repo, repo.path.parent / "clone")
    done = clone.run("doctor", exit_code=1)
    lines = done.lines()
    assert lines[0].startswith("1 thing is broken, ")
    assert lines[0].endswith("; one command mends it:")
    assert lines[2] == "error    the merge driver is not configured"
    assert "git merges entries as lines of text" in lines[3]
    assert [line for line in lines if "gitkb install" in line] == [lines[-1]]
    assert "gitkb doctor --fix" in done.stderr
    assert clone.run("doctor", "--fix").stdout.startswith("all is well")


def test_a_search_index_that_is_built_anew_is_well_again(repo: Repo) -> None:
    database = repo.path / ".git" / "gitkb" / "index.sqlite"
    database.unlink(missing_ok=True)
    database.write_bytes(b"SQLite format 3\x00" + b"\xff" * 4096)
    lines = repo.run("doctor", "--all").lines()
    assert lines[0].startswith("all is well: ")
    assert any("search index" in line and "it was built anew" in line for line in lines)


def test_in_good_health_it_is_one_line(repo: Repo) -> None:
    [line] = repo.run("doctor").lines()
    assert line.startswith("all is well: ")


def test_what_is_well_is_shown_to_who_asks(repo: Repo) -> None:
    lines = repo.run("doctor", "--all").lines()
    assert lines[0] == f"all is well: {len(lines) - 2} things looked at"
    assert all(line.startswith("ok       ") for line in lines[2:])


def test_from_a_folder_below_it_says_where_the_command_is_for(repo: Repo) -> None:
    _flagged(repo)
    (repo.path / "src").mkdir()
    done = repo.run("doctor", exit_code=1, cwd=repo.path / "src")
    assert f"cd '{repo.path}'" in done.stderr
