"""`gitkb check --merge`: a merge judged before it is made, and made by key where that is asked.

The forge's merge button is played by git without a driver: what it makes of two branches is what
the check has to have said.
"""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from gitkb.core.identity import order_of
from gitkb.errors import StateError
from gitkb.git.branch_commit import move_branch, write_commit
from gitkb.git.repository import open_repository

from repo_builder import Repo, run_program
from repo_builder import script as script_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Entries = dict[str, dict[str, Any]]
BASE: Entries = {key: {} for key in "abcdefgh"}
TOMBSTONE = {"deleted": True, "ts": 5}
FILE = ".gitkb/knowledge/all.jsonl"


def line(key: str, fields: dict[str, Any]) -> bytes:
    if "deleted" in fields:
        return json.dumps({"key": key, "ts": 1, **fields}).encode()
    return json.dumps({"key": key, "type": "fact", "content": "x", "ts": 1, **fields}).encode()


def put(repo: Repo, entries: Entries, name: str = FILE) -> None:
    lines = [line(key, entries[key]) for key in sorted(entries, key=order_of)]
    repo.write(name, b"".join(item + b"\n" for item in lines))


def entries_of(repo: Repo, commit: str) -> Entries:
    text = repo.git("show", f"{commit}:{FILE}").stdout
    return {fields.pop("key"): fields for fields in map(json.loads, text.splitlines())}


def diverge(repo: Repo, main: Entries, topic: Entries, base: Entries = BASE) -> None:
    """A store of one file, and the branches main and topic with these entries; main is checked out."""
    repo.write(".gitkb/config.toml", "shards = 1\n")
    repo.write("README", "A project.\n")
    put(repo, base)
    repo.commit("Begin")
    repo.checkout("topic", new=True)
    put(repo, topic)
    repo.commit("Topic", "--allow-empty")
    repo.checkout("main")
    put(repo, main)
    repo.commit("Main", "--allow-empty")


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo.init(tmp_path / "repo")


def changed(key: str, **fields: Any) -> Entries:
    return {**BASE, key: {"ts": 2, **fields}}


CLASH = (
    {**changed("a", content="of main", ts=3), "k1": {}},
    {**changed("a", content="of topic"), "k2": {}},
)
MERGED = {"content": "of main", "ts": 3}


def check(
    repo: Repo, *words: str, exit_code: int = 0, env: dict[str, str] | None = None
) -> dict[str, Any]:
    """The answer of `check --merge`."""
    said = repo.run("check", "--merge", *words, "--json", exit_code=exit_code, env=env)
    answer: dict[str, Any] = said.json()
    return answer


def codes(answer: dict[str, Any]) -> list[str]:
    return [problem["code"] for problem in answer["problems"]]


def state_of(repo: Repo) -> dict[str, bytes]:
    """Every byte of a clone, its git folder included, but for the times in git's staging area."""
    repo.git("status")
    return {
        path.relative_to(repo.path).as_posix(): path.read_bytes()
        for path in sorted(repo.path.rglob("*"))
        if path.is_file() and path.name != "index"
    }


# --- what is said -----------------------------------------------------------------------------


def test_a_merge_that_is_right_by_text_is_fine_and_leaves_no_trace(repo: Repo) -> None:
    diverge(repo, changed("a", content="new"), {**BASE, "new": {}})
    before = state_of(repo)
    answer = check(repo, "main", "topic")
    assert (answer["fine"], answer["state"], answer["problems"]) == (True, "open", [])
    assert (answer["base"], answer["head"]) == (repo.head("main"), repo.head("topic"))
    assert state_of(repo) == before


def test_what_a_text_merge_stumbles_over_is_named_by_its_keys(repo: Repo) -> None:
    diverge(repo, *CLASH)
    before = state_of(repo)
    said = repo.run("check", "--merge", "main", "topic", exit_code=1)
    assert "a merge by text ends in a conflict over 'a'" in said.stderr
    assert "gitkb check --merge main topic --write" in said.stderr
    assert "both sides changed 'a'" in said.stderr
    assert "content" in said.stderr
    assert state_of(repo) == before


def test_a_change_far_away_in_the_same_file_is_in_no_conflict(repo: Repo) -> None:
    keys = sorted(BASE, key=order_of)
    diverge(repo, changed(keys[0], content="m"), changed(keys[-1], content="t"))
    assert check(repo, "main", "topic")["problems"] == []


def test_neighbours_are_in_conflict_by_text_and_not_by_key(repo: Repo) -> None:
    keys = sorted(BASE, key=order_of)
    diverge(repo, changed(keys[3], content="m"), changed(keys[4], content="t"))
    answer = check(repo, "main", "topic", exit_code=1)
    assert codes(answer) == ["text-conflict"]
    assert f"'{keys[3]}'" in answer["problems"][0]["message"]
    assert check(repo, "main", "topic", "--write")["written"]["branch"] == "topic"
    assert entries_of(repo, "topic")[keys[3]]["content"] == "m"
    assert entries_of(repo, "topic")[keys[4]]["content"] == "t"


def raw(repo: Repo, *lines: bytes) -> None:
    repo.write(FILE, b"".join(item + b"\n" for item in lines))
    repo.commit("By hand", "--allow-empty")


