"""`gitkb diff` as people and CI jobs call it, in real repositories of several kinds."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from repo_builder import BEN, Repo, team

if TYPE_CHECKING:
    from pathlib import Path

ALL = ".gitkb/knowledge/all.jsonl"


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A repository with two entries in its one commit, and a change of each kind of side."""
    return filled(Repo.init(tmp_path / "repo"))


def filled(repo: Repo, shards: str = "16") -> Repo:
    repo.run("init", "--shards", shards)
    add(repo, "tax", content="It rounds half down.")
    add(repo, "money", content="It is kept in cents.")
    repo.commit("One")
    return repo


def add(repo: Repo, key: str, **fields: Any) -> None:
    repo.kb_add(**{"key": key, "type": "fact", "title": key.title(), "content": "x", **fields})


def kinds(repo: Repo, *arguments: str) -> dict[str, str]:
    """What became of each entry, by key."""
    changes = repo.run("diff", *arguments, "--json").json()["changes"]
    return {change["key"]: change["kind"] for change in changes}


# --- which two states ------------------------------------------------------------------------


def test_files_staged_changes_and_commits_are_told_apart(repo: Repo) -> None:
    add(repo, "staged")
    repo.add()
    add(repo, "unstaged")
    assert kinds(repo) == {"staged": "added", "unstaged": "added"}
    assert kinds(repo, "--staged") == {"staged": "added"}
    repo.commit_staged("Two")
    assert kinds(repo) == {"unstaged": "added"}
    assert kinds(repo, "--staged") == {}
    assert kinds(repo, "HEAD~1..HEAD") == kinds(repo, "HEAD~1", "HEAD") == {"staged": "added"}
    assert kinds(repo, "HEAD..HEAD~1") == {"staged": "removed"}
    assert kinds(repo, "HEAD~1..") == {"staged": "added"}
    assert kinds(repo, "HEAD~1") == {"staged": "added", "unstaged": "added"}
    assert kinds(repo, "--staged", "HEAD~1") == {"staged": "added"}


def test_three_dots_show_what_one_branch_did(repo: Repo) -> None:
    repo.checkout("side", new=True)
    add(repo, "theirs")
    repo.commit("Theirs")
    repo.checkout("main")
    add(repo, "ours")
    repo.commit("Ours")
    assert kinds(repo, "main...side") == {"theirs": "added"}
    assert kinds(repo, "...side") == {"theirs": "added"}
    assert kinds(repo, "main..side") == {"theirs": "added", "ours": "removed"}


def test_before_the_first_commit_all_is_new(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "repo")
    repo.run("init")
    add(repo, "k")
    assert kinds(repo) == {"k": "added"}
    assert kinds(repo, "--staged") == {}
    repo.add()
    assert kinds(repo, "--staged") == {"k": "added"}


def test_tags_and_trees_can_be_compared(repo: Repo) -> None:
    repo.git("tag", "-a", "-m", "v1", "v1")
    add(repo, "new")
    repo.commit("Two")
    tree = repo.head("HEAD^{tree}")
    assert kinds(repo, f"v1..{tree}") == kinds(repo, "v1", "HEAD") == {"new": "added"}


# --- what became of entries ------------------------------------------------------------------


def test_each_verb_of_gitkb_is_seen_as_what_it_is(repo: Repo) -> None:
    for key in ("old", "new", "wrong", "aside", "back", "gone", "kept"):
        add(repo, key)
    repo.run("archive", "back")
    repo.commit("Two")
    repo.run("supersede", "old", "new")
    repo.run("reject", "wrong", "--because", "kept")
    repo.run("archive", "aside")
    repo.run("restore", "back")
    repo.run("forget", "gone", "--reason", "It was wrong", exit_code=None)
    add(repo, "tax", content="It rounds half up.")
    found = kinds(repo)
    wanted = {"tax": "changed", "old": "superseded", "wrong": "rejected", "aside": "archived"}
    wanted |= {"back": "restored", "gone": "forgotten", "new": "changed"}
    assert found == {**found, **wanted}
    repo.commit("Three")
    assert kinds(repo, "HEAD~1..HEAD") == found
    [change] = repo.run("diff", "HEAD~1", "HEAD", "old", "--json").json()["changes"]
    assert change["superseded_by"] == ["new"]


