"""`redact` scrubs a text for good, on every clone, and says where git still holds it."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from repo_builder import Repo, Team, team
from secret_samples import Maker
from tier_builder import make_world

if TYPE_CHECKING:
    from pathlib import Path

_WORD = "swordfish-alpha"
_SECRET = Maker(21).make("github")
_LEAVE = "--allow-secret=a test"


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    repo = Repo.init(tmp_path / "app")
    repo.run("init", "--shards", "16")
    return repo


def _put(repo: Repo, key: str = "k", **fields: Any) -> None:
    entry = {"key": key, "type": "fact", "title": "T", **fields}
    repo.run("add", _LEAVE, stdin=json.dumps(entry))


def _held(repo: Repo, word: str = _WORD) -> list[str]:
    """Every file in the worktree and in gitkb's derived folder that holds a word."""
    tree = {
        **repo.tree(".gitkb"),
        **{f"derived/{n}": d for n, d in repo.tree(".git/gitkb").items()},
    }
    return [name for name, data in tree.items() if word.encode() in data]


def test_it_is_gone_from_every_field_version_view_index_and_session(repo: Repo) -> None:
    config = repo.read(".gitkb/config.toml").decode()
    repo.write(".gitkb/config.toml", config + '[views]\ncommit = true\nnames = ["knowledge"]\n')
    _put(repo, content=f"code {_WORD}", aliases=[_WORD], tags=["a", _WORD], x_own={"deep": [_WORD]})
    _put(repo, content=f"the code is {_WORD}, still", done=[_WORD], x_own={_WORD: 1})
    _put(repo, "other", content="plain")
    repo.run("session", "start", f"Change {_WORD}")
    repo.run("recall", _WORD)
    assert len(_held(repo)) > 3
    done = repo.run("redact", "--match", "swordfish-[a-z]+", "--yes", "--json").json()
    assert [entry["key"] for entry in done["redacted"]] == ["k"]
    assert _held(repo) == []
    entry = repo.run("show", "k", "--json").json()
    assert entry["content"] == "the code is [redacted], still"
    assert repo.run("show", "other", "--json").json()["content"] == "plain"
    repo.run("check")
    assert repo.run("recall", "code", "--json").json()[0]["key"] == "k"
    # The same again changes nothing.
    before = repo.tree(".gitkb")
    repo.run("redact", "--match", "swordfish-[a-z]+", "--yes")
    assert repo.tree(".gitkb") == before


def test_a_dry_run_and_a_call_without_consent_write_nothing(repo: Repo) -> None:
    _put(repo, content=_WORD)
    before = repo.tree(".gitkb")
    shown = repo.run("redact", "--match", _WORD, "--dry-run")
    assert "would be scrubbed: k" in shown.stdout
    refused = repo.run("redact", "--match", _WORD, exit_code=2)
    assert "--yes" in refused.stderr
    assert repo.tree(".gitkb") == before
    for output in (shown, refused):
        assert _WORD not in output.stdout + output.stderr


def test_of_an_entry_goes_what_looks_like_a_secret_or_else_all_its_text(repo: Repo) -> None:
    _put(repo, content=f"It took a week to find: {_SECRET}")
    _put(repo, "copy", content=f"again {_SECRET}")
    _put(repo, "plain", content="nobody could tell", tags=["tell"])
    repo.run("redact", "k", "--yes")
    assert _held(repo, _SECRET) == []
    entry = repo.run("show", "k", "--json").json()
    assert entry["content"] == "It took a week to find: [redacted]"
    assert "allowed_secrets" not in entry
    repo.run("redact", "plain", "--yes")
    entry = repo.run("show", "plain", "--json").json()
    assert (entry["title"], entry["content"], entry["tags"]) == ("[redacted]",) * 2 + (
        ["[redacted]"],
    )
    repo.run("redact", "k", "--all", "--yes")
    assert repo.run("show", "k", "--json").json()["content"] == "[redacted]"


def test_a_tombstone_can_take_its_place(repo: Repo) -> None:
    _put(repo, content=f"old {_WORD}")
    _put(repo, content=f"new {_WORD}")
    repo.run("redact", "k", "--forget", "--reason", "a secret", "--yes")
    assert _held(repo) == []
    assert "was forgotten" in repo.run("show", "k", exit_code=4).stderr
    repo.run("check")
    before = repo.tree(".gitkb")
    assert any(b'"redacted":["content#' in data for data in before.values())
    repo.run("redact", "k", "--forget", "--yes")
    assert repo.tree(".gitkb") == before  # what told a merge of it still does


