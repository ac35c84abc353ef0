"""Who wrote what, by key, in real repositories of every kind."""

from __future__ import annotations

import json
import os
import sqlite3
import sys
from pathlib import Path

import pytest

from gitkb.errors import GitError, NotFoundError
from gitkb.operations.blame import Provenance, blame
from gitkb.store.discover import store_at
from gitkb.store.layout import Store

from perf.long_history import write_long_history
from repo_builder import ADA, BEN, CHI, Repo, run_program

ALL = ".gitkb/knowledge/all.jsonl"


def line(key: str, content: str, ts: int = 1, **more: object) -> str:
    return json.dumps({"key": key, "type": "fact", "content": content, "ts": ts, **more}) + "\n"


def tombstone(key: str, ts: int = 2) -> str:
    return json.dumps({"key": key, "deleted": True, "ts": ts, "by": "Mallory <m@x>"}) + "\n"


def store_of(repo: Repo) -> Store:
    return store_at(str(repo.path / ".gitkb"))


def last(repo: Repo, key: str) -> str:
    """The person who last changed a key, in words."""
    (found,) = blame(store_of(repo), [key])
    return _words(found)


def _words(found: Provenance) -> str:
    if found.last is None:
        return "nobody yet"
    words = f"history cut at {found.last.name}" if found.last.is_cut else found.last.name
    return f"{words}, uncommitted since" if found.uncommitted else words


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """Ada wrote a and b, Ben changed b."""
    repo = Repo.init(tmp_path / "repository")
    repo.write(ALL, line("a", "one") + line("b", "one"))
    repo.commit("Ada begins", by=ADA)
    repo.write(ALL, line("a", "one") + line("b", "two", 2))
    repo.commit("Ben corrects b", by=BEN)
    return repo


def test_each_key_has_its_last_and_its_first_author(repo: Repo) -> None:
    a, b = blame(store_of(repo))
    assert (a.key, a.last and a.last.name, a.first and a.first.name) == ("a", ADA.name, ADA.name)
    assert b.last is not None
    assert b.first is not None
    assert (b.last.name, b.last.mail, b.last.subject) == (BEN.name, BEN.email, "Ben corrects b")
    assert b.last.commit == repo.head()
    assert b.last.time == int(repo.log("-1", form="%at")[0])
    assert b.first.name == ADA.name
    assert b.present
    assert not b.uncommitted


def test_sorting_formatting_and_resharding_hide_no_author(repo: Repo) -> None:
    repo.write(ALL, line("b", "two", 2) + line("a", "one"))
    repo.commit("Chi sorts", by=CHI)
    spaced = json.dumps(json.loads(line("a", "one")), separators=(" , ", " : ")) + "\r\n"
    repo.write(ALL, line("b", "two", 2, tags=[], importance=3) + spaced)
    repo.commit("Chi formats", by=CHI)
    (repo.path / ALL).unlink()
    repo.write(".gitkb/knowledge/ca.jsonl", line("a", "one"))
    repo.write(".gitkb/knowledge/3e.jsonl", line("b", "two", 2))
    repo.commit("Chi reshards", by=CHI)
    assert (last(repo, "a"), last(repo, "b")) == (ADA.name, BEN.name)


def test_who_reverts_is_the_last_author(repo: Repo) -> None:
    repo.git("revert", "--no-edit", "HEAD", person=CHI)
    assert last(repo, "b") == CHI.name


def test_a_clean_merge_wrote_nothing_and_a_contested_one_did(repo: Repo) -> None:
    repo.write(ALL, "".join(line(key, "one") for key in "abcdefgh"))
    repo.commit("Room between lines")
    repo.checkout("side", new=True)
    repo.write(ALL, line("a", "side", 9) + "".join(line(key, "one") for key in "bcdefgh"))
    repo.commit("Ben on the side", by=BEN)
    repo.checkout("main")
    repo.write(ALL, "".join(line(key, "one") for key in "abcdefg") + line("h", "main", 8))
    repo.commit("Chi on main", by=CHI)
    repo.git("merge", "--no-edit", "side", person=ADA)
    assert (last(repo, "a"), last(repo, "h")) == (BEN.name, CHI.name)

    repo.git("merge", "--no-edit", "--no-ff", "-s", "ours", "--no-commit", "side", exit_code=None)
    repo.checkout("other", new=True)
    repo.write(ALL, (repo.read(ALL)).replace(b"side", b"other side"))
    repo.commit("Ben again", by=BEN)
    repo.checkout("main")
    repo.write(ALL, (repo.read(ALL)).replace(b"side", b"main side"))
    repo.commit("Chi again", by=CHI)
    repo.git("merge", "--no-commit", "other", exit_code=1)
    repo.write(ALL, line("a", "both", 12) + line("h", "main", 8))
    repo.commit("Ada settles it", by=ADA)
    assert (last(repo, "a"), last(repo, "h")) == (ADA.name, CHI.name)