@pytest.mark.parametrize(
    ("main", "topic", "code"),
    [
        # Both wrote the same key, by hand, one above all others and one below.
        ("n(1)abcdefgh", "abcdefghn(2)", "text-duplicate-key"),
        # One moved a line, the other edited the place that it left.
        ("bcdefgha", "abcdefghk", "text-conflict"),
        # One moved a line, the other dropped it: by text it stays.
        ("bcdefgha", "bcdefgh", "text-differs"),
    ],
)
def test_a_text_merge_that_is_clean_and_wrong_is_told(
    repo: Repo, main: str, topic: str, code: str
) -> None:
    def lines(word: str) -> list[bytes]:
        found = word.replace("(1)", "").replace("(2)", "")
        return [line(key, {"content": word} if key == "n" else {}) for key in found]

    diverge(repo, BASE, BASE)
    repo.checkout("main")
    raw(repo, *lines("abcdefgh"))
    repo.git("branch", "-f", "topic")
    raw(repo, *lines(main))
    repo.checkout("topic")
    raw(repo, *lines(topic))
    answer = check(repo, "main", "topic", exit_code=1)
    assert code in codes(answer)
    by_git = repo.git("merge", "-q", "--no-edit", "main", exit_code=None)
    assert by_git.exit_code == int(code == "text-conflict")


def _plain(repo: Repo, _: Path) -> Repo:
    return repo


def _installed(repo: Repo, _: Path) -> Repo:
    repo.run("install")
    return repo


def _broken_driver(repo: Repo, _: Path) -> Repo:
    repo.config("merge.gitkb.driver", "/nonexistent %O %A %B")
    repo.write(".git/info/attributes", "*.jsonl merge=gitkb\n")
    return repo


def _half_configured(repo: Repo, _: Path) -> Repo:
    repo.config("merge.gitkb.name", "a name, and no driver")
    repo.write(".git/info/attributes", "*.jsonl merge=gitkb\n")
    return repo


def _union(repo: Repo, _: Path) -> Repo:
    repo.write(".git/info/attributes", "*.jsonl merge=union\n")
    return repo


def _no_renames(repo: Repo, _: Path) -> Repo:
    for name, value in (
        ("merge.renames", "false"), ("merge.conflictStyle", "diff3"), ("merge.default", "binary"),
        ("merge.renormalize", "true"), ("core.autocrlf", "true"), ("merge.ff", "only"),
    ):  # fmt: skip
        repo.git("config", "--global", name, value)
    return repo


def _bare(repo: Repo, folder: Path) -> Repo:
    return Repo.clone(repo, folder / "bare.git", "--bare")


def _detached(repo: Repo, _: Path) -> Repo:
    repo.git("checkout", "-q", "--detach")
    return repo


def _linked(repo: Repo, folder: Path) -> Repo:
    return repo.worktree(folder / "linked", "third")


def _below(repo: Repo, _: Path) -> Repo:
    (repo.path / "sub").mkdir()
    return Repo(repo.path / "sub")


CLONES = [
    _plain, _installed, _broken_driver, _half_configured, _union, _no_renames, _bare, _detached,
    _linked, _below,
]  # fmt: skip


@pytest.mark.parametrize("place", CLONES)
def test_every_kind_of_clone_gives_the_same_answer(
    repo: Repo, tmp_path: Path, place: Callable[[Repo, Path], Repo]
) -> None:
    diverge(repo, *CLASH)
    there = place(repo, tmp_path)
    answer = check(there, "main", "topic", exit_code=1)
    assert codes(answer) == ["text-conflict", "contested"]
    assert "'a'" in answer["problems"][0]["message"]


def test_a_branch_that_is_older_than_the_attributes_is_merged_by_key(repo: Repo) -> None:
    # git reads attributes from the side that is merged into: there no driver would run.
    diverge(repo, *CLASH)
    repo.write(".gitkb/.gitattributes", "*.jsonl merge=gitkb diff=gitkb text eol=lf\n")
    repo.commit("Attributes")
    answer = check(repo, "main", "topic", "--write")
    assert codes(answer) == ["contested"]
    assert entries_of(repo, "topic")["a"]["content"] == "of main"


@pytest.mark.parametrize(
    "rule", ["merge=union", "-merge", "merge=binary", "merge=elsewhere", "-text"]
)
def test_no_attribute_of_a_commit_takes_the_files_of_a_store_from_us(repo: Repo, rule: str) -> None:
    repo.write(".gitattributes", f"*.jsonl {rule}\n")
    repo.write(".gitkb/.gitattributes", f"*.jsonl {rule}\n")
    diverge(repo, *CLASH)
    assert codes(check(repo, "main", "topic", exit_code=1)) == ["text-conflict", "contested"]
    check(repo, "main", "topic", "--write")
    assert entries_of(repo, "topic").keys() == {*BASE, "k1", "k2"}


def test_no_driver_of_a_clone_is_run(repo: Repo, tmp_path: Path) -> None:
    repo.write(".gitattributes", "notes merge=theirs\n")
    repo.write("notes", "1\n")
    diverge(repo, BASE, BASE)
    for branch in ("main", "topic"):
        repo.checkout(branch)
        repo.write("notes", f"{branch}\n")
        repo.commit("Notes")
    repo.config("merge.theirs.driver", f"touch '{tmp_path}/ran'; true")
    assert check(repo, "main", "topic")["conflicts"] == ["notes"]
    said = repo.run("check", "--merge", "main", "topic", "--write", exit_code=5)
    assert "'notes'" in said.stderr
    assert not (tmp_path / "ran").exists()