def test_what_cannot_be_meant_is_refused(repo: Repo) -> None:
    _put(repo, content="x")
    repo.run("redact", "--yes", exit_code=2)
    repo.run("redact", "--match", "(", "--yes", exit_code=2)
    repo.run("redact", "--match", "a*", "--yes", exit_code=2)
    repo.run("redact", "nobody", "--yes", exit_code=4)
    assert (
        "itself holds the text" in repo.run("redact", "--match", "^k$", "--yes", exit_code=5).stderr
    )
    assert "nothing holds it" in repo.run("redact", "--match", "zzz", "--yes").stdout


@pytest.fixture
def clones(tmp_path: Path) -> Team:
    return team(tmp_path, "--shards", "1")


def _share(repo: Repo, message: str) -> None:
    repo.git("add", "-A")
    repo.git("commit", "--no-verify", "-m", message)


def _begin(clones: Team) -> tuple[Repo, Repo]:
    ours, theirs = clones.ada, clones.ben
    _put(ours, content=f"The code is {_WORD}.", tags=["a"])
    _share(ours, "Say the code")
    ours.git("push", "-q")
    theirs.git("pull", "-q")
    return ours, theirs


@pytest.mark.parametrize("has_driver", [True, False])
@pytest.mark.parametrize("scrubber", ["ours", "theirs"])
def test_a_merge_with_a_branch_that_still_has_it_does_not_bring_it_back(
    clones: Team, scrubber: str, has_driver: bool
) -> None:
    ours, theirs = _begin(clones)
    _put(theirs, content=f"The code is {_WORD}. Really.", tags=["a", "b"])
    _put(theirs, content=f"The code is {_WORD}. Really so.", tags=["a", "b"])
    _share(theirs, "Say more")
    ours.run("redact", "--match", _WORD, "--yes")
    _share(ours, "Scrub")
    first, second = (ours, theirs) if scrubber == "ours" else (theirs, ours)
    second.git("push", "-q", "origin", "HEAD:refs/heads/side")
    first.git("fetch", "-q")
    if not has_driver:
        first.run("uninstall")
    merged = first.git("merge", "--no-edit", "origin/side", exit_code=None)
    if not has_driver:
        assert merged.exit_code != 0
        first.run("resolve")
        first.git("add", "-A")
        first.git("commit", "--no-edit", "--no-verify", "-q")
    assert [name for name, data in first.tree(".gitkb").items() if _WORD.encode() in data] == []
    entry = first.run("show", "k", "--json").json()
    assert entry["content"] == "The code is [redacted]."
    assert entry["tags"] == ["a", "b"]
    assert "conflicts" not in entry
    first.run("check")


def test_a_deleted_text_does_not_come_back_with_an_old_branch(clones: Team) -> None:
    ours, theirs = _begin(clones)
    _put(theirs, content=f"The code is {_WORD}. Really.")
    _share(theirs, "Say more")
    theirs.git("push", "-q", "origin", "HEAD:refs/heads/side")
    ours.run("redact", "k", "--forget", "--yes")
    _share(ours, "Forget")
    ours.git("fetch", "-q")
    ours.git("merge", "--no-edit", "origin/side")
    assert [name for name, data in ours.tree(".gitkb").items() if _WORD.encode() in data] == []


_BACK = "'k' brings back redacted text in content"


def test_a_revert_that_brings_it_back_is_told_by_git_by_check_and_in_ci(clones: Team) -> None:
    ours, _ = _begin(clones)
    ours.run("redact", "--match", _WORD, "--yes")
    _share(ours, "Scrub")
    scrubbed = ours.head()
    assert _BACK in ours.git("revert", "--no-edit", "HEAD").stderr  # no hook can stop it
    assert ours.run("show", "k", "--json").json()["content"] == f"The code is {_WORD}."
    for words in (("check",), ("check", "--merge", scrubbed, "HEAD")):
        problems = ours.run(*words, "--json").json()["problems"]
        assert [(one["code"], one["severity"]) for one in problems] == [("unredacted", "warning")]
    # A revert of that revert scrubs again, and says nothing.
    assert "brings back" not in ours.git("revert", "--no-edit", "HEAD").stderr
    assert ours.run("check", "--json").json()["problems"] == []


