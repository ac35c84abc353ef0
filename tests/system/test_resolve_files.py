"""`gitkb resolve` on files: wherever the driver did not run, and in whatever git is in the middle of."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from repo_builder import Repo

if TYPE_CHECKING:
    from pathlib import Path

ALL = ".gitkb/knowledge/all.jsonl"
ARCHIVE = ".gitkb/archive/all.jsonl"
MISSING = "/nonexistent %O %A %B"


def entries(repo: Repo, path: str = ALL) -> dict[str, dict[str, Any]]:
    return {entry["key"]: entry for entry in map(json.loads, repo.read(path).splitlines())}


def contents(repo: Repo) -> dict[str, str]:
    return {key: entry["content"] for key, entry in entries(repo).items()}


def write(repo: Repo, **content_by_key: str) -> None:
    lines = [
        json.dumps({"key": key, "type": "fact", "content": content})
        for key, content in content_by_key.items()
    ]
    repo.run("add", "--batch", stdin="".join(line + "\n" for line in lines))


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A store of one file without hooks and driver, with two branches that both changed it.

    `a` was changed by both, `b` by main, `c` by the side; `d` was archived by the side; each has a new one.
    """
    repo = Repo.init(tmp_path / "repo")
    repo.run("init", "--shards", "1")
    repo.run("uninstall")
    write(repo, a="a", b="b", c="c", d="d", e="e")
    repo.commit("start")
    repo.checkout("side", new=True)
    write(repo, a="of the side", c="of the side", new_side="new")
    repo.run("archive", "d")
    repo.commit("side")
    repo.checkout("main")
    write(repo, a="of main", b="of main", new_main="new")
    repo.commit("main")
    return repo


WHOLE = {"b": "of main", "c": "of the side", "e": "e", "new_side": "new", "new_main": "new"}


def check_whole(repo: Repo) -> None:
    """Everything that either branch said is there, and `a` holds both values."""
    found = contents(repo)
    shown = found.pop("a")
    assert found == WHOLE
    [conflict] = entries(repo)["a"]["conflicts"]
    assert {shown, conflict["value"]} == {"of main", "of the side"}
    assert repo.run("check", exit_code=None).exit_code == 0


@pytest.mark.parametrize("style", ["merge", "diff3", "zdiff3"])
def test_a_merge_without_the_driver_is_settled_from_its_stages(repo: Repo, style: str) -> None:
    repo.config("merge.conflictStyle", style)
    repo.merge("side", exit_code=1)
    done = repo.run("resolve")
    assert f"resolved {ALL} from the three stages, staged" in done.stdout
    assert f"resolved {ARCHIVE} from the three stages, staged" in done.stdout
    assert "'a' is contested: gitkb resolve a" in done.stderr
    assert "nothing else is in conflict: git commit" in done.stderr
    check_whole(repo)
    assert repo.status() == [f"M  {ARCHIVE}", f"M  {ALL}"]


def test_it_gives_the_bytes_that_the_driver_gives(repo: Repo) -> None:
    repo.merge("side", exit_code=1)
    repo.run("resolve")
    by_hand = repo.tree()
    repo.git("merge", "--abort")
    repo.run("install")
    repo.merge("side")
    assert repo.tree() == by_hand


def test_a_driver_that_is_missing_leaves_one_side_and_nothing_is_lost(repo: Repo) -> None:
    repo.config("merge.gitkb.driver", MISSING)
    repo.merge("side", exit_code=1)
    assert b"<<<<" not in repo.read(ALL)
    assert "of the side" not in contents(repo)["a"]
    repo.run("resolve")
    check_whole(repo)


def test_one_side_that_was_staged_already_is_named_and_merged_on_demand(repo: Repo) -> None:
    repo.config("merge.gitkb.driver", MISSING)
    repo.merge("side", exit_code=1)
    repo.add()
    done = repo.run("resolve")
    assert f"gitkb resolve {ALL} merges both" in done.stderr
    assert contents(repo)["a"] == "of main"
    repo.run("resolve", ALL)
    check_whole(repo)
    assert f"{ALL} is in no conflict" in repo.run("resolve", ALL).stdout


def test_a_side_that_holds_all_of_the_other_is_not_called_one_sided(repo: Repo) -> None:
    repo.checkout("redacted", new=True)
    repo.run("redact", "a", "--match", "of main", "--yes")
    repo.commit("redacted")
    repo.git("checkout", "-qb", "old", "main")
    write(repo, a="it is of main")
    repo.commit("old")
    repo.checkout("redacted")
    repo.merge("old", exit_code=1)
    assert "one side alone" not in repo.run("resolve").stderr
    assert "one side alone" not in repo.run("resolve").stderr


def test_markers_that_were_staged_are_settled_from_the_sides_that_git_remembers(repo: Repo) -> None:
    repo.merge("side", exit_code=1)
    repo.add()
    assert "from the three stages" in repo.run("resolve").stdout
    check_whole(repo)