def test_a_file_that_another_driver_would_merge_is_left_to_it(repo: Repo) -> None:
    # Its text would merge; whether that is right only its own driver knows.
    repo.write(".gitattributes", "lock merge=lock-driver\n")
    text = "".join(f"{number}\n" for number in range(20))
    repo.write("lock", text)
    diverge(repo, BASE, BASE)
    for branch, old in (("main", "1\n2\n"), ("topic", "18\n19\n")):
        repo.checkout(branch)
        repo.write("lock", text.replace(old, f"{branch}\n"))
        repo.commit("Lock")
    before = repo.head("topic")
    assert check(repo, "main", "topic")["conflicts"] == []
    assert "'lock'" in repo.run("check", "--merge", "main", "topic", "--write", exit_code=5).stderr
    assert repo.head("topic") == before


def test_a_store_in_a_folder_below_is_judged_and_named_with_its_folder(repo: Repo) -> None:
    place = f"service/api/{FILE}"
    put(repo, BASE, place)
    repo.write("service/api/.gitkb/config.toml", "shards = 1\n")
    diverge(repo, BASE, BASE)
    for branch, content in (("main", "m"), ("topic", "t")):
        repo.checkout(branch)
        put(repo, changed("a", content=content), place)
        repo.commit("Change")
    answer = check(repo, "main", "topic", exit_code=1)
    assert answer["problems"][0]["file"] == "service/api/.gitkb/knowledge/all.jsonl"
    check(repo, "main", "topic", "--write")
    assert b'"conflicts"' in repo.git("show", f"topic:{place}").stdout.encode()


def test_a_repository_without_knowledge_has_nothing_to_say(repo: Repo) -> None:
    repo.write("README", "x\n")
    repo.commit("Begin")
    repo.branch("topic")
    repo.write("README", "y\n")
    repo.commit("More")
    assert check(repo, "HEAD~1", "main")["problems"] == []


def test_sha_256_is_as_any_other(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "sha256", "--object-format=sha256")
    diverge(repo, *CLASH)
    assert codes(check(repo, "main", "topic", exit_code=1)) == ["text-conflict", "contested"]
    check(repo, "main", "topic", "--write")
    assert entries_of(repo, "topic")["a"]["content"] == "of main"


def test_when_one_side_holds_the_other_there_is_nothing_to_merge(repo: Repo) -> None:
    diverge(repo, BASE, BASE)
    repo.checkout("topic")
    repo.merge("main")
    assert check(repo, "main", "topic")["state"] == "up-to-date"
    assert check(repo, "topic", "main")["state"] == "merged"
    assert check(repo, "main", "main")["state"] == "up-to-date"
    head = repo.head("topic")
    assert check(repo, "main", "topic", "--write")["written"] is None
    assert repo.head("topic") == head


def test_the_checked_out_commit_is_the_head_where_none_is_named(repo: Repo) -> None:
    diverge(repo, *CLASH)
    repo.checkout("topic")
    assert check(repo, "main", exit_code=1)["head"] == repo.head("topic")


@pytest.mark.parametrize(
    "words",
    [("--merge",), ("--merge", "a", "b", "c"), ("--write",), ("--merge", "main", "--staged")],
)
def test_a_call_that_cannot_be_meant_is_a_usage_error(repo: Repo, words: tuple[str, ...]) -> None:
    diverge(repo, BASE, BASE)
    assert "gitkb check --merge" in repo.run("check", *words, exit_code=2).stderr


@pytest.mark.parametrize("name", ["nope", "0" * 40, "-x", "HEAD:README", "", "main..topic"])
def test_a_name_that_is_no_commit_is_not_found(repo: Repo, name: str) -> None:
    diverge(repo, BASE, BASE)
    said = repo.run("check", "--merge", "--", name, "topic", exit_code=4).stderr
    assert "error: no commit" in said
    assert "hint: " in said


# --- what a branch brings ---------------------------------------------------------------------


def test_two_lines_of_a_key_and_markers_stop_the_branch_that_brings_them(repo: Repo) -> None:
    diverge(repo, BASE, BASE)
    repo.checkout("topic")
    good = repo.read(FILE)
    repo.write(FILE, good + line("a", {"ts": 9}) + b"\n")
    repo.commit("Twice")
    assert "duplicate-key" in codes(check(repo, "main", "topic", exit_code=1))
    repo.write(FILE, b"<<<<<<< HEAD\n" + good + b"=======\n>>>>>>> side\n")
    repo.commit("Markers outside of a merge")
    assert "marker" in codes(check(repo, "main", "topic", exit_code=1))
    repo.write(FILE, good)
    repo.commit("Mended")
    assert check(repo, "main", "topic")["problems"] == []