@pytest.mark.parametrize(
    "command", [("revert", "--no-commit", "HEAD"), ("checkout", "HEAD^", "--", ".gitkb")]
)
def test_who_commits_it_back_by_hand_is_told_once(clones: Team, command: tuple[str, ...]) -> None:
    ours, _ = _begin(clones)
    ours.run("redact", "--match", _WORD, "--yes")
    _share(ours, "Scrub")
    ours.git(*command)
    found = ours.run("check", "--staged", "--json").json()["problems"]
    assert [one["code"] for one in found] == ["unredacted"]
    assert ours.git("commit", "-m", "Back").stderr.count(_BACK) == 1


def test_an_export_from_before_does_not_bring_it_back(repo: Repo, tmp_path: Path) -> None:
    _put(repo, content=f"code {_WORD}")
    old = tmp_path / "old.jsonl"
    old.write_bytes(b"".join(data for name, data in repo.tree(".gitkb/knowledge").items()))
    repo.run("redact", "--match", _WORD, "--yes")
    found = repo.run("import", "--from", "gitkb", str(old), "--json").json()
    assert "was redacted here" in found["dropped"][0]["reason"]
    assert _held(repo) == []


def test_every_place_where_git_holds_it_is_named_with_its_command(
    clones: Team, tmp_path: Path
) -> None:
    ours, _ = _begin(clones)
    ours.git("tag", "v1")
    ours.git("branch", "old")
    ours.git("worktree", "add", "-q", str(tmp_path / "linked"), "old")
    _put(ours, content=f"The code is {_WORD}, stashed.")
    ours.git("stash", "-q")
    found = ours.run("redact", "--match", _WORD, "--yes", "--json").json()["held"]
    kinds = {held["kind"] for held in found}
    assert {"commit", "branch", "tag", "remote", "stash", "worktree", "clones", "objects"} <= kinds
    assert all(held["command"] for held in found)
    names = {(held["kind"], held["name"]) for held in found}
    assert {("tag", "v1"), ("branch", "old"), ("remote", "origin")} <= names
    said = ours.run("redact", "--match", "Really", "--dry-run").stdout
    assert _WORD not in said


def test_other_worktrees_lose_their_search_index(clones: Team, tmp_path: Path) -> None:
    ours, _ = _begin(clones)
    linked = Repo(tmp_path / "linked", ours.person)
    ours.git("worktree", "add", "-q", str(linked.path), "-b", "side")
    linked.run("recall", _WORD)
    index = ours.path / ".git" / "worktrees" / "linked" / "gitkb"
    assert any(_WORD.encode() in path.read_bytes() for path in index.iterdir() if path.is_file())
    ours.run("redact", "--match", _WORD, "--yes")
    assert not any(
        _WORD.encode() in path.read_bytes() for path in index.iterdir() if path.is_file()
    )


def test_the_workstations_store_is_scrubbed_when_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    monkeypatch.setenv("GITKB_HOME", str(home))
    world = make_world(tmp_path, home)
    world.add("workstation", key="w", title="T", content=f"code {_WORD}")
    world.project.run("redact", "--match", _WORD, "--yes")
    assert any(_WORD.encode() in data for data in world.workstation.tree(".gitkb").values())
    done = world.project.run("redact", "--match", _WORD, "--tiers", "--yes", "--json").json()
    assert done["redacted"][0]["tier"] == "workstation"
    assert not any(_WORD.encode() in data for data in world.workstation.tree(".gitkb").values())


def test_an_expression_that_takes_for_ever_is_stopped_and_nothing_written(repo: Repo) -> None:
    _put(repo, content="a" * 5_000 + "!")
    before = repo.tree()
    done = repo.run("redact", "--match", "(a+)+$", "--yes", exit_code=2)
    assert "takes longer than 5 s on a text of 5001 characters" in done.stderr
    assert repo.tree() == before


def test_all_is_written_or_nothing(repo: Repo) -> None:
    _put(repo, content=_WORD)
    _put(repo, "l", content=_WORD)
    before = repo.tree(".gitkb")
    if os.geteuid() == 0:
        # Who may write everywhere is stopped by a folder in the place of a file that is to be written.
        name = next(
            name for name in before if name.startswith("knowledge/") and b'"l"' in before[name]
        )
        (repo.path / ".gitkb" / "knowledge" / f".{name.partition('/')[2]}.tmp").mkdir()
    else:
        (repo.path / ".gitkb" / "knowledge").chmod(0o500)
    repo.run("redact", "--match", _WORD, "--yes", exit_code=5)
    (repo.path / ".gitkb" / "knowledge").chmod(0o700)
    assert {name: data for name, data in repo.tree(".gitkb").items() if name.endswith("jsonl")} == {
        name: data for name, data in before.items() if name.endswith("jsonl")
    }