@pytest.mark.parametrize("style", ["merge", "diff3", "zdiff3"])
def test_markers_that_somebody_committed_are_settled(repo: Repo, style: str) -> None:
    repo.config("merge.conflictStyle", style)
    repo.merge("side", exit_code=1)
    repo.git("commit", "-qam", "as it came")
    repo = Repo.clone(repo, repo.path.parent / "clone")
    done = repo.run("resolve")
    assert f"resolved {ALL} from its markers" in done.stdout
    assert repo.git("diff", "--cached", "--name-only").lines() == []
    check_whole(repo)


def test_another_marker_size_is_no_obstacle(repo: Repo) -> None:
    repo.write(".git/info/attributes", "*.jsonl conflict-marker-size=12\n")
    repo.merge("side", exit_code=1)
    repo.git("commit", "-qam", "as it came")
    repo = Repo.clone(repo, repo.path.parent / "clone")
    repo.run("resolve")
    check_whole(repo)


@pytest.mark.parametrize(
    ("operation", "ending"),
    [
        (("rebase", "side"), "git rebase --continue"),
        (("rebase", "--apply", "side"), "git rebase --continue"),
        (("cherry-pick", "side"), "git cherry-pick --continue"),
    ],
)
def test_it_works_in_the_middle_of(repo: Repo, operation: tuple[str, ...], ending: str) -> None:
    repo.git(*operation, exit_code=1)
    done = repo.run("resolve")
    assert f"nothing else is in conflict: {ending}" in done.stderr
    check_whole(repo)
    repo.git(*ending.split()[1:], env={"GIT_EDITOR": "true"})
    check_whole(repo)
    assert repo.status() == []


def test_it_works_after_a_stash_pop(repo: Repo) -> None:
    write(repo, a="stashed", f="f")
    repo.git("stash", "-q")
    write(repo, a="meanwhile", g="g")
    repo.commit("meanwhile")
    repo.git("stash", "pop", exit_code=1)
    repo.run("resolve")
    found = contents(repo)
    assert {"f", "g"} < found.keys()
    [conflict] = entries(repo)["a"]["conflicts"]
    assert {found["a"], conflict["value"]} == {"stashed", "meanwhile"}


def test_it_works_in_a_linked_worktree_and_from_a_folder_below(repo: Repo) -> None:
    tree = repo.worktree(repo.path.parent / "tree", "work")
    tree.merge("side", exit_code=1)
    (tree.path / "src").mkdir()
    done = tree.run("resolve", cwd=tree.path / "src")
    assert f"resolved {ALL}" in done.stdout
    check_whole(tree)
    tree.git("merge", "--abort")
    tree.merge("side", exit_code=1)
    tree.run("resolve", "../.gitkb/knowledge/all.jsonl", cwd=tree.path / "src")
    tree.run("resolve", "../.gitkb/archive/all.jsonl", cwd=tree.path / "src")
    check_whole(tree)
    assert repo.status() == []


def test_other_files_in_conflict_are_left_and_named(repo: Repo) -> None:
    repo.write("README", "main\n")
    repo.commit("readme")
    repo.checkout("side")
    repo.write("README", "side\n")
    repo.commit("readme")
    repo.merge("main", exit_code=1)
    done = repo.run("resolve")
    assert "left in conflict: README" in done.stderr
    assert "AA README" in repo.status()
    check_whole(repo)
    answer = repo.run("resolve", "--json").json()
    assert answer == {"files": [], "problems": [], "left": ["README"], "next": "git commit"}


def test_what_was_written_meanwhile_stays(repo: Repo) -> None:
    repo.config("merge.gitkb.driver", MISSING)
    repo.merge("side", exit_code=1)
    write(repo, written_meanwhile="new", b="better")  # ours alone stands there, without markers
    repo.run("resolve")
    found = contents(repo)
    assert found["written_meanwhile"] == "new"
    assert found["b"] == "better"
    assert found["c"] == "of the side"
    assert len(entries(repo)["a"]["conflicts"]) == 1


def test_what_a_person_settled_between_the_markers_stays(repo: Repo) -> None:
    repo.merge("side", exit_code=1)
    text = repo.read(ALL).replace(b'"content":"e"', b'"content":"by hand"')
    repo.write(ALL, text)
    repo.run("resolve")
    assert contents(repo)["e"] == "by hand"
    assert {"new_side", "new_main"} < contents(repo).keys()


def test_a_file_that_both_added_is_settled_without_a_base(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "repo")
    repo.run("init")
    repo.run("uninstall")
    repo.commit("start")
    repo.checkout("side", new=True)
    write(repo, a="of the side")
    repo.commit("side")
    repo.checkout("main")
    write(repo, a="of main")
    repo.commit("main")
    repo.merge("side", exit_code=1)
    [path] = [line[3:] for line in repo.status() if line.startswith("AA")]
    repo.run("resolve", path)
    assert "'a' is contested" not in repo.run("resolve").stderr
    assert "of main" in repo.read(path).decode()
    assert "of the side" in repo.read(path).decode()