def test_a_branch_is_not_stopped_for_what_was_wrong_before_it(repo: Repo) -> None:
    diverge(repo, BASE, BASE)
    repo.write(FILE, repo.read(FILE) + line("a", {"ts": 9}) + b"\n")
    repo.commit("Twice")
    repo.checkout("topic")
    repo.write("README", "More.\n")
    repo.commit("Words")
    assert check(repo, "main", "topic")["problems"] == []


def test_markers_on_a_side_leave_nothing_to_merge_by_key(repo: Repo) -> None:
    diverge(repo, *CLASH)
    repo.checkout("topic")
    repo.write(FILE, b"<<<<<<< HEAD\n" + repo.read(FILE) + b"=======\n>>>>>>> side\n")
    repo.commit("Markers")
    head = repo.head()
    assert "merge-conflict" in codes(check(repo, "main", "topic", exit_code=1))
    said = repo.run("check", "--merge", "main", "topic", "--write", exit_code=5)
    assert FILE in said.stderr
    assert repo.head() == head


def test_what_vanishes_or_comes_back_without_knowing_is_told(repo: Repo) -> None:
    diverge(repo, {**BASE, "a": TOMBSTONE}, BASE)
    repo.checkout("topic")
    repo.git("merge", "-q", "main")
    without = {key: fields for key, fields in BASE.items() if key != "b"}
    put(repo, {**without, "a": {"ts": 9}})
    repo.commit("Bring back a, drop b")
    answer = check(repo, "main", "topic")
    assert sorted(codes(answer)) == ["undeleted", "vanished"]


def test_what_a_forges_merge_lost_is_found_in_the_merges_of_a_range(repo: Repo) -> None:
    diverge(repo, {**BASE, "k1": {}}, {**BASE, "k2": {}})
    before = repo.head("main")
    repo.git("merge", "-q", "-s", "ours", "topic")  # its lines are lost without a conflict
    repo.write("README", "Later.\n")
    repo.commit("Later")
    answer = check(repo, before, "main", exit_code=1)
    assert codes(answer) == ["lost-key"]
    assert "'k2'" in answer["problems"][0]["message"]
    side = answer["problems"][0]["hint"].split("git show ")[1].split(":")[0]
    assert "k2" in entries_of(repo, side)


def test_a_loss_that_was_mended_since_does_not_count(repo: Repo) -> None:
    diverge(repo, {**BASE, "k1": {}}, {**changed("a", content="new"), "k2": {}, "b": TOMBSTONE})
    before = repo.head("main")
    repo.git("merge", "-q", "-s", "ours", "topic")
    assert sorted(codes(check(repo, before, "main", exit_code=1))) == [
        "lost-change", "lost-key", "undeleted",
    ]  # fmt: skip
    put(repo, {**changed("a", content="new"), "k1": {}, "k2": TOMBSTONE, "b": TOMBSTONE})
    repo.commit("Mend")
    assert check(repo, before, "main")["problems"] == []


def test_an_octopus_in_the_range_is_judged(repo: Repo) -> None:
    diverge(repo, BASE, {**BASE, "k2": {}})
    before = repo.head("main")
    repo.git("checkout", "-q", "-b", "third", "main~1")
    put(repo, {**BASE, "k3": {}})
    repo.commit("Third")
    tree = repo.head("main^{tree}")
    parents = [word for name in ("main", "topic", "third") for word in ("-p", repo.head(name))]
    made = repo.git("commit-tree", tree, *parents, "-m", "Octopus").stdout.strip()
    answer = check(repo, before, made, exit_code=1)
    assert codes(answer) == ["lost-key", "lost-key"]


def test_a_merge_that_lost_mains_line_would_drop_it_from_main_and_is_stopped(repo: Repo) -> None:
    # The branch took main in with a button and lost a line of it. Merged back, even by key, the line
    # counts as dropped by the branch.
    diverge(repo, {**BASE, "k1": {}}, {**BASE, "k2": {}})
    repo.checkout("topic")
    repo.git("merge", "-q", "-s", "ours", "main")
    assert codes(check(repo, "main~1", "topic", exit_code=1)) == ["lost-key"]
    answer = check(repo, "main", "topic", exit_code=1)
    assert "lost-key" in codes(answer)
    repo.checkout("main")
    put(repo, {**BASE, "k1": {}, "k3": {}})
    repo.commit("More")
    answer = check(repo, "main", "topic", exit_code=1)
    assert "lost-key" in codes(answer)
    head = repo.head("topic")
    repo.run("check", "--merge", "main", "topic", "--write", exit_code=1)
    assert repo.head("topic") == head


# --- what is written --------------------------------------------------------------------------


def test_the_merge_that_is_written_is_the_one_that_git_makes_with_our_driver(
    repo: Repo, tmp_path: Path
) -> None:
    diverge(repo, *CLASH)
    by_git = Repo.clone(repo, tmp_path / "by git")
    by_git.run("install")
    by_git.checkout("topic")
    by_git.merge("origin/main")

    old = {name: repo.head(name) for name in ("main", "topic")}
    answer = check(repo, "main", "topic", "--write")
    assert answer["written"] == {"branch": "topic", "commit": repo.head("topic")}
    assert repo.log("-1", "topic", form="%P") == [f"{old['topic']} {old['main']}"]
    assert repo.log("-1", "topic", form="%s|%an") == ["Merge branch 'main' into topic|Ada Lovelace"]
    assert repo.head("topic^{tree}") == by_git.head("topic^{tree}")
    assert entries_of(repo, "topic")["a"]["content"] == MERGED["content"]
    assert repo.head("main") == old["main"]
    assert check(repo, "main", "topic")["fine"] is True
    # Now the button has nothing left to get wrong.
    repo.git("merge", "-q", "--ff-only", "topic")
    assert repo.run("check").exit_code == 0
    repo.git("fsck", "--strict")


