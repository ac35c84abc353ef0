"""What became of an entry's files, in real repositories; and that every answer says so."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import time
from typing import TYPE_CHECKING, Any

import pytest

from mcp_client import ask
from repo_builder import BEN, Repo, script

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

KEY = "k"


def lines(*changed: int, count: int = 20) -> str:
    """A file of so many lines; those of the numbers are other lines."""
    return "".join(f"line {n}{' changed' if n in changed else ''}\n" for n in range(count))


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A project with four files and no entry yet."""
    repo = Repo.init(tmp_path / "project")
    repo.run("init", "--no-install")
    for name in ("src/login.py", "src/auth/token.py", "src/auth/deep/key.py", "docs/größe.md"):
        repo.write(name, lines())
    repo.commit("the project")
    return repo


def know(repo: Repo, *files: str, key: str = KEY, **more: object) -> None:
    """Commit an entry about some files."""
    repo.kb_add(key=key, type="fact", title=f"About {key}", files=list(files), **more)
    repo.commit(f"know {key}")


def stale(repo: Repo, *keys: str) -> dict[str, list[str]]:
    """What is stale, and why."""
    answer = repo.run("stale", "--json", *keys).json()
    return {one["key"]: one["stale_because"] for one in answer}


def changes(repo: Repo, key: str = KEY) -> list[dict[str, Any]]:
    """What became of the files of one entry."""
    answer = repo.run("stale", "--json", key).json()
    return answer[0]["changes"] if answer else []


def test_an_entry_whose_files_nobody_touched_is_not_stale(repo: Repo) -> None:
    know(repo, "src/login.py")
    repo.write("src/auth/token.py", lines(1))
    repo.commit("another file")
    assert stale(repo) == {}
    assert "nothing is stale" in repo.run("stale").stderr


def test_commits_and_lines_since_the_entry_was_written_are_counted(repo: Repo) -> None:
    repo.write("src/login.py", lines(9))
    repo.commit("before")
    know(repo, "src/login.py")
    repo.write("src/login.py", lines(9, 1, 2))
    repo.commit("two lines")
    repo.write("src/login.py", lines(9, 1, 2, 3))
    repo.commit("one more")
    # Three lines of 20 were taken out, three put in: 6 of the 40 there were and are.
    assert changes(repo) == [
        {"file": "src/login.py", "change": "changed", "commits": 2, "share": 0.15}
    ]
    assert stale(repo) == {KEY: ["src/login.py changed in 2 commits, 15 % of its lines"]}


def test_it_is_an_error_code_only_where_somebody_asks_for_one(repo: Repo) -> None:
    know(repo, "src/login.py")
    repo.run("stale", "--exit-code", exit_code=0)
    repo.write("src/login.py", lines(1))
    repo.commit("change")
    repo.run("stale", exit_code=0)
    repo.run("stale", "--exit-code", exit_code=1)
    repo.run("stale", "--exit-code", "--json", exit_code=1)


def test_writing_the_entry_anew_ends_it(repo: Repo) -> None:
    know(repo, "src/login.py")
    repo.write("src/login.py", lines(1))
    repo.commit("change")
    repo.kb_add(key=KEY, type="fact", title="About it, as it is now", files=["src/login.py"])
    assert stale(repo) == {}
    repo.commit("say it anew")
    assert stale(repo) == {}


def test_formatting_the_entry_does_not_end_it(repo: Repo) -> None:
    know(repo, "src/login.py")
    repo.write("src/login.py", lines(1))
    repo.commit("change")
    (name,) = [name for name, data in repo.tree().items() if b'"key":"k"' in data]
    fields = json.loads(repo.read(f".gitkb/{name}"))
    repo.write(f".gitkb/{name}", json.dumps(dict(reversed(fields.items()))) + "\n")
    assert KEY in stale(repo)
    repo.commit("another form")
    assert KEY in stale(repo)