def test_an_entry_that_a_merge_contested_comes_first(tmp_path: Path) -> None:
    both = team(tmp_path, "--shards", "1")
    add(both.ada, "a")
    add(both.ada, "tax", content="down")
    both.ada.commit("One")
    both.ada.push()
    both.ben.pull()
    add(both.ben, "tax", content="half up")
    both.ben.commit("Ben's")
    both.ben.push()
    add(both.ada, "tax", content="half even")
    add(both.ada, "a", content="y", importance=5)
    both.ada.commit("Ada's")
    both.ada.pull()
    first, *others = both.ada.run("diff", "HEAD~1..HEAD", "--json").json()["changes"]
    assert (first["key"], first["contested"]) == ("tax", True)
    assert not any(change["contested"] for change in others)
    assert "1 contested" in both.ada.run("diff", "HEAD~1..HEAD").stderr


def test_another_layout_is_no_change(repo: Repo) -> None:
    repo.run("archive", "tax")
    repo.commit("Two")
    repo.run("reshard", "256")
    add(repo, "new")
    assert kinds(repo) == {"new": "added"}
    repo.commit("Three")
    assert kinds(repo, "HEAD~1..HEAD") == {"new": "added"}
    assert kinds(repo, "HEAD..HEAD~1") == {"new": "removed"}


def test_lines_that_moved_or_are_spelt_otherwise_are_no_change(tmp_path: Path) -> None:
    repo = filled(Repo.init(tmp_path / "repo"), "1")
    lines = [json.loads(line) for line in repo.read(ALL).splitlines()]
    spelt = [json.dumps(dict(reversed(line.items())), indent=None) for line in reversed(lines)]
    repo.write(ALL, "\r\n".join(spelt) + "\r\n")
    assert kinds(repo) == {}


def test_a_second_line_of_a_key_in_a_wrong_file_hides_nothing(repo: Repo) -> None:
    line = next(
        line for data in repo.tree(".gitkb/knowledge").values() for line in data.splitlines()
    )
    key = json.loads(line)["key"]
    for name in ("0", "f"):
        path = f".gitkb/knowledge/{name}.jsonl"
        repo.write(path, repo.read(path) + line + b"\n")
    assert kinds(repo) == {}
    assert kinds(repo, key) == {}


# --- choosing, and forms ---------------------------------------------------------------------


def test_words_behind_the_revisions_choose_entries(repo: Repo) -> None:
    add(repo, "tax", content="y")
    add(repo, "money", content="z", category="technical")
    assert kinds(repo, "tax") == {"tax": "changed"}
    assert kinds(repo, "HEAD", "money") == {"money": "changed"}
    assert kinds(repo, "--key", "money", "--key", "tax") == kinds(repo)
    [alias] = repo.run("show", "money", "--json").json().get("aliases", ["money"])
    assert kinds(repo, alias) == {"money": "changed"}


def test_a_word_that_names_nothing_is_an_error(repo: Repo) -> None:
    done = repo.run("diff", "no-such", exit_code=4)
    assert done.stderr.startswith("error: no commit and no entry 'no-such'\nhint: ")
    done = repo.run("diff", "HEAD..no-such", exit_code=4)
    assert done.stderr.startswith(
        "error: no commit 'no-such' in this clone\nhint: git branch --all"
    )
    repo.run("diff", "HEAD", "HEAD", "HEAD", exit_code=2)
    repo.run("diff", "--staged", "HEAD..HEAD", exit_code=2)
    assert repo.run("diff", "--exit-code", "--", "-x", exit_code=4).stdout == ""