def test_a_branch_that_nobody_has_checked_out_moves_alone(repo: Repo) -> None:
    diverge(repo, *CLASH)
    repo.write("README", "An edit under way.\n")
    before = repo.tree()
    check(repo, "main", "topic", "--write")
    assert repo.status() == [" M README"]
    assert repo.tree() == before
    assert repo.git("reflog", "-1", "topic").stdout.count("gitkb check --merge") == 1


def test_the_worktree_of_the_branch_goes_along(repo: Repo) -> None:
    diverge(repo, *CLASH)
    repo.checkout("topic")
    repo.write("README", "An edit under way.\n")
    repo.write("new file", "x\n")
    check(repo, "main", "HEAD", "--write")
    assert repo.log("-1", form="%s") == ["Merge branch 'main' into topic"]
    assert sorted(repo.status()) == [" M README", '?? "new file"']
    assert repo.read(FILE).decode() == repo.git("show", f"HEAD:{FILE}").stdout


def test_options_that_a_branch_has_for_its_merges_do_not_count(repo: Repo) -> None:
    diverge(repo, *CLASH)
    repo.checkout("topic")
    repo.config("branch.topic.mergeOptions", "--squash --no-commit")
    repo.config("merge.ff", "false")
    check(repo, "main", "topic", "--write")
    assert repo.log("-1", form="%s") == ["Merge branch 'main' into topic"]
    assert repo.status() == []


@pytest.mark.parametrize("is_checked_out", [False, True])
def test_a_branch_that_moved_meanwhile_is_left_where_it_is(
    repo: Repo, is_checked_out: bool
) -> None:
    diverge(repo, *CLASH)
    seen = repo.head("topic")
    repo.checkout("topic")
    repo.write("README", "Somebody was faster.\n")
    now = repo.commit("Faster")
    if not is_checked_out:
        repo.checkout("main")
    there = open_repository(str(repo.path))
    made = write_commit(there, f"{seen}^{{tree}}", [seen, repo.head("main")], "Merge\n")
    with pytest.raises(StateError, match="'topic' was not moved"):
        move_branch(there, "refs/heads/topic", seen, made, "test")
    assert repo.head("topic") == now
    assert repo.status() == []


def test_a_worktree_that_is_gone_is_named(repo: Repo, tmp_path: Path) -> None:
    diverge(repo, *CLASH)
    repo.git("worktree", "add", "-q", tmp_path / "gone", "topic")
    shutil.rmtree(tmp_path / "gone")
    head = repo.head("topic")
    said = repo.run("check", "--merge", "main", "topic", "--write", exit_code=5).stderr
    assert "git worktree prune" in said
    assert repo.head("topic") == head
    repo.git("worktree", "prune")
    check(repo, "main", "topic", "--write")


def test_a_full_disk_is_told_and_leaves_nothing(repo: Repo, tmp_path: Path) -> None:
    diverge(repo, *CLASH)
    room = tmp_path / "temporary"
    room.mkdir()
    before = state_of(repo)
    script = f"ulimit -f 0; TMPDIR='{room}' exec '{script_of('gitkb')}' check --merge main topic"
    done = run_program(["bash", "-c", script], cwd=repo.path, exit_code=None)
    assert done.exit_code in (5, 6), done
    assert done.stderr.startswith("error: ")
    assert list(room.iterdir()) == []
    assert state_of(repo) == before


def test_another_worktree_that_has_the_branch_goes_along(repo: Repo, tmp_path: Path) -> None:
    diverge(repo, *CLASH)
    repo.git("worktree", "add", "-q", tmp_path / "it's theirs", "topic")
    theirs = Repo(tmp_path / "it's theirs")
    check(repo, "main", "topic", "--write")
    assert (repo.status(), theirs.status()) == ([], [])
    assert theirs.head() == repo.head("topic")
    assert theirs.read(FILE).decode() == repo.git("show", f"topic:{FILE}").stdout


def _edit(repo: Repo) -> None:
    repo.write(FILE, repo.read(FILE) + line("k9", {}) + b"\n")


def _stage(repo: Repo) -> None:
    _edit(repo)
    repo.add()


def _untracked(repo: Repo) -> None:
    repo.write("of-main", "in the way\n")


def _locked(repo: Repo) -> None:
    repo.write(".git/index.lock", "")


@pytest.mark.parametrize("obstacle", [_edit, _stage, _untracked, _locked])
def test_what_a_person_has_in_the_worktree_stops_it_before_anything_moves(
    repo: Repo, obstacle: Callable[[Repo], None]
) -> None:
    diverge(repo, *CLASH)
    repo.write("of-main", "a file\n")
    repo.commit("A file of main")
    repo.checkout("topic")
    obstacle(repo)
    before, head = repo.tree("."), repo.head()
    status = repo.status()
    said = repo.run("check", "--merge", "main", "topic", "--write", exit_code=5).stderr
    assert "'topic' was not moved" in said
    assert (repo.head(), repo.status()) == (head, status)
    after = repo.tree(".")
    assert {name: after[name] for name in before if not name.startswith(".git/")} == {
        name: data for name, data in before.items() if not name.startswith(".git/")
    }