def test_a_change_that_is_taken_back_is_none(repo: Repo) -> None:
    know(repo, "src/login.py", "src/auth")
    repo.write("src/login.py", lines(1))
    repo.write("src/auth/token.py", lines(1))
    repo.commit("change")
    assert len(changes(repo)) == 2
    repo.git("revert", "--no-edit", "HEAD")
    assert stale(repo) == {}


def test_a_chain_of_renames_is_followed(repo: Repo) -> None:
    know(repo, "src/login.py")
    repo.git("mv", "src/login.py", "src/enter.py")
    repo.commit("first")
    repo.write("src/enter.py", lines(1))
    repo.commit("change it there")
    repo.git("mv", "src/enter.py", "src/door.py")
    repo.commit("second")
    assert changes(repo) == [
        {
            "file": "src/login.py",
            "change": "moved",
            "commits": 3,
            "share": 0.05,
            "moved_to": ["src/door.py"],
        }
    ]
    repo.git("mv", "src/door.py", "src/login.py")
    repo.write("src/login.py", lines())
    repo.commit("and home")
    assert stale(repo) == {}


def test_a_rename_before_the_entry_concerns_nobody(repo: Repo) -> None:
    repo.git("mv", "src/login.py", "src/enter.py")
    repo.commit("move")
    know(repo, "src/login.py", "src/enter.py")
    repo.write("src/other.py", "x\n")
    repo.commit("else")
    assert stale(repo) == {}


def test_a_file_that_vanished_is_told_until_it_comes_back(repo: Repo) -> None:
    know(repo, "src/login.py", "not/there/ever.py")
    repo.git("rm", "-q", "src/login.py")
    repo.commit("away")
    assert stale(repo) == {KEY: ["src/login.py vanished"]}
    repo.write("src/login.py", lines())
    repo.commit("back")
    assert stale(repo) == {}
    repo.write("src/login.py", lines(4))
    repo.commit("changed")
    assert changes(repo)[0]["change"] == "changed"


def test_a_folder_and_a_glob_mean_what_lies_below(repo: Repo) -> None:
    know(repo, "src/auth", key="folder")
    know(repo, "src/*/deep/*.py", key="glob")
    know(repo, "src/auth/to", key="beginning")
    repo.write("src/auth/token.py", lines(1))
    repo.commit("one file")
    assert list(stale(repo)) == ["folder"]
    repo.write("src/auth/deep/key.py", lines(1))
    repo.commit("the other")
    assert set(stale(repo)) == {"folder", "glob"}
    assert changes(repo, "folder")[0]["commits"] == 2
    assert changes(repo, "glob")[0]["commits"] == 1


def test_a_folder_that_moves_is_followed(repo: Repo) -> None:
    know(repo, "src/auth")
    repo.git("mv", "src/auth", "src/guard")
    repo.commit("move all of it")
    found = changes(repo)[0]
    assert (found["change"], found["commits"]) == ("moved", 1)
    assert found["moved_to"] == ["src/guard/deep/key.py", "src/guard/token.py"]
    assert stale(repo)[KEY][0].startswith("src/auth moved to src/guard/ (2 files)")
    know(repo, "src/guard", key="part")
    repo.git("mv", "src/guard/token.py", "token.py")
    repo.commit("move one of them")
    assert stale(repo, "part")["part"] == [
        "src/guard changed in 1 commit, 0 % of its lines; moved out of it: token.py"
    ]


def test_names_in_any_script_are_seen(repo: Repo) -> None:
    know(repo, "docs/größe.md")
    repo.git("mv", "docs/größe.md", "docs/размер 大小.md")
    repo.commit("переименовать")
    assert stale(repo) == {KEY: ["docs/größe.md moved to docs/размер 大小.md"]}