def test_a_merge_of_a_resharded_and_an_edited_side_hides_no_author(repo: Repo) -> None:
    repo.checkout("side", new=True)
    repo.write(ALL, line("a", "edited", 5) + line("b", "two", 2))
    repo.commit("Chi edits", by=CHI)
    repo.checkout("main")
    (repo.path / ALL).unlink()
    repo.write(".gitkb/knowledge/ca.jsonl", line("a", "one"))
    repo.write(".gitkb/knowledge/3e.jsonl", line("b", "two", 2))
    repo.commit("Ben reshards", by=BEN)
    repo.git("merge", "--no-commit", "side", exit_code=1)
    repo.git("rm", "-q", "--cached", "--ignore-unmatch", ALL)
    (repo.path / ALL).unlink(missing_ok=True)
    repo.write(".gitkb/knowledge/ca.jsonl", line("a", "edited", 5))
    repo.write(".gitkb/knowledge/3e.jsonl", line("b", "two", 2))
    repo.commit("Ada merges by hand", by=ADA)
    assert (last(repo, "a"), last(repo, "b")) == (CHI.name, BEN.name)


def test_an_octopus_merge_hides_no_author(repo: Repo) -> None:
    for person, key in ((BEN, "c"), (CHI, "d")):
        repo.git("checkout", "-q", "-b", key, "main")
        repo.write(f".gitkb/knowledge/{key}.jsonl", line(key, "new"))
        repo.commit(f"Add {key}", by=person)
    repo.checkout("main")
    repo.write(".gitkb/knowledge/1.jsonl", line("e", "new"))
    repo.commit("Add e", by=ADA)
    repo.git("merge", "--no-edit", "c", "d", person=ADA)
    assert len(repo.log("-1", form="%P")[0].split()) == 3
    assert [last(repo, key) for key in "abcde"] == [
        ADA.name,
        BEN.name,
        BEN.name,
        CHI.name,
        ADA.name,
    ]


def test_a_rebase_keeps_the_author_and_names_the_new_commit(repo: Repo) -> None:
    repo.git("checkout", "-q", "-b", "side", "HEAD~1")
    repo.write(".gitkb/knowledge/c.jsonl", line("c", "new"))
    old = repo.commit("Chi adds c", by=CHI)
    assert last(repo, "c") == CHI.name
    repo.git("rebase", "-q", "main", person=ADA)
    (found,) = blame(store_of(repo), ["c"])
    assert found.last is not None
    assert found.last.name == CHI.name
    assert found.last.commit == repo.head() != old


def test_branches_are_told_apart_whatever_was_asked_before(repo: Repo) -> None:
    assert last(repo, "b") == BEN.name
    repo.git("checkout", "-q", "HEAD~1")
    assert last(repo, "b") == ADA.name
    repo.checkout("main")
    assert last(repo, "b") == BEN.name


def test_an_author_field_in_the_entry_is_not_believed(repo: Repo) -> None:
    repo.write(ALL, line("a", "one", author="Mallory", by="Mallory") + tombstone("b"))
    repo.commit("Chi forgets b", by=CHI)
    assert (last(repo, "a"), last(repo, "b")) == (CHI.name, CHI.name)


def test_mailmap_gives_names_and_mails_and_may_change_later(repo: Repo) -> None:
    assert last(repo, "b") == BEN.name
    repo.write(".mailmap", f"Benjamin <benjamin@new.example> <{BEN.email}>\n")
    (found,) = blame(store_of(repo), ["b"])
    assert found.last is not None
    assert (found.last.name, found.last.mail) == ("Benjamin", "benjamin@new.example")


# --- what is not committed -------------------------------------------------------------------


def test_what_is_not_committed_says_so(repo: Repo) -> None:
    repo.write(ALL, line("a", "mine", 3) + line("b", "two", 2) + line("c", "new"))
    repo.write(".gitkb/knowledge/7f.jsonl", line("d", "in a new file"))
    assert [(item.key, _words(item)) for item in blame(store_of(repo))] == [
        ("a", f"{ADA.name}, uncommitted since"),
        ("b", BEN.name),
        ("c", "nobody yet"),
        ("d", "nobody yet"),
    ]
    repo.add()
    assert last(repo, "d") == "nobody yet"