def test_an_operation_under_way_on_the_branch_stops_it(repo: Repo, tmp_path: Path) -> None:
    diverge(repo, *CLASH)
    repo.checkout("topic")
    repo.git("merge", "main", exit_code=1)
    said = repo.run("check", "--merge", "main", "topic", "--write", exit_code=5).stderr
    assert "a merge of it is under way" in said
    repo.git("merge", "--abort")
    repo.git("rebase", "main", exit_code=1)
    said = repo.run("check", "--merge", "main", "topic", "--write", exit_code=5).stderr
    assert "a rebase of it is under way" in said
    assert "git rebase --abort" in said
    # Another branch is nobody's business there.
    repo.branch("other", "topic")
    assert check(repo, "main", "other", "--write")["written"]["branch"] == "other"


def test_a_bare_repository_takes_the_commit(repo: Repo, tmp_path: Path) -> None:
    diverge(repo, *CLASH)
    bare = Repo.clone(repo, tmp_path / "bare.git", "--bare")
    assert check(bare, "main", "topic", "--write")["written"]["commit"] == bare.head("topic")
    # Its HEAD names main, and no worktree goes with that.
    check(bare, "topic~1", "main", "--write")
    assert bare.log("-1", "main", form="%s") == ["Merge commit 'topic~1' into main"]


def test_a_detached_checkout_says_what_to_do_and_that_works(repo: Repo, tmp_path: Path) -> None:
    diverge(repo, *CLASH)
    bare = Repo.clone(repo, tmp_path / "remote.git", "--bare")
    job = Repo.clone(bare, tmp_path / "job")
    job.git("checkout", "-q", "--detach", "origin/topic")
    for name in ("HEAD", job.head()):
        said = job.run("check", "--merge", "origin/main", name, "--write", exit_code=5).stderr
        assert f"'{name}' is no branch of this clone" in said
        assert "git branch BRANCH" in said
    said = job.run("check", "--merge", "origin/main", "origin/topic", "--write", exit_code=5).stderr
    hint = said.split("hint: ")[1]
    assert hint.startswith(
        "git branch topic origin/topic, then gitkb check --merge origin/main topic"
    )
    job.git("branch", "topic", "origin/topic")
    check(job, "origin/main", "topic", "--write")
    job.git("push", "-q", "origin", "topic")
    assert entries_of(bare, "topic")["a"]["content"] == "of main"
    message = "Merge remote-tracking branch 'origin/main' into topic"
    assert bare.log("-1", "topic") == [message]


def test_a_tag_is_no_branch_and_one_of_the_same_name_does_not_move(repo: Repo) -> None:
    diverge(repo, *CLASH)
    repo.git("tag", "v1", "topic")
    repo.run("check", "--merge", "main", "v1", "--write", exit_code=5)
    check(repo, "main", "refs/heads/topic", "--write")
    assert repo.head("v1") == repo.head("topic^1")


def test_conflicts_in_other_files_are_named_and_nothing_is_written(repo: Repo) -> None:
    diverge(repo, *CLASH)
    for branch in ("main", "topic"):
        repo.checkout(branch)
        repo.write("README", f"Of {branch}.\n")
        repo.commit("Words")
    answer = check(repo, "main", "topic", exit_code=1)
    assert answer["conflicts"] == ["README"]
    head = repo.head("topic")
    said = repo.run("check", "--merge", "main", "topic", "--write", exit_code=5).stderr
    assert "in conflict in 'README'" in said
    assert "git switch topic && git merge main" in said
    assert (repo.head("topic"), repo.status()) == (head, [])


def test_a_conflict_in_other_files_alone_is_the_forges_own_to_say(repo: Repo) -> None:
    diverge(repo, BASE, BASE)
    for branch in ("main", "topic"):
        repo.checkout(branch)
        repo.write("README", f"Of {branch}.\n")
        repo.commit("Words")
    said = repo.run("check", "--merge", "main", "topic")
    assert "beside the knowledge 1 path in conflict: README" in said.stderr


def test_other_files_are_merged_as_git_does_with_renames_and_attributes(
    repo: Repo, tmp_path: Path
) -> None:
    text = "".join(f"line {number}\n" for number in range(40))
    repo.write("lines", text)
    repo.write(".gitattributes", "log merge=union\n")
    repo.write("log", "begin\n")
    diverge(repo, *CLASH)
    repo.checkout("topic")
    repo.git("mv", "lines", "moved lines")
    repo.write("log", "begin\ntopic\n")
    repo.commit("Move")
    repo.checkout("main")
    repo.write("lines", text.replace("line 7\n", "line seven\n"))
    repo.write("log", "begin\nmain\n")
    repo.commit("Edit")
    by_git = Repo.clone(repo, tmp_path / "by git")
    by_git.run("install")
    by_git.checkout("topic")
    by_git.merge("origin/main")
    check(repo, "main", "topic", "--write")
    assert repo.head("topic^{tree}") == by_git.head("topic^{tree}")