def test_work_of_a_parallel_branch_counts_once_it_is_merged(repo: Repo) -> None:
    repo.checkout("side", new=True)
    repo.write("src/login.py", lines(1))
    repo.commit("earlier than the entry, by the clock")
    repo.checkout("main")
    know(repo, "src/login.py")
    assert stale(repo) == {}
    repo.merge("side", "--no-edit")
    assert changes(repo)[0]["commits"] == 1
    repo.checkout("side")
    assert stale(repo) == {}


def test_an_entry_of_a_branch_has_seen_what_that_branch_did(repo: Repo) -> None:
    repo.checkout("side", new=True)
    repo.write("src/login.py", lines(1))
    repo.commit("change")
    know(repo, "src/login.py")
    repo.checkout("main")
    repo.write("src/auth/token.py", lines(1))
    repo.commit("elsewhere")
    repo.merge("side", "--no-edit")
    assert stale(repo) == {}


def test_what_a_merge_itself_did_counts(repo: Repo) -> None:
    know(repo, "src/login.py")
    repo.checkout("side", new=True)
    repo.write("docs/größe.md", lines(1))
    repo.commit("side")
    repo.checkout("main")
    repo.write("src/auth/token.py", lines(1))
    repo.commit("main")
    repo.merge("side", "--no-commit", "--no-ff")
    repo.write("src/login.py", lines(7))
    repo.commit("a merge that does more")
    assert changes(repo)[0]["commits"] == 1


def test_a_merge_that_unites_two_changes_of_a_file_is_no_third(repo: Repo) -> None:
    know(repo, "src/login.py")
    repo.checkout("side", new=True)
    repo.write("src/login.py", lines(1))
    repo.commit("side")
    repo.checkout("main")
    repo.write("src/login.py", lines(15))
    repo.commit("main")
    repo.merge("side", "--no-edit")
    assert changes(repo)[0]["commits"] == 2


@pytest.mark.parametrize("name", ["a b.py", "größe.py", 'quote".py', "tab\t.py", "line\nend.py"])
def test_what_a_merge_itself_did_counts_whatever_the_file_is_called(repo: Repo, name: str) -> None:
    repo.write(f"odd/{name}", lines())
    repo.commit("begin")
    know(repo, "odd")
    repo.checkout("side", new=True)
    repo.write("docs/größe.md", lines(1))
    repo.commit("side")
    repo.checkout("main")
    repo.write("src/auth/token.py", lines(1))
    repo.commit("main")
    repo.merge("side", "--no-commit", "--no-ff")
    repo.write(f"odd/{name}", lines(7))
    repo.commit("a merge that does more")
    assert changes(repo)[0]["commits"] == 1


def test_a_submodule_that_stands_at_another_commit_has_changed(repo: Repo, tmp_path: Path) -> None:
    part = Repo.init(tmp_path / "part")
    part.write("a.txt", "a\n")
    part.commit("part")
    repo.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(part.path), "part")
    repo.commit("with a part")
    know(repo, "part")
    part.write("a.txt", "b\n")
    part.commit("part, further")
    repo.git("-C", "part", "pull", "-q")
    repo.commit("take it")
    assert stale(repo) == {KEY: ["part changed in 1 commit"]}


def test_a_confirmation_ends_it_and_leaves_line_and_author(repo: Repo) -> None:
    know(repo, "src/login.py")
    repo.write("src/login.py", lines(1))
    repo.commit("change")
    before = repo.tree(".gitkb/knowledge")
    said = repo.run("confirm", KEY).stdout
    assert "was stale: src/login.py changed in 1 commit, 5 % of its lines" in said
    assert stale(repo) == {}, "before it is committed"
    repo.commit("still true", by=BEN)
    assert stale(repo) == {}
    assert repo.tree(".gitkb/knowledge") == before
    assert repo.run("blame", "--json", KEY).json()[0]["author"] != BEN.name
    repo.write("src/login.py", lines(1, 2))
    repo.commit("change again")
    assert changes(repo)[0]["commits"] == 1
    repo.run("check")