def test_formatting_that_is_not_committed_is_no_change(repo: Repo) -> None:
    repo.write(ALL, line("b", "two", 2).replace(" ", "") + line("a", "one", tags=[]))
    assert (last(repo, "a"), last(repo, "b")) == (ADA.name, BEN.name)


def test_a_key_taken_out_is_not_listed_but_can_be_asked_for(repo: Repo) -> None:
    repo.write(ALL, line("b", "two", 2))
    assert [item.key for item in blame(store_of(repo))] == ["b"]
    (gone,) = blame(store_of(repo), ["a"])
    assert gone.uncommitted
    assert not gone.present
    repo.commit("Chi takes a out", by=CHI)
    (gone,) = blame(store_of(repo), ["a"])
    assert gone.last is not None
    assert (gone.last.name, gone.present, gone.uncommitted) == (CHI.name, False, False)


def test_before_the_first_commit_everything_is_uncommitted(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "repository")
    repo.write(ALL, line("a", "one"))
    (found,) = blame(store_of(repo))
    assert (found.key, found.last, found.first, found.uncommitted) == ("a", None, None, True)


@pytest.mark.parametrize("ignore", ["", ".gitkb/\n", "*.jsonl\n"])
def test_a_store_that_is_not_tracked_is_uncommitted(tmp_path: Path, ignore: str) -> None:
    repo = Repo.init(tmp_path / "repository")
    repo.write(".gitignore", ignore)
    repo.commit("Begin")
    repo.write(ALL, line("a", "one"))
    assert [_words(item) for item in blame(store_of(repo))] == ["nobody yet"]


def test_during_a_conflict_the_sides_lines_are_uncommitted(repo: Repo) -> None:
    repo.checkout("side", new=True)
    repo.write(ALL, line("a", "side", 5) + line("b", "two", 2))
    repo.commit("Chi edits", by=CHI)
    repo.checkout("main")
    repo.write(ALL, line("a", "main", 5) + line("b", "two", 2))
    repo.commit("Ben edits", by=BEN)
    repo.git("merge", "side", exit_code=1)
    assert last(repo, "a") == f"{BEN.name}, uncommitted since"
    assert last(repo, "b") == BEN.name


def test_outside_a_repository_there_is_an_error_that_says_so(tmp_path: Path) -> None:
    (tmp_path / ".gitkb" / "knowledge").mkdir(parents=True)
    with pytest.raises(GitError, match="no git repository"):
        blame(store_at(str(tmp_path / ".gitkb")))


def test_an_unknown_key_is_an_error_that_names_it(repo: Repo) -> None:
    with pytest.raises(NotFoundError, match="'nowhere'"):
        blame(store_of(repo), ["a", "nowhere"])


# --- kinds of repository ---------------------------------------------------------------------


def test_a_shallow_clone_says_history_cut_until_it_is_deepened(repo: Repo, tmp_path: Path) -> None:
    repo.write(".gitkb/knowledge/c.jsonl", line("c", "new"))
    repo.commit("Chi adds c", by=CHI)
    clone = Repo.clone(f"file://{repo.path}", tmp_path / "clone", "--depth", "2")
    assert last(clone, "a") == f"history cut at {BEN.name}"
    assert last(clone, "b") == f"history cut at {BEN.name}"
    assert last(clone, "c") == CHI.name
    clone.git("fetch", "-q", "--unshallow")
    assert (last(clone, "a"), last(clone, "b")) == (ADA.name, BEN.name)


def test_a_partial_clone_fetches_old_versions_at_once(repo: Repo, tmp_path: Path) -> None:
    for number in range(12):
        repo.write(ALL, line("a", f"number {number}", 10 + number) + line("b", "two", 2))
        repo.commit(f"Edit {number}", by=CHI)
    repo.config("uploadpack.allowFilter", "true")
    repo.config("uploadpack.allowAnySHA1InWant", "true")
    clone = Repo.clone(f"file://{repo.path}", tmp_path / "clone", "--filter=blob:none")
    packs = clone.path / ".git" / "objects" / "pack"
    before = len(list(packs.glob("*.pack")))
    assert (last(clone, "a"), last(clone, "b")) == (CHI.name, BEN.name)
    assert len(list(packs.glob("*.pack"))) == before + 1
    assert not (clone.path / ".git" / "FETCH_HEAD").exists()


