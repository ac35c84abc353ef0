"""`gitkb check` on real repositories: what is staged, what a merge lost, what HEAD is.

The hooks here are two lines of shell that call `gitkb check --staged`, so that git itself decides what the
check is given: the staging area of `commit -a`, of `commit -- FILE`, of a linked worktree, of a merge.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from gitkb.core.identity import order_of, shard_of

from repo_builder import Repo, Result

if TYPE_CHECKING:
    from pathlib import Path

Entries = dict[str, dict[str, Any]]
HOOK = "#!/bin/sh\nexec gitkb check --staged\n"


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A repository with three entries in one file, and the check as its hook."""
    repo = Repo.init(tmp_path / "repo")
    repo.write(".gitkb/config.toml", "shards = 1\n")
    put(repo, {"a": {}, "b": {}, "c": {}})
    repo.commit("Begin")
    for name in ("pre-commit", "pre-merge-commit"):
        repo.write(f".git/hooks/{name}", HOOK).chmod(0o755)
    return repo


def line(key: str, fields: dict[str, Any]) -> bytes:
    if "deleted" in fields or "moved" in fields:
        return json.dumps({"key": key, "ts": 1, **fields}).encode()
    return json.dumps({"key": key, "type": "fact", "content": "x", "ts": 1, **fields}).encode()


def put(repo: Repo, entries: Entries, name: str = "knowledge/all.jsonl") -> None:
    lines = [line(key, entries[key]) for key in sorted(entries, key=order_of)]
    repo.write(f".gitkb/{name}", b"".join(item + b"\n" for item in lines))


def check(repo: Repo, *options: str, exit_code: int = 0) -> list[tuple[str, str]]:
    """Code and severity of every problem."""
    answer = repo.run("check", "--json", *options, exit_code=exit_code).json()
    return [(problem["code"], problem["severity"]) for problem in answer["problems"]]


def commit(repo: Repo, *options: str, exit_code: int | None = 0) -> Result:
    return repo.git("commit", "-q", "-m", "Change", *options, exit_code=exit_code)


# --- the work tree ----------------------------------------------------------------------------


def test_a_store_as_it_should_be_is_fine(repo: Repo) -> None:
    assert check(repo) == []
    said = repo.run("check")
    assert said.stdout == ""
    assert "all is well" in said.stderr


def test_an_error_is_exit_1_and_a_warning_is_not(repo: Repo) -> None:
    put(repo, {"a": {"links": [{"rel": "supersedes", "to": "gone"}]}, "b": {}, "c": {}})
    assert check(repo) == [("dangling-link", "warning")]
    assert repo.run("check").stderr.endswith("3 lines in 1 file: 1 warning\n")
    put(repo, {"a": {"type": "rumour"}})
    assert check(repo, exit_code=1) == [("invalid", "error")]


def test_a_key_in_two_files_is_found(repo: Repo) -> None:
    repo.write(".gitkb/config.toml", "shards = 16\n")
    for name in (f"knowledge/{shard_of('a', 16)}", "knowledge/3.jsonl"):
        put(repo, {"a": {}}, name)
    put(repo, {})
    assert ("duplicate-key", "error") in check(repo, exit_code=1)


def test_names_that_differ_in_case_alone_and_names_that_nothing_reads(repo: Repo) -> None:
    repo.write(".gitkb/config.toml", "shards = 256\n")
    put(repo, {})
    repo.write(".gitkb/knowledge/3f.jsonl", "")
    repo.write(".gitkb/knowledge/3F.jsonl", "")
    repo.write(".gitkb/knowledge/old.jsonl", "not ours")
    assert check(repo, exit_code=1) == [("case-twin", "error"), ("stray-file", "warning")]


def test_a_broken_config_file_is_found(repo: Repo) -> None:
    repo.write(".gitkb/config.toml", "shards = 1\nlanguages = 3\n")
    assert check(repo, exit_code=1) == [("bad-config", "error")]