def test_who_commits_has_to_be_known(repo: Repo) -> None:
    diverge(repo, *CLASH)
    for name in ("user.name", "user.email"):
        repo.git("config", "--unset", name)
    nobody = dict.fromkeys(
        ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"), ""
    )
    repo.config("user.useConfigOnly", "true")
    head = repo.head("topic")
    said = repo.run("check", "--merge", "main", "topic", "--write", exit_code=6, env=nobody).stderr
    assert "git config user.name" in said
    assert repo.head("topic") == head


def test_views_that_are_committed_are_those_of_the_merged_entries(
    repo: Repo, tmp_path: Path
) -> None:
    learned = {"type": "learned", "category": "technical", "title": "Learned"}
    diverge(repo, BASE, BASE)
    repo.write(".gitkb/config.toml", 'shards = 1\n[views]\ncommit = true\nnames = ["learnings"]\n')
    put(repo, {**BASE, "a": {**learned, "content": "at first"}})
    repo.run("view")
    repo.commit("Views")
    repo.git("branch", "-f", "topic")
    for branch in ("main", "topic"):
        repo.checkout(branch)
        put(repo, {**BASE, "a": {**learned, "content": f"of {branch}", "ts": len(branch)}})
        repo.run("view")
        repo.commit("Change")
    found = check(repo, "main", "topic", exit_code=1)
    assert {problem["file"] for problem in found["problems"] if problem["severity"] == "error"} == {
        "knowledge/all.jsonl",
        "views/learnings.md",
    }
    check(repo, "main", "topic", "--write")
    assert repo.status() == []
    answer = repo.run("check", "--json").json()
    assert "stale-view" not in codes(answer)
    assert b"of topic" in repo.read(".gitkb/views/learnings.md")
    repo.git("fsck", "--strict")


def test_a_secret_that_the_branch_brings_stops_it(repo: Repo) -> None:
    token = "ghp_" + "1a2B3c4D5e6F7g8H9i0JkLmNoPqRsTuVwXyZ"
    diverge(repo, BASE, {**BASE, "new": {"content": f"the token is {token}"}})
    assert "secret" in codes(check(repo, "main", "topic", exit_code=1))
    # What was there before it does not.
    assert "secret" not in codes(check(repo, "topic", "main"))


# --- histories --------------------------------------------------------------------------------


def test_a_criss_cross_is_merged_as_git_does(repo: Repo, tmp_path: Path) -> None:
    keys = sorted(BASE, key=order_of)
    diverge(repo, changed(keys[0], content="m"), changed(keys[-1], content="t"))
    first, second = repo.head("main"), repo.head("topic")
    repo.git("merge", "-q", "--no-edit", second)
    repo.checkout("topic")
    repo.git("merge", "-q", "--no-edit", first)
    for branch in ("main", "topic"):
        repo.checkout(branch)
        both: Entries = {
            keys[0]: {"content": f"again {branch}", "ts": 7},
            keys[-1]: {"content": branch, "ts": 8},
        }
        put(repo, {**BASE, **both, f"of-{branch}": {}})
        repo.commit("Again")
    assert len(repo.git("merge-base", "--all", "main", "topic").lines()) == 2
    by_git = Repo.clone(repo, tmp_path / "by git")
    by_git.run("install")
    by_git.checkout("topic")
    by_git.merge("origin/main")
    assert codes(check(repo, "main", "topic", exit_code=1))[0] == "text-conflict"
    check(repo, "main", "topic", "--write")
    assert repo.head("topic^{tree}") == by_git.head("topic^{tree}")


def test_two_histories_that_share_nothing_are_judged_and_not_merged(repo: Repo) -> None:
    diverge(repo, *CLASH)
    repo.git("checkout", "-q", "--orphan", "apart")
    put(repo, {**changed("a", content="apart"), "k3": {}})
    repo.commit("Apart")
    answer = check(repo, "main", "apart", exit_code=1)
    assert "unrelated" in codes(answer)
    assert "text-conflict" in codes(answer)
    head = repo.head("apart")
    said = repo.run("check", "--merge", "main", "apart", "--write", exit_code=5).stderr
    assert "--allow-unrelated-histories" in said
    assert repo.head("apart") == head


def test_a_history_that_is_cut_is_no_ground_for_an_answer(repo: Repo, tmp_path: Path) -> None:
    diverge(repo, *CLASH)
    for branch in ("main", "topic"):
        repo.checkout(branch)
        repo.write("README", f"{branch}\n" * 2)
        repo.commit("More")
    for depth in (1, 2):
        job = Repo.clone(
            repo.path.as_uri(), tmp_path / str(depth), f"--depth={depth}", "--no-single-branch"
        )
        said = job.run("check", "--merge", "origin/main", "origin/topic", exit_code=6).stderr
        assert "too short" in said
        assert "git fetch --unshallow" in said
        assert "fetch-depth: 0" in said
    # The hint helps, and so does a history that is cut behind the fork.
    job.git("fetch", "-q", "--unshallow")
    check(job, "origin/main", "origin/topic", exit_code=1)
    deep = Repo.clone(repo.path.as_uri(), tmp_path / "deep", "--depth=3", "--no-single-branch")
    assert deep.git("rev-parse", "--is-shallow-repository").stdout == "true\n"
    check(deep, "origin/main", "origin/topic", exit_code=1)