def test_who_confirmed_an_entry_and_when_stands_in_its_history(repo: Repo) -> None:
    know(repo, "src/login.py")
    know(repo, "src/login.py", key="other")
    assert "confirmed" not in repo.run("show", KEY, "--json").json()
    repo.run("confirm", KEY)
    said = repo.run("log", "--json", KEY).json()
    assert (said[0]["kind"], said[0]["author"]) == ("confirmed", None)
    assert "confirmed:" in repo.run("show", KEY).stdout
    assert "confirmed" in repo.run("show", KEY, "--json").json()
    repo.commit("still true", by=BEN)
    newest, *older = repo.run("log", "--json", KEY).json()
    assert (newest["kind"], newest["author"], newest["changes"], newest["entry"]) == (
        "confirmed",
        BEN.name,
        [],
        None,
    )
    assert [one["kind"] for one in older] == ["written"]
    assert [one["kind"] for one in repo.run("log", "--json", "other").json()] == ["written"]
    repo.kb_add(key=KEY, type="fact", title="Something else", files=["src/login.py"])
    repo.commit("anew")
    assert [one["kind"] for one in repo.run("log", "--json", KEY).json()] == [
        "changed",
        "confirmed",
        "written",
    ]
    assert "confirmed" not in repo.run("show", KEY, "--json").json(), "it was another text"


def test_a_diff_tells_what_was_confirmed(repo: Repo) -> None:
    def told(*words: str) -> list[tuple[str, str]]:
        found = repo.run("diff", "--json", *words).json()["changes"]
        return [(one["kind"], one["key"]) for one in found]

    know(repo, "src/login.py")
    know(repo, "src/login.py", key="other")
    repo.run("confirm", KEY)
    assert told() == [("confirmed", KEY)]
    assert told("--staged") == []
    repo.add()
    assert told("--staged") == [("confirmed", KEY)]
    repo.commit("still true")
    assert told("HEAD~1..HEAD") == [("confirmed", KEY)]
    assert told("HEAD..HEAD~1") == [], "taken back, it says nothing of the entry"
    assert "1 confirmed" in repo.run("diff", "HEAD~1..HEAD", "--format", "markdown").stdout
    repo.run("confirm", KEY)
    repo.kb_add(key=KEY, type="fact", title="Something else", files=["src/login.py"])
    assert told() == [("changed", KEY)], "what is new in it says more"
    repo.run("diff", "--exit-code", "HEAD~1..HEAD", exit_code=1)


def test_a_confirmation_of_what_was_said_before_confirms_no_new_text(repo: Repo) -> None:
    know(repo, "src/login.py")
    repo.checkout("side", new=True)
    repo.write("src/login.py", lines(1))
    repo.commit("change")
    repo.run("confirm", KEY)
    repo.commit("the old text is still true")
    repo.checkout("main")
    repo.kb_add(key=KEY, type="fact", title="Something else", files=["src/login.py"])
    repo.commit("another text")
    repo.merge("side", "--no-edit")
    assert changes(repo)[0]["commits"] == 1


def test_confirmations_of_two_branches_unite(repo: Repo) -> None:
    repo.run("install")
    know(repo, "src/login.py")
    repo.write("src/login.py", lines(1))
    repo.commit("change")
    repo.checkout("side", new=True)
    repo.run("confirm", KEY)
    repo.commit("so says one")
    repo.checkout("main")
    repo.run("confirm", KEY)
    repo.run("confirm", KEY)  # a second later at least
    repo.commit("so says the other")
    repo.merge("side", "--no-edit")
    assert stale(repo) == {}
    (data,) = repo.tree(".gitkb/confirmed").values()
    assert data.count(b"\n") == 1
    assert json.loads(data).keys() == {"key", "ts"}


def test_a_confirmation_goes_with_the_tombstone(repo: Repo) -> None:
    know(repo, "src/login.py", ts=1)  # else the tombstone, always later, is of the next second
    repo.run("confirm", KEY)
    repo.run("forget", KEY)
    repo.commit("forgotten")
    repo.run("gc", "--days", "0")
    assert set(repo.tree(".gitkb/confirmed").values()) == {b""}