@pytest.mark.parametrize("removed_by", ["main", "side"])
def test_a_file_that_one_side_removed_keeps_what_the_other_changed(
    repo: Repo, removed_by: str
) -> None:
    changed_by = {"main": "side", "side": "main"}[removed_by]
    repo.checkout(removed_by)
    repo.git("rm", "-q", ALL)
    repo.git("commit", "-qm", "without the file")
    repo.merge(changed_by, exit_code=1)
    repo.run("resolve")
    by_main, by_side = {"a": "of main", "b": "of main"}, {"a": "of the side", "c": "of the side"}
    expected = (
        {**by_main, "new_main": "new"} if changed_by == "main" else {**by_side, "new_side": "new"}
    )
    assert contents(repo) == expected
    assert not [line for line in repo.status() if line[:2] in ("UD", "DU", "UU", "AA")]


def test_lines_that_nobody_can_read_leave_the_file_as_it_is(repo: Repo) -> None:
    for branch in ("side", "main"):
        repo.checkout(branch)
        repo.write(ALL, repo.read(ALL) + b'{"broken by":' + branch.encode() + b"\n")
        repo.commit("broken")
    repo.merge("side", exit_code=1)
    before = repo.read(ALL)
    done = repo.run("resolve", exit_code=1)
    assert "both sides changed lines that are no JSON objects" in done.stderr
    assert "the file was left as it is" in done.stderr
    assert f"left in conflict: {ALL}" in done.stderr
    assert repo.read(ALL) == before
    assert f"resolved {ARCHIVE}" in done.stdout


def test_a_marker_that_belongs_to_no_conflict_is_named_with_its_line(repo: Repo) -> None:
    text = repo.read(ALL) + b">>>>>>> side\n"
    repo.write(ALL, text)
    done = repo.run("resolve", ALL, exit_code=1)
    assert f"'{ALL}:{len(text.splitlines())}'" in done.stderr
    assert repo.read(ALL) == text


def test_a_store_outside_of_git_is_settled_from_its_markers(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "plain")
    repo.path.mkdir()
    repo.run("init", "--shards", "1", exit_code=None)
    ours, theirs = (json.dumps({"key": "k", "type": "fact", "content": side}) for side in "ot")
    repo.write(ALL, f"<<<<<<< a\n{ours}\n=======\n{theirs}\n>>>>>>> b\n")
    repo.run("resolve")
    assert contents(repo) == {"k": "t"}
    assert [one["value"] for one in entries(repo)["k"]["conflicts"]] == ["o"]


def test_what_is_no_data_file_is_refused(repo: Repo) -> None:
    assert "no data file" in repo.run("resolve", "./README", exit_code=2).stderr
    assert "settled apart" in repo.run("resolve", "a", ALL, exit_code=2).stderr
    assert "goes with the key" in repo.run("resolve", ALL, "--take", "1", exit_code=2).stderr


def test_nothing_in_conflict_is_an_answer(repo: Repo) -> None:
    assert repo.run("resolve").stdout == "no file is in conflict\n"
    assert repo.run("resolve", "--json").json()["files"] == []


def test_markers_in_a_side_are_settled_before_the_sides_are_merged(repo: Repo) -> None:
    repo.merge("side", exit_code=1)
    repo.git("commit", "-qam", "markers on main")
    repo.checkout("mended", new=True)
    repo.run("resolve")
    repo.run("resolve", "a", "--take", "1")
    write(repo, e="mended")
    repo.commit("mended")
    repo.checkout("main")
    text = repo.read(ALL)
    assert b'"content":"e"' in text
    repo.write(ALL, text.replace(b'"content":"e"', b'"content":"by hand"'))
    repo.git("commit", "-qam", "by hand")
    repo.run("install")
    refused = repo.merge("mended", exit_code=1)
    assert "hint: gitkb resolve tries again" in refused.stderr
    repo.run("resolve")
    assert entries(repo)["a"].get("conflicts") is None
    e = entries(repo)["e"]
    assert {e["content"], e["conflicts"][0]["value"]} == {"mended", "by hand"}
    assert contents(repo).keys() == {"a", *WHOLE}
    repo.git("commit", "-qm", "merged")


def test_an_entry_can_be_settled_while_its_file_is_in_conflict_without_markers(repo: Repo) -> None:
    conflict = {"field": "content", "value": "else", "ts": 1}
    entry = {"key": "b", "type": "fact", "content": "of main", "conflicts": [conflict]}
    repo.run("add", stdin=json.dumps(entry))
    repo.commit("contested")
    repo.config("merge.gitkb.driver", MISSING)
    repo.merge("side", exit_code=1)
    repo.run("resolve", "b", "--take", "2")
    repo.run("resolve")
    assert contents(repo)["b"] == "else"
    assert contents(repo)["c"] == "of the side"


def test_while_markers_stand_an_entry_of_that_file_waits(repo: Repo) -> None:
    repo.merge("side", exit_code=1)
    for words in (
        ["resolve", "a", "--take", "1"],
        ["add", "--key", "z", "--type", "fact", "--content", "z"],
    ):
        refused = repo.run(*words, exit_code=5)
        assert "holds an unfinished merge: conflict markers" in refused.stderr
        assert "hint: gitkb resolve" in refused.stderr
    assert ALL in repo.run("conflicts").stderr