def test_a_partial_clone_without_its_remote_says_what_is_missing(
    repo: Repo, tmp_path: Path
) -> None:
    for number in range(12):
        repo.write(ALL, line("a", f"number {number}", 10 + number) + line("b", "two", 2))
        repo.commit(f"Edit {number}", by=CHI)
    repo.config("uploadpack.allowFilter", "true")
    clone = Repo.clone(f"file://{repo.path}", tmp_path / "clone", "--filter=blob:none")
    repo.path.rename(tmp_path / "elsewhere")
    with pytest.raises(GitError, match=r"partial clone lacks 1\d old versions"):
        blame(store_of(clone))


def test_a_linked_worktree_has_its_own_head(repo: Repo, tmp_path: Path) -> None:
    linked = repo.worktree(tmp_path / "linked", "side")
    linked.write(ALL, line("a", "linked", 4) + line("b", "two", 2))
    linked.commit("Chi in the linked worktree", by=CHI)
    assert (last(linked, "a"), last(repo, "a")) == (CHI.name, ADA.name)


def test_a_repository_with_long_object_names_works(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "repository", "--object-format=sha256")
    repo.write(ALL, line("a", "one"))
    repo.commit("Begin", by=BEN)
    (found,) = blame(store_of(repo))
    assert found.last is not None
    assert (found.last.name, len(found.last.commit)) == (BEN.name, 64)


@pytest.mark.parametrize("folder", ["größe", "a b", 'quo"te', "-dash", ":(top)", "tab\there", "*"])
def test_a_store_below_an_odd_folder_works(tmp_path: Path, folder: str) -> None:
    repo = Repo.init(tmp_path / "repository")
    repo.write(f"{folder}/.gitkb/knowledge/all.jsonl", line("a", "one"))
    repo.write("other/.gitkb/knowledge/all.jsonl", line("b", "one"))
    repo.commit("Begin", by=BEN)
    repo.write(f"{folder}/.gitkb/knowledge/3f.jsonl", line("c", "new"))
    found = blame(store_at(str(repo.path / folder / ".gitkb")))
    assert [(item.key, _words(item)) for item in found] == [("a", BEN.name), ("c", "nobody yet")]


def test_attributes_that_hide_the_text_of_the_files_do_not_hide_it_here(repo: Repo) -> None:
    repo.write(".gitattributes", "*.jsonl binary diff=mine filter=none\n")
    repo.config("diff.mine.textconv", "false")
    repo.config("diff.mine.command", "false")
    repo.write(ALL, line("a", "other", 7) + line("b", "two", 2))
    repo.commit("Chi", by=CHI)
    repo.write(ALL, line("a", "other", 7) + line("b", "mine", 9))
    assert (last(repo, "a"), last(repo, "b")) == (CHI.name, f"{BEN.name}, uncommitted since")


def test_a_persons_configuration_of_git_changes_nothing(repo: Repo) -> None:
    (repo.path / ALL).unlink()
    repo.write(".gitkb/knowledge/ca.jsonl", line("a", "one"))
    repo.write(".gitkb/knowledge/3e.jsonl", line("b", "two", 2))
    repo.commit("Chi reshards", by=CHI)
    for name, value in {
        "diff.noprefix": "true",
        "diff.mnemonicPrefix": "true",
        "diff.external": "false",
        "diff.algorithm": "patience",
        "diff.renames": "copies",
        "diff.context": "7",
        "diff.interHunkContext": "9",
        "diff.colorMoved": "zebra",
        "diff.relative": "false",
        "diff.orderFile": "no-such-file",
        "diff.suppressBlankEmpty": "true",
        "diff.statGraphWidth": "3",
        "diff.ignoreSubmodules": "none",
        "color.ui": "always",
        "color.diff": "always",
        "color.status": "always",
        "core.pager": "false",
        "core.quotePath": "true",
        "core.abbrev": "4",
        "log.showSignature": "true",
        "log.follow": "true",
        "log.diffMerges": "first-parent",
        "log.date": "relative",
        "log.mailmap": "false",
        "log.decorate": "full",
        "log.showRoot": "false",
        "format.pretty": "oneline",
        "format.notes": "true",
        "status.short": "true",
        "status.branch": "true",
        "status.relativePaths": "true",
        "status.showUntrackedFiles": "no",
        "status.renames": "copies",
        "i18n.logOutputEncoding": "UTF-16",
    }.items():
        repo.config(name, value)
    repo.write(".gitkb/knowledge/c.jsonl", line("c", "new"))
    assert [(item.key, _words(item)) for item in blame(store_of(repo))] == [
        ("a", ADA.name),
        ("b", BEN.name),
        ("c", "nobody yet"),
    ]