def test_exit_code_says_whether_anything_changed(repo: Repo) -> None:
    repo.run("diff", "--exit-code")
    add(repo, "new")
    repo.run("diff", "--exit-code", exit_code=1)
    repo.run("diff", "--exit-code", "--format", "markdown", exit_code=1)
    repo.run("diff", "--exit-code", "tax")
    repo.run("diff")


def test_the_forms_agree(repo: Repo) -> None:
    add(repo, "tax", content="It rounds half up, and so does the tax service of the state.")
    add(repo, "check", type="pitfall", content="MUST-CHECK: never round twice.")
    text = repo.run("diff")
    assert text.lines()[0] == "added       check  pitfall · must-check"
    assert text.stderr == "HEAD to work tree: 1 added, 1 changed (1 must-check)\n"
    value = repo.run("diff", "--json").json()
    assert value["counts"] == {"added": 1, "changed": 1}
    assert value["from"] == {"name": "HEAD", "commit": repo.head()}
    assert value["to"] == {"name": "work tree", "commit": None}
    markdown = repo.run("diff", "--format", "markdown").stdout
    assert markdown.startswith("<!-- gitkb diff -->\n### Knowledge: 1 added, 1 changed\n")
    assert markdown == repo.run("diff", "--format", "markdown").stdout
    assert len(repo.run("diff", "--format", "markdown", "--budget", "1000").stdout) <= 1000
    repo.run("diff", "--json", "--format", "markdown", exit_code=2)
    repo.run("diff", "--budget", "5000", exit_code=2)
    repo.run("diff", "--format", "markdown", "--budget", "10", exit_code=2)


def test_no_entry_moves_the_cursor_or_speaks_for_us(repo: Repo) -> None:
    add(repo, "tax", content="\x1b[2J\x1b]0;title\x07\nforgotten   money  fact\r\u202e")
    for form in ("text", "markdown"):
        done = repo.run("diff", "--format", form)
        assert not {"\x1b", "\x07", "\r", "\u202e"} & set(done.stdout + done.stderr)
        assert not any(line.startswith("forgotten") for line in done.lines())


# --- what cannot be compared -----------------------------------------------------------------


def test_lines_that_cannot_be_read_are_said(tmp_path: Path) -> None:
    repo = filled(Repo.init(tmp_path / "repo"), "1")
    repo.write(ALL, repo.read(ALL).replace(b'"key":"tax"', b'"key":"tax",'))
    done = repo.run("diff")
    assert "removed     tax" in done.stdout
    assert (
        "note: work tree: 1 line cannot be read, the first at knowledge/all.jsonl:" in done.stderr
    )
    assert repo.run("diff", "--json").json()["notes"]
    assert "1 line cannot be read" in repo.run("diff", "--format", "markdown").stdout


def test_files_in_conflict_are_left_out_and_said(tmp_path: Path) -> None:
    repo = filled(Repo.init(tmp_path / "repo"), "1")
    repo.run("uninstall")
    repo.checkout("side", new=True)
    add(repo, "tax", content="theirs")
    repo.commit("Theirs")
    repo.checkout("main")
    add(repo, "tax", content="ours")
    repo.commit("Ours")
    repo.merge("side", exit_code=1)
    done = repo.run("diff", "--staged", exit_code=0)
    assert f"in conflict and not compared: {ALL}" in done.stderr
    assert "tax" not in done.stdout
    assert "cannot be read" in repo.run("diff").stderr