def test_a_partial_clone_fetches_what_the_merge_reads(repo: Repo, tmp_path: Path) -> None:
    diverge(repo, *CLASH)
    repo.config("uploadpack.allowFilter", "true")
    repo.config("uploadpack.allowAnySHA1InWant", "true")
    job = Repo.clone(repo.path.as_uri(), tmp_path / "job", "--filter=blob:none", "--no-checkout")
    answer = check(job, "origin/main", "origin/topic", exit_code=1)
    assert codes(answer) == ["text-conflict", "contested"]
    job.git("branch", "topic", "origin/topic")
    check(job, "origin/main", "topic", "--write")
    assert entries_of(job, "topic")["a"]["content"] == "of main"


def test_content_that_is_missing_is_never_taken_for_an_empty_file(repo: Repo) -> None:
    diverge(repo, *CLASH)
    blob = repo.head(f"topic:{FILE}")
    os.unlink(repo.path / ".git" / "objects" / blob[:2] / blob[2:])
    repo.run("check", "--merge", "main", "topic", exit_code=6)
    repo.run("check", "--merge", "topic~1", "topic", exit_code=6)


def test_two_layouts_of_one_store_are_not_written_as_they_come(repo: Repo) -> None:
    # A line that one side moved to another file and the other edited stands in both afterwards.
    diverge(repo, BASE, changed("a", content="of topic"))
    repo.run("reshard", "16")
    repo.commit("Another layout")
    head = repo.head("topic")
    answer = check(repo, "main", "topic", exit_code=1)
    assert {"wrong-layout"} <= set(codes(answer))
    repo.run("check", "--merge", "main", "topic", "--write", exit_code=1)
    assert repo.head("topic") == head


# --- an old git, a server ---------------------------------------------------------------------


@pytest.fixture
def old_git(tmp_path: Path) -> dict[str, str]:
    """A git that calls itself 2.31 and has no `merge-tree --write-tree`."""
    real = shutil.which("git")
    script = tmp_path / "old" / "git"
    script.parent.mkdir()
    script.write_text(
        "#!/bin/sh\n"
        'case " $* " in\n'
        "*' version ') echo git version 2.31.8; exit;;\n"
        "*' --write-tree '*) echo usage >&2; exit 129;;\n"
        "esac\n"
        f"exec '{real}' \"$@\"\n"
    )
    script.chmod(0o755)
    return {"PATH": f"{script.parent}{os.pathsep}{os.environ['PATH']}"}


def test_an_old_git_gives_the_same_answer_and_the_same_merge(
    repo: Repo, tmp_path: Path, old_git: dict[str, str]
) -> None:
    repo.write("tool", "1\n2\n3\n4\n5\n6\n7\n8\n").chmod(0o644)
    diverge(repo, *CLASH)
    repo.checkout("topic")
    repo.write("tool", "one\n2\n3\n4\n5\n6\n7\n8\n").chmod(0o755)
    repo.write("new", "x\n")
    repo.git("rm", "-q", "README")
    repo.commit("Topic")
    repo.checkout("main")
    repo.write("tool", "1\n2\n3\n4\n5\n6\n7\neight\n")
    repo.commit("Main")
    new = Repo.clone(repo, tmp_path / "new", "--mirror")
    said = [
        check(one, "main", "topic", exit_code=1, env=env)
        for one, env in ((repo, old_git), (new, None))
    ]
    assert said[0] == said[1]
    check(repo, "main", "topic", "--write", env=old_git)
    check(new, "main", "topic", "--write")
    assert repo.head("topic^{tree}") == new.head("topic^{tree}")


def test_an_old_git_leaves_what_it_cannot_merge_to_a_person(
    repo: Repo, old_git: dict[str, str]
) -> None:
    diverge(repo, *CLASH)
    for branch in ("main", "topic"):
        repo.checkout(branch)
        repo.write("README", f"Of {branch}.\n")
        repo.commit("Words")
    assert check(repo, "main", "topic", exit_code=1, env=old_git)["conflicts"] == ["README"]
    repo.run("check", "--merge", "main", "topic", "--write", exit_code=5, env=old_git)


def test_a_server_can_refuse_a_push_by_it(repo: Repo, tmp_path: Path) -> None:
    # In pre-receive, what is pushed lies in a store of objects apart.
    diverge(repo, *CLASH)
    server = Repo.clone(repo, tmp_path / "server.git", "--bare")
    hook = server.write(
        "hooks/pre-receive",
        '#!/bin/sh\nwhile read -r old new name; do gitkb check --merge main "$new" || exit 1; done\n',
    )
    hook.chmod(0o755)
    repo.checkout("topic")
    put(repo, {**CLASH[1], "k4": {}})
    repo.commit("More")
    said = repo.git("push", "-q", server.path, "topic", exit_code=1).stderr
    assert "ends in a conflict over 'a'" in said
    check(repo, "main", "topic", "--write")
    repo.git("push", "-q", server.path, "topic")
    assert server.head("topic") == repo.head("topic")