def test_variables_of_another_repository_change_nothing(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Repo.init(tmp_path / "other")
    monkeypatch.setenv("GIT_DIR", str(other.path / ".git"))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", "false")
    assert last(repo, "b") == BEN.name


def test_lines_that_are_no_record_belong_to_nobody(repo: Repo) -> None:
    repo.write(
        ALL, '-- a/x\n{"key":\n' + line("a", "one") + "<<<<<<< ours\n" + line("b", "three", 4)[:-1]
    )
    repo.write(".gitkb/knowledge/notes.jsonl", line("n", "not a data file"))
    repo.commit("Chi makes a mess", by=CHI)
    assert [(item.key, _words(item)) for item in blame(store_of(repo))] == [
        ("a", ADA.name),
        ("b", CHI.name),
    ]


@pytest.mark.parametrize("shards", [1, 256])
def test_a_history_long_enough_for_several_processes_of_git(tmp_path: Path, shards: int) -> None:
    repo = Repo(tmp_path / "repository")
    truth = write_long_history(repo.path, entries=60, commits=200, shards=shards)
    marks = (repo.path / ".git" / "marks").read_text(encoding="ascii").splitlines()
    ids = dict(mark.removeprefix(":").split() for mark in marks)
    found = {item.key: item.last and item.last.commit for item in blame(store_of(repo))}
    assert found == {key: ids[str(truth[key])] for key in found}
    assert len(found) > 60


def test_an_object_that_is_missing_is_an_error_in_gits_words(repo: Repo) -> None:
    blob = repo.head("HEAD~1:.gitkb/knowledge/all.jsonl")
    (repo.path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(GitError, match=blob[:10]):
        blame(store_of(repo))


# --- the kept facts --------------------------------------------------------------------------


def cache_of(repo: Repo) -> Path:
    return Path(store_of(repo).derived) / "provenance.sqlite"


def test_a_damaged_cache_is_made_again(repo: Repo) -> None:
    expected = blame(store_of(repo))
    whole = cache_of(repo).read_bytes()
    for noise in (b"", b"noise" * 1000, whole[:5000], whole[:4096] + b"\xff" * (len(whole) - 4096)):
        cache_of(repo).write_bytes(noise)
        assert blame(store_of(repo)) == expected
        assert blame(store_of(repo)) == expected
    assert cache_of(repo).stat().st_size > 4096


@pytest.mark.parametrize("statement", ["UPDATE answer SET body = '{}'", "DELETE FROM walked"])
def test_a_cache_that_contradicts_the_repository_is_made_again(repo: Repo, statement: str) -> None:
    expected = blame(store_of(repo))
    with sqlite3.connect(cache_of(repo)) as database:
        database.execute(statement)
    database.close()
    assert blame(store_of(repo)) == expected
    repo.git("checkout", "-q", "HEAD~1")
    assert last(repo, "b") == ADA.name


def test_a_cache_that_another_process_holds_keeps_nobody_waiting(repo: Repo) -> None:
    expected = blame(store_of(repo))
    with sqlite3.connect(cache_of(repo)) as database:
        database.execute("BEGIN EXCLUSIVE")
        assert blame(store_of(repo)) == expected
    database.close()


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root writes anywhere")
def test_a_folder_that_cannot_be_written_needs_no_cache(repo: Repo) -> None:
    git_dir = repo.path / ".git"
    git_dir.chmod(0o555)
    try:
        assert last(repo, "b") == BEN.name
    finally:
        git_dir.chmod(0o755)


def test_a_folder_that_cannot_be_made_needs_no_cache(repo: Repo) -> None:
    (repo.path / ".git" / "gitkb").write_text("in the way")
    assert last(repo, "b") == BEN.name


def test_the_cache_holds_no_content(repo: Repo) -> None:
    repo.write(ALL, line("a", "confidential words", 7))
    repo.commit("Oh no")
    blame(store_of(repo))
    assert b"confidential" not in cache_of(repo).read_bytes()


def test_commits_that_are_gone_do_no_harm(repo: Repo) -> None:
    blame(store_of(repo))
    repo.git("commit", "-q", "--amend", "-m", "Amended", "--author", "Eve <eve@x>")
    run_program(["git", "reflog", "expire", "--expire=now", "--all"], cwd=repo.path)
    repo.git("gc", "-q", "--prune=now")
    assert last(repo, "b") == "Eve"