def test_outside_of_a_repository_the_error_says_so(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    repo.run("init", "--dir", str(tmp_path))
    done = repo.run("diff", exit_code=6)
    assert "lies in no git repository" in done.stderr


# --- kinds of repository ---------------------------------------------------------------------


def test_long_object_ids_are_no_hindrance(tmp_path: Path) -> None:
    repo = filled(Repo.init(tmp_path / "repo", "--object-format=sha256"))
    assert kinds(repo) == {}
    add(repo, "new")
    assert kinds(repo) == {"new": "added"}
    repo.commit("Two")
    assert kinds(repo, "HEAD~1..HEAD") == {"new": "added"}


def test_a_shallow_clone_says_what_to_fetch(repo: Repo, tmp_path: Path) -> None:
    repo.checkout("side", new=True)
    add(repo, "new")
    repo.commit("Two")
    repo.checkout("main")
    add(repo, "other")
    repo.commit("Three")
    url = f"file://{repo.path}"
    clone = Repo.clone(url, tmp_path / "clone", "--depth", "1", "--no-single-branch", person=BEN)
    done = clone.run("diff", "HEAD~1..HEAD", exit_code=4)
    assert "hint: the clone is shallow: git fetch --unshallow" in done.stderr
    done = clone.run("diff", "origin/main...origin/side", exit_code=4)
    assert "have no commit in common here" in done.stderr
    assert "git fetch --unshallow" in done.stderr
    assert kinds(clone, "origin/main..origin/side") == {"new": "added", "other": "removed"}
    clone.git("fetch", "-q", "--unshallow")
    assert kinds(clone, "origin/main...origin/side") == {"new": "added"}


def test_a_branch_that_only_the_remote_has_is_named(repo: Repo, tmp_path: Path) -> None:
    repo.branch("side")
    clone = Repo.clone(repo, tmp_path / "clone")
    done = clone.run("diff", "side..HEAD", exit_code=4)
    assert "hint: it is origin/side here" in done.stderr


def test_a_bare_repository_compares_commits(repo: Repo, tmp_path: Path) -> None:
    add(repo, "new")
    repo.commit("Two")
    bare = Repo.clone(repo, tmp_path / "bare.git", "--bare")
    assert kinds(bare, "HEAD~1..HEAD") == {"new": "added"}
    bare.run("diff", exit_code=6)


def test_a_sparse_checkout_without_the_store_compares_commits(repo: Repo, tmp_path: Path) -> None:
    repo.write("src/a.py", "")
    add(repo, "new")
    repo.commit("Two")
    clone = Repo.clone(repo, tmp_path / "clone", "--sparse")
    clone.git("sparse-checkout", "set", "src")
    assert not (clone.path / ".gitkb").exists()
    assert kinds(clone, "HEAD~1..HEAD") == {"new": "added"}
    clone.git("sparse-checkout", "set", "--no-cone", "/.gitkb/config.toml", "/.gitkb/knowledge/0*")
    assert kinds(clone) == {}


def test_a_linked_worktree_has_its_own_staging_area(repo: Repo, tmp_path: Path) -> None:
    linked = repo.worktree(tmp_path / "linked", "side")
    add(linked, "new")
    linked.add()
    assert kinds(linked, "--staged") == {"new": "added"}
    assert kinds(repo, "--staged") == {}


def test_a_store_in_a_folder_below_the_top_is_compared(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "repo")
    (repo.path / "part one").mkdir()
    inner = Repo(repo.path / "part one")
    inner.run("init", "--dir", ".", "--shards", "1")
    add(inner, "k")
    assert kinds(inner) == {"k": "added"}
    repo.commit("One")
    add(inner, "k", content="y")
    assert kinds(inner) == {"k": "changed"}
    repo.commit("Two")
    assert kinds(inner, "HEAD~1..HEAD") == {"k": "changed"}


def test_nothing_is_written(repo: Repo) -> None:
    add(repo, "new")
    before = repo.status(), repo.tree(".git")
    for arguments in ((), ("--staged",), ("HEAD..HEAD",), ("--format", "markdown")):
        repo.run("diff", *arguments)
    assert (repo.status(), repo.tree(".git").keys()) == (before[0], before[1].keys())
