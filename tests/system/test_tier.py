"""Tiers with real git: remotes that are there, that go away, that are broken, that one may write."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from gitkb.errors import GitError, StateError, UsageError
from gitkb.git import remote
from gitkb.operations.add import add
from gitkb.operations.tier import find_tier, read_tiers
from gitkb.operations.tiers.pull import pull_tiers
from gitkb.operations.tiers.setup import (
    add_tier,
    begin_tier,
    make_workstation,
    remove_tier,
    save_tier,
)

from repo_builder import ADA, BEN, Repo, run_program, script

LEARNING = {
    "type": "pitfall",
    "title": "pymysql is not thread-safe",
    "content": "Use aiomysql.",
    "category": "anti-pattern",
    "scope": "project",
    "severity": "critical",
}


class Org:
    """A bare repository that an organisation shares, and the clone of somebody who writes there."""

    def __init__(self, folder: Path, *, store: bool = True) -> None:
        self.remote = Repo.init(folder / "org.git", bare=True)
        self.url = self.remote.path.as_uri()
        self.writer = Repo.clone(self.remote, folder / "org-writer", person=BEN)
        self.writer.git("symbolic-ref", "HEAD", "refs/heads/main")
        if store:
            self.writer.run("init", "--shards", "16")
            self.write(key="org-rule")

    def write(self, **fields: Any) -> None:
        self.writer.kb_add(**{**LEARNING, **fields})
        self.writer.commit("Learn")
        self.writer.push()

    def keys(self) -> set[str]:
        self.writer.pull()
        return {hit["key"] for hit in self.writer.run("list", "--json").json()}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's folder, in a place with a blank in its name."""
    path = tmp_path / "user data" / "gitkb"
    monkeypatch.setenv("GITKB_HOME", str(path))
    return path


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A project with a store."""
    repo = Repo.init(tmp_path / "repo")
    repo.run("init", "--shards", "16")
    return repo


def learned(repo: Repo, *words: str) -> dict[str, str]:
    """The key and tier of each learning for a plan."""
    answer = repo.run("learnings", "--for", "plan", "--json", *words).json()
    return {value["key"]: value["tier"] for value in answer}


# --- add, list, remove, pull -----------------------------------------------------------------


def test_a_tier_is_cloned_read_updated_and_removed(home: Path, repo: Repo, tmp_path: Path) -> None:
    org = Org(tmp_path)
    assert learned(repo) == {}
    done = repo.run("tier", "add", "org", org.url)
    assert done.stdout.startswith("added    org ")
    assert done.stderr == ""
    assert learned(repo) == {"org-rule": "org"}
    org.write(key="newer", title="Newer")
    assert learned(repo) == {"org-rule": "org"}
    assert repo.run("tier", "pull").stdout == "pulled   org\n"
    assert repo.run("tier", "pull", "org").stdout == "kept     org\n"
    assert learned(repo) == {"org-rule": "org", "newer": "org"}
    listed = repo.run("tier", "--json").json()
    assert [(tier["name"], tier["writable"], tier["state"]) for tier in listed] == [
        ("project", True, "ready"), ("workstation", True, "not made yet"), ("org", False, "ready"),
    ]  # fmt: skip
    assert repo.run("tier", "list").stdout.count("\n") == 3
    done = repo.run("tier", "remove", "org")
    assert org.url in done.stdout
    assert learned(repo) == {}
    assert not (home / "tiers" / "org").exists()
    assert repo.run("tier", "list").stdout.count("\n") == 2
    assert repo.git("status", "--porcelain").stdout == "?? .gitkb/\n"


def test_adding_again_changes_nothing_and_another_address_is_refused(
    home: Path, repo: Repo, tmp_path: Path
) -> None:
    org = Org(tmp_path)
    first = repo.run("tier", "add", "org", org.url, "--json").json()
    before = (home / "tiers.json").read_bytes()
    assert repo.run("tier", "add", "org", org.url, "--json").json() == first
    assert (home / "tiers.json").read_bytes() == before
    done = repo.run("tier", "add", "org", "https://example.org/x", exit_code=5)
    assert "gitkb tier remove org" in done.stderr
    # What was only read may be written from now on, in the same place.
    assert repo.run("tier", "add", "org", org.url, "--push", "--json").json()["writable"]


def test_a_path_is_an_address_too(home: Path, repo: Repo, tmp_path: Path) -> None:
    Org(tmp_path)
    repo.run("tier", "add", "org", "../org.git")
    assert learned(repo) == {"org-rule": "org"}
    assert json.loads((home / "tiers.json").read_bytes())["tiers"][0]["url"] == str(
        tmp_path / "org.git"
    )


def test_words_that_an_action_does_not_take_are_named(repo: Repo) -> None:
    for words, takes in (
        (["add", "org"], "'tier add' takes a NAME and the URL of a repository"),
        (["list", "org"], "'tier list' takes no word"),
        (["pull", "org", "url"], "'tier pull' takes one NAME, or none for all"),
    ):
        assert takes in repo.run("tier", *words, exit_code=2).stderr


@pytest.mark.parametrize(
    "url",
    ["--upload-pack=touch x", "-x", "ext::sh -c touch% x", "fd::3", "::x", "", " ", "https://a\nb",
     "https://ada:secret@example.org/x", "https://ghp_0123456789abcdef0123@example.org/x"],
)  # fmt: skip
def test_an_address_that_could_run_something_or_tells_a_secret_is_refused(
    home: Path, repo: Repo, url: str
) -> None:
    done = repo.run("tier", "add", "org", "--", url, exit_code=2)
    assert done.stderr.startswith("error: ")
    assert "hint: " in done.stderr
    assert not home.exists()
    assert sorted(path.name for path in repo.path.iterdir()) == [".git", ".gitkb"]


def test_an_address_cannot_be_turned_into_a_program_by_settings(
    home: Path, repo: Repo, tmp_path: Path
) -> None:
    mark = tmp_path / "ran"
    repo.git("config", "--global", f"url.ext::touch {mark} .insteadOf", "https://org.example/")
    done = repo.run("tier", "add", "org", "https://org.example/kb", exit_code=6)
    assert "ext" in done.stderr
    assert not mark.exists()


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("dance",), 2), (("add",), 2), (("add", "org"), 2), (("list", "x"), 2), (("remove",), 2),
        (("pull", "a", "b"), 2), (("list", "--push"), 2), (("pull", "--projects"), 2),
        (("add", "Org", "/x"), 2), (("add", "project", "/x"), 2), (("remove", "nowhere"), 4),
        (("remove", "workstation"), 4), (("pull", "nowhere"), 4), (("pull", "project"), 4),
    ],
)  # fmt: skip
def test_wrong_words_are_refused_with_a_hint(
    home: Path, repo: Repo, words: tuple[str, ...], code: int
) -> None:
    done = repo.run("tier", *words, exit_code=code)
    assert done.stdout == ""
    assert done.stderr.startswith("error: ")
    assert "hint: " in done.stderr


# --- what is not there, or broken ------------------------------------------------------------


def test_an_address_that_cannot_be_reached_is_not_set_up(
    home: Path, repo: Repo, tmp_path: Path
) -> None:
    done = repo.run("tier", "add", "org", str(tmp_path / "nowhere"), exit_code=6)
    assert "git ls-remote" in done.stderr
    assert [tier["name"] for tier in repo.run("tier", "--json").json()] == [
        "project",
        "workstation",
    ]
    assert list((home / "tiers").iterdir()) == []


def test_a_repository_without_a_store_is_not_set_up_unless_one_may_write(
    home: Path, repo: Repo, tmp_path: Path
) -> None:
    org = Org(tmp_path, store=False)
    org.writer.write("README", "no store\n")
    org.writer.commit("Begin")
    org.writer.push()
    done = repo.run("tier", "add", "org", org.url, exit_code=4)
    assert "no knowledge base" in done.stderr
    assert list((home / "tiers").iterdir()) == []
    repo.run("tier", "add", "org", org.url, "--push")
    done = repo.run("learnings", "--for", "plan")
    assert (done.stdout, done.stderr) == ("", "")


def test_one_broken_tier_never_costs_another(home: Path, repo: Repo, tmp_path: Path) -> None:
    good = Org(tmp_path / "good")
    bad = Org(tmp_path / "bad")
    repo.run("tier", "add", "bad", bad.url)
    repo.run("tier", "add", "good", good.url)
    good.write(key="later", title="Later")
    bad.remote.path.rename(tmp_path / "away")
    # Unreachable: what was fetched is still read, without a word.
    done = repo.run("learnings", "--for", "plan", "--json")
    assert [value["tier"] for value in done.json()] == ["bad"]  # the nearer, of one key
    assert done.stderr == ""
    done = repo.run("tier", "pull", exit_code=6)
    assert done.stdout == "pulled   good\n"
    assert "'bad'" in done.stderr
    assert "hint: " in done.stderr
    values = repo.run("tier", "pull", "--json", exit_code=6).json()
    assert [("error" in value) for value in values] == [True, False]
    # Gone from here as well: named, with its cure, and the other still speaks.
    (home / "tiers" / "bad").rename(tmp_path / "gone")
    done = repo.run("learnings", "--for", "plan", "--json")
    assert {value["key"]: value["tier"] for value in done.json()} == {
        "org-rule": "good", "later": "good",
    }  # fmt: skip
    assert "gitkb tier pull bad" in done.stderr
    (tmp_path / "away").rename(bad.remote.path)
    repo.run("tier", "pull", "bad")
    assert learned(repo)["org-rule"] == "bad"


def test_a_read_only_tier_follows_a_history_that_was_rewritten(
    home: Path, repo: Repo, tmp_path: Path
) -> None:
    org = Org(tmp_path)
    repo.run("tier", "add", "org", org.url)
    org.writer.run("forget", "org-rule")
    org.writer.kb_add(**{**LEARNING, "key": "other", "title": "Other"})
    org.writer.add()
    org.writer.git("commit", "-q", "--amend", "-m", "Rewritten")
    org.writer.git("push", "-q", "--force")
    assert repo.run("tier", "pull").stdout == "pulled   org\n"
    assert learned(repo) == {"other": "org"}


def test_changes_made_by_hand_in_a_copy_are_not_overwritten(
    home: Path, repo: Repo, tmp_path: Path
) -> None:
    org = Org(tmp_path)
    repo.run("tier", "add", "org", org.url)
    org.write(key="newer", title="Newer")
    (home / "tiers" / "org" / "notes").write_text("mine")
    done = repo.run("tier", "pull", exit_code=6)
    assert "not committed" in done.stderr
    assert (home / "tiers" / "org" / "notes").read_text() == "mine"


def test_what_a_repository_brings_along_does_not_run_and_leads_nowhere(
    home: Path, repo: Repo, tmp_path: Path
) -> None:
    org = Org(tmp_path, store=False)
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "all.jsonl").write_bytes(
        b'{"key":"secret","type":"fact","title":"t","content":"x","category":"architecture","ts":1}\n'
    )
    org.writer.write(".gitkb/config.toml", "shards = 1\n")
    os.symlink(secret, org.writer.path / ".gitkb" / "knowledge")
    org.writer.commit("Begin")
    org.writer.push()
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    (hooks / "post-checkout").write_text(f"#!/bin/sh\ntouch '{tmp_path}/ran'\n")
    (hooks / "post-checkout").chmod(0o755)
    repo.git("config", "--global", "core.hooksPath", str(hooks))
    repo.run("tier", "add", "org", org.url)
    assert learned(repo) == {}
    assert not (tmp_path / "ran").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="a shell script stands in for ssh")
def test_an_other_side_that_does_not_answer_is_given_up_with_all_it_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ssh = tmp_path / "ssh"
    ssh.write_text(
        f"#!/bin/sh\necho $$ >'{tmp_path}/pid'\necho \"$@\" >'{tmp_path}/words'\nexec sleep 60\n"
    )
    ssh.chmod(0o755)
    monkeypatch.setenv("GIT_SSH_COMMAND", str(ssh))
    monkeypatch.setattr(remote, "CLONE_SECONDS", 1.0)
    before = time.monotonic()
    with pytest.raises(GitError, match="within 1 seconds"):
        remote.clone("git@example.org:kb.git", str(tmp_path / "clone"))
    assert time.monotonic() - before < 20
    assert "BatchMode=yes" in (tmp_path / "words").read_text()
    pid = int((tmp_path / "pid").read_text())
    for _ in range(100):
        if not _is_alive(pid):
            break
        time.sleep(0.05)
    assert not _is_alive(pid)


def _is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in ("Z", "X")


def test_git_is_not_asked_for_anything(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_DIR", "/nonexistent")
    monkeypatch.setenv("GIT_ASKPASS", "/usr/bin/ask-me")
    environment = remote._environment(os.getcwd(), True)
    assert "GIT_DIR" not in environment
    assert environment["GIT_TERMINAL_PROMPT"] == "0"
    assert environment["GIT_ASKPASS"] == environment["SSH_ASKPASS"] == ""
    assert environment["GIT_SSH_COMMAND"].startswith("ssh -o BatchMode=yes")
    assert "ext" not in environment["GIT_ALLOW_PROTOCOL"].split(":")


# --- tiers that are written ------------------------------------------------------------------


def test_the_workstation_is_made_once_and_asks_nobody(
    home: Path, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (
        "GIT_AUTHOR_NAME",
        "GIT_AUTHOR_EMAIL",
        "GIT_COMMITTER_NAME",
        "GIT_COMMITTER_EMAIL",
    ):
        monkeypatch.delenv(name)
    repo.git("config", "--global", "user.useConfigOnly", "true")
    repo.git("config", "--global", "commit.gpgSign", "true")
    tier = make_workstation()
    assert tier.writable
    assert tier.store.root == str(home / "workstation" / ".gitkb")
    work = Repo(home / "workstation")
    assert work.log(form="%an %s") == ["gitkb Start a knowledge base"]
    assert work.status() == []
    add(tier.store, {**LEARNING, "key": "mine"})
    assert save_tier(tier, "Learn 'mine'")
    assert not save_tier(tier, "Again")
    assert work.log() == ["Learn 'mine'", "Start a knowledge base"]
    assert make_workstation() == tier
    assert learned(repo) == {"mine": "workstation"}
    assert "missing" not in run_program([script("gitkb"), "doctor"], cwd=work.path).stdout


def test_a_workstation_that_was_half_made_is_made_whole(home: Path) -> None:
    (home / "workstation").mkdir(parents=True)
    remote.init(str(home / "workstation"))
    assert read_tiers(None) == []
    tier = make_workstation()
    assert [one.name for one in read_tiers(None)] == ["workstation"]
    assert add(tier.store, {**LEARNING, "key": "k"}).written


def test_what_a_killed_git_left_of_a_workstations_repository_is_in_nobodys_way(home: Path) -> None:
    # As `git init` leaves it when it is killed between its first folders and HEAD.
    begun = home / ".workstation.new" / ".git"
    (begun / "refs").mkdir(parents=True)
    (begun / "HEAD.lock").write_bytes(b"ref: refs/he")
    tier = make_workstation()
    assert add(tier.store, {**LEARNING, "key": "k"}).written
    assert Repo(home / "workstation", ADA).log() == ["Start a knowledge base"]
    assert sorted(path.name for path in home.iterdir() if "new" in path.name) == []


def test_a_workstation_with_another_side_goes_there_and_back(
    home: Path, repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remote_repo = Repo.init(tmp_path / "mine.git", bare=True)
    tier = make_workstation()
    work = Repo(home / "workstation", ADA)
    assert repo.run("tier", "pull").stdout == ""
    assert repo.run("tier", "pull", "workstation").stdout == "kept     workstation\n"
    work.git("remote", "add", "mine", str(remote_repo.path))
    work.push("-u", "mine", "HEAD")
    add(tier.store, {**LEARNING, "key": "here"})
    save_tier(tier, "Learn")
    assert repo.run("tier", "pull").stdout == "kept     workstation, 1 commit sent\n"
    other = Repo.clone(remote_repo, tmp_path / "laptop", person=BEN)
    assert [value["key"] for value in other.run("list", "--json").json()] == ["here"]
    other.kb_add(**{**LEARNING, "key": "there", "title": "There"})
    other.commit("Learn there")
    other.push()
    assert repo.run("tier", "pull").stdout == "pulled   workstation\n"
    assert learned(repo) == {"here": "workstation", "there": "workstation"}


def test_a_tier_that_one_may_write_is_begun_sent_and_merged(
    home: Path, repo: Repo, tmp_path: Path
) -> None:
    org = Org(tmp_path, store=False)
    add_tier("org", org.url, push=True, cwd=".")
    tier = begin_tier("org")
    add(tier.store, {**LEARNING, "key": "ours"})
    assert save_tier(tier, "Learn 'ours'")
    org.writer.pull("origin", "main")
    org.writer.git("branch", "-q", "--set-upstream-to=origin/main")
    org.writer.run("install")
    assert org.keys() == {"ours"}
    # Both write the same file: the driver of the copy merges, and what was written is sent.
    org.write(key="theirs", title="Theirs")
    add(tier.store, {**LEARNING, "key": "ours", "content": "Changed."})
    notices: list[str] = []
    assert save_tier(tier, "Change", notices)
    assert "gitkb tier pull org" in notices[0]
    with pytest.raises(StateError, match="never sent"):
        remove_tier("org")
    [pulled] = pull_tiers("org")
    assert pulled.error is None
    assert pulled.changed
    assert pulled.sent == 2  # the change, and the merge
    assert org.keys() == {"ours", "theirs"}
    assert remove_tier("org").name == "org"


def test_a_tier_that_is_only_read_is_not_begun(home: Path, tmp_path: Path) -> None:
    org = Org(tmp_path)
    add_tier("org", org.url, push=False, cwd=".")
    with pytest.raises(StateError, match="only read") as refusal:
        begin_tier("org")
    assert "--push" in str(refusal.value.hint)


def test_the_projects_store_is_never_committed(repo: Repo, home: Path) -> None:
    repo.kb_add(**LEARNING)
    [tier] = read_tiers(None) or read_tiers(_store(repo))
    assert not save_tier(tier, "No")
    assert repo.git("rev-parse", "-q", "--verify", "HEAD", exit_code=None).exit_code == 1


def _store(repo: Repo) -> Any:
    from gitkb.store.discover import store_at

    return store_at(str(repo.path / ".gitkb"))


def test_a_call_that_was_killed_while_it_cloned_is_begun_anew(home: Path, tmp_path: Path) -> None:
    org = Org(tmp_path)
    begun = home / "tiers" / ".org.new"
    (begun / ".git").mkdir(parents=True)
    (home / "tiers" / "org").mkdir()
    (home / "tiers" / "org" / "half").write_bytes(b"")
    assert add_tier("org", org.url, push=False, cwd=".").state == "ready"
    assert not begun.exists()
    assert not (home / "tiers" / "org" / "half").exists()
    found = find_tier("org")
    assert found is not None
    assert found.state == "ready"


def test_what_lies_in_the_place_of_a_copy_is_not_overwritten(home: Path, tmp_path: Path) -> None:
    org = Org(tmp_path)
    add_tier("org", org.url, push=False, cwd=".")
    (home / "tiers" / "org" / ".git").rename(tmp_path / "away")
    [pulled] = pull_tiers("org")
    assert isinstance(pulled.error, StateError)
    assert "move it away" in str(pulled.error.hint)
    assert (home / "tiers" / "org" / ".gitkb").is_dir()
    remove_tier("org")
    assert not (home / "tiers" / "org").exists()


def test_a_file_in_the_place_of_a_copy_can_be_removed_with_its_tier(
    home: Path, tmp_path: Path
) -> None:
    org = Org(tmp_path)
    add_tier("org", org.url, push=False, cwd=".")
    (home / "tiers" / "org").rename(tmp_path / "away")
    (home / "tiers" / "org").write_bytes(b"")
    remove_tier("org")
    assert not (home / "tiers" / "org").exists()


def test_with_broken_settings_nothing_is_pulled_or_changed(home: Path, repo: Repo) -> None:
    home.mkdir(parents=True)
    (home / "tiers.json").write_bytes(b"{")
    for words in (("pull",), ("pull", "org"), ("remove", "org"), ("add", "org", "/x")):
        done = repo.run("tier", *words, exit_code=5)
        assert "tiers.json" in done.stderr
        assert "hint: " in done.stderr
    assert (home / "tiers.json").read_bytes() == b"{"
    assert "warning: the further tiers are left out" in repo.run("tier", "list").stderr


def test_the_folder_of_the_user_may_be_one_that_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setenv("GITKB_HOME", str(tmp_path / "file" / "home"))
    with pytest.raises(StateError, match="cannot write"):
        make_workstation()
    with pytest.raises(StateError, match="cannot write"):
        add_tier("org", "/x", push=False, cwd=".")
    with pytest.raises(UsageError):
        add_tier("org", "-x", push=False, cwd=".")
    assert read_tiers(None) == []