@pytest.mark.parametrize("line", ['{"key":"k"}', '{"key":"k","ts":true}', "<<<<<<< HEAD", "k"])
def test_check_finds_a_line_that_confirms_nothing(repo: Repo, line: str) -> None:
    know(repo, "src/login.py")
    repo.run("confirm", KEY)
    (name,) = repo.tree(".gitkb/confirmed")
    repo.write(f".gitkb/confirmed/{name}", line + "\n")
    said = repo.run("check", exit_code=1)
    assert f"confirmed/{name}:1" in said.stdout + said.stderr
    assert stale(repo) == {}


def test_what_depends_on_something_that_fell_is_stale(repo: Repo) -> None:
    know(repo, key="base")
    know(repo, key="above")
    repo.run("link", "above", "depends_on", "base")
    repo.run("reject", "base")
    assert stale(repo) == {"above": ["depends on base, no longer true"]}
    said = repo.run("confirm", "above")
    assert "still stale: depends on base" in said.stdout


def test_a_review_date_that_passed_is_told_until_somebody_looks(repo: Repo) -> None:
    today = time.strftime("%Y-%m-%d")
    know(repo, key="past", review_by="2020-02-29")
    know(repo, key="today", review_by=today)
    know(repo, key="later", review_by="9999-12-31")
    assert stale(repo) == {"past": ["to be reviewed by 2020-02-29"]}
    assert "review by:  2020-02-29" in repo.run("show", "past").stdout
    repo.run("confirm", "past")
    assert stale(repo) == {}


def test_a_review_date_is_a_day(repo: Repo) -> None:
    said = repo.run("add", "--type", "fact", "--title", "x", "--review-by", "soon", exit_code=3)
    assert "'review_by' is not a day such as 2026-01-31" in said.stderr


def test_every_answer_has_the_mark_and_none_leaves_the_entry_out(repo: Repo) -> None:
    know(repo, "src/login.py", category="technical", content="MUST-CHECK: the login")
    repo.write("src/login.py", lines(1))
    repo.commit("change")
    because = ["src/login.py changed in 1 commit, 5 % of its lines"]
    for words in (["recall", "login"], ["list"]):
        (hit,) = repo.run(*words, "--json").json()
        assert (hit["stale"], hit["stale_because"]) == (True, because)
        assert "stale: src/login.py changed" in repo.run(*words).stdout
    shown = repo.run("show", KEY, "--json").json()
    assert (shown["stale"], shown["stale_because"]) == (True, because)
    assert because[0] in repo.run("show", KEY).stdout
    pack = repo.run("context", "login", "--json").json()
    assert "stale: src/login.py changed" in pack["text"]
    assert pack["entries"][0]["stale_because"] == because
    (learning,) = repo.run("learnings", "--for", "implementer", "--json").json()
    assert learning["stale_because"] == because


def test_agents_are_told(repo: Repo) -> None:
    know(repo, "src/login.py")
    repo.write("src/login.py", lines(1))
    repo.commit("change")
    because = ["src/login.py changed in 1 commit, 5 % of its lines"]
    said = ask(repo.path, ("gitkb_recall", {"query": "about"}), ("gitkb_get", {"key": KEY}))
    for one in said:
        assert one.values is not None
        assert one.values["entries"][0]["stale"] is True
        assert one.values["entries"][0]["stale_because"] == because


def test_a_small_change_passes_where_the_team_says_so(repo: Repo) -> None:
    know(repo, "src/login.py")
    config = repo.read(".gitkb/config.toml").decode()
    repo.write(".gitkb/config.toml", config + "\n[stale]\nshare = 0.1\n")
    repo.write("src/login.py", lines(1))
    repo.commit("a line")
    assert stale(repo) == {}
    repo.write("src/login.py", lines(1, 2, 3))
    repo.commit("more lines")
    assert KEY in stale(repo)
    repo.run("check")