def test_nothing_is_written(repo: Repo) -> None:
    put(repo, {"a": {"type": "rumour"}, "b": {}})
    before = repo.tree(), repo.read(".git/index"), repo.status()
    repo.run("check", exit_code=1)
    repo.run("check", "--staged")
    assert (repo.tree(), repo.read(".git/index"), repo.status()) == before


def test_a_check_without_a_repository_judges_the_files(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    plain = Repo(tmp_path / "plain")
    put(plain, {"a": {"type": "rumour"}}, "knowledge/ca.jsonl")
    assert check(plain, exit_code=1) == [("invalid", "error")]


def test_the_files_are_judged_even_if_git_refuses_the_repository(repo: Repo) -> None:
    repo.write(".git/config", "no configuration\n")
    assert check(repo) == [("git", "warning")]
    put(repo, {"a": {"type": "rumour"}})
    assert ("invalid", "error") in check(repo, exit_code=1)


# --- the staging area -------------------------------------------------------------------------


def test_the_first_commit_is_judged(tmp_path: Path) -> None:
    fresh = Repo.init(tmp_path / "fresh")
    fresh.write(".git/hooks/pre-commit", HOOK).chmod(0o755)
    put(fresh, {"a": {"type": "rumour"}}, "knowledge/ca.jsonl")
    fresh.add()
    commit(fresh, exit_code=1)
    put(fresh, {"a": {}}, "knowledge/ca.jsonl")
    fresh.add()
    commit(fresh)


@pytest.mark.parametrize("options", [("-a",), ("--", ".gitkb/knowledge/all.jsonl")])
def test_the_staging_area_that_is_being_committed_is_judged(
    repo: Repo, options: tuple[str, ...]
) -> None:
    good = repo.read(".gitkb/knowledge/all.jsonl")
    repo.write(".gitkb/knowledge/all.jsonl", b"bad\n" + good)
    commit(repo, *options, exit_code=1)

    repo.add()  # staged bad, and the commit takes the good file from the disk
    put(repo, {"a": {"content": "new", "ts": 2}, "b": {}, "c": {}})
    commit(repo, *options)
    assert repo.git("show", "HEAD:.gitkb/knowledge/all.jsonl").stdout.encode() == repo.read(
        ".gitkb/knowledge/all.jsonl"
    )


def test_what_stands_on_the_disk_does_not_count(repo: Repo) -> None:
    good = repo.read(".gitkb/knowledge/all.jsonl")
    repo.write(".gitkb/knowledge/all.jsonl", b"bad\n" + good)
    repo.add()
    repo.write(".gitkb/knowledge/all.jsonl", good)
    assert check(repo, "--staged", exit_code=1) == [("bad-line", "error")]
    assert check(repo) == []


def test_a_linked_worktree_is_judged_by_its_own_staging_area(repo: Repo, tmp_path: Path) -> None:
    linked = repo.worktree(tmp_path / "linked", "side")
    put(linked, {"a": {"type": "rumour"}, "b": {}, "c": {}})
    linked.add()
    commit(linked, exit_code=1)
    commit(repo, "--allow-empty")


def test_only_files_that_differ_are_judged_and_those_that_are_named(repo: Repo) -> None:
    repo.write(".gitkb/knowledge/all.jsonl", b"bad\n")
    repo.git("commit", "-q", "--no-verify", "-am", "Go round the hook")
    repo.write("README", "more\n")
    repo.add()
    assert check(repo, "--staged") == []
    named = check(repo, "--staged", ".gitkb/knowledge/all.jsonl", exit_code=1)
    assert named == [("bad-line", "error")]


def test_another_number_of_shards_concerns_every_file(repo: Repo) -> None:
    repo.write(".gitkb/config.toml", "shards = 256\n")
    repo.add()
    assert check(repo, "--staged", exit_code=1) == [("wrong-layout", "error")]


def test_a_store_in_a_folder_below_is_named_with_its_folder(repo: Repo) -> None:
    repo.write("a folder/ü/.gitkb/knowledge/ca.jsonl", "bad\n")
    repo.add()
    answer = repo.run("check", "--staged", "--json", exit_code=1).json()
    assert answer["problems"][0]["file"] == "a folder/ü/.gitkb/knowledge/ca.jsonl"


@pytest.mark.parametrize(
    "setting", ["diff.noprefix=true", "diff.renames=copies", "diff.relative=true", "core.quotePath=true",
                "diff.external=false", "diff.mnemonicPrefix=true", "color.ui=always"],
)  # fmt: skip
def test_no_setting_of_a_person_changes_the_answer(repo: Repo, setting: str) -> None:
    repo.config(*setting.split("=", 1))
    repo.write(".gitkb/knowledge/all.jsonl", "bad\n")
    repo.write("é/.gitkb/knowledge/ca.jsonl", "bad\n")
    repo.add()
    errors = [
        code for code, severity in check(repo, "--staged", exit_code=1) if severity == "error"
    ]
    assert errors == ["bad-line", "bad-line"]


def test_a_deleted_entry_comes_back_only_on_purpose(repo: Repo) -> None:
    put(repo, {"a": {"deleted": True, "ts": 5}, "b": {}, "c": {}})
    repo.commit("Forget")
    put(repo, {"a": {"ts": 9}, "b": {}, "c": {}})
    repo.add()
    assert check(repo, "--staged", exit_code=1) == [("undeleted", "error")]
    put(repo, {"a": {"ts": 9, "revives": 5}, "b": {}, "c": {}})
    repo.add()
    assert check(repo, "--staged") == []


def test_a_revert_of_a_deletion_is_let_by_even_after_a_conflict(repo: Repo) -> None:
    put(repo, {"a": {"deleted": True, "ts": 5}, "b": {}, "c": {}})
    deletion = repo.commit("Forget")
    put(repo, {"a": {"deleted": True, "ts": 6}, "b": {}, "c": {}})
    repo.commit("Forget again")
    repo.git("revert", "--no-edit", deletion, exit_code=1)
    put(repo, {"a": {"ts": 1}, "b": {}, "c": {}})
    repo.add()
    commit(repo)


def test_what_vanishes_is_told_and_let_by(repo: Repo) -> None:
    put(repo, {"b": {"deleted": True, "ts": 5}, "c": {}})
    repo.add()
    assert check(repo, "--staged") == [("vanished", "warning")]
    commit(repo)
    put(repo, {"c": {}})
    repo.add()
    assert check(repo, "--staged") == [("tombstones-gone", "warning")]


def test_what_moves_to_the_archive_has_not_vanished(repo: Repo) -> None:
    put(repo, {"b": {}, "c": {}})
    put(repo, {"a": {"status": "archived", "ts": 2}}, "archive/all.jsonl")
    repo.add()
    assert check(repo, "--staged") == []


# --- merges -----------------------------------------------------------------------------------


def merging(
    repo: Repo, ours: Entries, theirs: Entries, result: Entries | None, *, stage: bool = True
) -> None:
    """Two branches with these entries, and a merge that stands before its commit with a result."""
    repo.checkout("side", new=True)
    put(repo, theirs)
    repo.commit("Theirs", "--no-verify", "--allow-empty")
    repo.checkout("main")
    put(repo, ours)
    repo.commit("Ours", "--no-verify", "--allow-empty")
    repo.git("merge", "--no-commit", "--no-ff", "side", exit_code=None)
    if result is not None:
        put(repo, result)
    if stage:
        repo.add()


BASE: Entries = {"a": {}, "b": {}, "c": {}}
TOMBSTONE = {"deleted": True, "ts": 5}


def changed(key: str, **fields: Any) -> Entries:
    return {**BASE, key: {"ts": 2, **fields}}


def without(*keys: str) -> Entries:
    return {key: fields for key, fields in BASE.items() if key not in keys}


@pytest.mark.parametrize(
    ("ours", "theirs", "result", "found"),
    [
        ({**BASE, "d": {}}, {**BASE, "e": {}}, {**BASE, "d": {}, "e": {}}, []),
        # lost
        (BASE, {**BASE, "e": {}}, BASE, [("lost-key", "error")]),
        ({**BASE, "d": {}}, BASE, BASE, [("lost-key", "error")]),
        (BASE, BASE, without("a"), [("lost-key", "error")]),
        (without("a"), BASE, without("a"), []),
        (BASE, {**without("a"), "a": TOMBSTONE}, {**without("a"), "a": TOMBSTONE}, []),
        (BASE, {**BASE, "e": {}}, {**BASE, "e": TOMBSTONE}, []),
        # one side alone changed it
        (BASE, changed("a", content="new"), BASE, [("lost-change", "error")]),
        (changed("a", content="new"), BASE, BASE, [("lost-change", "error")]),
        (BASE, changed("a", content="new"), changed("a", content="newer"), []),
        (changed("b"), changed("a"), BASE, []),  # clocks alone
        # both changed it
        (changed("a", content="o"), changed("a", content="t"), changed("a", content="o"), [("one-side", "error")]),
        ({**changed("a", content="o"), "d": {}}, changed("a", content="t"),
         {**changed("a", content="o")}, [("lost-key", "error"), ("one-side", "warning")]),
        (changed("a", content="o"), changed("a", content="t"), changed("a", content="both"), []),
        (changed("a", content="o"), changed("a", tags=["t"]), changed("a", content="o", tags=["t"]), []),
        # deletions
        (BASE, {**BASE, "a": TOMBSTONE}, BASE, [("undeleted", "error")]),
        (changed("a", content="o"), {**BASE, "a": TOMBSTONE}, changed("a", content="o"), [("undeleted", "error")]),
        (changed("a", content="o"), {**BASE, "a": TOMBSTONE}, {**BASE, "a": TOMBSTONE}, []),
        ({**BASE, "a": {"ts": 9, "revives": 5}}, {**BASE, "a": TOMBSTONE}, {**BASE, "a": {"ts": 9, "revives": 5}}, []),
    ],
)  # fmt: skip
def test_a_merge_keeps_what_its_sides_know(
    repo: Repo, ours: Entries, theirs: Entries, result: Entries, found: list[tuple[str, str]]
) -> None:
    merging(repo, ours, theirs, result)
    fails = any(severity == "error" for _, severity in found)
    assert sorted(check(repo, "--staged", exit_code=int(fails))) == found
    commit(repo, exit_code=int(fails))


def test_a_key_that_the_merge_archived_is_not_lost(repo: Repo) -> None:
    put(repo, {"a": {"content": "an older version", "ts": 0}}, "archive/all.jsonl")
    repo.commit("An older version")
    merging(repo, BASE, {**BASE, "d": {}}, {**without("a"), "d": {}})
    assert check(repo, "--staged", exit_code=1) == [("lost-key", "error")]
    put(repo, {"a": {"status": "archived", "ts": 2}}, "archive/all.jsonl")
    repo.add()
    assert check(repo, "--staged") == []


def test_a_missing_driver_that_left_our_side_alone_is_found(repo: Repo) -> None:
    # git calls this a conflict, writes no markers, and `git add` takes our side.
    repo.write(".gitkb/.gitattributes", "*.jsonl merge=gitkb\n")
    repo.commit("Attributes")
    repo.config("merge.gitkb.driver", "/nonexistent %O %A %B")
    merging(repo, changed("a", content="o"), changed("b", content="t"), None)
    found = check(repo, "--staged", exit_code=1)
    assert found == [("lost-change", "error")]
    said = commit(repo, exit_code=1)

    # What the hint says mends it: the three sides that git still knows are merged by key.
    path = ".gitkb/knowledge/all.jsonl"
    assert f"gitkb resolve {path}" in said.stderr
    repo.run("resolve", path)
    assert check(repo, "--staged") == []
    commit(repo)
    assert b'"content": "t"' in repo.read(path)


def test_a_file_in_conflict_that_holds_one_side_is_told_before_it_is_staged(repo: Repo) -> None:
    repo.write(".gitkb/.gitattributes", "*.jsonl merge=gitkb\n")
    repo.commit("Attributes")
    repo.config("merge.gitkb.driver", "/nonexistent %O %A %B")
    merging(repo, changed("a", content="o"), changed("b", content="t"), None, stage=False)
    assert check(repo, exit_code=1) == [("one-side", "error")]
    # What is in conflict is not lost yet: it is named as such, once.
    assert check(repo, "--staged", exit_code=1) == [("unmerged", "error")]
    repo.add()
    assert check(repo) == [("one-side", "warning")]
    repo.run("resolve", ".gitkb/knowledge/all.jsonl")
    assert check(repo) == check(repo, "--staged") == []


def test_a_merge_without_a_conflict_is_stopped_before_its_commit(repo: Repo) -> None:
    repo.checkout("side", new=True)
    put(repo, {**BASE, "e": {}})
    repo.commit("Theirs")
    repo.checkout("main")
    commit(repo, "--allow-empty")
    said = repo.merge("-s", "ours", "side", exit_code=None)
    assert said.exit_code != 0
    assert "the merge lost 'e'" in said.stderr
    assert repo.git("rev-parse", "--verify", "MERGE_HEAD").stdout


def test_a_commit_in_a_hook_of_a_merge_is_no_merge(repo: Repo) -> None:
    # git's variables that name the sides reach the children of post-merge as well.
    repo.checkout("side", new=True)
    put(repo, {**BASE, "e": {}})
    repo.commit("Theirs")
    repo.checkout("main")
    commit(repo, "--allow-empty")
    hook = '#!/bin/sh\ngit rm -q --cached .gitkb/knowledge/all.jsonl && git commit -q -m "Later"\n'
    repo.write(".git/hooks/post-merge", hook).chmod(0o755)
    repo.merge("side")
    assert repo.log()[0] == "Later"


def test_an_octopus_is_judged_too(repo: Repo) -> None:
    for name in ("one", "two"):
        repo.git("checkout", "-q", "-b", name, "main")
        put(repo, {name: {}}, f"knowledge/{shard_of(name, 256)}")
        repo.commit(name, "--no-verify")
    repo.checkout("main")
    repo.git("merge", "--no-commit", "--no-ff", "one", "two")
    repo.git("rm", "-q", "--cached", "-f", f".gitkb/knowledge/{shard_of('one', 256)}")
    found = check(repo, "--staged", exit_code=1)
    assert ("lost-key", "error") in found


# --- HEAD -------------------------------------------------------------------------------------


def test_head_is_judged_when_it_is_a_merge(repo: Repo) -> None:
    merging(repo, BASE, {**BASE, "e": {}}, BASE)
    commit(repo, "--no-verify")
    assert check(repo, exit_code=1) == [("lost-key", "error")]
    repo.write("README", "more\n")
    repo.commit("Later")
    assert check(repo) == []


def test_after_a_criss_cross_both_bases_count(repo: Repo) -> None:
    merging(repo, {**BASE, "d": {}}, {**BASE, "e": {}}, {**BASE, "d": {}, "e": {}})
    first = repo.head()
    commit(repo)
    repo.checkout("side")
    repo.git("merge", "--no-commit", first, exit_code=None)
    put(repo, {**BASE, "d": {}, "e": {}})
    repo.add()
    commit(repo)
    put(repo, {**BASE, "e": {}})
    repo.commit("Drop d")
    repo.checkout("main")
    repo.git("merge", "--no-commit", "side", exit_code=None)
    put(repo, {**BASE, "e": {}})
    repo.add()
    assert check(repo, "--staged") == []


def test_a_history_that_is_cut_says_so_instead_of_guessing(repo: Repo, tmp_path: Path) -> None:
    merging(repo, without("a"), {**BASE, "e": {}}, {**without("a"), "e": {}})
    commit(repo)
    for depth in (1, 2):
        shallow = Repo.clone(repo.path.as_uri(), tmp_path / f"depth {depth}", f"--depth={depth}")
        assert check(shallow) == [("history-cut", "warning")]
    assert check(Repo.clone(repo, tmp_path / "whole")) == []


def test_markers_are_found_and_what_the_hint_says_mends_them(repo: Repo) -> None:
    merging(repo, changed("a", content="o"), changed("a", content="t", ts=3), None)
    answer = repo.run("check", "--staged", "--json", exit_code=1).json()
    hints = {problem["hint"] for problem in answer["problems"] if problem["code"] == "marker"}
    assert hints == {"gitkb resolve"}
    repo.run("resolve")
    repo.add()
    assert check(repo, "--staged") == []
    commit(repo)


def test_both_halves_of_a_conflict_without_its_markers_fold_into_one(repo: Repo) -> None:
    merging(repo, changed("a", content="o"), changed("a", content="t", ts=3), None)
    path = ".gitkb/knowledge/all.jsonl"
    lines = repo.read(path).splitlines(keepends=True)
    repo.write(
        path, b"".join(line for line in lines if line[:7] not in (b"<" * 7, b"=" * 7, b">" * 7))
    )
    repo.run("compact")
    repo.run("fmt")
    repo.add()
    assert check(repo, "--staged") == []


def test_two_lines_of_a_key_after_a_union_merge_are_found_and_repaired(repo: Repo) -> None:
    repo.write(".gitkb/.gitattributes", "*.jsonl merge=union\n")
    repo.commit("A merge that never conflicts")
    merging(repo, changed("a", content="o"), changed("a", content="t", ts=3), None)
    assert ("duplicate-key", "error") in check(repo, "--staged", exit_code=1)
    counted = repo.run("compact", "--dry-run", "--json").json()
    assert repo.run("compact", "--json").json() == counted
    repo.add()
    assert check(repo, "--staged") == []
    commit(repo)
    kept = repo.read(".gitkb/knowledge/all.jsonl").decode()
    assert '"content":"t"' in kept
    assert '{"field":"content","value":"o","ts":2}' in kept
    assert repo.read(".gitkb/archive/all.jsonl").count(b"\n") == 2


def test_fmt_alone_repairs_two_lines_of_a_key_too(repo: Repo) -> None:
    repo.write(".gitkb/.gitattributes", "*.jsonl merge=union\n")
    repo.commit("A merge that never conflicts")
    merging(repo, changed("a", content="o"), changed("a", content="t", ts=3), None)
    wanted = repo.run("fmt", "--check", "--json", exit_code=1).json()
    assert wanted["folded"] == ["a"]
    assert repo.run("fmt", "--json").json() == wanted
    repo.add()
    assert check(repo, "--staged") == []
    assert repo.read(".gitkb/archive/all.jsonl").count(b"\n") == 2


def test_content_that_is_missing_is_no_empty_file(repo: Repo) -> None:
    put(repo, {**BASE, "d": {}})
    repo.add()
    blob = repo.head(":.gitkb/knowledge/all.jsonl")
    (repo.path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    said = repo.run("check", "--staged", exit_code=6).stderr
    assert "missing" in said


def test_a_repository_with_sha_256_is_judged_as_any_other(tmp_path: Path) -> None:
    fresh = Repo.init(tmp_path / "sha256", "--object-format=sha256")
    fresh.write(".gitkb/config.toml", "shards = 1\n")
    put(fresh, BASE)
    fresh.commit("Begin")
    merging(fresh, BASE, {**BASE, "e": {}}, BASE)
    assert check(fresh, "--staged", exit_code=1) == [("lost-key", "error")]


def test_a_merge_of_two_layouts_loses_nothing(repo: Repo) -> None:
    repo.checkout("side", new=True)
    put(repo, changed("a", content="new"))
    repo.commit("Theirs")
    repo.checkout("main")
    repo.run("reshard", "16")
    repo.commit("Ours")
    repo.git("merge", "--no-commit", "side", exit_code=None)
    put(repo, changed("a", content="new"))
    for name in repo.tree():
        if name.startswith("knowledge/") and name != "knowledge/all.jsonl":
            repo.write(f".gitkb/{name}", "")
    repo.write(".gitkb/config.toml", "shards = 1\n")
    repo.add()
    assert check(repo, "--staged") == []