def test_a_binary_file_changes_without_a_share(repo: Repo) -> None:
    repo.write("logo.png", b"\x00\x01" * 100)
    repo.commit("logo")
    know(repo, "logo.png")
    repo.write("logo.png", b"\x00\x02" * 100)
    repo.commit("another logo")
    assert changes(repo)[0]["share"] is None
    assert stale(repo) == {KEY: ["logo.png changed in 1 commit"]}


def test_outside_a_repository_it_says_what_it_cannot_see(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    repo.run("init")
    repo.kb_add(key=KEY, type="fact", title="x", files=["a"], review_by="2020-01-01")
    said = repo.run("stale")
    assert "to be reviewed by 2020-01-01" in said.stdout
    assert "lies in no git repository" in said.stderr
    assert "note" not in repo.run("recall", "x").stderr


def test_before_the_first_commit_nothing_is_stale(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path)
    repo.run("init", "--no-install")
    repo.kb_add(key=KEY, type="fact", title="x", files=["a"])
    assert stale(repo) == {}


def test_a_shallow_clone_says_that_history_is_cut(repo: Repo, tmp_path: Path) -> None:
    know(repo, "src/login.py")
    repo.write("src/login.py", lines(1))
    repo.commit("change")
    repo.write("src/auth/token.py", lines(1))
    repo.commit("else")
    shallow = Repo.clone(f"file://{repo.path}", tmp_path / "shallow", "--depth=1")
    said = shallow.run("stale")
    assert said.stdout == ""
    assert "history is cut here" in said.stderr
    shallow.git("fetch", "--unshallow", "-q")
    assert KEY in stale(shallow)


def test_a_partial_clone_fetches_nothing_of_the_project(repo: Repo, tmp_path: Path) -> None:
    repo.config("uploadpack.allowFilter", "true")
    repo.write("src/login.py", lines(11))
    repo.commit("unlike all others")
    know(repo, "src/login.py")
    repo.git("mv", "src/login.py", "src/door.py")
    repo.commit("move")
    repo.write("src/door.py", lines(1))
    repo.commit("change")
    options = ("--filter=blob:none", "--no-tags")
    partial = Repo.clone(f"file://{repo.path}", tmp_path / "partial", *options)
    lacking = partial.git("rev-list", "--objects", "--missing=print", "HEAD").stdout.count("?")
    found = changes(partial)[0]
    assert (found["change"], found["moved_to"]) == ("moved", ["src/door.py"])
    assert (found["commits"], found["share"]) == (2, None)
    after = partial.git("rev-list", "--objects", "--missing=print", "HEAD").stdout.count("?")
    assert lacking > 0
    assert after >= lacking - 1, "the old version of a knowledge file at most"


def test_a_linked_worktree_has_answers_of_its_own(repo: Repo, tmp_path: Path) -> None:
    know(repo, "src/login.py")
    other = repo.worktree(tmp_path / "other", "side")
    other.write("src/login.py", lines(1))
    other.commit("change")
    assert KEY in stale(other)
    assert stale(repo) == {}
    repo.git("pack-refs", "--all")
    assert KEY in stale(other)


def test_going_on_from_an_earlier_answer_gives_what_beginning_anew_gives(repo: Repo) -> None:
    know(repo, "src/login.py", "src/auth")
    know(repo, "src/auth/deep", "docs/*.md", key="second")
    steps: list[Callable[[], object]] = [
        lambda: repo.write("src/login.py", lines(1)),
        lambda: repo.git("mv", "src/login.py", "src/door.py"),
        lambda: repo.git("rm", "-q", "docs/größe.md"),
        lambda: repo.write("src/door.py", lines(1, 2)),
        lambda: repo.run("confirm", KEY),
        lambda: repo.git("mv", "src/door.py", "src/gate.py"),
        lambda: repo.write("docs/größe.md", lines(3)),
        lambda: repo.git("rm", "-q", "src/gate.py"),
        lambda: repo.kb_add(key="second", type="fact", title="anew", files=["src", "src/door.py"]),
        lambda: repo.write("src/gate.py", lines(5)),
    ]
    cache = repo.path / ".git" / "gitkb" / "provenance.sqlite"
    stale(repo)
    for number, step in enumerate(steps):
        step()
        repo.commit(f"step {number}")
        went_on = repo.run("stale", "--json").stdout
        assert went_on == repo.run("stale", "--json").stdout
        kept = cache.read_bytes()
        cache.unlink()
        assert repo.run("stale", "--json").stdout == went_on, f"after step {number}"
        cache.write_bytes(kept)


def test_a_damaged_cache_is_built_anew(repo: Repo) -> None:
    know(repo, "src/login.py")
    repo.write("src/login.py", lines(1))
    repo.commit("change")
    before = stale(repo)
    (repo.path / ".git" / "gitkb" / "provenance.sqlite").write_bytes(b"no database" * 999)
    assert stale(repo) == before
    assert stale(repo) == before


def test_hooks_work_it_out_beforehand(repo: Repo) -> None:
    repo.run("install")
    know(repo, "src/login.py")
    repo.write("src/login.py", lines(1))
    repo.commit("change")
    cache = repo.path / ".git" / "gitkb" / "provenance.sqlite"
    before = cache.read_bytes()
    assert KEY in stale(repo)
    assert cache.read_bytes() == before


def test_an_unknown_key_is_not_found(repo: Repo) -> None:
    repo.run("stale", "nobody", exit_code=4)
    repo.run("confirm", "nobody", exit_code=4)
    know(repo, "src/login.py")
    repo.run("archive", KEY)
    said = repo.run("confirm", KEY, exit_code=5)
    assert f"gitkb restore {KEY}" in said.stderr


def test_a_cache_that_is_in_use_or_cannot_be_written_changes_no_answer(repo: Repo) -> None:
    know(repo, "src/login.py")
    stale(repo)
    repo.write("src/login.py", lines(1))
    repo.commit("change")
    cache = repo.path / ".git" / "gitkb" / "provenance.sqlite"
    writer = sqlite3.connect(cache, isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    try:
        assert KEY in stale(repo)
        (hit,) = repo.run("recall", "about", "--json").json()
        assert hit["stale"] is True
    finally:
        writer.close()
    assert KEY in stale(repo)


def test_many_at_once_tell_the_same(repo: Repo) -> None:
    for number in range(20):
        know(repo, "src/login.py" if number % 2 else "src/auth", key=f"k{number}")
    repo.write("src/login.py", lines(1))
    repo.commit("change")
    program = [script("gitkb"), "stale", "--json"]
    asked = [
        subprocess.Popen(program, cwd=repo.path, stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    answers = {one.communicate()[0] for one in asked}
    assert answers == {repo.run("stale", "--json").stdout}
    assert len(stale(repo)) == 10


def test_nobody_who_searches_is_kept_waiting_for_a_long_history(repo: Repo) -> None:
    know(repo, "src/login.py")
    feed = "".join(
        f"commit refs/heads/long\ncommitter A <a@x> {1_700_000_000 + n} +0000\ndata 1\nx\n"
        for n in range(20_001)
    )
    repo.git("fast-import", "--quiet", stdin=feed)
    repo.git("merge", "-q", "--allow-unrelated-histories", "--no-edit", "long")
    repo.write("src/login.py", lines(1))
    repo.commit("change")
    said = repo.run("recall", "about", "--json")
    assert "stale" not in said.json()[0]
    assert "over 20000 commits were never looked at" in said.stderr
    assert KEY in stale(repo)
    (hit,) = repo.run("recall", "about", "--json").json()
    assert hit["stale"] is True
